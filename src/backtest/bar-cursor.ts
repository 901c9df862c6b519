import { createSignalRun } from '../hosts/strategy/signal-run.ts';
import { barCloser } from '../markets/bar-span.ts';
import { barSessions } from '../markets/held-sessions.ts';
import { type Bar, type BarColumns, barAt, lowerBound } from '../model/bar.ts';
import { marketOf } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';
import type { SignalProgram } from '../signals/program.ts';
import type { RawSignal } from '../signals/signal.ts';
import { splitAdjustedSignals } from '../signals/split-adjusted-signals.ts';
import { type SplitAdjustment, sharesSince } from '../signals/split-adjustment.ts';
import type { MarketEvent } from '../strategy/strategy-event.ts';

/** The signals of a strategy's graph over one symbol's bars. */
export interface SignalCursor {
  /** Bar that has something to say, or may have; the number of bars behind the last. */
  nextBar(): number;
  /** The signals at a bar; bars ascend. */
  take(index: number): readonly RawSignal[];
  /** One value at a bar, in the shares of `now`; NaN while undefined and before the first. */
  value(name: string, index: number, now: number): number;
}

/** Its dependencies. */
export interface SignalCursorParts {
  readonly program: SignalProgram;
  readonly columns: BarColumns;
  readonly changes: readonly SplitAdjustment[];
}

/** Computed column by column, ahead of time: of built-in indicators only, whose code cannot observe the order of calls. */
export function evaluateAhead({ program, columns, changes }: SignalCursorParts): SignalCursor {
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
 * Bar by bar, each when it closes: an author's own indicator may share what it keeps with the hooks, and must not have seen
 * a bar that they have not.
 */
export function evaluateInStep({ program, columns, changes }: SignalCursorParts): SignalCursor {
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

/** One symbol's way through its bars. */
export interface BarCursor {
  readonly columns: BarColumns;
  /** When the next observed bar closes; NEVER after the last. */
  nextAt(): Millis;
  /** The bar that `take` would take, where each is taken. */
  nextBar(): Bar;
  /** What that bar has to say. */
  take(time: Millis): readonly MarketEvent[];
  /** Index of the newest bar that closed at or before an instant; -1 before the first. */
  closedIndex(through: Millis): number;
  /** When a bar closes, by its index. */
  closeTime(index: number): Millis;
  /** Close of the newest bar, in shares of now; NaN before the first. */
  closeAt(through: Millis): number;
  /** The same as `closeAt`, for an instant before. */
  closeBefore(at: Millis): number;
  /** One of the strategy's own series at that bar; NaN before the first. */
  valueAt(name: string, through: Millis): number;
  /** All of them, by name. */
  valuesAt(through: Millis): Readonly<Record<string, number>>;
}

/** Dependencies of a bar cursor. */
export interface BarCursorParts {
  readonly program: SignalProgram;
  readonly now: () => Millis;
  readonly columns: BarColumns;
  readonly changes: readonly SplitAdjustment[];
  readonly receives: { readonly each: boolean; readonly together: boolean };
}

/** Drives the signal graph over a symbol's columns. */
export function createBarCursor({ columns, program, changes, now, receives }: BarCursorParts): BarCursor {
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
  /** Looks back to the day before while the other stays at the newest bar. */
  const closedIndexBefore = closedIndexOf(columns, closeOf);
  let values: KnownValues | undefined;

  function priceAt(index: number): number {
    const close = columns.close[index] ?? Number.NaN;
    return changes.length === 0 || index < 0
      ? close
      : close / sharesSince(changes, columns.time[index] as number, now());
  }

  /** The same object until another bar closes, or shares change. */
  function valuesAt(through: Millis): Readonly<Record<string, number>> {
    const index = closedIndex(through);
    const at = changes.length === 0 ? NEVER : now();
    if (values?.index === index && values.bar === bar && values.at === at) return values.figures;
    const figures = Object.fromEntries(program.names.map((name) => [name, valueAt(name, through)]));
    values = { index, bar, at, figures };
    return figures;
  }

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
    closedIndex,
    closeTime: closeOf,
    nextAt: () => nextAt,
    nextBar: () => barAt(columns, nextIndex()),
    take(time) {
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
    closeAt: (through) => priceAt(closedIndex(through)),
    closeBefore: (at) => priceAt(closedIndexBefore(at)),
    valueAt,
    valuesAt,
  };
}

/** The values of a bar, and what they were computed for. */
interface KnownValues {
  readonly index: number;
  /** Next bar to take: an indicator of the author's own may be one behind. */
  readonly bar: number;
  readonly at: Millis;
  readonly figures: Readonly<Record<string, number>>;
}

/** How many bars a search goes forward from where it ended last, before it looks at all of them. */
const STEPS_MAX = 4;

/** Finds the newest bar that closed at or before an instant, -1 before the first; quick where instants ascend. */
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
