import { toWholeLots } from '../../markets/lots.ts';
import {
  type Amount,
  add,
  amount,
  amountOfDouble,
  compare,
  divide,
  isPositive,
  max,
  min,
  mulDiv,
  multiply,
  ONE,
  subtract,
  toAmount,
} from '../../model/amount.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import type { Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { converted } from '../books/exchange-rates.ts';
import { estimateCharges } from '../orders/bill.ts';
import type { ViewedOrder } from './account-view.ts';
import { type FundingContext, needsMargin } from './funds-check.ts';
import { factorsUnder } from './margin.ts';
import { bufferFor } from './reserving.ts';

interface LimitQuestion {
  readonly security: Security;
  readonly side: Side;
  /** Limit price; undefined for a market order. */
  readonly price: Amount | undefined;
  readonly last: Amount | undefined;
  readonly at: Millis;
  /** An order to be replaced; its reservation counts as free. */
  readonly except?: ViewedOrder;
}

/** Limit in shares for accounts whose orders are cut at the fill to what they can pay. */
const UNLIMITED = amount('1e18');

export interface Affordable {
  readonly cash: Amount;
  readonly margin: Amount;
}

export type BuyingFunds = Omit<FundingContext, 'fundingCheck'>;

const NOTHING_AFFORDABLE: Affordable = { cash: 0, margin: 0 };

/**
 * Returns the maximum that the account can order now, in whole lots and with charges: from cash alone, and with credit.
 * For a sell, returns the shares free to sell, plus what may be sold short. Zero without a price.
 * @see docs/wire-protocol.md, "Calls"
 */
export function buyLimitOf(question: LimitQuestion, funding: BuyingFunds): Affordable {
  const { security, side, last, except } = question;
  const market = marketOf(security.symbol);
  const buffered = last === undefined ? undefined : multiply(last, bufferFor(market, funding.model), 'exact');
  const quoted = question.price ?? buffered;
  const price = quoted === undefined ? undefined : unitAmount(security, quoted);
  if (funding.model.shortfall === 'cut') return { cash: UNLIMITED, margin: UNLIMITED };
  if (price === undefined) return NOTHING_AFFORDABLE;
  if (side === 'sell') return sellLimit(question, price, funding);
  const cost = { ...question, price, ratio: ONE };
  const cash = maxAffordableQuantity(funding.view.spendable(security.currency, except), cost, funding);
  if (!needsMargin(funding)) return { cash, margin: cash };
  const maxByCredit = maxAffordableQuantity(
    inSecurityCurrency(funding.view.financeable(except), security, funding),
    cost,
    funding,
  );
  const maxByPower = maxByBuyingPower(question, price, funding);
  if (funding.model.kind === 'margin') return { cash, margin: min(maxByCredit, maxByPower) };
  const both = min(cash, maxByPower);
  return { cash: both, margin: both };
}

function sellLimit(question: LimitQuestion, price: Amount, funding: BuyingFunds): Affordable {
  const free = max(0, funding.view.freeToSell(question.security.symbol, question.except));
  const limit = funding.short ? add(free, maxByBuyingPower(question, price, funding)) : free;
  return { cash: limit, margin: limit };
}

function maxByBuyingPower(question: LimitQuestion, price: Amount, funding: BuyingFunds): Amount {
  const ratio = toAmount(factorsUnder(funding.model, question.security).initial);
  return maxAffordableQuantity(
    inSecurityCurrency(funding.view.buyPower(question.except), question.security, funding),
    { ...question, price, ratio },
    funding,
  );
}

function inSecurityCurrency(sum: Amount, security: Security, funding: BuyingFunds): Amount {
  return converted(sum, funding.rates.rate(funding.currency, security.currency));
}

/** The cost of a share: `ratio` of the price must be covered, and charges are computed on the full price. */
export interface Cost extends LimitQuestion {
  readonly price: Amount;
  readonly ratio: Amount;
}

/** Returns the largest whole number of lots whose price and charges fit the budget. */
export function maxAffordableQuantity(
  budget: Amount,
  cost: Cost,
  funding: Pick<FundingContext, 'schedule'>,
): Amount {
  const { security, side, price, ratio, at } = cost;
  const { lotSize } = security;
  const lot = amountOfDouble(lotSize);
  const perShare = multiply(price, ratio, 'exact');
  if (!isPositive(budget) || !isPositive(perShare)) return 0;
  const perLot = multiply(perShare, lot, 'exact');
  const charges = (quantity: Amount): Amount =>
    estimateCharges(
      { security, side, quantity, notional: multiply(price, quantity, 'exact'), at },
      funding.schedule,
    );
  const affordable = (fees: Amount): Amount => {
    const left = subtract(budget, fees);
    return isPositive(left) ? multiply(divide(left, perLot, 'down', 0), lot, 'exact') : 0;
  };
  const withFees = (quantity: Amount, fees: Amount): Amount =>
    add(multiply(perShare, quantity, 'exact'), fees);
  const costOf = (quantity: Amount): Amount => withFees(quantity, charges(quantity));
  const fits = (quantity: Amount): boolean => compare(costOf(quantity), budget) <= 0;
  const unburdened = affordable(0);
  let low = affordable(charges(unburdened));
  const fees = charges(low);
  let high = affordable(fees);
  const paid = withFees(low, fees);
  if (compare(paid, budget) > 0) return 0;
  if (compare(low, high) < 0) {
    // Most charges grow linearly with the quantity, so interpolation comes within a lot of the answer.
    const guess = onLine({ budget, low, high, paid, costOf, lotSize });
    if (!fits(guess)) high = subtract(guess, lot);
    else if (compare(guess, high) === 0 || !fits(add(guess, lot))) return guess;
    else low = add(guess, lot);
    if (compare(low, high) < 0 && fits(high)) return high;
  }
  while (compare(low, high) < 0) {
    const middle = toWholeLots(divide(add(add(low, high), lot), 2 * ONE, 'down'), lotSize);
    if (fits(middle)) low = middle;
    else high = subtract(middle, lot);
  }
  return low;
}

/** Interpolates the quantity between `low` and `high` that exhausts the budget, in whole lots. */
function onLine(between: {
  readonly budget: Amount;
  readonly low: Amount;
  readonly high: Amount;
  readonly paid: Amount;
  readonly costOf: (quantity: Amount) => Amount;
  readonly lotSize: number;
}): Amount {
  const { budget, low, high, paid, costOf, lotSize } = between;
  const rise = subtract(costOf(high), paid);
  if (!isPositive(rise)) return high;
  const further = mulDiv(subtract(budget, paid), subtract(high, low), rise, 'down');
  return min(high, add(low, toWholeLots(further, lotSize)));
}
