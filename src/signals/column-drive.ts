import type { BarColumns } from '../model/bar.ts';
import { type Graph, graphOf } from './graph.ts';
import { BLOCK_BARS, createMachine, type Machine } from './machine.ts';
import { columnBehind, type Outcomes, outcomeOf } from './outcomes.ts';
import type { ColumnFeed, ColumnScan, DecisionContext } from './program.ts';
import type { Positions } from './series.ts';
import { EventList } from './signal-events.ts';
import type { SpentSignals } from './speech.ts';
import { type WatchedSignal, watchSignals } from './watched.ts';

/** Starts the column drive; events on bars before `decideFrom` are not kept. */
export function columnScan(
  graph: Graph,
  outcomes: Outcomes,
  { decideFrom, spent = new Set() }: DecisionContext,
): ColumnScan {
  const machine = createMachine(graph, BLOCK_BARS);
  const signals = watchSignals(outcomes, machine);
  const events = new EventList(signals);
  return {
    feed: (bars) => {
      events.begin();
      for (let index = 0; index < bars.length; index += BLOCK_BARS) {
        const count = Math.min(BLOCK_BARS, bars.length - index);
        const bar = machine.fed();
        const position = machine.takeColumns(bars, index, count);
        const skip = Math.min(count, Math.max(0, decideFrom - bar));
        const span = { position: position + skip, end: position + count, shift: bar - position };
        const [only] = signals;
        if (signals.length === 1 && only !== undefined) collectOne(only, span, events, spent);
        else if (signals.length > 1) collectAll(signals, span, events, spent);
      }
      return events.finish();
    },
  };
}

interface Span {
  readonly position: number;
  readonly end: number;
  /** What to add to a position to get the bar. */
  readonly shift: number;
}

function collectOne(signal: WatchedSignal, span: Span, events: EventList, spent: SpentSignals): void {
  const { direction, said, voice } = signal;
  if (voice !== undefined) {
    for (let at = span.position; at < span.end; at++) collect(signal, 0, at, span.shift, events, spent);
    return;
  }
  if (said !== undefined) {
    collectListed(signal, said, span, events, spent);
    return;
  }
  const { position, end, shift } = span;
  for (let at = firstSaid(direction, position, end); at < end; at = firstSaid(direction, at + 1, end))
    collect(signal, 0, at, shift, events, spent);
}

function collectListed(
  signal: WatchedSignal,
  { list, count }: Positions,
  { position, shift }: Span,
  events: EventList,
  spent: SpentSignals,
): void {
  for (let index = 0; index < count; index++) {
    const at = list[index] as number;
    if (at >= position) collect(signal, 0, at, shift, events, spent);
  }
}

/** Next position at which something is said (or undefined); `end` where nothing is. Most bars say nothing. */
function firstSaid(direction: Float64Array, from: number, end: number): number {
  let at = from;
  while (at < end && direction[at] === 0) at++;
  return at;
}

function collectAll(
  signals: readonly WatchedSignal[],
  span: Span,
  events: EventList,
  spent: SpentSignals,
): void {
  for (let at = span.position; at < span.end; at++) {
    for (let kind = 0; kind < signals.length; kind++) {
      const signal = signals[kind];
      if (signal !== undefined && (signal.voice !== undefined || signal.direction[at] !== 0)) {
        collect(signal, kind, at, span.shift, events, spent);
      }
    }
  }
}

function collect(
  signal: WatchedSignal,
  kind: number,
  at: number,
  shift: number,
  events: EventList,
  spent: SpentSignals,
): void {
  const { voice } = signal;
  const direction = voice === undefined ? (signal.direction[at] as number) : voice.at(at, spent);
  if (!(direction > 0 || direction < 0)) return;
  const strength = voice === undefined ? (signal.strength[at] as number) : voice.strength();
  events.add(at + shift, kind, direction, strength);
  const { watched } = signal;
  for (let i = 0; i < watched.length; i++) events.watch((watched[i] as Float64Array)[at] as number);
}

/** Computes the whole column behind one name, and nothing that it does not need. */
export function fullColumn(bars: BarColumns, name: string, outcomes: Outcomes): Float64Array {
  const whole = new Float64Array(bars.length);
  columnFeed(name, outcomes)(bars, whole);
  return whole;
}

/** Starts the column behind one name, which takes one run of bars after the other and computes nothing that it does not need. */
export function columnFeed(name: string, outcomes: Outcomes): ColumnFeed {
  const series = columnBehind(outcomeOf(outcomes, name));
  const machine: Machine = createMachine(graphOf([series.node]), BLOCK_BARS);
  const column = machine.columnOf(series);
  return (bars, into) => {
    for (let index = 0; index < bars.length; index += BLOCK_BARS) {
      const count = Math.min(BLOCK_BARS, bars.length - index);
      const position = machine.takeColumns(bars, index, count);
      into.set(column.subarray(position, position + count), index);
    }
  };
}
