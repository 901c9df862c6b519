import type { BarColumns } from '../model/bar.ts';
import { type BoundSignal, bindSignals } from './bind-signals.ts';
import type { FeedColumns } from './column-cache.ts';
import { BLOCK_BARS, type ColumnEvaluator, createColumnEvaluator } from './column-evaluator.ts';
import type { ColumnFeed, ColumnScan, DecisionContext } from './decision-context.ts';
import type { UsedSignals } from './emission-rule.ts';
import { type Graph, graphOf } from './graph.ts';
import { columnBehind, type NamedOutputs, namedOutput } from './named-outputs.ts';
import type { Positions } from './series.ts';
import { EventList } from './signal-events.ts';

/** Starts computing over columns; events on bars before `warmupEnd` are dropped. */
export function columnScan(
  graph: Graph,
  outputs: NamedOutputs,
  { warmupEnd, usedUp = new Set(), kept }: DecisionContext,
): ColumnScan {
  const evaluator = createColumnEvaluator(graph, BLOCK_BARS, undefined, kept);
  const signals = bindSignals(outputs, evaluator);
  const events = new EventList(signals);
  return {
    feed: (bars) => {
      events.begin();
      for (let index = 0; index < bars.length; index += BLOCK_BARS) {
        const count = Math.min(BLOCK_BARS, bars.length - index);
        const bar = evaluator.fed();
        const position = evaluator.takeColumns(bars, index, count);
        const skip = Math.min(count, Math.max(0, warmupEnd - bar));
        const span = { position: position + skip, end: position + count, shift: bar - position };
        const [only] = signals;
        if (signals.length === 1 && only !== undefined) collectOne(only, span, events, usedUp);
        else if (signals.length > 1) collectAll(signals, span, events, usedUp);
      }
      return events.finish();
    },
  };
}

interface Span {
  readonly position: number;
  readonly end: number;
  /** Offset from a position to its bar. */
  readonly shift: number;
}

function collectOne(signal: BoundSignal, span: Span, events: EventList, usedUp: UsedSignals): void {
  const { direction, emitted, emitter } = signal;
  if (emitter !== undefined) {
    for (let at = span.position; at < span.end; at++) collect(signal, 0, at, span.shift, events, usedUp);
    return;
  }
  if (emitted !== undefined) {
    collectListed(signal, emitted, span, events, usedUp);
    return;
  }
  const { position, end, shift } = span;
  for (let at = firstEmitted(direction, position, end); at < end; at = firstEmitted(direction, at + 1, end))
    collect(signal, 0, at, shift, events, usedUp);
}

function collectListed(
  signal: BoundSignal,
  { list, count }: Positions,
  { position, shift }: Span,
  events: EventList,
  usedUp: UsedSignals,
): void {
  for (let index = 0; index < count; index++) {
    const at = list[index] as number;
    if (at >= position) collect(signal, 0, at, shift, events, usedUp);
  }
}

/** Returns the next position with a signal, or `end` if there is none. Most bars have no signal. */
function firstEmitted(direction: Float64Array, from: number, end: number): number {
  let at = from;
  while (at < end && direction[at] === 0) at++;
  return at;
}

function collectAll(
  signals: readonly BoundSignal[],
  span: Span,
  events: EventList,
  usedUp: UsedSignals,
): void {
  for (let at = span.position; at < span.end; at++) {
    for (let kind = 0; kind < signals.length; kind++) {
      const signal = signals[kind];
      if (signal !== undefined && (signal.emitter !== undefined || signal.direction[at] !== 0)) {
        collect(signal, kind, at, span.shift, events, usedUp);
      }
    }
  }
}

function collect(
  signal: BoundSignal,
  kind: number,
  at: number,
  shift: number,
  events: EventList,
  usedUp: UsedSignals,
): void {
  const { emitter } = signal;
  const direction = emitter === undefined ? (signal.direction[at] as number) : emitter.at(at, usedUp);
  if (!(direction > 0 || direction < 0)) return;
  const strength = emitter === undefined ? (signal.strength[at] as number) : emitter.strength();
  events.add(at + shift, kind, direction, strength);
  const { watched } = signal;
  for (let i = 0; i < watched.length; i++) events.watch((watched[i] as Float64Array)[at] as number);
}

/** Computes the whole column of one name, and only the nodes that it needs. */
export function fullColumn(bars: BarColumns, name: string, outputs: NamedOutputs): Float64Array {
  const whole = new Float64Array(bars.length);
  columnFeed(name, outputs)(bars, whole);
  return whole;
}

/** Starts computing the column of one name, one run of bars after the other, and only the nodes that it needs. */
export function columnFeed(name: string, outputs: NamedOutputs, kept?: FeedColumns): ColumnFeed {
  const series = columnBehind(namedOutput(outputs, name));
  const evaluator: ColumnEvaluator = createColumnEvaluator(
    graphOf([series.node]),
    BLOCK_BARS,
    undefined,
    kept,
  );
  const column = evaluator.columnOf(series);
  return (bars, into) => {
    for (let index = 0; index < bars.length; index += BLOCK_BARS) {
      const count = Math.min(BLOCK_BARS, bars.length - index);
      const position = evaluator.takeColumns(bars, index, count);
      into.set(column.subarray(position, position + count), index);
    }
  };
}
