import { partOf } from '../../model/lazy-columns.ts';
import type { FeedColumns } from '../../signals/column-cache.ts';
import type { ColumnScan } from '../../signals/decision-context.ts';
import type { SignalProgram } from '../../signals/program.ts';
import type { ColumnSignal, SignalEvents } from '../../signals/signal-events.ts';
import type { BarWindow } from './bar-window.ts';
import type { SupportedDraft } from './supported-draft.ts';
import type { TargetDrafts } from './target-drafts.ts';

/** Signals whose bars are fetched together: few enough that they stay in the processor's nearest memory until their turn. */
const NEAR = 64;

/** Behind every bar. */
const NO_BAR = 2 ** 30;

/** The signals at a window's bars, one after the other. */
export class SymbolSignals {
  /** Bar of the window with the next one; behind every bar where none is left. */
  bar = NO_BAR;
  /** What was looked at ahead of time adds up to, so that it is looked at indeed. */
  near = 0;
  readonly #window: BarWindow;
  readonly #scan: ColumnScan;
  #events: SignalEvents;
  #event = 0;

  /** Begins with the bars of a window before `end`. */
  constructor(program: SignalProgram, window: BarWindow, end: number, kept: FeedColumns | undefined) {
    this.#window = window;
    this.#scan = program.scan({ warmupEnd: program.warmup, kept });
    this.#events = this.#scan.feed(partOf(window.columns, 0, end));
    this.#look();
  }

  /** Follows the window: takes its bars from `begin` up to but not including `end`. */
  advance(begin: number, end: number): void {
    this.#events = this.#scan.feed(partOf(this.#window.columns, begin, end));
    this.#event = 0;
    this.#look();
  }

  /** Goes past the next one. */
  pass(): void {
    this.#event += 1;
    this.#look();
  }

  /** The next one. */
  next(): ColumnSignal {
    return this.#events.at(this.#event);
  }

  /** What it aims at; undefined: nothing changes. */
  target(targetDrafts: TargetDrafts): SupportedDraft | undefined {
    return targetDrafts.at(this.#events, this.#event);
  }

  #look(): void {
    if (this.#event % NEAR === 0) this.#comeNear();
    const { bars, count } = this.#events;
    this.bar = this.#event < count ? (bars[this.#event] as number) - this.#window.base : NO_BAR;
  }

  /**
   * Touches the memory that orders at the next signals will read: the processor fetches these bars in parallel, and would otherwise wait
   * for each, as it cannot predict their addresses.
   */
  #comeNear(): void {
    const { columns, closes, base } = this.#window;
    const { open, volume, time, close } = columns;
    const { bars, count } = this.#events;
    const end = Math.min(this.#event + NEAR, count);
    let sum = 0;
    for (let event = this.#event; event < end; event += 1) {
      const bar = (bars[event] as number) - base;
      sum += (open[bar + 1] as number) + (volume[bar + 1] as number) + (time[bar + 1] as number);
      sum += (close[bar] as number) + (closes[bar] as number);
    }
    this.near = sum;
  }
}
