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

/** Positions of all parts of a pipeline, in pixels from the upper left corner of the drawing. */
export interface PipelineLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly { readonly node: DrawnNode; readonly box: Box }[];
  /** Rules in the box of the gate, row by row. */
  readonly rules: readonly { readonly rule: string; readonly box: Box }[];
  /** Frames around signals that would be too many in one row. */
  readonly groups: readonly SignalGroup[];
  /** All members of a group share one arrow: `from` and `to` are then the id of the group. */
  readonly edges: readonly {
    readonly edge: DrawnEdge;
    /** From the border of one box to that of the other. */
    readonly points: readonly Point[];
    /** Space for the count; absent for an arrow without one. */
    readonly label?: Box;
  }[];
}

/** Signals of one strategy with the same depth of inputs, row by row in one frame. */
export interface SignalGroup {
  readonly id: string;
  readonly members: readonly string[];
  readonly box: Box;
}

/** An arrow as placed by the library, with the centre of its label, if any. */
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
/** Maximum number of signals in a row; more of them are drawn in a frame, in rows. */
const SIGNALS_ASIDE = 10;
const GROUP_COLUMNS = 6;
const GROUP_GAP = 10;
const MARGIN = 12;

/** Lays a pipeline out from top to bottom. The same graph always has the same layout. */
export function layOutPipeline({ nodes, edges: declared, rules }: PipelineGraph): PipelineLayout {
  const found = groupsIn(nodes, declared);
  const groupOf = new Map(found.flatMap(({ id, members }) => members.map((member) => [member, id])));
  const edges = groupedEdges(declared, groupOf);
  const alone = nodes.filter(({ id }) => !groupOf.has(id));
  const graph = new Graph();
  graph.setGraph({
    rankdir: 'TB',
    nodesep: 24,
    edgesep: 16,
    ranksep: 26,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  for (const { id, members } of found) graph.setNode(id, { ...groupSize(members.length), x: 0, y: 0 });
  for (const node of alone) graph.setNode(node.id, { ...sizeOf(node, rules.length), x: 0, y: 0 });
  for (const { from, to, count } of edges)
    graph.setEdge(from, to, {
      points: [],
      ...(count === undefined ? {} : { ...LABEL, labelpos: 'r', labeloffset: 6 }),
    });
  layout(graph);
  const groups = found.map((group) => ({ ...group, box: boxOf(graph.node(group.id)) }));
  const boxes = new Map([
    ...alone.map(({ id }) => [id, boxOf(graph.node(id))] as const),
    ...groups.flatMap(({ members, box }) => members.map((id, at) => [id, memberBox(box, at)] as const)),
  ]);
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
    ...groups.map(({ box }) => box),
    ...drawnEdges.flatMap(({ label }) => (label === undefined ? [] : [label])),
  ];
  return {
    width: Math.max(...all.map(({ x, width }) => x + width)) + MARGIN,
    height: Math.max(...all.map(({ y, height }) => y + height)) + MARGIN,
    nodes: drawnNodes,
    groups,
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

/** Signals by strategy and depth, if there are too many for one row. */
function groupsIn(
  nodes: readonly DrawnNode[],
  edges: readonly DrawnEdge[],
): readonly Omit<SignalGroup, 'box'>[] {
  const signals = nodes.filter((node) => node.kind === 'signal');
  const inputs = Map.groupBy(edges, ({ to }) => to);
  const depths = new Map<string, number>();
  // Topological order: each node after its inputs.
  for (const { id } of signals)
    depths.set(id, 1 + Math.max(0, ...(inputs.get(id) ?? []).map(({ from }) => depths.get(from) ?? 0)));
  const rows = Map.groupBy(signals, ({ strategy, id }) => `signals ${depths.get(id)} ${strategy}`);
  return [...rows]
    .filter(([, members]) => members.length > SIGNALS_ASIDE)
    .map(([id, members]) => ({ id, members: members.map((member) => member.id) }));
}

/** The arrows between single boxes and groups, each once. */
function groupedEdges(
  edges: readonly DrawnEdge[],
  groupOf: ReadonlyMap<string, string>,
): readonly DrawnEdge[] {
  const seen = new Map<string, DrawnEdge>();
  for (const edge of edges) {
    const [from, to] = [groupOf.get(edge.from) ?? edge.from, groupOf.get(edge.to) ?? edge.to];
    const key = JSON.stringify([from, to]);
    if (!seen.has(key) || edge.count !== undefined) seen.set(key, { ...edge, from, to });
  }
  return [...seen.values()];
}

function groupSize(members: number): Pick<Box, 'width' | 'height'> {
  return {
    width: GROUP_GAP + GROUP_COLUMNS * (WIDTH + GROUP_GAP),
    height: GROUP_GAP + Math.ceil(members / GROUP_COLUMNS) * (HEIGHTS.signal + GROUP_GAP),
  };
}

function memberBox({ x, y }: Box, at: number): Box {
  return {
    x: x + GROUP_GAP + (at % GROUP_COLUMNS) * (WIDTH + GROUP_GAP),
    y: y + GROUP_GAP + Math.floor(at / GROUP_COLUMNS) * (HEIGHTS.signal + GROUP_GAP),
    width: WIDTH,
    height: HEIGHTS.signal,
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
