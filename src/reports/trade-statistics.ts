import type { SecuritySymbol } from '../model/symbol.ts';
import type { RoundTrip } from './trades.ts';

/** Statistics of closed trades; shares are fractions of the entry cost, null if no trade counts. */
export interface TradeStatistics {
  readonly averageWin: number | null;
  readonly averageLoss: number | null;
  readonly best: number | null;
  readonly worst: number | null;
  readonly longestWinStreak: number;
  readonly longestLossStreak: number;
  readonly averageDurationMs: number | null;
  readonly longestDurationMs: number | null;
  /** System quality number: square root of the number of trades x mean / standard deviation (n - 1) of their returns. */
  readonly sqn: number | null;
  /** Most trades first. */
  readonly bySymbol: readonly SymbolStatistics[];
}

export interface SymbolStatistics {
  readonly symbol: SecuritySymbol;
  readonly currency: string;
  readonly trades: number;
  readonly wins: number;
  readonly averageReturn: number;
  /** Decimal text, in `currency`, after fees. */
  readonly profit: string;
}

export const SQN_DEFINITION =
  'SQN: square root of the number of trades, times mean over standard deviation (n - 1) of their returns; a win is a trade with a profit after fees, and streaks count trades in the order in which they closed';

export function tradeStatistics(trades: readonly RoundTrip[]): TradeStatistics {
  const returns = trades.map(({ returnShare }) => returnShare);
  const won = trades.map(({ profit }) => profit.gt(0));
  const durations = trades.map(({ openedAt, closedAt }) => closedAt - openedAt);
  return {
    averageWin: meanOrNull(returns.filter((_, index) => won[index])),
    averageLoss: meanOrNull(returns.filter((_, index) => !won[index])),
    best: extremeOrNull(returns, Math.max),
    worst: extremeOrNull(returns, Math.min),
    longestWinStreak: longestRun(won, true),
    longestLossStreak: longestRun(won, false),
    averageDurationMs: meanOrNull(durations),
    longestDurationMs: extremeOrNull(durations, Math.max),
    sqn: sqnOf(returns),
    bySymbol: [...Map.groupBy(trades, ({ symbol }) => symbol)]
      .map(([symbol, own]) => symbolStatistics(symbol, own))
      .sort((one, other) => other.trades - one.trades),
  };
}

function symbolStatistics(symbol: SecuritySymbol, trades: readonly RoundTrip[]): SymbolStatistics {
  const [first, ...others] = trades.map(({ profit }) => profit);
  return {
    symbol,
    currency: trades[0]?.currency ?? '',
    trades: trades.length,
    wins: trades.filter(({ profit }) => profit.gt(0)).length,
    averageReturn: meanOrNull(trades.map(({ returnShare }) => returnShare)) ?? 0,
    profit: (others.reduce((sum, profit) => sum?.plus(profit), first) ?? '0').toString(),
  };
}

function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function extremeOrNull(
  values: readonly number[],
  pick: (one: number, other: number) => number,
): number | null {
  return values.reduce<number | null>((found, value) => (found === null ? value : pick(found, value)), null);
}

function longestRun(won: readonly boolean[], wanted: boolean): number {
  let [longest, running] = [0, 0];
  for (const each of won) {
    running = each === wanted ? running + 1 : 0;
    longest = Math.max(longest, running);
  }
  return longest;
}

function sqnOf(returns: readonly number[]): number | null {
  const mean = meanOrNull(returns);
  if (mean === null || returns.length < 2) return null;
  const squares = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (returns.length - 1));
  return deviation > 0 ? (Math.sqrt(returns.length) * mean) / deviation : null;
}
