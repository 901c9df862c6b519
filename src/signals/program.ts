import type { BarColumns } from '../model/bar.ts';
import type { BarSeries } from './bar-series.ts';
import type { FeedColumns } from './column-cache.ts';
import { columnFeed, columnScan, fullColumn } from './column-drive.ts';
import type {
  ColumnFeed,
  ColumnScan,
  DecisionContext,
  SignalColumns,
  SignalStepper,
} from './decision-context.ts';
import { nodesOfRule } from './emission-rule.ts';
import { type Graph, graphOf } from './graph.ts';
import { type NamedOutput, type NamedOutputs, namedOutputsOf } from './named-outputs.ts';
import { isPriceLevel } from './price-level.ts';
import type { Series, SeriesRecord, SignalNode } from './series.ts';
import { startStepper } from './stepper.ts';

/** What a strategy's `signals` receives in addition to its parameters. */
export interface SignalInputs {
  readonly bars: BarSeries;
}

/** What a strategy's `signals` returns: chosen names for signals, series and groups of series. */
export type SignalRecord = Readonly<Record<string, SignalNode | Series | SeriesRecord>>;

/**
 * Maximum number of warm-up bars: one request for history candlesticks returns no more. @see broker reference,
 * command 27
 */
export const MAX_WARMUP_BARS = 1_000;

/** A compiled signal graph of a strategy. */
export interface SignalProgram {
  /** All names of the record, groups as `group.part`, in its order. */
  readonly names: readonly string[];
  /** Names of the signals, in the order in which they are emitted at one bar. */
  readonly signals: readonly string[];
  /** Names of the series, groups as `group.part`. */
  readonly series: readonly string[];
  /**
   * True if the strategy's author wrote an indicator in it. Hooks can read the state of such code, so it must not
   * receive a bar early: the program is then evaluated bar by bar.
   */
  readonly own: boolean;
  /** First bar (0-based) at which everything has a value. */
  readonly defined: number;
  /** First bar at which no value depends on the start of the feed by more than 1e-9. */
  readonly settled: number;
  /** Bars before the first decision: `settled`, at most 1,000. */
  readonly warmup: number;
  /** Starts bar-by-bar evaluation; decisions start at bar `warmup` unless the context changes that. */
  readonly stepper: (context?: DecisionContext) => SignalStepper;
  readonly overColumns: (bars: BarColumns, context: DecisionContext) => SignalColumns;
  readonly scan: (context: DecisionContext) => ColumnScan;
  /** The columns of the indicators behind the signals and series of the record, each once. */
  readonly charted: (bars: BarColumns) => readonly ChartedColumn[];
  /** What they show, in their order; `SignalStepper.charted` has their values. */
  readonly chartedSeries: () => readonly Omit<ChartedColumn, 'values'>[];
  /**
   * Starts computing the column of a name, with the values of `SignalStepper.value`. Throws RangeError for a name
   * that the record does not have.
   */
  readonly feed: (name: string, kept?: FeedColumns) => ColumnFeed;
}

/** A series of a strategy over some bars. */
export interface ChartedColumn {
  /** The name in the record; for a series that only a signal reads, its indicator, such as `sma(close,10)`. */
  readonly name: string;
  /** True for a price level; undefined for a custom indicator. */
  readonly isPrice: boolean | undefined;
  /** One value a bar; NaN while undefined. */
  readonly values: Float64Array;
}

/**
 * Compiles the result of a strategy's `signals`. The same indicator on the same inputs is computed once. Throws
 * RangeError if two different indicators share a name.
 */
export function compileSignals(record: SignalRecord): SignalProgram {
  const outputs = namedOutputsOf(record);
  const nodes = [...outputs.values()].flatMap(nodesOf);
  const graph = graphOf(nodes);
  const emitted = listensTo(graph, outputs);
  const scan = (context: DecisionContext): ColumnScan => columnScan(emitted, outputs, context);
  const settled = nodes.reduce((latest, node) => Math.max(latest, node.settled), 0);
  const warmup = Math.min(settled, MAX_WARMUP_BARS);
  return {
    names: [...outputs.keys()],
    signals: namesOf(outputs, 'signal-node'),
    series: namesOf(outputs, 'series'),
    own: nodes.some((node) => node.own),
    defined: nodes.reduce((latest, node) => Math.max(latest, node.defined), 0),
    settled,
    warmup,
    stepper: (context) =>
      startStepper(graph, outputs, context ?? { warmupEnd: warmup }, () => [
        ...chartedSeries(outputs).values(),
      ]),
    chartedSeries: () =>
      [...chartedSeries(outputs)].map(([name, series]) => ({ name, isPrice: isPriceLevel(series) })),
    scan,
    feed: (name, kept) => columnFeed(name, outputs, kept),
    charted: (bars) => {
      const drawn = chartedSeries(outputs);
      return [...drawn].map(([name, series]) => ({
        name,
        isPrice: isPriceLevel(series),
        values: fullColumn(bars, name, drawn),
      }));
    },
    overColumns: (bars, context) => {
      const columns = new Map<string, Float64Array>();
      const column = (name: string): Float64Array => {
        const known = columns.get(name);
        if (known !== undefined) return known;
        const made = fullColumn(bars, name, outputs);
        columns.set(name, made);
        return made;
      };
      const value = (name: string, index: number): number => column(name)[index] ?? Number.NaN;
      return { ...scan(context).feed(bars), column, value };
    },
  };
}

/** Returns the named series, then the series that signals read; prices and constants are not indicators. */
function chartedSeries(outputs: NamedOutputs): ReadonlyMap<string, Series> {
  const found = new Map<string, Series>();
  const seen = new Set<string>();
  const take = (name: string, series: Series): void => {
    const column = `${series.node.key}#${series.output}`;
    if (series.node.inputs.length === 0 || seen.has(column)) return;
    seen.add(column);
    found.set(name, series);
  };
  for (const [name, output] of outputs) if (output.kind === 'series') take(name, output);
  for (const output of outputs.values())
    if (output.kind === 'signal-node') for (const series of output.loggedInputs) take(series.label, series);
  return found;
}

/**
 * The part of a graph on which signals depend; other series are computed on access. Columns of bars that any series
 * reads are still checked, and custom indicators still run, so that their errors are reported.
 */
function listensTo({ nodes }: Graph, outputs: NamedOutputs): Graph {
  const always = nodes.filter(({ own, work }) => own || work.kind === 'source');
  const signals = [...outputs.values()].filter(({ kind }) => kind === 'signal-node');
  return graphOf([...always, ...signals.flatMap(nodesOf)]);
}

const nodesOf = (output: NamedOutput): NamedOutput['node'][] =>
  output.kind === 'series'
    ? [output.node]
    : [
        output.node,
        ...output.loggedInputs.map((series) => series.node),
        ...(output.emission === undefined ? [] : nodesOfRule(output.emission)),
      ];

const namesOf = (outputs: NamedOutputs, kind: NamedOutput['kind']): readonly string[] =>
  [...outputs].flatMap(([name, output]) => (output.kind === kind ? [name] : []));
