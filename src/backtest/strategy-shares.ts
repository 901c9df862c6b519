import { estimated, type Portfolio, valueAt } from '../events/portfolio.ts';
import type { RunRecord } from '../events/run-record.ts';
import type { Currency } from '../model/money.ts';
import type { RunColumns, RunSetup } from './setup.ts';

/** Where a backtest ended: what its strategies hold and have earned, and the last prices. */
export interface SharesAt {
  readonly books: ReadonlyMap<string, Portfolio>;
  readonly quarantined: ReadonlySet<string>;
  readonly cuts: readonly RunColumns[];
  readonly rate: (currency: Currency) => number;
}

/**
 * The result of each of several strategies at the end of a backtest, at the last close of each symbol: the engine itself jumps
 * from event to event and need not have come as far. Nothing where there is one strategy.
 */
export function strategyShares(
  { members }: Pick<RunSetup, 'members'>,
  { books, quarantined, cuts, rate }: SharesAt,
): Pick<RunRecord, 'strategies'> {
  if (members === undefined) return {};
  const closes = new Map(cuts.map(({ columns }) => [columns.symbol, columns.close.at(-1) ?? Number.NaN]));
  return {
    strategies: members.map(({ name }) => {
      const own = books.get(name);
      const worth =
        own === undefined
          ? 0
          : valueAt(estimated(own, rate), (symbol) => closes.get(symbol) ?? Number.NaN).equity;
      return { name, earned: worth, quarantined: quarantined.has(name) };
    }),
  };
}
