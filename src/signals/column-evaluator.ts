import type { Bar, BarColumns } from '../model/bar.ts';
import type { CachedColumns, FeedColumns } from './column-cache.ts';
import type { Graph } from './graph.ts';
import type { GraphNode, Kernel, Positions, Series, SignalNode, SourceField } from './series.ts';
import { sessionNumbers } from './session.ts';
import { isSlotField, type SlotField, slotReader } from './slots.ts';

/** Maximum number of bars computed at once: a few columns of this length fit the fastest cache. */
export const BLOCK_BARS = 2_048;

/**
 * The columns of a signal graph and the kernels bound to them. Columns hold the current bars and as many earlier ones
 * as the longest window reads; older bars are dropped. Live trading takes one bar at a time, a backtest takes a
 * block.
 */
export interface ColumnEvaluator {
  /** Bars taken so far. */
  readonly fed: () => number;
  /** Takes one bar and returns its position. Throws RangeError if a figure that the graph reads is not finite. */
  readonly takeBar: (bar: Bar) => number;
  /** Takes `count` bars from `index` on and returns the position of the first. Throws RangeError as above. */
  readonly takeColumns: (bars: BarColumns, index: number, count: number) => number;
  /** Returns the column of a series; positions are those of the last take, and the next take moves them. */
  readonly columnOf: (series: Pick<Series, 'node' | 'output'>) => Float64Array;
  /** Positions of the last take at which a signal was emitted, for signals that list them. */
  readonly emissionsOf: (signal: Pick<SignalNode, 'node'>) => Positions | undefined;
}

interface Stage {
  readonly node: GraphNode;
  /** Position of the node, and of its inputs, in the graph. */
  readonly place: number;
  readonly inputs: readonly number[];
  readonly columns: readonly Float64Array[];
  readonly kernel: Kernel;
  /** Bar at which the kernel starts; infinite while that depends on later bars. */
  start: number;
}

/** A node whose columns over the whole feed are written for later runs. */
interface WrittenNode {
  readonly node: GraphNode;
  readonly columns: readonly Float64Array[];
  readonly whole: readonly Float64Array[];
}

/** A node whose columns over the whole feed are known. */
interface KnownNode extends WrittenNode, Pick<CachedColumns, 'defined'> {}

interface Source {
  readonly field: SourceField;
  readonly column: Float64Array;
}

/**
 * Creates the columns for a graph that takes at most `block` bars at a time. With `kept`, the graph's bars are the
 * whole feed of that cache.
 */
export function createColumnEvaluator(
  graph: Graph,
  block: number,
  dayNumber = sessionNumbers(),
  kept?: FeedColumns,
): ColumnEvaluator {
  const room = graph.lookback + Math.max(block, 16, graph.lookback >> 1);
  const columns = graph.nodes.map((node) => Array.from({ length: node.width }, () => new Float64Array(room)));
  const columnOf = (series: Pick<Series, 'node' | 'output'>): Float64Array =>
    columns[graph.indexOf(series)]?.[series.output] as Float64Array;
  const known = knownNodes(graph, columnOf, kept?.get);
  const isKnown = ({ key }: GraphNode): boolean => known.some(({ node }) => node.key === key);
  const computed = graph.nodes.filter((node) => !isKnown(node));
  const sources = sourcesOf(computed, columnOf);
  const stages = stagesOf(computed, graph, columnOf);
  const definedAt = firstValues(graph, known, stages);
  const written = writtenNodes({ nodes: computed }, columnOf, kept?.allocate);
  const all = columns.flat();
  const slotOf = slotReader();
  let [at, fed] = [0, 0];

  const makeRoom = (count: number): number => {
    if (at + count > room) {
      for (const column of all) column.copyWithin(0, at - graph.lookback, at);
      at = graph.lookback;
    }
    return at;
  };
  const run = (count: number): number => {
    const from = at;
    const to = at + count;
    if (kept !== undefined && fed + count > kept.length)
      throw new RangeError(`Cannot take bar ${fed + count} of a feed of ${kept.length} bars`);
    for (const { columns, whole } of known)
      for (const [output, column] of columns.entries())
        column.set((whole[output] as Float64Array).subarray(fed, fed + count), from);
    for (const stage of stages) {
      if (stage.start === Number.POSITIVE_INFINITY) stage.start = startOf(stage, definedAt);
      const begin = runStage(stage, fed, from, to);
      if (begin < to && definedAt[stage.place] === Number.POSITIVE_INFINITY)
        definedAt[stage.place] = firstValue(stage, fed + begin - from, to - begin);
    }
    for (const { columns, whole } of written)
      for (const [output, column] of columns.entries()) whole[output]?.set(column.subarray(from, to), fed);
    at = to;
    fed += count;
    if (fed === kept?.length)
      for (const { node, whole } of written)
        kept.store(node, { columns: whole, defined: definedAt[graph.indexOf({ node })] as number });
    return from;
  };
  return {
    fed: () => fed,
    columnOf,
    emissionsOf: ({ node }) => stages.find((stage) => stage.node.key === node.key)?.kernel.emitted,
    takeBar: (bar) => {
      const position = makeRoom(1);
      for (const { field, column } of sources) {
        const value =
          field === 'session'
            ? dayNumber(bar.symbol, bar.time)
            : isSlotField(field)
              ? slotOf(field, bar)
              : bar[field];
        if (!Number.isFinite(value)) throw notFinite(bar.symbol, field, value, fed);
        column[position] = value;
      }
      return run(1);
    },
    takeColumns: (bars, index, count) => {
      const position = makeRoom(count);
      for (const source of sources) {
        if (source.field === 'session') {
          for (let i = 0; i < count; i++) {
            source.column[position + i] = dayNumber(bars.symbol, bars.time[index + i] as number);
          }
        } else if (isSlotField(source.field)) {
          const { symbol, period, time } = bars;
          for (let i = 0; i < count; i++) {
            const bar = { symbol, period, time: time[index + i] as number };
            source.column[position + i] = slotOf(source.field, bar);
          }
        } else {
          source.column.set(bars[source.field].subarray(index, index + count), position);
          checkFinite(bars, source.field, index, count);
        }
      }
      return run(count);
    },
  };
}

/**
 * Returns the built-in nodes whose complete columns `find` has. Figures of bars are left out, as they already exist.
 */
function knownNodes(
  { nodes }: Pick<Graph, 'nodes'>,
  columnOf: ColumnEvaluator['columnOf'],
  find: FeedColumns['get'] | undefined,
): readonly KnownNode[] {
  if (find === undefined) return [];
  return nodes.filter(isKeepable).flatMap((node) => {
    const found = find(node);
    return found === undefined
      ? []
      : [{ node, whole: found.columns, defined: found.defined, columns: columnsOf(node, columnOf) }];
  });
}

/** Returns the nodes for which `find` has room. */
function writtenNodes(
  { nodes }: Pick<Graph, 'nodes'>,
  columnOf: ColumnEvaluator['columnOf'],
  find: FeedColumns['allocate'] | undefined,
): readonly WrittenNode[] {
  if (find === undefined) return [];
  return nodes.filter(isKeepable).flatMap((node) => {
    const whole = find(node);
    return whole === undefined ? [] : [{ node, whole, columns: columnsOf(node, columnOf) }];
  });
}

function isKeepable({ own, work }: GraphNode): boolean {
  return !own && !(work.kind === 'source' && isFigure(work.field));
}

function isFigure(field: SourceField): boolean {
  return field !== 'session' && !isSlotField(field);
}

function columnsOf(node: GraphNode, columnOf: ColumnEvaluator['columnOf']): readonly Float64Array[] {
  return Array.from({ length: node.width }, (_, output) => columnOf({ node, output }));
}

function sourcesOf(nodes: readonly GraphNode[], columnOf: ColumnEvaluator['columnOf']): readonly Source[] {
  return nodes.flatMap((node) =>
    node.work.kind === 'source' ? [{ field: node.work.field, column: columnOf({ node, output: 0 }) }] : [],
  );
}

function stagesOf(
  nodes: readonly GraphNode[],
  { indexOf }: Pick<Graph, 'indexOf'>,
  columnOf: ColumnEvaluator['columnOf'],
): readonly Stage[] {
  return nodes.flatMap((node) => {
    if (node.work.kind === 'source') return [];
    const own = columnsOf(node, columnOf);
    const kernel = node.work.bind(...node.inputs.map(columnOf), ...own);
    const inputs = node.inputs.map(indexOf);
    return [{ node, place: indexOf({ node }), inputs, columns: own, kernel, start: node.start }];
  });
}

/**
 * Returns the first bar with a value of each node: the declared one, or infinity if it depends on a node whose first
 * value depends on the bars. Then the start of its stage is infinite as well.
 */
function firstValues(
  { nodes, indexOf }: Graph,
  known: readonly KnownNode[],
  stages: readonly Stage[],
): Float64Array {
  const definedAt = Float64Array.from(nodes, ({ defined }) => defined);
  for (const { node, defined } of known) definedAt[indexOf({ node })] = defined;
  for (const stage of stages) {
    stage.start = startOf(stage, definedAt);
    if (stage.kernel.missing !== undefined || stage.start === Number.POSITIVE_INFINITY)
      definedAt[stage.place] = Number.POSITIVE_INFINITY;
    else definedAt[stage.place] = stage.start + stage.node.defined - stage.node.start;
  }
  return definedAt;
}

/** Returns the first bar at which all inputs of a stage have a value. */
function startOf({ inputs }: Stage, definedAt: Float64Array): number {
  return inputs.reduce((latest, place) => Math.max(latest, definedAt[place] as number), 0);
}

/**
 * Returns the first bar with a value of a stage that has just run over `count` bars from `bar` on; infinity if none
 * has one.
 */
function firstValue({ node, kernel, start }: Stage, bar: number, count: number): number {
  if (kernel.missing === undefined) return start + node.defined - node.start;
  const missing = kernel.missing();
  return missing < count ? bar + missing : Number.POSITIVE_INFINITY;
}

/**
 * Runs a stage over some positions; returns the first at which its kernel ran, or a position beyond `to` if it did
 * not run.
 */
function runStage({ columns, kernel, start }: Stage, fed: number, from: number, to: number): number {
  const begin = Math.max(from, from + start - fed);
  if (begin > from) for (const column of columns) column.fill(Number.NaN, from, Math.min(begin, to));
  if (begin < to) kernel(begin, to);
  return begin;
}

function checkFinite(
  bars: BarColumns,
  field: Exclude<SourceField, 'session' | SlotField>,
  index: number,
  count: number,
): void {
  const column = bars[field];
  const spoiled = spoiledOf(column, index, index + count);
  if (spoiled === 0) return;
  const bad = column.subarray(index, index + count).findIndex((value) => !Number.isFinite(value));
  throw notFinite(bars.symbol, field, column[index + bad] as number, index + bad);
}

/**
 * Returns 0 if all figures are finite, otherwise NaN. Two sums run in parallel, because each addition waits for the
 * previous one.
 */
function spoiledOf(column: Float64Array, from: number, to: number): number {
  let [one, other] = [0, 0];
  let i = from;
  for (; i + 1 < to; i += 2) {
    one += (column[i] as number) * 0;
    other += (column[i + 1] as number) * 0;
  }
  if (i < to) one += (column[i] as number) * 0;
  return one + other;
}

function notFinite(symbol: string, field: string, value: number, index: number): RangeError {
  return new RangeError(
    `Cannot compute signals of "${symbol}": ${field} of bar ${index} is "${value}", want a finite number; check the data`,
  );
}
