import { roundToLot } from '../../markets/lots.ts';
import type { AccountBalance } from '../../model/account.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { MarginFactors, Security } from '../../model/security.ts';

/** Facts for a venue that cuts an order to the affordable quantity. */
export interface PayingFacts {
  /** Signed quantity held. */
  readonly held: Quantity;
  /** Quantity that open orders of the same side may still execute. */
  readonly open: Quantity;
  readonly balance: Pick<AccountBalance, 'equity' | 'buyPower'>;
  readonly margin: Pick<MarginFactors, 'initial'>;
  readonly security: Pick<Security, 'lotSize'>;
  /** Price of the order, or the latest price. */
  readonly price: Price;
  /** Account currency per unit of the security's currency. */
  readonly rate: Decimal;
}

/**
 * Returns the maximum quantity that an order can execute: what it closes of the position, plus what buying power
 * opens, including buying power freed by closing. At another price the quantity differs at the same value.
 */
export function maxFillable({ side, quantity }: OrderTerms, facts: PayingFacts): Quantity {
  const { held, open, balance, margin, security, price, rate } = facts;
  const opposite = side === 'buy' ? held.neg() : held;
  const closing = Decimal.min(quantity, Decimal.max(ZERO, opposite.minus(open)));
  const worth = price.times(rate).times(margin.initial);
  if (!worth.gt(0) || !balance.equity.gt(0)) return quantity;
  const freed = Decimal.max(ZERO, Decimal.min(opposite, closing.plus(open))).times(worth);
  const free = Decimal.max(ZERO, balance.buyPower.plus(freed));
  return Decimal.min(quantity, closing.plus(roundToLot(free.div(worth), security.lotSize)));
}
