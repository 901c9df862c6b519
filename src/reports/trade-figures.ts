import type { Decimal } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { Estimate } from './estimate.ts';
import type { Trades } from './trades.ts';

/** Results of trades in one currency. */
export interface CurrencyFigures {
  readonly currency: Currency;
  readonly fees: Decimal;
  /** Price x quantity of all fills. */
  readonly turnover: Decimal;
  /** Profit of closed trades, after fees. */
  readonly profit: Decimal;
  readonly averageProfit: Decimal | undefined;
  /** Profit of winning trades divided by the loss of losing ones. */
  readonly profitFactor: Estimate;
}

/** Results of a run's fills as trades. */
export interface TradeFigures {
  readonly trades: Trades;
  /** Number of round trips. */
  readonly closed: number;
  /** Those with a profit after fees. */
  readonly wins: number;
  readonly averageReturn: Estimate;
  /** By currency, sorted; empty if nothing was filled. */
  readonly money: readonly CurrencyFigures[];
}
