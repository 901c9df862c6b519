import { hoursAt } from '../../markets/day-hours.ts';
import { type BarColumns, barAt, lowerBound } from '../../model/bar.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { SignalProgram } from '../../signals/program.ts';
import type { Signal } from '../../signals/signal.ts';
import { type SplitAdjustment, sharesSince } from '../../signals/split-adjustment.ts';
import { PRINTS_PER_BAR } from '../../simulation/market/prints.ts';
import { barOf, type PrintIndex, Tape } from '../../simulation/market/tape.ts';
import type { FillModel } from '../../simulation/models.ts';
import type { BarEvent } from '../../strategy/strategy-event.ts';
import { BarWindow } from './bar-window.ts';
import { EvictedBars } from './evicted-bars.ts';
import type { TradingHours } from './hours.ts';
import { lastBarWithFullDay } from './last-bar-with-full-day.ts';
import { SplitSignals } from './split-signals.ts';
import type { SupportedDraft } from './supported-draft.ts';
import type { SymbolCursorParts } from './symbol-cursor-parts.ts';
import { SymbolSeries } from './symbol-series.ts';
import { SymbolSignals } from './symbol-signals.ts';
import { TargetDrafts } from './target-drafts.ts';

/**
 * Iterates over the bars of one security. Loads a window of bars, from the day before its next event to the end of
 * the day of its last.
 */
export class SymbolCursor {
  readonly security: Security;
  readonly symbol: SecuritySymbol;
  readonly hours: TradingHours;
  readonly cancelAfterMs: number;
  readonly fills: FillModel;
  /** The loaded bars, their close times, and their prints. */
  columns: BarColumns;
  closes: Float64Array;
  tape: Tape;
  /** The current time, the newest closed bar (-1 before the first), and its close (NaN before). */
  now = Number.NEGATIVE_INFINITY;
  closed = -1;
  price = Number.NaN;
  /** Bar of the next event; after the last one, the number of bars. */
  bar = 0;
  /** When it closes; NEVER after the last. */
  nextAt: Millis = NEVER;
  readonly #targetDrafts: TargetDrafts | undefined;
  /** True if that bar has no event and only marks where the window advances. */
  isWindowEnd = false;
  /** The next event to report at that bar. */
  nextEvent: 'bar' | 'bars' | 'signal' | 'timer' = 'signal';
  readonly #window: BarWindow;
  readonly #program: SignalProgram;
  readonly #volumesSince: Millis;
  readonly #beforeEviction: (until: number) => void;
  readonly #cursorOf: SymbolCursorParts['cursorOf'];
  readonly #everyBar: boolean;
  readonly #series: SymbolSeries | SplitSignals;
  readonly #evicted: EvictedBars;
  readonly #signals: SymbolSignals | SplitSignals;
  /** Its splits, ascending. */
  readonly #splits: readonly SplitAdjustment[];
  /** Row of the first bar in the window. */
  base = 0;
  /** Newest bar that had opened by now. */
  #newestOpened = -1;
  /** Last bar for which the window has everything that a day order depends on. */
  #lastWithFullDay = -1;
  /** The window has no data before this time. */
  #windowFrom = Number.NEGATIVE_INFINITY;

  constructor(parts: SymbolCursorParts) {
    const { security, rows, program, fills, hours, targets } = parts;
    this.security = security;
    this.symbol = rows.symbol;
    this.hours = hours;
    this.cancelAfterMs = parts.cancelAfterMs;
    this.fills = fills;
    this.#targetDrafts = targets && new TargetDrafts(rows.symbol, targets, program.signals);
    this.#program = program;
    this.#volumesSince = parts.volumesSince;
    this.#beforeEviction = parts.beforeEviction;
    this.#cursorOf = parts.cursorOf;
    this.#everyBar = parts.everyBar;
    this.#window = new BarWindow(rows, parts.cached?.closesColumn);
    this.#splits = parts.splits;
    const split =
      parts.splits.length === 0 ? undefined : new SplitSignals(program, this.#window, parts.splits);
    this.#series = split ?? new SymbolSeries(program, this.#window, parts.cached);
    this.#evicted = new EvictedBars(rows, program);
    this.#extendWindow(0);
    this.columns = this.#window.columns;
    this.closes = this.#window.closes;
    this.tape = new Tape(this.columns, fills, parts.volumesSince);
    this.#signals =
      split ?? new SymbolSignals(program, this.#window, this.#lastWithFullDay + 1, parts.cached);
    this.#series.advance(0, this.#lastWithFullDay + 1);
    this.bar = program.warmup;
    this.#findNextEvent();
  }

  /** The loaded bars, for an equity curve. */
  get window(): BarWindow {
    return this.#window;
  }

  barEvent(): BarEvent {
    const { columns, bar, nextAt } = this;
    return { kind: 'bar', symbol: this.symbol, time: nextAt, bar: barAt(columns, bar) };
  }

  /** Returns whether the bar has a further signal. */
  hasSignal(): boolean {
    return this.#signals.bar === this.bar;
  }

  skipSignal(): void {
    this.#signals.skip();
  }

  signal(): Signal {
    const { columns, bar, nextAt, symbol } = this;
    const { name, direction, strength, values } = this.#signals.next();
    return {
      kind: 'signal',
      symbol,
      time: nextAt,
      barTime: millis(columns.time[bar] as number),
      close: columns.close[bar] as number,
      name,
      direction,
      strength,
      values,
    };
  }

  /** Returns the declared target of the current signal and moves past it; undefined if nothing changes. */
  takeTarget(): SupportedDraft | undefined {
    const target = this.#targetDrafts && this.#signals.target(this.#targetDrafts);
    this.#signals.skip();
    return target;
  }

  /** Advances to the next bar with an event. */
  advanceToNextEvent(): void {
    const next = this.bar + 1;
    if (this.#everyBar && next <= this.#lastWithFullDay) {
      this.bar = next;
      this.nextAt = this.closes[next] as Millis;
    } else this.#skipTo(next);
  }

  #skipTo(next: number): void {
    if (this.bar === this.#lastWithFullDay && !this.#window.isLast) this.#advanceWindow();
    else this.bar = next;
    this.#findNextEvent();
  }

  /** Advances to a time, not before the current one. */
  goTo(now: number): void {
    const { bar } = this;
    const { time, close, length } = this.columns;
    // The common case. Checks bounds first: after one read beyond its end, V8 boxes every value read from a column.
    if (now === this.nextAt && bar + 1 < length && (time[bar + 1] as number) >= now) {
      this.#newestOpened = bar;
      this.now = now;
      this.closed = bar;
      this.price = close[bar] as number;
    } else this.#findBar(now);
  }

  #findBar(now: number): void {
    const { time, close, length } = this.columns;
    const { bar } = this;
    let opened = this.#newestOpened;
    // The bar of the next event is often the right one, because a sparse strategy skips bars.
    if (bar > opened && bar < length && (time[bar] as number) <= now) opened = bar;
    while (opened + 1 < length && (time[opened + 1] as number) <= now) opened += 1;
    const closed = opened >= 0 && (this.closes[opened] as number) > now ? opened - 1 : opened;
    this.#newestOpened = opened;
    this.now = now;
    this.closed = closed;
    this.price = closed < 0 ? Number.NaN : (close[closed] as number);
    if (this.#splits.length > 0) this.price = this.#closeInSharesOf(now, closed);
  }

  /** Returns the close of a bar on the share basis of a time; NaN if there is no such bar. */
  #closeInSharesOf(at: number, bar: number): number {
    const { time, close } = this.columns;
    const price = close[bar] ?? Number.NaN;
    return this.#splits.length === 0 ? price : price / sharesSince(this.#splits, time[bar] ?? at, at);
  }

  /** Row of the newest closed bar, which remains valid for that bar. */
  get row(): number {
    return this.base + this.closed;
  }

  /** Returns a symbol's newest price as of the close of a row of this cursor. */
  lastPrice(symbol: SecuritySymbol, row: number): number {
    const bar = row - this.base;
    if (symbol !== this.symbol) return this.#cursorOf(symbol).closeAt(this.#closeTimeOf(row));
    return bar >= 0 ? (this.columns.close[bar] as number) : this.#evicted.close(row);
  }

  /**
   * Returns the value of a series as of the close of a row. The rare case is a separate function, so that V8 inlines
   * this one into hooks.
   */
  value(symbol: SecuritySymbol, name: string, row: number): number {
    const bar = row - this.base;
    return symbol === this.symbol && bar >= 0
      ? this.#series.value(name, bar)
      : this.#otherValue(symbol, name, row);
  }

  #otherValue(symbol: SecuritySymbol, name: string, row: number): number {
    if (symbol === this.symbol) return this.#evicted.value(name, row);
    return this.#cursorOf(symbol).valueAt(name, this.#closeTimeOf(row));
  }

  #closeTimeOf(row: number): number {
    const bar = row - this.base;
    return bar >= 0 ? (this.closes[bar] as number) : this.#evicted.closeTime(row);
  }

  /** Returns the close of the newest bar that had closed at a time; NaN before the first. */
  closeAt(at: number): number {
    return at === this.now ? this.price : this.#pastOrLaterClose(at);
  }

  #pastOrLaterClose(at: number): number {
    if (at < this.#windowFrom) return this.#evicted.close(this.#evicted.rowAt(at));
    if (at > this.now) {
      this.goTo(at);
      return this.price;
    }
    return this.#closeInSharesOf(at, lastClosedBar(this.columns, this.closes, at));
  }

  /** Returns the value of a series at that bar; NaN before the first. */
  valueAt(name: string, at: number): number {
    if (at !== this.now) return this.#pastOrLaterValue(name, at);
    return this.closed < 0 ? Number.NaN : this.#series.valueAt(name, this.closed, at);
  }

  #pastOrLaterValue(name: string, at: number): number {
    if (at < this.#windowFrom) return this.#evicted.value(name, this.#evicted.rowAt(at));
    if (at > this.now) this.goTo(at);
    const index = at === this.now ? this.closed : lastClosedBar(this.columns, this.closes, at);
    return index < 0 ? Number.NaN : this.#series.valueAt(name, index, at);
  }

  /**
   * Returns the price of the latest print by now, and of several at the same time the worst for a position; the
   * newest close before the first print.
   */
  worstLatestPrint(held: number): number {
    const { tape, now } = this;
    let index = (this.#newestOpened + 1) * PRINTS_PER_BAR - 1;
    while (index >= 0 && tape.time(index) > now) index -= 1;
    if (index < 0) return this.price;
    const at = tape.time(index);
    let worst = tape.price(index);
    while (index > 0 && tape.time(index - 1) === at) {
      index -= 1;
      worst = held < 0 ? Math.max(worst, tape.price(index)) : Math.min(worst, tape.price(index));
    }
    return worst;
  }

  /**
   * Returns a price at which a position is worth no more than at the latest print: the worst of the two newest bars.
   */
  worstRecentPrice(held: number): number {
    const { high, low } = this.columns;
    const bar = this.#newestOpened;
    if (bar < 1) return this.worstLatestPrint(held);
    return held < 0
      ? Math.max(high[bar] as number, high[bar - 1] as number)
      : Math.min(low[bar] as number, low[bar - 1] as number);
  }

  /**
   * Returns the latest print by now, counted from the first bar in the window; -1 before the first. `isPrinted`
   * includes its print of the current time.
   */
  latestPrint(isPrinted: boolean): PrintIndex {
    const { tape, now } = this;
    const { time, length } = this.columns;
    const next = this.#newestOpened + 1;
    // A bar that opens now may not be in `#newestOpened` yet.
    const bars = next < length && (time[next] as number) <= now ? next + 1 : next;
    let index = bars * PRINTS_PER_BAR - 1;
    while (index >= 0 && (tape.time(index) > now || (!isPrinted && tape.time(index) === now))) index -= 1;
    return index;
  }

  /** Returns whether shares were split after a print. */
  isSplitSince(print: PrintIndex): boolean {
    const stamp = this.columns.time[barOf(print)] as number;
    return this.#splits.length > 0 && sharesSince(this.#splits, stamp, this.now) !== 1;
  }

  #findNextEvent(): void {
    const next = this.#everyBar ? this.bar : this.#signals.bar;
    this.isWindowEnd = next > this.#lastWithFullDay && !this.#window.isLast;
    this.bar = this.isWindowEnd ? this.#lastWithFullDay : Math.min(next, this.columns.length);
    this.nextAt = this.bar < this.columns.length ? (this.closes[this.bar] as Millis) : NEVER;
  }

  /** Advances the window. Keeps the bars of the current day, because a caller may need values from its start. */
  #advanceWindow(): void {
    const window = this.#window;
    const last = this.#lastWithFullDay;
    const at = this.closes[last] as Millis;
    this.#beforeEviction(at);
    const { midnight } = hoursAt(window.market, at);
    const shift = Math.max(0, Math.min(last, lowerBound(this.columns, midnight) - BARS_BEFORE_MIDNIGHT));
    const base = window.base + shift;
    const next = last + 1 - shift;
    window.advance(base);
    this.#extendWindow(next);
    this.base = base;
    this.columns = window.columns;
    this.closes = window.closes;
    this.tape = new Tape(this.columns, this.fills, this.#volumesSince);
    this.#signals.advance(next, this.#lastWithFullDay + 1);
    this.#series.advance(shift, this.#lastWithFullDay + 1);
    this.#windowFrom = at;
    this.bar = Math.max(next, this.#program.warmup - base);
    if (this.closed >= shift) {
      this.#newestOpened -= shift;
      this.closed -= shift;
    } else {
      this.#newestOpened = -1;
      this.closed = -1;
      this.now = Number.NEGATIVE_INFINITY;
    }
  }

  /**
   * Loads pieces until the window includes the day of an order sent at bar `next`, and finds the last bar for which
   * that is true.
   */
  #extendWindow(next: number): void {
    const window = this.#window;
    for (
      this.#lastWithFullDay = lastBarWithFullDay(window);
      this.#lastWithFullDay < next && !window.isLast;
    ) {
      window.advance(window.base);
      this.#lastWithFullDay = lastBarWithFullDay(window);
    }
  }
}

/** Bars before midnight to keep; the last may not have closed by then. */
const BARS_BEFORE_MIDNIGHT = 2;

function lastClosedBar(columns: BarColumns, closes: Float64Array, at: number): number {
  const opened = lowerBound(columns, at + 1) - 1;
  return opened >= 0 && (closes[opened] as number) > at ? opened - 1 : opened;
}
