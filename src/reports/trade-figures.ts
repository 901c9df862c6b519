import type { Decimal } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { Estimate } from './estimate.ts';
import type { Trades } from './trades.ts';

/** What trades in one currency came to. */
export interface CurrencyFigures {
  readonly currency: Currency;
  readonly fees: Decimal;
  /** Price x quantity of all fills. */
  readonly turnover: Decimal;
  /** Profit of closed trades, after fees. */
  readonly profit: Decimal;
  readonly averageProfit: Decimal | undefined;
  /** Profit of winning trades over loss of losing ones. */
  readonly profitFactor: Estimate;
}

/** What the fills of a run come to as trades. */
export interface TradeFigures {
  readonly trades: Trades;
  /** Number of round trips. */
  readonly closed: number;
  /** Those that made money after fees. */
  readonly wins: number;
  readonly averageReturn: Estimate;
  /** By currency, sorted; empty when nothing was filled. */
  readonly money: readonly CurrencyFigures[];
}
