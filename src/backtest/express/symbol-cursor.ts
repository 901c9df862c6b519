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
 * One security's way through its bars: what the run knows of it at each instant, and its next event. It sees a stretch
 * of them, from the day before its next event to the end of the day of its last; between two stretches it is idle and emits nothing.
 */
export class SymbolCursor {
  readonly security: Security;
  readonly symbol: SecuritySymbol;
  readonly hours: TradingHours;
  readonly cancelAfterMs: number;
  readonly fills: FillModel;
  /** The stretch, when its bars close, and what they print. */
  columns: BarColumns;
  closes: Float64Array;
  tape: Tape;
  /** Its current instant, the newest bar that had closed by then (-1 before the first), and its close (NaN before). */
  now = Number.NEGATIVE_INFINITY;
  closed = -1;
  price = Number.NaN;
  /** Bar of the next event; behind the last at the end. */
  bar = 0;
  /** When it closes; NEVER behind the last. */
  nextAt: Millis = NEVER;
  readonly #targetDrafts: TargetDrafts | undefined;
  /** True if that bar has no event: the cursor continues with later bars from there. */
  rests = false;
  /** Which event of that bar is reported next. */
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
  /** When its shares are split, ascending. */
  readonly #changes: readonly SplitAdjustment[];
  /** Row of the stretch's first bar. */
  base = 0;
  /** Newest bar that had opened by now. */
  #opened = -1;
  /** Last bar at which the stretch has all that an order waits for. */
  #last = -1;
  /** Nothing before this instant is known of the stretch. */
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

  /** Its bars as a curve reads them. */
  get window(): BarWindow {
    return this.#window;
  }

  /** The bar event of now. */
  barEvent(): BarEvent {
    const { columns, bar, nextAt } = this;
    return { kind: 'bar', symbol: this.symbol, time: nextAt, bar: barAt(columns, bar) };
  }

  /** Whether a signal at that bar has not been passed on yet. */
  hasSignal(): boolean {
    return this.#signals.bar === this.bar;
  }

  /** Goes past that signal. */
  passSignal(): void {
    this.#signals.pass();
  }

  /** That signal. */
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

  /** The declared position for that signal, which is passed; undefined: nothing changes. */
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

  /** Goes to an instant, not before its current one. */
  goTo(now: number): void {
    const { bar } = this;
    const { time, close, length } = this.columns;
    // For a strategy that receives every bar it is mostly that bar, and none behind it has opened before. Where a column was read
    // beyond its end once, each read of it makes a box.
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
    // The bar of the next event is often the one: a sparse strategy skips all between.
    if (bar > opened && bar < length && (time[bar] as number) <= now) opened = bar;
    while (opened + 1 < length && (time[opened + 1] as number) <= now) opened += 1;
    const closed = opened >= 0 && (this.closes[opened] as number) > now ? opened - 1 : opened;
    this.#opened = opened;
    this.now = now;
    this.closed = closed;
    this.price = closed < 0 ? Number.NaN : (close[closed] as number);
    if (this.#changes.length > 0) this.price = this.#closeInSharesOf(now, closed);
  }

  /** Close of a bar of the stretch, in the shares that there are at an instant; NaN where there is no such bar. */
  #closeInSharesOf(at: number, bar: number): number {
    const { time, close } = this.columns;
    const price = close[bar] ?? Number.NaN;
    return this.#changes.length === 0 ? price : price / sharesSince(this.#changes, time[bar] ?? at, at);
  }

  /** Row of the newest bar that had closed, which stays valid for that bar. */
  get row(): number {
    return this.base + this.closed;
  }

  /** The newest price of a symbol, of this cursor or another, as it was known when the bar of a row was the newest here. */
  lastPrice(symbol: SecuritySymbol, row: number): number {
    const bar = row - this.base;
    if (symbol !== this.symbol) return this.#cursorOf(symbol).closeAt(this.#instantOf(row));
    return bar >= 0 ? (this.columns.close[bar] as number) : this.#past.close(row);
  }

  /** One of the strategy's own series, likewise. The rare case is a separate function: this one is inlined into a hook at each call. */
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

  /** Close of the newest bar that had closed at an instant, now or before; NaN before the first. */
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

  /** One of the strategy's own series at that bar; NaN before the first. */
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
   * The price of the latest print by now, where several have its time the worst for that many shares; that of the newest close before the
   * first.
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

  /** A price at which that many shares are worth no more than at the latest print: the worst of the two newest bars. */
  worstRecentPrice(held: number): number {
    const { high, low } = this.columns;
    const bar = this.#opened;
    if (bar < 1) return this.worstLatestPrint(held);
    return held < 0
      ? Math.max(high[bar] as number, high[bar - 1] as number)
      : Math.min(low[bar] as number, low[bar - 1] as number);
  }

  /**
   * The latest print by now, counted from the first bar of the stretch; -1 before the first. `isPrinted`: whether its print of this very
   * instant has happened.
   */
  latestPrint(isPrinted: boolean): PrintIndex {
    const { tape, now } = this;
    const { time, length } = this.columns;
    const next = this.#opened + 1;
    // A bar that opens right now may not be counted among those that have.
    const bars = next < length && (time[next] as number) <= now ? next + 1 : next;
    let index = bars * PRINTS_PER_BAR - 1;
    while (index >= 0 && (tape.time(index) > now || (!isPrinted && tape.time(index) === now))) index -= 1;
    return index;
  }

  /** Whether shares were split since a print. */
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

  /** Advances to further bars. Facts of the running day stay: a caller may need the position at its beginning. */
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

  /** Takes pieces until the stretch has the day of an order that is sent at `next`, and finds the last bar of which that is true. */
  #findLast(next: number): void {
    const window = this.#window;
    for (this.#last = lastWithDay(window); this.#last < next && !window.isLast; ) {
      window.advance(window.base);
      this.#last = lastWithDay(window);
    }
  }
}

/** Bars from before a midnight that are kept with those behind it: the last may not have closed by then. */
const STANDING = 2;

function closedBy(columns: BarColumns, closes: Float64Array, at: number): number {
  const opened = lowerBound(columns, at + 1) - 1;
  return opened >= 0 && (closes[opened] as number) > at ? opened - 1 : opened;
}
