import { replayedQuoteFact } from '../execution/gate/quote-fact.ts';
import { barClose } from '../markets/bar-span.ts';
import { decimalOfDouble } from '../model/amount.ts';
import type { Period } from '../model/period.ts';
import type { LatestTrade } from '../model/quote.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis, utcDay } from '../model/time.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';
import type { QuoteFact } from '../risk/facts.ts';
import type { Simulation } from '../simulation/simulation.ts';
import type { RunColumns } from './setup.ts';

/** Returns quotes for the gate; an unchanged quote is the same object. */
export function quoteFacts(
  simulation: Pick<Simulation, 'latestTrade'>,
  period: Period,
  sessions: TradingSessions,
): (symbol: SecuritySymbol) => QuoteFact | undefined {
  const lastFacts = new Map<SecuritySymbol, { readonly trade: LatestTrade; readonly fact: QuoteFact }>();
  return (symbol) => {
    const trade = simulation.latestTrade(symbol);
    if (trade === undefined) return undefined;
    const before = lastFacts.get(symbol);
    if (before?.trade === trade) return before.fact;
    const fact = replayedQuoteFact(trade, period, sessions);
    lastFacts.set(symbol, { trade, fact });
    return fact;
  };
}

/** Returns quotes where only closed bars are known: the close of a symbol's newest bar that opened in the run. */
export function closedBarFacts(
  runBars: readonly RunColumns[],
  now: () => Millis,
  sessions: TradingSessions,
): (symbol: SecuritySymbol) => QuoteFact | undefined {
  const newest = new Map(runBars.map(({ columns, firstBar }) => [columns.symbol, firstBar - 1]));
  return (symbol) => {
    const bars = runBars.find(({ columns }) => columns.symbol === symbol);
    if (bars === undefined) return undefined;
    const { columns, firstBar } = bars;
    const market = marketOf(symbol);
    const openOf = (row: number): Millis => millis(columns.time[row] as number);
    const closeOf = (row: number): Millis => barClose(market, columns.period, openOf(row));
    let row = newest.get(symbol) ?? firstBar - 1;
    while (row + 1 < columns.length && closeOf(row + 1) <= now()) row += 1;
    newest.set(symbol, row);
    if (row < firstBar) return undefined;
    let first = row;
    while (first > firstBar && utcDay(openOf(first - 1)) === utcDay(openOf(row))) first -= 1;
    const trade: LatestTrade = {
      symbol,
      time: closeOf(row),
      last: decimalOfDouble(columns.close[row] as number),
      dayOpen: decimalOfDouble(columns.open[first] as number),
      status: 'normal',
    };
    return replayedQuoteFact(trade, columns.period, sessions);
  };
}
