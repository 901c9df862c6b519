import type { GraphNode, Series } from './series.ts';

/** Nodes in topological order: every node after its inputs, each key once. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  /** Index of a series' node in `nodes`. */
  readonly indexOf: (series: Pick<Series, 'node'>) => number;
  /** Number of bars before the current one that must stay readable. */
  readonly lookback: number;
}

/** Maximum number of nodes of one strategy's graph. */
const MAX_NODES = 2_000;

/**
 * Sorts the given nodes and their inputs. Throws RangeError if two different indicators share a key, or for more than
 * 2,000 nodes.
 */
export function graphOf(wanted: readonly GraphNode[]): Graph {
  const nodes: GraphNode[] = [];
  const places = new Map<string, number>();
  const visit = (node: GraphNode): void => {
    const place = places.get(node.key);
    if (place !== undefined) {
      checkSame(nodes[place], node);
      return;
    }
    for (const input of node.inputs) visit(input.node);
    places.set(node.key, nodes.length);
    nodes.push(node);
    if (nodes.length > MAX_NODES) {
      throw new RangeError(`Cannot compile signals: more than ${MAX_NODES} different indicators, want fewer`);
    }
  };
  for (const node of wanted) visit(node);
  const indexOf = ({ node }: Pick<Series, 'node'>): number => {
    const place = places.get(node.key);
    if (place === undefined) throw new RangeError(`No "${node.key}" among the nodes of this signal graph`);
    return place;
  };
  return { nodes, indexOf, lookback: nodes.reduce((most, node) => Math.max(most, node.lookback), 0) };
}

function checkSame(known: GraphNode | undefined, node: GraphNode): void {
  const [a, b] = [known?.work, node.work];
  if (a?.kind !== 'kernel' || b.kind !== 'kernel' || a.maker === b.maker) return;
  throw new RangeError(
    `Cannot compile signals: two different indicators are both called "${node.key}", give one another name`,
  );
}
