import type { SignalProgram } from '../../signals/program.ts';
import type { ColumnSignal } from '../../signals/signal-events.ts';
import { type SplitAdjustedSignals, splitAdjustedSignals } from '../../signals/split-adjusted-signals.ts';
import type { SplitAdjustment } from '../../signals/split-adjustment.ts';
import type { BarWindow } from './bar-window.ts';
import type { SupportedDraft } from './supported-draft.ts';
import type { TargetDrafts } from './target-drafts.ts';

/**
 * Signals and series of a symbol with splits. The window has all of its bars, because each split requires reading
 * them again.
 */
export class SplitSignals {
  /** Bar of the next signal; `NO_BAR` if there is none. */
  bar = 0;
  readonly #window: BarWindow;
  readonly #signals: SplitAdjustedSignals;
  #event = 0;

  constructor(program: SignalProgram, window: BarWindow, changes: readonly SplitAdjustment[]) {
    this.#window = window;
    this.#signals = splitAdjustedSignals(program, window.columns, changes, program.warmup);
    this.#findNext();
  }

  /** Does nothing, because the window has all bars. */
  advance(): void {}

  skip(): void {
    this.#event += 1;
    this.#findNext();
  }

  next(): ColumnSignal {
    return this.#signals.at(this.#event);
  }

  /** Returns its target; undefined if it has none. */
  target(targetDrafts: TargetDrafts): SupportedDraft | undefined {
    return targetDrafts.of(this.next());
  }

  /** Returns the value of a series at the close of a bar, on the share basis of that time. */
  value(name: string, index: number): number {
    return this.#signals.value(name, index, this.#window.closes[index] as number);
  }

  /** Returns the value on the share basis of another time. */
  valueAt(name: string, index: number, at: number): number {
    return this.#signals.value(name, index, at);
  }

  #findNext(): void {
    this.bar = this.#signals.bars[this.#event] ?? NO_BAR;
  }
}

const NO_BAR = 2 ** 30;
