import { barClose, sessionPieces } from '../../markets/bar-span.ts';
import type { SessionKind } from '../../markets/day-hours.ts';
import { regularPieceAt, sessionAt } from '../../markets/sessions.ts';
import { REGULAR_KINDS } from '../../markets/trading-sessions.ts';
import { type BarColumns, lowerBound } from '../../model/bar.ts';
import { rowsOf } from '../../model/bar-rows.ts';
import { intradayMs, type Period } from '../../model/period.ts';
import type { TradeSession } from '../../model/quote.ts';
import { type Market, marketOf } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { BarPath, FillModel } from '../models.ts';
import { LiveColumns } from './live-columns.ts';
import { type BarFigures, PRINTS_PER_BAR, printPrice, printTimes, printVolume } from './prints.ts';

/** Index of a print of a symbol: bar index x 4 + step within the bar. */
export type PrintIndex = number;

/** Bars that a search advances linearly from its last result before it falls back to binary search. */
const LINEAR_STEPS_MAX = 4;

export const NO_PRINT: PrintIndex = Number.POSITIVE_INFINITY;

interface BarTimes {
  readonly prints: readonly number[];
  readonly close: number;
  /** Session of the bar's prints; undefined if the calendar has none then. */
  readonly session: SessionKind | undefined;
}

const CACHED_BARS_MAX = 64;

/** Print and close times of the bars of a market and period, shared by symbols with the same bar stamps. */
class BarCalendar {
  readonly #market: Market;
  readonly #period: Period;
  readonly #times = new Map<number, BarTimes>();

  constructor(market: Market, period: Period) {
    this.#market = market;
    this.#period = period;
  }

  at(open: Millis): BarTimes {
    const known = this.#times.get(open);
    if (known !== undefined) return known;
    if (this.#times.size >= CACHED_BARS_MAX) this.#times.clear();
    const prints = printTimes(sessionPieces(this.#market, this.#period, open));
    const times: BarTimes = {
      prints,
      close: barClose(this.#market, this.#period, open),
      session: sessionAt(this.#market, prints[0] as Millis)?.kind,
    };
    this.#times.set(open, times);
    return times;
  }
}

/** Returns the calendar of a series; a run has one per market and period. */
type BarCalendars = (columns: BarColumns) => BarCalendar;

export function barCalendars(): BarCalendars {
  const known = new Map<string, BarCalendar>();
  return ({ symbol, period }) => {
    const market = marketOf(symbol);
    const name = `${market} ${period}`;
    const calendar = known.get(name) ?? new BarCalendar(market, period);
    known.set(name, calendar);
    return calendar;
  };
}

/**
 * Returns the stamp of the first bar with volume; later bars without volume had no trade. NEVER if all volumes are
 * zero, as in a file without volumes. Appended bars do not change the result.
 */
export function volumesSince(bars: BarColumns): Millis {
  const rows = rowsOf(bars);
  const view = rows.open();
  for (let row = 0; row < rows.length; row = rows.pieceEnd(row)) {
    const { time, volume, length } = view(row, rows.pieceEnd(row));
    for (let at = 0; at < length; at += 1) if ((volume[at] as number) > 0) return millis(time[at] as number);
  }
  return NEVER;
}

export type TapeModel = Pick<FillModel, 'path' | 'hours' | 'emptyBars'>;

/**
 * The prints of one symbol, computed from its bars on access. Prices and volumes are float64 estimates, times epoch
 * milliseconds.
 */
export class Tape {
  readonly columns: BarColumns;
  readonly market: Market;
  readonly #path: BarPath;
  readonly #alwaysOpen: boolean;
  /** Bars after this stamp without volume had no trade. */
  readonly #volumesSince: Millis;
  readonly #calendar: BarCalendar;
  /** Live prices; all prints of a row are the same. */
  readonly #live: LiveColumns | undefined;
  readonly #length: number;
  /** Offsets of the prints from the stamp of a bar that fits within one session. */
  readonly #offsets: readonly number[];
  #session = { open: Number.POSITIVE_INFINITY, close: Number.NEGATIVE_INFINITY };

  #lastFound = 0;

  /**
   * `since` is `volumesSince` of the whole file if the bars are only part of it. `calendars` are shared by all tapes of
   * a run.
   */
  constructor(
    columns: BarColumns,
    { path, hours, emptyBars }: TapeModel,
    since?: Millis,
    calendars: BarCalendars = barCalendars(),
  ) {
    this.columns = columns;
    this.market = marketOf(columns.symbol);
    this.#calendar = calendars(columns);
    this.#path = path;
    this.#alwaysOpen = hours === 'bars';
    this.#live = columns instanceof LiveColumns ? columns : undefined;
    const checksVolume = emptyBars === 'wait' && this.#live === undefined;
    this.#volumesSince = checksVolume ? (since ?? volumesSince(columns)) : NEVER;
    this.#length = intradayMs(columns.period) ?? Number.NaN;
    this.#offsets = this.#length > 0 ? printTimes([{ open: 0, close: this.#length }]) : [];
  }

  /** True if the market is open at every bar, regardless of the calendar. */
  get alwaysOpen(): boolean {
    return this.#alwaysOpen;
  }

  price(index: PrintIndex): number {
    return printPrice(this.figures(barOf(index)), stepOf(index), this.#path);
  }

  /** True for live prices, where more prints may always follow. */
  get isLive(): boolean {
    return this.#live !== undefined;
  }

  /**
   * True for the first print of a bar, which the price may have gapped to, and for auction prints: working orders fill
   * at the print's own price.
   */
  isGap(index: PrintIndex): boolean {
    return this.#live === undefined && (stepOf(index) === 0 || this.isAuction(barOf(index)));
  }

  volume(index: PrintIndex): number {
    if (this.#live !== undefined)
      return stepOf(index) === 0 ? (this.#live.volume[barOf(index)] as number) : 0;
    return printVolume(this.columns.volume[barOf(index)] as number, stepOf(index));
  }

  /** Epoch milliseconds; NEVER for NO_PRINT. */
  time(index: PrintIndex): Millis {
    if (index === NO_PRINT) return NEVER;
    if (this.#isWithinSession(barOf(index)))
      return ((this.columns.time[barOf(index)] as number) +
        (this.#offsets[stepOf(index)] as number)) as Millis;
    const time = this.#timesOf(barOf(index)).prints[stepOf(index)];
    if (time === undefined) throw new RangeError(`No print ${index} of "${this.columns.symbol}"`);
    return time as Millis;
  }

  /** Returns when the bar of the print closes, after which the print is no longer current. */
  barClose(index: PrintIndex): Millis {
    return this.#timesOf(barOf(index)).close as Millis;
  }

  /** Returns the first print at or after `at` (only after it if `after`); NO_PRINT past the last. */
  firstFrom(at: number, after = false): PrintIndex {
    const { columns } = this;
    for (let bar = this.#lastBefore(at); bar < columns.length; bar += 1) {
      const { prints } = this.#timesOf(bar);
      for (let step = 0; step < prints.length; step += 1) {
        const time = prints[step] as number;
        if (after ? time > at : time >= at) return bar * PRINTS_PER_BAR + step;
      }
    }
    return NO_PRINT;
  }

  /** Returns the last bar stamped before an instant, otherwise the first bar. Fast if instants ascend bar by bar. */
  #lastBefore(at: number): number {
    const { time, length } = this.columns;
    let bar = this.#lastFound;
    const end = bar + LINEAR_STEPS_MAX;
    if (bar >= length || (time[bar] as number) >= at) bar = end;
    while (bar < end && bar + 1 < length && (time[bar + 1] as number) < at) bar += 1;
    this.#lastFound = bar < end ? bar : Math.max(0, lowerBound(this.columns, at) - 1);
    return this.#lastFound;
  }

  /** Undefined before the first. */
  before(index: PrintIndex): PrintIndex | undefined {
    const before = index === NO_PRINT ? this.columns.length * PRINTS_PER_BAR - 1 : index - 1;
    return before < 0 ? undefined : before;
  }

  /** NO_PRINT past the last. */
  next(index: PrintIndex): PrintIndex {
    const next = index + 1;
    return next < this.columns.length * PRINTS_PER_BAR ? next : NO_PRINT;
  }

  /** Returns the session of the bar's prints; undefined on a day that the calendar has as closed. */
  session(bar: number): TradeSession | undefined {
    const kind = this.#timesOf(bar).session;
    return kind === 'opening-auction' || kind === 'closing-auction' ? 'regular' : kind;
  }

  /** True for a bar of an auction, whose only trade is its last print. */
  isAuction(bar: number): boolean {
    if (this.#live !== undefined || this.#alwaysOpen || this.#isWithinSession(bar)) return false;
    const kind = this.#timesOf(bar).session;
    return kind === 'opening-auction' || kind === 'closing-auction';
  }

  /**
   * True if orders of these sessions may match the bar: it had a trade, and it belongs to one of the sessions or the
   * market is always open.
   */
  trades(bar: number, kinds: readonly SessionKind[] = REGULAR_KINDS): boolean {
    if (
      !((this.columns.volume[bar] as number) > 0) &&
      (this.columns.time[bar] as number) > this.#volumesSince
    )
      return false;
    if (this.#alwaysOpen) return true;
    if (this.#isWithinSession(bar)) return kinds.includes('regular');
    const kind = this.#timesOf(bar).session;
    return kind !== undefined && kinds.includes(kind);
  }

  /** Returns the first step of a bar that orders may match; an auction has only its last. */
  firstStep(bar: number): number {
    return this.isAuction(bar) ? PRINTS_PER_BAR - 1 : 0;
  }

  /** Returns prices and volume of a bar; throws RangeError if it does not exist. */
  figures(bar: number): BarFigures {
    const { open, high, low, close, volume } = this.columns;
    const figures = {
      open: open[bar],
      high: high[bar],
      low: low[bar],
      close: close[bar],
      volume: volume[bar],
    };
    if (figures.open === undefined) throw new RangeError(`No bar ${bar} of "${this.columns.symbol}"`);
    return figures as BarFigures;
  }

  /**
   * True if a bar is within one regular trading period, so that its print times need no lookup. The calendar is read
   * once per period.
   */
  #isWithinSession(bar: number): boolean {
    const stamp = this.columns.time[bar] as number;
    const close = stamp + this.#length;
    if (stamp >= this.#session.open && close <= this.#session.close) return true;
    if (this.#live !== undefined || !(close > stamp)) return false;
    const piece = regularPieceAt(this.market, stamp as Millis);
    if (piece !== undefined) this.#session = piece;
    return piece !== undefined && close <= piece.close;
  }

  #timesOf(bar: number): BarTimes {
    return this.#live === undefined
      ? this.#calendar.at(this.columns.time[bar] as Millis)
      : liveTimes(this.market, this.#live, bar);
  }
}

export function barOf(index: PrintIndex): number {
  return Math.floor(index / PRINTS_PER_BAR);
}

/**
 * Returns the step in the bar: 0 for the first print, which may follow a gap, and 1 to 3 for prints that the price
 * moves to continuously.
 */
export function stepOf(index: PrintIndex): number {
  return index % PRINTS_PER_BAR;
}

function liveTimes(market: Market, live: LiveColumns, row: number): BarTimes {
  const at = live.time[row] as Millis;
  return { prints: [at, at, at, at], close: live.validUntil(row), session: sessionAt(market, at)?.kind };
}
