import type { Decimal, Quantity } from './decimal.ts';
import type { Currency } from './money.ts';
import type { SecuritySymbol } from './symbol.ts';

/**
 * Cash of one currency, as `asset/account` reports it. `available` includes unsettled trades and excludes `frozen`;
 * `settling` is the net of unsettled trades (negative: payable); `withdrawable` excludes unsettled proceeds.
 */
export interface CashBalance {
  readonly currency: Currency;
  readonly available: Decimal;
  readonly frozen: Decimal;
  readonly settling: Decimal;
  readonly withdrawable: Decimal;
}

/** The account as the venue reports it, summed in `currency`. */
export interface AccountBalance {
  readonly currency: Currency;
  readonly equity: Decimal;
  readonly totalCash: Decimal;
  readonly initMargin: Decimal;
  readonly maintenanceMargin: Decimal;
  readonly buyPower: Decimal;
  readonly marginCall: Decimal;
  /** 0 safe, 1 medium, 2 early warning, 3 danger. */
  readonly riskLevel: number;
  readonly maxFinance: Decimal;
  readonly remainingFinance: Decimal;
  readonly cash: readonly CashBalance[];
  readonly frozenFees: readonly { readonly currency: Currency; readonly amount: Decimal }[];
}

/** Signed net position in a symbol, with average cost. */
export interface Position {
  readonly symbol: SecuritySymbol;
  readonly currency: Currency;
  readonly quantity: Quantity;
  /** Quantity free to sell. */
  readonly available: Quantity;
  /** Average cost per share; undefined if the venue reports none. */
  readonly averageCost: Decimal | undefined;
  /** Quantity before today's open. */
  readonly initial: Quantity;
}

/** Result of `estimate/buy_limit`: the maximum to buy now, in shares, from cash and with credit. */
export interface BuyLimit {
  readonly cash: Quantity;
  readonly margin: Quantity;
}
