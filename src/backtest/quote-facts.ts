import { replayedQuoteFact } from '../execution/gate/quote-fact.ts';
import { barClose } from '../markets/bar-span.ts';
import { Decimal, ZERO } from '../model/decimal.ts';
import type { Period } from '../model/period.ts';
import type { Quote } from '../model/quote.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis, utcDay } from '../model/time.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';
import type { QuoteFact } from '../risk/facts.ts';
import type { Simulation } from '../simulation/simulation.ts';
import type { RunColumns } from './setup.ts';

/** Quotes as the gate sees them; an unchanged quote is the same fact as before. */
export function quoteFacts(
  simulation: Simulation,
  period: Period,
  sessions: TradingSessions,
): (symbol: SecuritySymbol) => QuoteFact | undefined {
  const lastFacts = new Map<SecuritySymbol, { readonly quote: Quote; readonly fact: QuoteFact }>();
  return (symbol) => {
    const quote = simulation.quote(symbol);
    if (quote === undefined) return undefined;
    const before = lastFacts.get(symbol);
    if (before?.quote === quote) return before.fact;
    const fact = replayedQuoteFact(quote, period, sessions);
    lastFacts.set(symbol, { quote, fact });
    return fact;
  };
}

/** Quotes where only closed bars are known: the close of the newest bar of a symbol that opened since the run began. */
export function closedBarFacts(
  cuts: readonly RunColumns[],
  now: () => Millis,
  sessions: TradingSessions,
): (symbol: SecuritySymbol) => QuoteFact | undefined {
  const newest = new Map(cuts.map(({ columns, firstBar }) => [columns.symbol, firstBar - 1]));
  return (symbol) => {
    const cut = cuts.find(({ columns }) => columns.symbol === symbol);
    if (cut === undefined) return undefined;
    const { columns, firstBar } = cut;
    const market = marketOf(symbol);
    const openOf = (row: number): Millis => millis(columns.time[row] as number);
    const closeOf = (row: number): Millis => barClose(market, columns.period, openOf(row));
    let row = newest.get(symbol) ?? firstBar - 1;
    while (row + 1 < columns.length && closeOf(row + 1) <= now()) row += 1;
    newest.set(symbol, row);
    if (row < firstBar) return undefined;
    let first = row;
    while (first > firstBar && utcDay(openOf(first - 1)) === utcDay(openOf(row))) first -= 1;
    const quote: Quote = {
      symbol,
      time: closeOf(row),
      last: new Decimal(columns.close[row] as number),
      dayOpen: new Decimal(columns.open[first] as number),
      dayHigh: ZERO,
      dayLow: ZERO,
      dayVolume: ZERO,
      volume: ZERO,
      status: 'normal',
      session: 'regular',
    };
    return replayedQuoteFact(quote, columns.period, sessions);
  };
}
