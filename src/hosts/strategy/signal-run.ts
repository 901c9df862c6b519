import type { Bar } from '../../model/bar.ts';
import type { NodeReading } from '../../model/node-reading.ts';
import type { Millis } from '../../model/time.ts';
import type { BarReading, SignalValues } from '../../ports/strategy-host.ts';
import type { SignalProgram } from '../../signals/program.ts';
import { rebasedBar, type SplitAdjustment, sharesSince } from '../../signals/split-adjustment.ts';

/** The signal graph of one symbol, evaluated bar by bar. */
export interface SignalRun {
  /** Feeds one closed bar. Raises no signals during the warm-up. */
  push(bar: Bar): BarReading;
  /** Returns the named values of `signals` at the newest bar, adjusted for splits until `now`. */
  values(now: Millis): SignalValues;
  /** Returns the value of a charted series at the newest bar, on that bar's share basis; NaN while undefined. */
  charted(series: number): number;
  /** Returns every node of the graph at the newest bar, on that bar's share basis. */
  nodes(): readonly NodeReading[];
}

/**
 * Creates the run of a symbol; signals begin after `program.warmup` bars. Keeps bars if the symbol has splits, to
 * recompute the graph on the new share basis.
 */
export function createSignalRun(program: SignalProgram, changes: readonly SplitAdjustment[]): SignalRun {
  const history: Bar[] = [];
  const context = { warmupEnd: program.warmup, usedUp: new Set<string>() };
  let stepper = program.stepper(context);
  let known = 0;

  /** Recomputes the graph after a split. */
  function catchUp(isReached: (change: SplitAdjustment) => boolean): void {
    const applied = changes.filter(isReached).length;
    if (applied <= known) return;
    known = applied;
    const since = changes.slice(0, applied);
    stepper = program.stepper(context);
    for (const bar of history)
      stepper.warm(rebasedBar(bar, sharesSince(since, bar.time, Number.POSITIVE_INFINITY)));
  }

  function valueNow(name: string): number {
    return stepper.fed() === 0 ? Number.NaN : stepper.value(name);
  }

  return {
    nodes: () => stepper.nodes(),
    charted: (series) => stepper.charted(series),
    push(bar) {
      if (changes.length > 0) catchUp(({ barsFrom }) => barsFrom <= bar.time);
      const isWarmedUp = stepper.fed() >= program.warmup;
      const adjusted =
        known === 0
          ? bar
          : rebasedBar(bar, sharesSince(changes.slice(0, known), bar.time, Number.POSITIVE_INFINITY));
      if (changes.length > 0) history.push(bar);
      if (!isWarmedUp) {
        stepper.warm(adjusted);
        return { isWarmedUp, signals: [] };
      }
      return { isWarmedUp, signals: stepper.push(adjusted) };
    },
    values(now) {
      if (changes.length > 0) catchUp(({ at }) => at <= now);
      return Object.fromEntries(program.names.map((name) => [name, valueNow(name)]));
    },
  };
}
