import type { Decimal, Quantity } from './decimal.ts';
import type { Currency } from './money.ts';
import type { SecuritySymbol } from './symbol.ts';

/**
 * Cash of one currency, as `asset/account` reports it. `available` counts every trade, settled or not, less `frozen`; `settling` is the
 * net of unsettled trades (negative: payable), and `withdrawable` leaves out proceeds that have not settled.
 */
export interface CashBalance {
  readonly currency: Currency;
  readonly available: Decimal;
  readonly frozen: Decimal;
  readonly settling: Decimal;
  readonly withdrawable: Decimal;
}

/** The account as the venue states it, summed in `currency`. */
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

/** Signed net quantity held in a symbol, with average cost. */
export interface Position {
  readonly symbol: SecuritySymbol;
  readonly currency: Currency;
  readonly quantity: Quantity;
  /** Quantity free to sell. */
  readonly available: Quantity;
  /** Average cost per share; undefined when the venue states none. */
  readonly averageCost: Decimal | undefined;
  /** Quantity before today's open. */
  readonly initial: Quantity;
}

/** `estimate/buy_limit`: the most the venue lets us buy now, in shares. */
export interface BuyLimit {
  readonly cash: Quantity;
  readonly margin: Quantity;
}
