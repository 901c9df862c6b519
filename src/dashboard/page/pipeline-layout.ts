import { Graph, layout } from '@dagrejs/dagre';
import type { DrawnEdge, DrawnNode, PipelineGraph } from './pipeline-graph.ts';

/** A rectangle by its upper left corner, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where everything of a pipeline is drawn, in pixels from the upper left corner of the drawing. */
export interface PipelineLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly { readonly node: DrawnNode; readonly box: Box }[];
  /** Rules inside the box of the gate, row by row. */
  readonly rules: readonly { readonly rule: string; readonly box: Box }[];
  readonly edges: readonly {
    readonly edge: DrawnEdge;
    /** From the border of one box to that of the other. */
    readonly points: readonly Point[];
    /** Space for the count; absent for an arrow without one. */
    readonly label?: Box;
  }[];
}

/** An arrow as the library places it: its label by the centre, where it has one. */
interface PlacedEdge {
  readonly points: readonly Point[];
  readonly x?: number;
  readonly y?: number;
}

const WIDTH = 180;
const HEIGHTS: Readonly<Record<Exclude<DrawnNode['kind'], 'gate'>, number>> = {
  quotes: 62,
  bars: 46,
  signal: 62,
  strategy: 62,
  executor: 62,
  call: 46,
  venue: 80,
};
const LABEL = { width: 132, height: 34 };
const RULE = { width: 214, height: 46 };
const RULE_GAP = 10;
const RULE_COLUMNS = 4;
const GATE_HEAD = 34;
const MARGIN = 12;

/** Lays a pipeline out from top to bottom. The same graph always has the same layout. */
export function layOutPipeline({ nodes, edges, rules }: PipelineGraph): PipelineLayout {
  const graph = new Graph();
  graph.setGraph({
    rankdir: 'TB',
    nodesep: 24,
    edgesep: 16,
    ranksep: 26,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  for (const node of nodes) graph.setNode(node.id, { ...sizeOf(node, rules.length), x: 0, y: 0 });
  for (const { from, to, count } of edges)
    graph.setEdge(from, to, {
      points: [],
      ...(count === undefined ? {} : { ...LABEL, labelpos: 'r', labeloffset: 6 }),
    });
  layout(graph);
  const boxes = new Map(nodes.map(({ id }) => [id, boxOf(graph.node(id))]));
  const at = (id: string): Box => boxes.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
  const drawnEdges = edges.map((edge) => {
    const placed: PlacedEdge = graph.edge(edge.from, edge.to);
    const points = placed.points.map(({ x, y }) => ({ x, y }));
    const { x, y } = placed;
    return x === undefined || y === undefined
      ? { edge, points }
      : { edge, points, label: boxOf({ ...LABEL, x, y }) };
  });
  const gate = at('gate');
  const drawnNodes = nodes.map((node) => ({ node, box: at(node.id) }));
  const all = [
    ...drawnNodes.map(({ box }) => box),
    ...drawnEdges.flatMap(({ label }) => (label === undefined ? [] : [label])),
  ];
  return {
    width: Math.max(...all.map(({ x, width }) => x + width)) + MARGIN,
    height: Math.max(...all.map(({ y, height }) => y + height)) + MARGIN,
    nodes: drawnNodes,
    edges: drawnEdges,
    rules: rules.map((rule, index) => ({
      rule,
      box: {
        ...RULE,
        x: gate.x + RULE_GAP + (index % RULE_COLUMNS) * (RULE.width + RULE_GAP),
        y: gate.y + GATE_HEAD + Math.floor(index / RULE_COLUMNS) * (RULE.height + RULE_GAP),
      },
    })),
  };
}

function sizeOf({ kind }: DrawnNode, rules: number): Pick<Box, 'width' | 'height'> {
  if (kind !== 'gate') return { width: WIDTH, height: HEIGHTS[kind] };
  const columns = Math.max(1, Math.min(RULE_COLUMNS, rules));
  const rows = Math.ceil(rules / RULE_COLUMNS);
  return {
    width: RULE_GAP + columns * (RULE.width + RULE_GAP),
    height: GATE_HEAD + rows * (RULE.height + RULE_GAP),
  };
}

/** The library places boxes by their centres. */
function boxOf({ x, y, width, height }: Box): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}
