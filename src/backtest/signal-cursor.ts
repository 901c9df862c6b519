import { createSignalRun } from '../hosts/strategy/signal-run.ts';
import { type BarColumns, barAt } from '../model/bar.ts';
import { millis } from '../model/time.ts';
import type { SignalProgram } from '../signals/program.ts';
import type { RawSignal } from '../signals/signal.ts';
import { splitAdjustedSignals } from '../signals/split-adjusted-signals.ts';
import type { SplitAdjustment } from '../signals/split-adjustment.ts';

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
