import type { Bar } from '../model/bar.ts';
import type { Millis } from '../model/time.ts';
import type { SignalProgram } from '../signals/program.ts';
import type { RawSignal } from '../signals/signal.ts';
import { createDayCloses } from './day-closes.ts';

/** The signal graph of one symbol, driven bar by bar. */
export interface SymbolSignals {
  /** Feeds one closed bar. `decides` is false while warming, and then nothing is raised. */
  push(bar: Bar): { readonly decides: boolean; readonly raised: readonly RawSignal[] };
  /** Close of the newest bar; NaN before the first. */
  lastClose(): number;
  /** Newest close up to an instant of the newest bar's day or later; NaN before the first. */
  closeBefore(at: Millis): number;
  /** What the strategy's `signals` named, at the newest bar. */
  values(): Readonly<Record<string, number>>;
}

/** Starts a symbol cold: the first `program.warmup` bars decide nothing. */
export function createSymbolSignals(program: SignalProgram): SymbolSignals {
  const stepper = program.stepper();
  const closes = createDayCloses();
  let lastClose = Number.NaN;
  return {
    push(bar) {
      const decides = stepper.fed() >= program.warmup;
      lastClose = bar.close;
      closes.add(bar);
      if (decides) return { decides, raised: stepper.push(bar) };
      stepper.warm(bar);
      return { decides, raised: [] };
    },
    lastClose: () => lastClose,
    closeBefore: closes.before,
    values: () => Object.fromEntries(program.names.map((name) => [name, valueNow(name)])),
  };

  function valueNow(name: string): number {
    return stepper.fed() === 0 ? Number.NaN : stepper.value(name);
  }
}
