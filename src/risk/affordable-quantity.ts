import { roundToLot } from '../markets/lots.ts';
import type { AffordableQuantity } from '../model/affordable-quantity.ts';
import { Decimal, type Price, ZERO } from '../model/decimal.ts';
import type { OrderTerms } from '../model/order.ts';
import type { Security } from '../model/security.ts';
import type { OpeningFacts, RiskFacts } from './facts.ts';
import type { RiskLimits } from './limits.ts';

/** Rules that deny an order for want of money, and for nothing else. */
export const MONEY_RULES: ReadonlySet<string> = new Set(['buy-limit', 'margin-headroom']);

/**
 * How much of a purchase both rules about money would have let pass, from the facts that they judged by. Undefined for a
 * sale, and where a fact is missing.
 */
export function affordableQuantityOf(
  terms: OrderTerms,
  facts: RiskFacts,
  limits: RiskLimits,
): AffordableQuantity | undefined {
  const { opening, security, reference, rate } = facts;
  const price = terms.price ?? reference?.value;
  if (terms.side !== 'buy' || opening === undefined || security === undefined) return undefined;
  if (price === undefined || rate === undefined || !price.gt(0)) return undefined;
  const estimate = limits.useMargin ? opening.buyLimit.value.margin : opening.buyLimit.value.cash;
  const perShare = price.times(rate).times(opening.margin.value.initial);
  const spendable = opening.balance.value.buyPower.times(new Decimal(1).minus(limits.marginHeadroom));
  const covered = perShare.gt(0) ? Decimal.min(estimate, spendable.div(perShare)) : estimate;
  const most = roundToLot(Decimal.max(ZERO, covered), security.lotSize);
  return { most, unsettled: isUnsettled({ most: estimate, price, security }, opening) };
}

/** True when the estimate stays within cash that is free, and what is frozen or has to settle would pay for a lot more. */
function isUnsettled(
  { most, price, security }: { readonly most: Decimal; readonly price: Price; readonly security: Security },
  { balance }: OpeningFacts,
): boolean {
  const cash = balance.value.cash.find(({ currency }) => currency === security.currency);
  if (cash === undefined) return false;
  const more = most.plus(security.lotSize).times(price);
  const all = cash.available.plus(cash.frozen);
  const settled = cash.withdrawable;
  return all.gt(settled) && most.times(price).lte(settled) && more.lte(all);
}
