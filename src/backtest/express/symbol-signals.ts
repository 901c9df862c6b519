import { partOf } from '../../model/lazy-columns.ts';
import type { FeedColumns } from '../../signals/column-cache.ts';
import type { ColumnScan } from '../../signals/decision-context.ts';
import type { SignalProgram } from '../../signals/program.ts';
import type { ColumnSignal, SignalEvents } from '../../signals/signal-events.ts';
import type { BarWindow } from './bar-window.ts';
import type { SupportedDraft } from './supported-draft.ts';
import type { TargetDrafts } from './target-drafts.ts';

/** Signals per prefetch, few enough for their bars to remain in the L1 cache. */
const PREFETCH_SIGNALS = 64;

/** After every bar. */
const NO_BAR = 2 ** 30;

/** The signals at a window's bars, in order. */
export class SymbolSignals {
  /** Bar of the next signal; `NO_BAR` if there is none. */
  bar = NO_BAR;
  /** Sum of the prefetched values, so that V8 does not remove the reads. */
  prefetched = 0;
  readonly #window: BarWindow;
  readonly #scan: ColumnScan;
  #events: SignalEvents;
  #event = 0;

  /** Starts with the bars of a window before `end`. */
  constructor(program: SignalProgram, window: BarWindow, end: number, kept: FeedColumns | undefined) {
    this.#window = window;
    this.#scan = program.scan({ warmupEnd: program.warmup, kept });
    this.#events = this.#scan.feed(partOf(window.columns, 0, end));
    this.#findNext();
  }

  /** Follows the window: scans its bars from `begin` to `end` (exclusive). */
  advance(begin: number, end: number): void {
    this.#events = this.#scan.feed(partOf(this.#window.columns, begin, end));
    this.#event = 0;
    this.#findNext();
  }

  skip(): void {
    this.#event += 1;
    this.#findNext();
  }

  next(): ColumnSignal {
    return this.#events.at(this.#event);
  }

  /** Returns its target; undefined if it has none. */
  target(targetDrafts: TargetDrafts): SupportedDraft | undefined {
    return targetDrafts.at(this.#events, this.#event);
  }

  #findNext(): void {
    if (this.#event % PREFETCH_SIGNALS === 0) this.#prefetch();
    const { bars, count } = this.#events;
    this.bar = this.#event < count ? (bars[this.#event] as number) - this.#window.base : NO_BAR;
  }

  /** Prefetches the bars at the next signals, whose addresses the processor cannot predict. */
  #prefetch(): void {
    const { columns, closes, base } = this.#window;
    const { open, volume, time, close } = columns;
    const { bars, count } = this.#events;
    const end = Math.min(this.#event + PREFETCH_SIGNALS, count);
    let sum = 0;
    for (let event = this.#event; event < end; event += 1) {
      const bar = (bars[event] as number) - base;
      sum += (open[bar + 1] as number) + (volume[bar + 1] as number) + (time[bar + 1] as number);
      sum += (close[bar] as number) + (closes[bar] as number);
    }
    this.prefetched = sum;
  }
}
