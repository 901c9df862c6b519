import { roundToLot } from '../markets/lots.ts';
import type { AffordableQuantity } from '../model/affordable-quantity.ts';
import { Decimal, type Price, ZERO } from '../model/decimal.ts';
import { atRate } from '../model/fx.ts';
import type { OrderTerms } from '../model/order.ts';
import type { Security } from '../model/security.ts';
import type { OpeningFacts, RiskFacts } from './facts.ts';
import type { RiskLimits } from './limits.ts';
import { money, number, passes, percent, type RiskRule, shares } from './rule.ts';

/**
 * The venue's estimate for exactly these parameters covers the quantity; our own limits apply however large it is.
 */
export const buyLimit: RiskRule = {
  name: 'buy-limit',
  breach: 'nothing',
  judge({ terms }, facts, limits) {
    const { opening, reservedCash, reference } = facts;
    if (opening === undefined) return undefined;
    const price = terms.price ?? reference?.value;
    const reservedShares = reservedCash === undefined || price === undefined ? ZERO : reservedCash.div(price);
    const wanted = Decimal.max(ZERO, terms.quantity.minus(reservedShares));
    const estimate = opening.buyLimit.value;
    const most = limits.useMargin ? estimate.margin : estimate.cash;
    return passes(
      wanted.lte(most),
      () => [number('quantity', shares(wanted), `buy limit ${shares(most)}`)],
      () =>
        terms.side === 'sell'
          ? `Wants to sell ${wanted} of "${terms.symbol}" with ${facts.held} held, ${shortLimit(most)}`
          : `Wants ${wanted} of "${terms.symbol}", buy limit is ${most} ${limits.useMargin ? "with the venue's credit" : `in cash (useMargin is false)${reservedCashText(facts)}`}`,
    );
  },
};

function shortLimit(most: Decimal): string {
  const asks = most.isZero() ? '; does it let this account sell short?' : '';
  return `the venue's limit is ${most}${asks}`;
}

/** Describes how much of the cash is reserved for open orders or not settled yet; empty if none is. */
function reservedCashText({ security, opening }: RiskFacts): string {
  const cash = opening?.balance.value.cash.find((row) => row.currency === security?.currency);
  if (cash === undefined) return '';
  const total = cash.available.plus(cash.frozen);
  if (cash.withdrawable.gte(total)) return '';
  return `; of ${money(total, cash.currency)} only ${money(cash.withdrawable, cash.currency)} are settled and not reserved`;
}

/**
 * Buying power covers the order and leaves `marginHeadroom`. A venue that cuts orders to what the account can pay
 * makes sure of the former itself.
 */
export const marginHeadroom: RiskRule = {
  name: 'margin-headroom',
  breach: 'nothing',
  judge({ terms }, facts, limits) {
    if (facts.opening === undefined || facts.reference === undefined || facts.rate === undefined)
      return undefined;
    const { margin, balance } = facts.opening;
    const { buyPower, currency, marginCall } = balance.value;
    const price = terms.price ?? facts.reference.value;
    const fresh = Decimal.max(ZERO, terms.quantity.times(price).minus(facts.reservedCash ?? ZERO));
    const needed = atRate(fresh, facts.rate).times(margin.value.initial);
    const spendable = buyPower.times(new Decimal(1).minus(limits.marginHeadroom));
    const numbers = () => [
      number(
        'initial margin of the order',
        money(needed, currency),
        `buy power ${money(buyPower, currency)} less ${percent(limits.marginHeadroom)}`,
      ),
    ];
    if (marginCall.gt(0))
      return { numbers, denied: `Account has a margin call of ${money(marginCall, currency)}` };
    return passes(
      facts.maxFillable !== undefined || needed.lte(spendable),
      numbers,
      () =>
        `Order needs ${money(needed, currency)} of margin, ${money(spendable, currency)} of the buy power may be used: ` +
        `"marginHeadroom" keeps ${percent(limits.marginHeadroom)} of ${money(buyPower, currency)} free`,
    );
  },
};

/** Rules that deny an order only for lack of money. */
export const MONEY_RULES: ReadonlySet<string> = new Set(['buy-limit', 'margin-headroom']);

/**
 * The quantity of a purchase that both money rules would have passed. Undefined for a sale, and if a fact is missing.
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

/** True if the estimate is within free cash, and reserved or unsettled cash would pay for another lot. */
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
