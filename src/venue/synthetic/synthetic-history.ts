import { resample } from '../../market-data/resample.ts';
import { dayOf, midnightOf } from '../../markets/sessions.ts';
import { type BarColumns, barAt } from '../../model/bar.ts';
import { barColumns, columnsOfRows } from '../../model/bar-columns.ts';
import { intradayMs, type Period } from '../../model/period.ts';
import { marketOf } from '../../model/symbol.ts';
import { addDays, type Millis } from '../../model/time.ts';
import type { BarHistory } from '../venue-options.ts';
import type { SyntheticHours, SyntheticMarket } from './synthetic-market.ts';

/**
 * Returns bars of every period of a synthetic market, past and future: intraday bars are aggregated from minutes,
 * longer ones from days. If the market never closes, a bar lasts its nominal length and a day ends at midnight,
 * unlike the exchange's calendar (`steadySpan`).
 */
export function syntheticHistory(market: SyntheticMarket, hours: SyntheticHours): BarHistory {
  const made = new Map<string, BarColumns>();
  return (symbol, period) => {
    const place = market.securities.findIndex((security) => security.symbol === symbol);
    const [minutes, past] = [market.minutes[place], market.past[place]];
    if (minutes === undefined || past === undefined) return undefined;
    const key = `${symbol}|${period}`;
    const known = made.get(key) ?? barsOf(minutes, past, period, hours);
    made.set(key, known);
    return known;
  };
}

function barsOf(minutes: BarColumns, past: BarColumns, period: Period, hours: SyntheticHours): BarColumns {
  if (period === '1m') return minutes;
  if (intradayMs(period) !== undefined)
    return hours === 'real' ? resample(minutes, period) : folded(minutes, period);
  const days = folded(joined(past, minutes), '1d');
  return period === '1d' ? days : folded(days, period);
}

/** Aggregates the bars that begin within each bar of a longer period. */
function folded(columns: BarColumns, period: Period): BarColumns {
  const rows: number[][] = [];
  let span = { from: Number.NaN, until: Number.NaN };
  for (let index = 0; index < columns.length; index += 1) {
    const { time, open, high, low, close, volume } = barAt(columns, index);
    const row = rows.at(-1);
    if (row !== undefined && time >= span.from && time < span.until) {
      row[2] = Math.max(row[2] ?? 0, high);
      row[3] = Math.min(row[3] ?? 0, low);
      row[4] = close;
      row[5] = (row[5] ?? 0) + volume;
    } else {
      span = steadySpan(columns, period, time);
      rows.push([span.from, open, high, low, close, volume]);
    }
  }
  return columnsOfRows({ symbol: columns.symbol, period }, rows);
}

const MONTHS: Partial<Record<Period, number>> = { '1M': 1, '1Q': 3, '1Y': 12 };

/**
 * Returns the boundaries of the bar that contains an instant in a market that never closes; days are the exchange's
 * local days.
 */
export function steadySpan(
  { symbol }: Pick<BarColumns, 'symbol'>,
  period: Period,
  at: Millis,
): { readonly from: number; readonly until: number } {
  const length = intradayMs(period);
  if (length !== undefined) {
    const from = at - (at % length);
    return { from, until: from + length };
  }
  const market = marketOf(symbol);
  const day = dayOf(market, at);
  const midnight = (date: Date): number =>
    midnightOf(market, addDays(day, Math.round((date.getTime() - utc.getTime()) / 86_400_000)));
  const utc = new Date(`${day}T00:00:00Z`);
  const [year, month, date] = [utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate()];
  const months = MONTHS[period];
  if (months !== undefined) {
    const first = month - (month % months);
    return {
      from: midnight(new Date(Date.UTC(year, first, 1))),
      until: midnight(new Date(Date.UTC(year, first + months, 1))),
    };
  }
  const [back, count] = period === '1w' ? [(utc.getUTCDay() + 6) % 7, 7] : [0, 1];
  return {
    from: midnight(new Date(Date.UTC(year, month, date - back))),
    until: midnight(new Date(Date.UTC(year, month, date - back + count))),
  };
}

function joined(first: BarColumns, second: BarColumns): BarColumns {
  return barColumns(second, (figure) => Float64Array.from([...first[figure], ...second[figure]]));
}
