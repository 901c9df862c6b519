import { dayOf, midnightOf } from '../../markets/sessions.ts';
import { lowerBound } from '../../model/bar.ts';
import { Decimal, type Price } from '../../model/decimal.ts';
import { PERIODS, type Period } from '../../model/period.ts';
import type { Quote } from '../../model/quote.ts';
import { marketOf } from '../../model/symbol.ts';
import type { BarHistory } from '../venue-options.ts';

const DAILY_FIRST: readonly Period[] = ['1d', ...PERIODS.filter((period) => period !== '1d')];

/**
 * Returns the close of the last bar before the quote's day, from daily bars if there are any; undefined on the first
 * day.
 */
export function previousClose(quote: Quote, history: BarHistory): Price | undefined {
  const market = marketOf(quote.symbol);
  const midnight = midnightOf(market, dayOf(market, quote.time));
  for (const period of DAILY_FIRST) {
    const columns = history(quote.symbol, period);
    if (columns === undefined) continue;
    const close = columns.close[lowerBound(columns, midnight) - 1];
    return close === undefined ? undefined : new Decimal(String(close));
  }
  return undefined;
}
