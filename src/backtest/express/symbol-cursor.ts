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
import { lastWithDay } from './last-with-day.ts';
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
  rests = false;
  /** The next event to report at that bar. */
  reports: 'bar' | 'bars' | 'signal' | 'timer' = 'signal';
  readonly #window: BarWindow;
  readonly #program: SignalProgram;
  readonly #volumesSince: Millis;
  readonly #passed: (until: number) => void;
  readonly #cursorOf: SymbolCursorParts['cursorOf'];
  readonly #everyBar: boolean;
  readonly #series: SymbolSeries | SplitSignals;
  readonly #past: EvictedBars;
  readonly #signals: SymbolSignals | SplitSignals;
  /** Its splits, ascending. */
  readonly #changes: readonly SplitAdjustment[];
  /** Row of the first bar in the window. */
  base = 0;
  /** Newest bar that had opened by now. */
  #opened = -1;
  /** Last bar for which the window has everything that a day order depends on. */
  #last = -1;
  /** The window has no data before this time. */
  #since = Number.NEGATIVE_INFINITY;

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
    this.#passed = parts.passed;
    this.#cursorOf = parts.cursorOf;
    this.#everyBar = parts.everyBar;
    this.#window = new BarWindow(rows, parts.kept?.closesRoom);
    this.#changes = parts.changes;
    const split =
      parts.changes.length === 0 ? undefined : new SplitSignals(program, this.#window, parts.changes);
    this.#series = split ?? new SymbolSeries(program, this.#window, parts.kept);
    this.#past = new EvictedBars(rows, program);
    this.#findLast(0);
    this.columns = this.#window.columns;
    this.closes = this.#window.closes;
    this.tape = new Tape(this.columns, fills, parts.volumesSince);
    this.#signals = split ?? new SymbolSignals(program, this.#window, this.#last + 1, parts.kept);
    this.#series.advance(0, this.#last + 1);
    this.bar = program.warmup;
    this.#lookAhead();
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

  passSignal(): void {
    this.#signals.pass();
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
    this.#signals.pass();
    return target;
  }

  /** Advances to the next bar with an event. */
  step(): void {
    const next = this.bar + 1;
    if (this.#everyBar && next <= this.#last) {
      this.bar = next;
      this.nextAt = this.closes[next] as Millis;
    } else this.#leap(next);
  }

  #leap(next: number): void {
    if (this.bar === this.#last && !this.#window.isLast) this.#advance();
    else this.bar = next;
    this.#lookAhead();
  }

  /** Advances to a time, not before the current one. */
  goTo(now: number): void {
    const { bar } = this;
    const { time, close, length } = this.columns;
    // The common case. Checks bounds first: after one read beyond its end, V8 boxes every value read from a column.
    if (now === this.nextAt && bar + 1 < length && (time[bar + 1] as number) >= now) {
      this.#opened = bar;
      this.now = now;
      this.closed = bar;
      this.price = close[bar] as number;
    } else this.#find(now);
  }

  #find(now: number): void {
    const { time, close, length } = this.columns;
    const { bar } = this;
    let opened = this.#opened;
    // The bar of the next event is often the right one, because a sparse strategy skips bars.
    if (bar > opened && bar < length && (time[bar] as number) <= now) opened = bar;
    while (opened + 1 < length && (time[opened + 1] as number) <= now) opened += 1;
    const closed = opened >= 0 && (this.closes[opened] as number) > now ? opened - 1 : opened;
    this.#opened = opened;
    this.now = now;
    this.closed = closed;
    this.price = closed < 0 ? Number.NaN : (close[closed] as number);
    if (this.#changes.length > 0) this.price = this.#closeInSharesOf(now, closed);
  }

  /** Returns the close of a bar on the share basis of a time; NaN if there is no such bar. */
  #closeInSharesOf(at: number, bar: number): number {
    const { time, close } = this.columns;
    const price = close[bar] ?? Number.NaN;
    return this.#changes.length === 0 ? price : price / sharesSince(this.#changes, time[bar] ?? at, at);
  }

  /** Row of the newest closed bar, which remains valid for that bar. */
  get row(): number {
    return this.base + this.closed;
  }

  /** Returns a symbol's newest price as of the close of a row of this cursor. */
  lastPrice(symbol: SecuritySymbol, row: number): number {
    const bar = row - this.base;
    if (symbol !== this.symbol) return this.#cursorOf(symbol).closeAt(this.#instantOf(row));
    return bar >= 0 ? (this.columns.close[bar] as number) : this.#past.close(row);
  }

  /**
   * Returns the value of a series as of the close of a row. The rare case is a separate function, so that V8 inlines
   * this one into hooks.
   */
  value(symbol: SecuritySymbol, name: string, row: number): number {
    const bar = row - this.base;
    return symbol === this.symbol && bar >= 0
      ? this.#series.value(name, bar)
      : this.#valueElsewhere(symbol, name, row);
  }

  #valueElsewhere(symbol: SecuritySymbol, name: string, row: number): number {
    if (symbol === this.symbol) return this.#past.value(name, row);
    return this.#cursorOf(symbol).valueAt(name, this.#instantOf(row));
  }

  #instantOf(row: number): number {
    const bar = row - this.base;
    return bar >= 0 ? (this.closes[bar] as number) : this.#past.instant(row);
  }

  /** Returns the close of the newest bar that had closed at a time; NaN before the first. */
  closeAt(at: number): number {
    return at === this.now ? this.price : this.#closeThen(at);
  }

  #closeThen(at: number): number {
    if (at < this.#since) return this.#past.close(this.#past.rowAt(at));
    if (at > this.now) {
      this.goTo(at);
      return this.price;
    }
    return this.#closeInSharesOf(at, closedBy(this.columns, this.closes, at));
  }

  /** Returns the value of a series at that bar; NaN before the first. */
  valueAt(name: string, at: number): number {
    if (at !== this.now) return this.#valueThen(name, at);
    return this.closed < 0 ? Number.NaN : this.#series.valueAt(name, this.closed, at);
  }

  #valueThen(name: string, at: number): number {
    if (at < this.#since) return this.#past.value(name, this.#past.rowAt(at));
    if (at > this.now) this.goTo(at);
    const index = at === this.now ? this.closed : closedBy(this.columns, this.closes, at);
    return index < 0 ? Number.NaN : this.#series.valueAt(name, index, at);
  }

  /**
   * Returns the price of the latest print by now, and of several at the same time the worst for a position; the
   * newest close before the first print.
   */
  worstLatestPrint(held: number): number {
    const { tape, now } = this;
    let index = (this.#opened + 1) * PRINTS_PER_BAR - 1;
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
    const bar = this.#opened;
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
    const next = this.#opened + 1;
    // A bar that opens now may not be in `#opened` yet.
    const bars = next < length && (time[next] as number) <= now ? next + 1 : next;
    let index = bars * PRINTS_PER_BAR - 1;
    while (index >= 0 && (tape.time(index) > now || (!isPrinted && tape.time(index) === now))) index -= 1;
    return index;
  }

  /** Returns whether shares were split after a print. */
  isSplitSince(print: PrintIndex): boolean {
    const stamp = this.columns.time[barOf(print)] as number;
    return this.#changes.length > 0 && sharesSince(this.#changes, stamp, this.now) !== 1;
  }

  #lookAhead(): void {
    const next = this.#everyBar ? this.bar : this.#signals.bar;
    this.rests = next > this.#last && !this.#window.isLast;
    this.bar = this.rests ? this.#last : Math.min(next, this.columns.length);
    this.nextAt = this.bar < this.columns.length ? (this.closes[this.bar] as Millis) : NEVER;
  }

  /** Advances the window. Keeps the bars of the current day, because a caller may need values from its start. */
  #advance(): void {
    const window = this.#window;
    const last = this.#last;
    const at = this.closes[last] as Millis;
    this.#passed(at);
    const { midnight } = hoursAt(window.market, at);
    const shift = Math.max(0, Math.min(last, lowerBound(this.columns, midnight) - STANDING));
    const base = window.base + shift;
    const next = last + 1 - shift;
    window.advance(base);
    this.#findLast(next);
    this.base = base;
    this.columns = window.columns;
    this.closes = window.closes;
    this.tape = new Tape(this.columns, this.fills, this.#volumesSince);
    this.#signals.advance(next, this.#last + 1);
    this.#series.advance(shift, this.#last + 1);
    this.#since = at;
    this.bar = Math.max(next, this.#program.warmup - base);
    if (this.closed >= shift) {
      this.#opened -= shift;
      this.closed -= shift;
    } else {
      this.#opened = -1;
      this.closed = -1;
      this.now = Number.NEGATIVE_INFINITY;
    }
  }

  /**
   * Loads pieces until the window includes the day of an order sent at bar `next`, and finds the last bar for which
   * that is true.
   */
  #findLast(next: number): void {
    const window = this.#window;
    for (this.#last = lastWithDay(window); this.#last < next && !window.isLast; ) {
      window.advance(window.base);
      this.#last = lastWithDay(window);
    }
  }
}

/** Bars before midnight to keep; the last may not have closed by then. */
const STANDING = 2;

function closedBy(columns: BarColumns, closes: Float64Array, at: number): number {
  const opened = lowerBound(columns, at + 1) - 1;
  return opened >= 0 && (closes[opened] as number) > at ? opened - 1 : opened;
}
