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

/** What a fill would open: `price` before the spread, `factor` what the spread makes of it. */
export interface Opening {
  readonly order: VenueOrder;
  readonly quantity: Amount;
  readonly price: Amount;
  readonly factor: Amount;
  readonly at: Millis;
  /** Equity in the security's currency that is taken up beyond what net positions say. */
  readonly tied: Amount;
}

/**
 * What an account may open positions for, in the security's currency: its cash, or equity less what all positions tie up,
 * as many times over as the security's initial margin lets it.
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

/** The reason why the account cannot cover what a fill opens; undefined when it can, and where fills are not checked. */
export function uncoveredOpening(opening: Opening, funding: FundingContext): string | undefined {
  const { order, quantity, price, factor, at, tied } = opening;
  const { security, terms } = order;
  const { cover } = funding.model;
  if (cover === 'reserved') return undefined;
  const { side } = terms;
  const notional = multiply(price, quantity, 'exact');
  const charges = estimateCharges({ security, side, quantity, notional, at }, funding.schedule);
  const takes = cover === 'at-fill' || side === 'buy';
  const moved = multiply(notional, factor, 'exact');
  const cost = add(takes ? moved : negate(moved), charges);
  const available =
    cover === 'at-fill' ? availableForOpening(security, funding, tied) : funding.view.cash(security.currency);
  return compare(cost, available) <= 0
    ? undefined
    : insufficient('funds', cost, available, security.currency);
}
