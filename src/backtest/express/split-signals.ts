import type { SignalProgram } from '../../signals/program.ts';
import type { ColumnSignal } from '../../signals/signal-events.ts';
import { type SplitAdjustedSignals, splitAdjustedSignals } from '../../signals/split-adjusted-signals.ts';
import type { SplitAdjustment } from '../../signals/split-adjustment.ts';
import type { BarWindow } from './bar-window.ts';
import type { SupportedDraft } from './supported-draft.ts';
import type { TargetDrafts } from './target-drafts.ts';

/** Signals and series of a symbol whose shares are split: all of its bars are in one window, as each split has them read again. */
export class SplitSignals {
  /** Bar of the window with the next signal; behind every bar where none is left. */
  bar = 0;
  readonly #window: BarWindow;
  readonly #signals: SplitAdjustedSignals;
  #event = 0;

  constructor(program: SignalProgram, window: BarWindow, changes: readonly SplitAdjustment[]) {
    this.#window = window;
    this.#signals = splitAdjustedSignals(program, window.columns, changes, program.warmup);
    this.#look();
  }

  /** There are no bars behind the window. */
  advance(): void {}

  /** Goes past the next one. */
  pass(): void {
    this.#event += 1;
    this.#look();
  }

  /** The next one. */
  next(): ColumnSignal {
    return this.#signals.at(this.#event);
  }

  /** What it aims at; undefined: nothing changes. */
  target(targetDrafts: TargetDrafts): SupportedDraft | undefined {
    return targetDrafts.of(this.next());
  }

  /** One value of a series at the close of a bar, in the shares of then. */
  value(name: string, index: number): number {
    return this.#signals.value(name, index, this.#window.closes[index] as number);
  }

  /** The same in the shares of an instant. */
  valueAt(name: string, index: number, at: number): number {
    return this.#signals.value(name, index, at);
  }

  #look(): void {
    this.bar = this.#signals.bars[this.#event] ?? BEHIND;
  }
}

const BEHIND = 2 ** 30;
