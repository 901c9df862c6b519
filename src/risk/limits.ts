import { Decimal } from '../model/decimal.ts';
import type { Money } from '../model/money.ts';

/** What the operator allows, beneath every strategy. A limit that a config leaves out has the strict default. */
export interface RiskLimits {
  /** Most that one order may be worth (price x quantity), converted at the account's rate. */
  readonly maxOrderNotional: Money;
  /** Most that one symbol may make up of the whole equity, counting open orders as filled, as a share. */
  readonly maxPositionWeight: Decimal;
  /** Most orders that may be open or unknown at once. */
  readonly maxOpenOrders: number;
  /** Farthest that a limit price may lie from the latest quote, as a share of it. */
  readonly priceCollar: Decimal;
  /** True lets orders use the venue's margin estimate; false holds them to cash. */
  readonly useMargin: boolean;
}

/** The strict defaults; `maxOrderNotional` is in the account's currency. */
export function defaultLimits(currency: string): RiskLimits {
  return {
    maxOrderNotional: { amount: new Decimal(20_000), currency },
    maxPositionWeight: new Decimal('0.2'),
    maxOpenOrders: 10,
    priceCollar: new Decimal('0.05'),
    useMargin: false,
  };
}
