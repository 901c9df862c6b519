import type { Period } from '../model/period.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import type { CalendarDay, Millis } from '../model/time.ts';
import { barCloser } from './bar-span.ts';
import { dayHours, hoursAt, type Span } from './day-hours.ts';
import { hasTable } from './market-records.ts';

/** Stamps of bars, ascending, and the time range that they should cover. */
export interface CoverageRequest {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly stamps: ArrayLike<number>;
  /** Epoch milliseconds; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Shortest gap in regular trading that counts as missing, in milliseconds: minutes without trades have no bar. */
  readonly leastMs: number;
}

export interface GapPart extends Span {
  readonly day: CalendarDay;
  readonly openMs: number;
}

export interface Gap {
  /** Index of the first bar after the gap; the number of bars if there is none. */
  readonly row: number;
  /** Trading days without any bar. */
  readonly days: readonly CalendarDay[];
  /** Parts of other trading days, each at least `leastMs` long. */
  readonly parts: readonly GapPart[];
}

/**
 * Compares bars with the market's calendar and yields, in order, every gap of whole trading days or parts of regular
 * sessions. A market without a table has no gaps.
 */
export function* findGaps(request: CoverageRequest): Generator<Gap> {
  const { symbol, period, stamps, from, to } = request;
  const market = marketOf(symbol);
  if (!hasTable(market)) return;
  const closeOf = barCloser(market, period);
  let covered = from;
  for (let row = 0; row <= stamps.length; row += 1) {
    const stamp = row === stamps.length ? to : Math.min(to, stamps[row] as number);
    if (stamp > covered) {
      const found = between(request, covered, stamp);
      if (found.days.length > 0 || found.parts.length > 0) yield { row, ...found };
    }
    if (row < stamps.length) covered = Math.max(covered, closeOf(stamps[row] as Millis));
  }
}

function between({ symbol, leastMs }: CoverageRequest, from: number, to: number): Omit<Gap, 'row'> {
  const market = marketOf(symbol);
  const [days, parts]: [CalendarDay[], GapPart[]] = [[], []];
  const last = hoursAt(market, to - 1).day;
  for (let { day } = hoursAt(market, from); day <= last; day += 1) {
    const { date, regular } = dayHours(market, day);
    const missing = regular
      .map(({ open, close }) => ({ open: Math.max(open, from), close: Math.min(close, to) }))
      .filter(({ open, close }) => open < close);
    const [first, end] = [missing[0], missing.at(-1)];
    if (first === undefined || end === undefined) continue;
    const isWhole = first.open === regular[0]?.open && end.close === regular.at(-1)?.close;
    const openMs = missing.reduce((sum, { open, close }) => sum + close - open, 0);
    if (isWhole) days.push(date);
    else if (openMs >= leastMs)
      parts.push({ day: date, open: first.open as Millis, close: end.close as Millis, openMs });
  }
  return { days, parts };
}
