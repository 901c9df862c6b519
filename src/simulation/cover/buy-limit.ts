import { roundToLot } from '../../markets/lots.ts';
import type { BuyLimit } from '../../model/account.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import { unitValue } from '../../model/option-symbol.ts';
import type { Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { estimateCharges } from '../orders/bill.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import { type Means, needsMargin } from './funds-check.ts';
import { factorsUnder } from './margin.ts';
import { bufferFor } from './reserving.ts';

/** What an estimate is asked for. */
export interface LimitQuestion {
  readonly security: Security;
  readonly side: Side;
  /** Limit price; undefined asks for a market order. */
  readonly price: Price | undefined;
  readonly last: Price | undefined;
  readonly at: Millis;
  /** An order that would be replaced: what it reserves is free for it again. */
  readonly except?: VenueOrder;
}

const ONE = new Decimal(1);

/** What an account may order whose orders are cut to what they can pay for; in shares. */
const BOUNDLESS = new Decimal('1e18');

const NOTHING: BuyLimit = { cash: ZERO, margin: ZERO };

/**
 * The most that the account can order now, in whole lots, charges included: from its cash, and with credit. A sale is
 * answered with what is free to sell, and what could be sold short where the account may. Nothing without a price.
 * @see docs/wire-protocol.md, "Calls"
 */
export function buyLimitOf(question: LimitQuestion, means: Means): BuyLimit {
  const { security, side, last, except } = question;
  const market = marketOf(security.symbol);
  const quoted = question.price ?? last?.times(bufferFor(market, means.model));
  const price = quoted === undefined ? undefined : unitValue(security, quoted);
  if (means.model.shortfall === 'cut') return { cash: BOUNDLESS, margin: BOUNDLESS };
  if (price === undefined) return NOTHING;
  if (side === 'sell') return sellLimit(question, price, means);
  const cost = { ...question, price, ratio: ONE };
  const cash = most(means.view.spendable(security.currency, except), cost, means);
  if (!needsMargin(means)) return { cash, margin: cash };
  const financed = most(local(means.view.financeable(except), security, means), cost, means);
  const powered = mostByPower(question, price, means);
  if (means.model.kind === 'margin') return { cash, margin: Decimal.min(financed, powered) };
  const both = Decimal.min(cash, powered);
  return { cash: both, margin: both };
}

function sellLimit(question: LimitQuestion, price: Price, means: Means): BuyLimit {
  const free = Decimal.max(ZERO, means.view.freeToSell(question.security.symbol, question.except));
  const limit = means.short ? free.plus(mostByPower(question, price, means)) : free;
  return { cash: limit, margin: limit };
}

function mostByPower(question: LimitQuestion, price: Price, means: Means): Quantity {
  const ratio = factorsUnder(means.model, question.security).initial;
  return most(
    local(means.view.buyPower(question.except), question.security, means),
    { ...question, price, ratio },
    means,
  );
}

/** An amount of the account's currency in the security's. */
function local(amount: Decimal, security: Security, means: Means): Decimal {
  return amount.times(means.rates.rate(means.currency, security.currency));
}

/** What a share costs: `ratio` of the price must be covered, charges are reckoned on the price itself. */
export interface Cost extends LimitQuestion {
  readonly price: Price;
  /** Share of the price that must be covered. */
  readonly ratio: Decimal;
}

/** The largest whole number of lots whose price and charges fit into the budget. */
export function most(budget: Decimal, cost: Cost, means: Pick<Means, 'schedule'>): Quantity {
  const { security, side, price, ratio, at } = cost;
  const { lotSize } = security;
  const perShare = price.times(ratio);
  if (budget.lte(0) || perShare.lte(0)) return ZERO;
  const charges = (quantity: Quantity): Decimal =>
    estimateCharges({ security, side, quantity, notional: price.times(quantity), at }, means.schedule);
  const affordable = (fees: Decimal): Quantity =>
    Decimal.max(ZERO, roundToLot(budget.minus(fees).div(perShare), lotSize));
  const withFees = (quantity: Quantity, fees: Decimal): Decimal => perShare.times(quantity).plus(fees);
  const costOf = (quantity: Quantity): Decimal => withFees(quantity, charges(quantity));
  const fits = (quantity: Quantity): boolean => costOf(quantity).lte(budget);
  const unburdened = affordable(ZERO);
  let low = affordable(charges(unburdened));
  const fees = charges(low);
  let high = affordable(fees);
  const paid = withFees(low, fees);
  if (paid.gt(budget)) return ZERO;
  if (low.lt(high)) {
    // Most charges grow evenly with the quantity: then a straight line leads to within a lot of the answer.
    const guess = onLine({ budget, low, high, paid, costOf, lotSize });
    if (!fits(guess)) high = guess.minus(lotSize);
    else if (guess.eq(high) || !fits(guess.plus(lotSize))) return guess;
    else low = guess.plus(lotSize);
    if (low.lt(high) && fits(high)) return high;
  }
  while (low.lt(high)) {
    const middle = roundToLot(low.plus(high).plus(lotSize).div(2), lotSize);
    if (fits(middle)) low = middle;
    else high = middle.minus(lotSize);
  }
  return low;
}

/** Where the straight line between two quantities meets the budget, in whole lots between the two. */
function onLine(between: {
  readonly budget: Decimal;
  readonly low: Quantity;
  readonly high: Quantity;
  /** What `low` costs. */
  readonly paid: Decimal;
  readonly costOf: (quantity: Quantity) => Decimal;
  readonly lotSize: number;
}): Quantity {
  const { budget, low, high, paid, costOf, lotSize } = between;
  const rise = costOf(high).minus(paid);
  if (rise.lte(0)) return high;
  const further = budget.minus(paid).times(high.minus(low)).div(rise);
  return Decimal.min(high, low.plus(roundToLot(further, lotSize)));
}
