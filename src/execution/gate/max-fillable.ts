import { roundToLot } from '../../markets/lots.ts';
import type { AccountBalance } from '../../model/account.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { MarginFactors, Security } from '../../model/security.ts';

/** What decides how much of an order a venue fills that cuts it to what the account can pay for. */
export interface PayingFacts {
  /** Signed shares held. */
  readonly held: Quantity;
  /** Shares that open orders of the order's side may still execute. */
  readonly open: Quantity;
  readonly balance: Pick<AccountBalance, 'equity' | 'buyPower'>;
  readonly margin: Pick<MarginFactors, 'initial'>;
  readonly security: Pick<Security, 'lotSize'>;
  /** The order's own price, else the latest. */
  readonly price: Price;
  /** Account currency per unit of the security's currency. */
  readonly rate: Decimal;
}

/**
 * The most that an order can execute there: what it closes of the position, and what buying power opens, including what
 * closing the position frees. At another price it may be more or fewer shares, of the same worth.
 */
export function maxFillable({ side, quantity }: OrderTerms, facts: PayingFacts): Quantity {
  const { held, open, balance, margin, security, price, rate } = facts;
  const against = side === 'buy' ? held.neg() : held;
  const closing = Decimal.min(quantity, Decimal.max(ZERO, against.minus(open)));
  const worth = price.times(rate).times(margin.initial);
  if (!worth.gt(0) || !balance.equity.gt(0)) return quantity;
  const freed = Decimal.max(ZERO, Decimal.min(against, closing.plus(open))).times(worth);
  const free = Decimal.max(ZERO, balance.buyPower.plus(freed));
  return Decimal.min(quantity, closing.plus(roundToLot(free.div(worth), security.lotSize)));
}
