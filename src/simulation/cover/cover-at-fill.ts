import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Security } from '../../model/security.ts';
import type { Millis } from '../../model/time.ts';
import { estimateCharges } from '../orders/bill.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import { insufficient, type Means } from './funds-check.ts';
import { factorsUnder } from './margin.ts';

/** What a fill would open: `price` before the spread, `factor` what the spread makes of it. */
export interface Opening {
  readonly order: VenueOrder;
  readonly quantity: Quantity;
  readonly price: Price;
  readonly factor: Decimal;
  readonly at: Millis;
  /** Equity in the security's currency that is taken up beyond what net positions say. */
  readonly tied: Decimal;
}

/**
 * What an account may open positions for, in the security's currency: its cash, or equity less what all positions tie up,
 * as many times over as the security's initial margin lets it.
 */
export function availableForOpening(security: Security, means: Means, tied: Decimal): Decimal {
  const { currency } = security;
  if (means.model.cover !== 'at-fill') return Decimal.max(ZERO, means.view.cash(currency));
  const rate = means.rates.rate(means.currency, currency);
  const { initial } = factorsUnder(means.model, security);
  const free = means.view.buyPower().times(rate).minus(tied.times(initial));
  return Decimal.max(ZERO, free.div(initial));
}

/** Says why the account cannot cover what a fill opens; undefined when it can, and where nobody asks at the fill. */
export function uncoveredOpening(opening: Opening, means: Means): string | undefined {
  const { order, quantity, price, factor, at, tied } = opening;
  const { security, terms } = order;
  const { cover } = means.model;
  if (cover === 'reserved') return undefined;
  const { side } = terms;
  const notional = price.times(quantity);
  const charges = estimateCharges({ security, side, quantity, notional, at }, means.schedule);
  const takes = cover === 'at-fill' || side === 'buy';
  const cost = notional
    .times(factor)
    .times(takes ? 1 : -1)
    .plus(charges);
  const available =
    cover === 'at-fill' ? availableForOpening(security, means, tied) : means.view.cash(security.currency);
  return cost.lte(available) ? undefined : insufficient('funds', cost, available, security.currency);
}
