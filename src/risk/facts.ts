import type { AccountBalance, BuyLimit } from '../model/account.ts';
import type { Decimal, Price, Quantity } from '../model/decimal.ts';
import type { MarginFactors, Security } from '../model/security.ts';
import type { Millis } from '../model/time.ts';

/** A figure and when the venue stated it, market time. */
export interface Aged<T> {
  readonly value: T;
  readonly at: Millis;
}

/** What only an order that adds exposure needs to know; asked of the venue for these very parameters. */
export interface OpeningFacts {
  readonly buyLimit: Aged<BuyLimit>;
  readonly margin: Aged<MarginFactors>;
  readonly balance: Aged<AccountBalance>;
}

/** Everything the rules judge by, gathered before they are asked. A missing fact denies. */
export interface RiskFacts {
  readonly now: Millis;
  readonly security: Security | undefined;
  /** Whether the order adds exposure, counting open orders as filled. */
  readonly opens: boolean;
  /** Signed shares held. */
  readonly held: Quantity;
  /** Shares that open and unknown orders of this symbol may still buy and sell. */
  readonly openBuys: Quantity;
  readonly openSells: Quantity;
  /** Orders open or unknown now, all symbols. */
  readonly openOrders: number;
  /** Price that the order is judged at: the latest quote or close. */
  readonly reference: Aged<Price> | undefined;
  /** Account currency per unit of the security's currency. */
  readonly rate: Decimal | undefined;
  /** Tick size at the order's price; undefined for an order without a price. */
  readonly tick: Decimal | undefined;
  /** Undefined for an order that only reduces exposure. */
  readonly opening: OpeningFacts | undefined;
  /** Questions that the venue did not answer, in words. */
  readonly unanswered: readonly string[];
}
