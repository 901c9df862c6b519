import { createSignalRun } from '../hosts/strategy/signal-run.ts';
import { barCloser } from '../markets/bar-span.ts';
import { barSessions } from '../markets/held-sessions.ts';
import { type BarColumns, barAt, lowerBound } from '../model/bar.ts';
import { marketOf } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';
import type { SignalProgram } from '../signals/program.ts';
import type { RawSignal } from '../signals/signal.ts';
import { splitAdjustedSignals } from '../signals/split-adjusted-signals.ts';
import { type SplitAdjustment, sharesSince } from '../signals/split-adjustment.ts';
import type { MarketEvent } from '../strategy/strategy-event.ts';

/** The signals of a strategy's graph over one symbol's bars. */
interface SignalCursor {
  /** Index of the next bar that has, or may have, signals; the number of bars if there is none. */
  nextBar(): number;
  /** Returns the signals at a bar; indices must ascend. */
  take(index: number): readonly RawSignal[];
  /** Returns a value at a bar, on the share basis of `now`; NaN while undefined or before the first bar. */
  value(name: string, index: number, now: number): number;
}

interface SignalCursorParts {
  readonly program: SignalProgram;
  readonly columns: BarColumns;
  readonly changes: readonly SplitAdjustment[];
}

/** Evaluates the graph ahead of time, for built-in indicators only, whose code cannot observe the order of calls. */
function evaluateAhead({ program, columns, changes }: SignalCursorParts): SignalCursor {
  const signals = splitAdjustedSignals(program, columns, changes, program.warmup);
  let event = 0;
  return {
    nextBar: () => signals.bars[event] ?? columns.length,
    take(index) {
      const raised: RawSignal[] = [];
      for (; signals.bars[event] === index; event += 1) raised.push(signals.at(event));
      return raised;
    },
    value: (name, index, now) => signals.value(name, index, now),
  };
}

/**
 * Evaluates the graph at each close, because an author's indicator may share state with the hooks and must not see a
 * bar earlier.
 */
function evaluateInStep({ program, columns, changes }: SignalCursorParts): SignalCursor {
  const run = createSignalRun(program, changes);
  let fed = 0;
  const feed = (): readonly RawSignal[] => run.push(barAt(columns, fed++)).raised;
  while (fed < Math.min(program.warmup, columns.length)) feed();
  return {
    nextBar: () => fed,
    take: () => feed(),
    value: (name, _, now) => run.values(millis(now))[name] ?? Number.NaN,
  };
}

/** Iterates over the bars of one symbol. */
export type BarCursor = ReturnType<typeof createBarCursor>;

interface BarCursorParts {
  readonly program: SignalProgram;
  readonly now: () => Millis;
  readonly columns: BarColumns;
  readonly changes: readonly SplitAdjustment[];
  readonly receives: { readonly each: boolean; readonly together: boolean };
}

/** Creates a cursor that evaluates the signal graph over a symbol's bars. */
export function createBarCursor({ columns, program, changes, now, receives }: BarCursorParts) {
  const everyBar = receives.each || receives.together;
  const { symbol, period } = columns;
  const closes = barCloser(marketOf(symbol), period);
  const sessionOf = barSessions(marketOf(symbol), period);
  const signals = program.own
    ? evaluateInStep({ program, columns, changes })
    : evaluateAhead({ program, columns, changes });
  let bar = program.warmup;
  let nextAt = dueAt();

  function nextIndex(): number {
    return everyBar ? bar : signals.nextBar();
  }

  function dueAt(): Millis {
    const index = nextIndex();
    return index < columns.length ? closeOf(index) : NEVER;
  }

  function closeOf(index: number): Millis {
    return closes(millis(columns.time[index] as number));
  }

  const closedIndex = closedIndexOf(columns, closeOf);
  /** For lookups of the day before, so that the other search position remains at the newest bar. */
  const closedIndexBefore = closedIndexOf(columns, closeOf);
  let values: KnownValues | undefined;

  function priceAt(index: number): number {
    const close = columns.close[index] ?? Number.NaN;
    return changes.length === 0 || index < 0
      ? close
      : close / sharesSince(changes, columns.time[index] as number, now());
  }

  /** Returns the same object until another bar closes or the share basis changes. */
  function valuesAt(through: Millis): Readonly<Record<string, number>> {
    const index = closedIndex(through);
    const at = changes.length === 0 ? NEVER : now();
    if (values?.index === index && values.bar === bar && values.at === at) return values.figures;
    const figures = Object.fromEntries(program.names.map((name) => [name, valueAt(name, through)]));
    values = { index, bar, at, figures };
    return figures;
  }

  /** Value of a named series at the newest closed bar; NaN before the first. */
  function valueAt(name: string, through: Millis): number {
    const index = closedIndex(through);
    return index < 0 ? Number.NaN : signals.value(name, index, now());
  }

  function barEvent(index: number, time: Millis): MarketEvent {
    const bar = barAt(columns, index);
    const session = sessionOf(bar.time);
    return session === undefined
      ? { kind: 'bar', symbol, time, bar }
      : { kind: 'bar', symbol, time, bar, session };
  }

  return {
    columns,
    /** Index of the newest bar that closed at or before a time; -1 before the first. */
    closedIndex,
    /** When a bar closes, by its index. */
    closeTime: closeOf,
    /** When the next bar or signal is due; NEVER after the last. */
    nextAt: () => nextAt,
    /** Returns the bar of the next `take`, if every bar is observed. */
    nextBar: () => barAt(columns, nextIndex()),
    /** Returns the events of that bar. */
    take(time: Millis): readonly MarketEvent[] {
      const index = nextIndex();
      const events: MarketEvent[] = receives.each ? [barEvent(index, time)] : [];
      const barTime = millis(columns.time[index] as number);
      const close = columns.close[index] as number;
      for (const { name, direction, strength, values } of signals.take(index))
        events.push({ kind: 'signal', symbol, time, barTime, close, name, direction, strength, values });
      bar = index + 1;
      nextAt = dueAt();
      return events;
    },
    /** Close of the newest bar, on the current share basis; NaN before the first. */
    closeAt: (through: Millis) => priceAt(closedIndex(through)),
    /** Like `closeAt`, with a separate search position for earlier times. */
    closeBefore: (at: Millis) => priceAt(closedIndexBefore(at)),
    valueAt,
    valuesAt,
  };
}

/** The values at a bar, and the key of their cache entry. */
interface KnownValues {
  readonly index: number;
  /** Next bar to take: a custom indicator may be evaluated one bar later. */
  readonly bar: number;
  readonly at: Millis;
  readonly figures: Readonly<Record<string, number>>;
}

/** Steps of the linear search from the last result, before a binary search. */
const STEPS_MAX = 4;

/** Returns a function that finds the newest bar closed at a time, -1 before the first; fast for ascending times. */
function closedIndexOf(columns: BarColumns, closeOf: (index: number) => Millis): (through: Millis) => number {
  let known = { through: NEVER, index: columns.length - 1 };
  return (through) => {
    if (through === known.through) return known.index;
    let index = through > known.through ? known.index : columns.length;
    const end = index + STEPS_MAX;
    while (index < end && index + 1 < columns.length && (columns.time[index + 1] as number) <= through)
      index += 1;
    if (index >= end || index >= columns.length) index = lowerBound(columns, through + 1) - 1;
    const closed = index >= 0 && closeOf(index) > through ? index - 1 : index;
    known = { through, index: closed };
    return closed;
  };
}
