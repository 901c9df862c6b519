import { describe, expect, it } from 'vitest';
import { boxTowards, type PlacedBox } from '#src/dashboard/page/box-steps.ts';
import {
  type DeclaredPipeline,
  type PipelineGraph,
  pipelineGraph,
} from '#src/dashboard/page/pipeline-graph.ts';
import { type Box, layOutPipeline, type Point } from '#src/dashboard/page/pipeline-layout.ts';
import type { NodeReading } from '#src/model/node-reading.ts';

function reading(key: string, fields: Partial<NodeReading> = {}): NodeReading {
  return { key, names: [], kind: 'series', inputs: [], values: [1], warmupLeft: 0, ...fields };
}

const CROSS: readonly NodeReading[] = [
  reading('close', { kind: 'source' }),
  reading('sma(close,2)', { names: ['fast'], inputs: ['close'] }),
  reading('sma(close,5)', { names: ['slow'], inputs: ['close'] }),
  reading('crosses', { names: ['entry'], kind: 'signal', inputs: ['sma(close,2)', 'sma(close,5)'] }),
];
const RULES = ['gate-state', 'session', 'no-short', 'max-order-notional', 'call-budget', 'order-rate'];

function declared(fields: Partial<DeclaredPipeline> = {}): DeclaredPipeline {
  const symbols = [{ symbol: 'AAPL.US', nodes: CROSS }];
  return {
    rules: RULES,
    strategy: 'cross',
    strategies: [{ name: 'cross', symbols }],
    symbol: 'AAPL.US',
    ...fields,
  };
}

const arrows = ({ edges }: PipelineGraph): readonly string[] =>
  edges.map(({ from, to, count }) => `${from} > ${to}${count === undefined ? '' : `: ${count}`}`);

describe('the graph of a pipeline', () => {
  it('connects quotes with bars, signals, strategy, gate, executor and the calls of the venue', () => {
    expect(arrows(pipelineGraph(declared()))).toEqual([
      'quotes > bars: quotes',
      'bars > signal cross close: bars',
      'signal cross close > signal cross sma(close,2)',
      'signal cross sma(close,2) > strategy cross',
      'signal cross close > signal cross sma(close,5)',
      'signal cross sma(close,5) > strategy cross',
      'signal cross sma(close,2) > signal cross crosses',
      'signal cross sma(close,5) > signal cross crosses',
      'signal cross crosses > strategy cross: signals',
      'strategy cross > gate: drafted',
      'gate > executor: approved',
      'executor > call attempts: attempts',
      'executor > call cancels: cancels',
      'executor > call replaces: replaces',
      'call attempts > venue: accepted',
      'call cancels > venue',
      'call replaces > venue',
    ]);
  });

  it('connects bars with the strategy of a bot that does not run, whose signals are unknown', () => {
    const graph = pipelineGraph(declared({ strategies: [], symbol: undefined }));
    expect(arrows(graph).slice(0, 3)).toEqual([
      'quotes > bars: quotes',
      'bars > strategy cross: bars',
      'strategy cross > gate: drafted',
    ]);
    expect(graph.rules).toEqual(RULES);
  });

  it('puts no count on one of several arrows that share it', () => {
    const symbols = [{ symbol: 'AAPL.US', nodes: CROSS }];
    const strategies = [
      { name: 'one', symbols },
      { name: 'two', symbols },
    ];
    const counted = pipelineGraph(declared({ strategies })).edges.flatMap(({ count }) => count ?? []);
    expect(counted).toEqual(['quotes', 'approved', 'attempts', 'cancels', 'replaces', 'accepted']);
  });

  it('is the same for the same declaration, whatever the values are', () => {
    const later = CROSS.map((node) => ({ ...node, values: [7], warmupLeft: 3 }));
    const strategies = [{ name: 'cross', symbols: [{ symbol: 'AAPL.US', nodes: later }] }];
    expect(pipelineGraph(declared({ strategies }))).toEqual(pipelineGraph(declared()));
  });
});

describe('the layout of a pipeline', () => {
  it('draws every box once, inside the drawing, without overlaps', () => {
    const graph = pipelineGraph(declared());
    const { nodes, width, height } = layOutPipeline(graph);
    expect(nodes.map(({ node }) => node)).toEqual(graph.nodes);
    for (const { box } of nodes) expect(isInside(box, { x: 0, y: 0, width, height })).toBe(true);
    const overlaps = nodes.flatMap((one, index) =>
      nodes
        .slice(index + 1)
        .filter((other) => overlap(one.box, other.box))
        .map((other) => `${one.node.id} and ${other.node.id}`),
    );
    expect(overlaps).toEqual([]);
  });

  it('draws every arrow downwards, from the border of its first box to that of its second', () => {
    const { nodes, edges } = layOutPipeline(pipelineGraph(declared()));
    const boxes = new Map(nodes.map(({ node, box }) => [node.id, box]));
    for (const { edge, points } of edges) {
      expect(isOnBorder(points.at(0), boxes.get(edge.from))).toBe(true);
      expect(isOnBorder(points.at(-1), boxes.get(edge.to))).toBe(true);
      const heights = points.map(({ y }) => y);
      expect(heights).toEqual(heights.toSorted((one, other) => one - other));
    }
  });

  it('keeps space for each count next to the boxes', () => {
    const { nodes, edges } = layOutPipeline(pipelineGraph(declared()));
    const counted = edges.filter(({ edge }) => edge.count !== undefined);
    expect(edges.filter(({ label }) => label !== undefined)).toEqual(counted);
    for (const { label } of counted)
      for (const { box } of nodes) expect(label !== undefined && overlap(label, box)).toBe(false);
  });

  it.each([0, 1, 4, 5, 37])('has %i rules in the gate, in the order in which they judge', (count) => {
    const rules = Array.from({ length: count }, (_rule, index) => `rule-${index}`);
    const drawn = layOutPipeline(pipelineGraph(declared({ rules })));
    const gate = drawn.nodes.find(({ node }) => node.kind === 'gate')?.box;
    expect(drawn.rules.map(({ rule }) => rule)).toEqual(rules);
    for (const { box } of drawn.rules) expect(gate !== undefined && isInside(box, gate)).toBe(true);
    const inReadingOrder = drawn.rules.toSorted(
      ({ box: one }, { box: other }) => one.y - other.y || one.x - other.x,
    );
    expect(inReadingOrder).toEqual(drawn.rules);
  });

  it('draws the hundred nodes of the largest graph that a bot reports', () => {
    const inputsOf = (index: number): readonly string[] => {
      if (index < 5) return [];
      return index < 60 ? [`n${index % 5}`] : [`n${5 + ((index * 7) % 55)}`, `n${5 + ((index * 13) % 55)}`];
    };
    const nodes = Array.from({ length: 100 }, (_node, index) =>
      reading(`n${index}`, { inputs: inputsOf(index) }),
    );
    const strategies = [{ name: 'large', symbols: [{ symbol: 'AAPL.US', nodes }] }];
    const drawn = layOutPipeline(pipelineGraph(declared({ strategies })));
    expect(drawn.nodes.filter(({ node }) => node.kind === 'signal')).toHaveLength(100);
  });

  it('draws very many signals of one depth in a frame, in rows, with one arrow in and one out', () => {
    const nodes = [
      reading('close', { kind: 'source' }),
      ...Array.from({ length: 99 }, (_node, at) =>
        reading(`sma(close,${at + 2})`, { names: [`average ${at}`], inputs: ['close'] }),
      ),
    ];
    const strategies = [{ name: 'wide', symbols: [{ symbol: 'AAPL.US', nodes }] }];
    const drawn = layOutPipeline(pipelineGraph(declared({ strategies })));
    const [group, ...others] = drawn.groups;
    expect(others).toEqual([]);
    expect(group?.members).toHaveLength(99);
    expect(drawn.width).toBeLessThan(1_280);
    const placed = new Map(drawn.nodes.map(({ node, box }) => [node.id, box]));
    for (const [id, box] of placed) {
      const isMember = group?.members.includes(id) === true;
      if (isMember) expect(group !== undefined && isInside(box, group.box)).toBe(true);
      else expect(group !== undefined && overlap(box, group.box)).toBe(false);
    }
    const ofGroup = drawn.edges.filter(({ edge }) => edge.from === group?.id || edge.to === group?.id);
    expect(ofGroup.map(({ edge: { from, to } }) => [from, to])).toEqual([
      ['signal wide close', group?.id],
      [group?.id, 'strategy wide'],
    ]);
    expect(drawn.edges).toHaveLength(
      new Set(drawn.edges.map(({ edge: { from, to } }) => `${from} > ${to}`)).size,
    );
  });

  it('has no frame around signals that fit next to each other', () => {
    expect(layOutPipeline(pipelineGraph(declared())).groups).toEqual([]);
  });
});

describe('arrow keys in the drawing of a pipeline', () => {
  const nodes = Array.from({ length: 100 }, (_node, at) =>
    reading(`n${at}`, { inputs: at < 3 ? [] : [`n${at % 3}`] }),
  );
  const strategies = [{ name: 'wide', symbols: [{ symbol: 'AAPL.US', nodes }] }];
  const { nodes: placed, rules } = layOutPipeline(pipelineGraph(declared({ strategies })));
  const boxes: readonly PlacedBox[] = [
    ...placed.filter(({ node }) => node.kind !== 'gate').map(({ node: { id }, box }) => ({ id, box })),
    ...rules.map(({ rule, box }) => ({ id: `rule ${rule}`, box })),
  ];
  const middle = ({ box }: PlacedBox) => [box.x + box.width / 2, box.y + box.height / 2] as const;

  it('lead from the first box to every other one', () => {
    const reached = new Set(['quotes']);
    for (const id of reached)
      for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] as const) {
        const next = boxTowards(boxes, id, key);
        if (next !== undefined) reached.add(next.id);
      }
    expect(boxes.map(({ id }) => id).filter((id) => !reached.has(id))).toEqual([]);
  });

  it('lead to a box in their direction, to the next of a row first, and stop at the border', () => {
    for (const box of boxes) {
      const [right, down] = [boxTowards(boxes, box.id, 'ArrowRight'), boxTowards(boxes, box.id, 'ArrowDown')];
      if (right !== undefined) expect(middle(right)[0]).toBeGreaterThan(middle(box)[0]);
      if (down !== undefined) expect(middle(down)[1]).toBeGreaterThan(middle(box)[1]);
    }
    expect(boxTowards(boxes, 'signal wide n3', 'ArrowRight')?.id).toBe('signal wide n4');
    expect(boxTowards(boxes, 'quotes', 'ArrowUp')).toBeUndefined();
    expect(boxTowards(boxes, 'venue', 'ArrowDown')).toBeUndefined();
    expect(boxTowards(boxes, 'none', 'ArrowDown')).toBeUndefined();
  });
});

function isInside(inner: Box, outer: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** Within a hundredth of a pixel. */
function isOnBorder(point: Point | undefined, box: Box | undefined): boolean {
  if (point === undefined || box === undefined) return false;
  const [left, right] = [point.x - box.x, box.x + box.width - point.x];
  const [top, bottom] = [point.y - box.y, box.y + box.height - point.y];
  return Math.abs(Math.min(left, right, top, bottom)) < 0.01;
}
