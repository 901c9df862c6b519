import {
  type Amount,
  add,
  compare,
  divide,
  isNegative,
  max,
  multiply,
  negate,
  subtract,
  toAmount,
} from '../../model/amount.ts';
import type { Security } from '../../model/security.ts';
import type { Millis } from '../../model/time.ts';
import { converted } from '../books/exchange-rates.ts';
import { estimateCharges } from '../orders/bill.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import { type FundingContext, insufficient } from './funds-check.ts';
import { factorsUnder } from './margin.ts';

/** A quantity that a fill would open. `price` excludes the spread; `factor` applies it. */
export interface Opening {
  readonly order: VenueOrder;
  readonly quantity: Amount;
  readonly price: Amount;
  readonly factor: Amount;
  readonly at: Millis;
  /** Value in the security's currency that hedged positions occupy beyond their net. */
  readonly hedgedValue: Amount;
}

/**
 * Returns what an account may spend on opening positions, in the security's currency: its cash, or the equity left
 * after all margin, divided by the security's initial margin factor.
 */
export function availableForOpening(security: Security, funding: FundingContext, tied: Amount): Amount {
  const { currency } = security;
  if (funding.model.cover !== 'at-fill') return max(0, funding.view.cash(currency));
  const rate = funding.rates.rate(funding.currency, currency);
  const initial = toAmount(factorsUnder(funding.model, security).initial);
  const power = converted(funding.view.buyPower(), rate);
  const free = subtract(power, multiply(tied, initial, 'exact'));
  return isNegative(free) ? 0 : divide(free, initial, 'down');
}

/**
 * Returns the reason why the account cannot cover a fill; undefined if it can, or if the model does not check fills.
 */
export function openingProblem(opening: Opening, funding: FundingContext): string | undefined {
  const { order, quantity, price, factor, at, hedgedValue } = opening;
  const { security, terms } = order;
  const { cover } = funding.model;
  if (cover === 'reserved') return undefined;
  const { side } = terms;
  const notional = multiply(price, quantity, 'exact');
  const charges = estimateCharges({ security, side, quantity, notional, at }, funding.schedule);
  const costsCash = cover === 'at-fill' || side === 'buy';
  const signedValue = multiply(notional, factor, 'exact');
  const cost = add(costsCash ? signedValue : negate(signedValue), charges);
  const available =
    cover === 'at-fill'
      ? availableForOpening(security, funding, hedgedValue)
      : funding.view.cash(security.currency);
  return compare(cost, available) <= 0
    ? undefined
    : insufficient('funds', cost, available, security.currency);
}
