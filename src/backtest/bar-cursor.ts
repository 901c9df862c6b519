import { createSignalRun } from '../hosts/strategy/signal-run.ts';
import { barCloser } from '../markets/bar-span.ts';
import { barSessions } from '../markets/trading-sessions.ts';
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
  readonly splits: readonly SplitAdjustment[];
}

/** Evaluates the graph ahead of time, for built-in indicators only, whose code cannot observe the order of calls. */
function evaluateAhead({ program, columns, splits }: SignalCursorParts): SignalCursor {
  const signals = splitAdjustedSignals(program, columns, splits, program.warmup);
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
function evaluateAtEachClose({ program, columns, splits }: SignalCursorParts): SignalCursor {
  const run = createSignalRun(program, splits);
  let barsFed = 0;
  const feed = (): readonly RawSignal[] => run.push(barAt(columns, barsFed++)).signals;
  while (barsFed < Math.min(program.warmup, columns.length)) feed();
  return {
    nextBar: () => barsFed,
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
  readonly splits: readonly SplitAdjustment[];
  readonly handles: { readonly eachBar: boolean; readonly barsTogether: boolean };
}

/** Creates a cursor that evaluates the signal graph over a symbol's bars. */
export function createBarCursor({ columns, program, splits, now, handles }: BarCursorParts) {
  const everyBar = handles.eachBar || handles.barsTogether;
  const { symbol, period } = columns;
  const closes = barCloser(marketOf(symbol), period);
  const sessionOf = barSessions(marketOf(symbol), period);
  const signals = program.own
    ? evaluateAtEachClose({ program, columns, splits })
    : evaluateAhead({ program, columns, splits });
  let bar = program.warmup;
  let nextAt = nextCloseTime();

  function nextBarIndex(): number {
    return everyBar ? bar : signals.nextBar();
  }

  function nextCloseTime(): Millis {
    const index = nextBarIndex();
    return index < columns.length ? closeOf(index) : NEVER;
  }

  function closeOf(index: number): Millis {
    return closes(millis(columns.time[index] as number));
  }

  const closedIndex = closedIndexOf(columns, closeOf);
  /** For lookups of the day before, so that the other search position remains at the newest bar. */
  const closedIndexBefore = closedIndexOf(columns, closeOf);
  let values: CachedValues | undefined;

  function priceAt(index: number): number {
    const close = columns.close[index] ?? Number.NaN;
    return splits.length === 0 || index < 0
      ? close
      : close / sharesSince(splits, columns.time[index] as number, now());
  }

  /** Returns the same object until another bar closes or the share basis splits. */
  function valuesAt(through: Millis): Readonly<Record<string, number>> {
    const index = closedIndex(through);
    const at = splits.length === 0 ? NEVER : now();
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
    nextBar: () => barAt(columns, nextBarIndex()),
    /** Returns the events of that bar. */
    take(time: Millis): readonly MarketEvent[] {
      const index = nextBarIndex();
      const events: MarketEvent[] = handles.eachBar ? [barEvent(index, time)] : [];
      const barTime = millis(columns.time[index] as number);
      const close = columns.close[index] as number;
      for (const { name, direction, strength, values } of signals.take(index))
        events.push({ kind: 'signal', symbol, time, barTime, close, name, direction, strength, values });
      bar = index + 1;
      nextAt = nextCloseTime();
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
interface CachedValues {
  readonly index: number;
  /** Next bar to take: a custom indicator may be evaluated one bar later. */
  readonly bar: number;
  readonly at: Millis;
  readonly figures: Readonly<Record<string, number>>;
}

/** Steps of the linear search from the last result, before a binary search. */
const LINEAR_STEPS_MAX = 4;

/** Returns a function that finds the newest bar closed at a time, -1 before the first; fast for ascending times. */
function closedIndexOf(columns: BarColumns, closeOf: (index: number) => Millis): (through: Millis) => number {
  let lastResult = { through: NEVER, index: columns.length - 1 };
  return (through) => {
    if (through === lastResult.through) return lastResult.index;
    let index = through > lastResult.through ? lastResult.index : columns.length;
    const end = index + LINEAR_STEPS_MAX;
    while (index < end && index + 1 < columns.length && (columns.time[index + 1] as number) <= through)
      index += 1;
    if (index >= end || index >= columns.length) index = lowerBound(columns, through + 1) - 1;
    const closed = index >= 0 && closeOf(index) > through ? index - 1 : index;
    lastResult = { through, index: closed };
    return closed;
  };
}
