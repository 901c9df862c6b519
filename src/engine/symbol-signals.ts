import type { Bar } from '../model/bar.ts';
import type { Millis } from '../model/time.ts';
import type { SignalProgram } from '../signals/program.ts';
import { rebasedBar, type ShareChange, sharesSince } from '../signals/share-change.ts';
import type { RawSignal } from '../signals/signal.ts';
import { createDayCloses } from './day-closes.ts';

/** The signal graph of one symbol, driven bar by bar. */
export interface SymbolSignals {
  /** Feeds one closed bar. `decides` is false while warming, and then nothing is raised. */
  push(bar: Bar): { readonly decides: boolean; readonly raised: readonly RawSignal[] };
  /** Whether the newest bar was one to decide on. */
  decides(): boolean;
  /** Close of the newest bar, in the shares of now; NaN before the first. */
  lastClose(): number;
  /** Newest close up to an instant of the newest bar's day or later, in the shares of now; NaN before the first. */
  closeBefore(at: Millis): number;
  /** What the strategy's `signals` named, at the newest bar. */
  values(): Readonly<Record<string, number>>;
}

/** When shares of a symbol change, and what time it is. */
export interface ShareHistory {
  /** Ascending; empty for a symbol that nobody splits. */
  readonly changes: readonly ShareChange[];
  readonly now: () => Millis;
}

/**
 * Starts a symbol cold: the first `program.warmup` bars decide nothing. Where shares change, bars are kept, so that the graph
 * can go over them again in new shares.
 */
export function createSymbolSignals(program: SignalProgram, history: ShareHistory): SymbolSignals {
  const { changes, now } = history;
  const closes = createDayCloses();
  const kept: Bar[] = [];
  const spent = new Set<string>();
  let stepper = program.stepper();
  let known = 0;
  let decided = false;
  let last: Bar | undefined;

  /** Goes over the past again when a share is another one since: for a bar by its stamp, between bars by the time. */
  function catchUp(isReached: (change: ShareChange) => boolean): void {
    const applied = changes.filter(isReached).length;
    if (applied <= known) return;
    known = applied;
    const since = changes.slice(0, applied);
    stepper = program.stepper();
    for (const bar of kept)
      stepper.warm(rebasedBar(bar, sharesSince(since, bar.time, Number.POSITIVE_INFINITY)));
  }

  function inSharesOfNow(price: number, time: number): number {
    return changes.length === 0 ? price : price / sharesSince(changes, time, now());
  }

  function valueNow(name: string): number {
    return stepper.fed() === 0 ? Number.NaN : stepper.value(name);
  }

  return {
    push(bar) {
      if (changes.length > 0) catchUp(({ barsFrom }) => barsFrom <= bar.time);
      const decides = stepper.fed() >= program.warmup;
      decided = decides;
      last = bar;
      closes.add(bar);
      const told =
        known === 0
          ? bar
          : rebasedBar(bar, sharesSince(changes.slice(0, known), bar.time, Number.POSITIVE_INFINITY));
      if (changes.length > 0) kept.push(bar);
      if (!decides) {
        stepper.warm(told);
        return { decides, raised: [] };
      }
      const said = stepper.push(told);
      if (changes.length === 0) return { decides, raised: said };
      const raised = said.filter(({ name }) => !spent.has(name));
      for (const { name } of raised) if (program.once.has(name)) spent.add(name);
      return { decides, raised };
    },
    decides: () => decided,
    lastClose: () => (last === undefined ? Number.NaN : inSharesOfNow(last.close, last.time)),
    closeBefore: (at) => {
      const close = closes.before(at);
      return close === undefined ? Number.NaN : inSharesOfNow(close.price, close.time);
    },
    values: () => {
      if (changes.length > 0) catchUp(({ at }) => at <= now());
      return Object.fromEntries(program.names.map((name) => [name, valueNow(name)]));
    },
  };
}
