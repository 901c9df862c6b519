import { isWholeLots } from '../markets/lots.ts';
import { isOnTick } from '../markets/ticks.ts';
import { Decimal, ZERO } from '../model/decimal.ts';
import type { OrderTerms } from '../model/order.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { RiskFacts } from './facts.ts';
import type { RiskLimits } from './limits.ts';

/** What one rule says: the number it looked at, and a reason when it does not pass. */
export interface RuleResult {
  readonly numbers: readonly RiskNumber[];
  /** Undefined when the rule passes. */
  readonly denied?: string;
}

/** A pure judge of one aspect of an order; `undefined` when it has nothing to say about this order. */
export interface RiskRule {
  readonly name: string;
  judge(terms: OrderTerms, facts: RiskFacts, limits: RiskLimits): RuleResult | undefined;
}

/** Only what the venue knows and lets trade is traded. */
const knownSecurity: RiskRule = {
  name: 'known-security',
  judge(terms, facts) {
    if (facts.security === undefined)
      return deny(`No facts about "${terms.symbol}": the venue does not know it`);
    if (!facts.security.tradable) return deny(`"${terms.symbol}" is not tradable`);
    return undefined;
  },
};

/** Quantities are whole lots and prices lie on a tick; odd lots go by their own order type. */
const lotAndTick: RiskRule = {
  name: 'lot-and-tick',
  judge(terms, facts) {
    const lot = facts.security?.lotSize ?? 1;
    const numbers = [number('quantity', terms.quantity, `multiple of ${lot}`)];
    if (terms.quantity.lte(0)) return { numbers, denied: `Quantity ${terms.quantity} is not positive` };
    if (terms.type !== 'ODD' && !isWholeLots(terms.quantity, lot)) {
      return {
        numbers,
        denied: `Quantity ${terms.quantity} of "${terms.symbol}" is not a multiple of its lot of ${lot}`,
      };
    }
    if (terms.price === undefined || facts.tick === undefined) return { numbers };
    const priced = [...numbers, number('price', terms.price, `multiple of ${facts.tick}`)];
    if (isOnTick(terms.price, facts.tick)) return { numbers: priced };
    return {
      numbers: priced,
      denied: `Price ${terms.price} of "${terms.symbol}" is not on its tick of ${facts.tick}`,
    };
  },
};

/** An order whose facts could not all be gathered is not opened. */
const knownFacts: RiskRule = {
  name: 'known-facts',
  judge(terms, facts) {
    if (!facts.opens) return undefined;
    if (facts.unanswered.length > 0) return deny(`No answer about ${facts.unanswered.join(', ')}`);
    if (facts.reference === undefined) return deny(`No quote of "${terms.symbol}"`);
    if (!facts.reference.value.gt(0))
      return deny(`Last price ${facts.reference.value} of "${terms.symbol}" is not a price`);
    if (facts.rate === undefined) return deny(`No exchange rate for ${facts.security?.currency}`);
    return undefined;
  },
};

/** A limit price far from the market is a mistake until somebody says otherwise. */
const priceCollar: RiskRule = {
  name: 'price-collar',
  judge(terms, facts, limits) {
    if (terms.price === undefined || facts.reference === undefined) return undefined;
    const reference = facts.reference.value;
    const distance = terms.price.minus(reference).abs().div(reference);
    const numbers = [number('distance from quote', percent(distance), percent(limits.priceCollar))];
    if (distance.lte(limits.priceCollar)) return { numbers };
    return {
      numbers,
      denied: `Price ${terms.price} is ${percent(distance)} from the last price ${reference}`,
    };
  },
};

/** One order is worth at most `maxOrderNotional`. */
const orderNotional: RiskRule = {
  name: 'max-order-notional',
  judge(terms, facts, limits) {
    if (!facts.opens || facts.reference === undefined || facts.rate === undefined) return undefined;
    const notional = terms.quantity.times(terms.price ?? facts.reference.value).times(facts.rate);
    const limit = limits.maxOrderNotional;
    const numbers = [
      number('order notional', money(notional, limit.currency), money(limit.amount, limit.currency)),
    ];
    if (notional.lte(limit.amount)) return { numbers };
    return {
      numbers,
      denied: `Order is worth ${money(notional, limit.currency)}, limit is ${money(limit.amount, limit.currency)}`,
    };
  },
};

/** One symbol makes up at most `maxPositionWeight` of equity, with every open order of it counted as filled. */
const positionWeight: RiskRule = {
  name: 'max-position-weight',
  judge(terms, facts, limits) {
    if (facts.opening === undefined || facts.reference === undefined || facts.rate === undefined)
      return undefined;
    const equity = facts.opening.balance.value.equity;
    if (equity.lte(0)) return deny(`Equity is ${equity}`);
    const price = Decimal.max(terms.price ?? facts.reference.value, facts.reference.value);
    const weight = worstPosition(terms, facts).times(price).times(facts.rate).div(equity);
    const numbers = [number('position weight', percent(weight), percent(limits.maxPositionWeight))];
    if (weight.lte(limits.maxPositionWeight)) return { numbers };
    return {
      numbers,
      denied: `"${terms.symbol}" would make up ${percent(weight)} of equity, limit is ${percent(limits.maxPositionWeight)}`,
    };
  },
};

/** The account has at most `maxOpenOrders` orders open or unknown, this one included. */
const openOrders: RiskRule = {
  name: 'max-open-orders',
  judge(_terms, facts, limits) {
    if (!facts.opens) return undefined;
    const count = facts.openOrders + 1;
    const numbers = [number('open orders', count, limits.maxOpenOrders)];
    if (count <= limits.maxOpenOrders) return { numbers };
    return { numbers, denied: `Would be open order number ${count}, limit is ${limits.maxOpenOrders}` };
  },
};

/** The venue's own estimate for these very parameters covers the quantity. */
const buyLimit: RiskRule = {
  name: 'buy-limit',
  judge(terms, facts, limits) {
    if (facts.opening === undefined) return undefined;
    const estimate = facts.opening.buyLimit.value;
    const limit = limits.useMargin ? estimate.margin : estimate.cash;
    const wanted = terms.quantity;
    const numbers = [number('quantity', wanted, `buy limit ${limit}`)];
    if (wanted.lte(limit)) return { numbers };
    return { numbers, denied: `Wants ${wanted} of "${terms.symbol}", buy limit is ${limit}` };
  },
};

/** What the position needs to be opened is covered by buy power. */
const marginHeadroom: RiskRule = {
  name: 'margin-headroom',
  judge(terms, facts) {
    if (facts.opening === undefined || facts.reference === undefined || facts.rate === undefined)
      return undefined;
    const { margin, balance } = facts.opening;
    const price = terms.price ?? facts.reference.value;
    const needed = terms.quantity.times(price).times(facts.rate).times(margin.value.initial);
    const { buyPower, currency, marginCall } = balance.value;
    const numbers = [
      number(
        'initial margin of the order',
        money(needed, currency),
        `buy power ${money(buyPower, currency)}`,
      ),
    ];
    if (marginCall.gt(0))
      return { numbers, denied: `Account has a margin call of ${money(marginCall, currency)}` };
    if (needed.lte(buyPower)) return { numbers };
    return {
      numbers,
      denied: `Order needs ${money(needed, currency)} of margin, buy power is ${money(buyPower, currency)}`,
    };
  },
};

/** Sells what is held and not promised to another order; this version opens no short position. */
const noShort: RiskRule = {
  name: 'no-short',
  judge(terms, facts) {
    if (terms.side === 'buy') return undefined;
    const free = facts.held.minus(facts.openSells);
    const numbers = [number('quantity to sell', terms.quantity, `held and free ${free}`)];
    if (terms.quantity.lte(free)) return { numbers };
    return {
      numbers,
      denied: `Wants to sell ${terms.quantity} of "${terms.symbol}", held and free is ${free}`,
    };
  },
};

/** All rules in the order in which they are asked; the first that denies speaks. */
export const RULES: readonly RiskRule[] = [
  knownSecurity,
  lotAndTick,
  noShort,
  knownFacts,
  priceCollar,
  orderNotional,
  positionWeight,
  openOrders,
  buyLimit,
  marginHeadroom,
];

/** Largest absolute position that can come of this order and every open one of the symbol. */
function worstPosition(terms: OrderTerms, facts: RiskFacts): Decimal {
  const buys = facts.openBuys.plus(terms.side === 'buy' ? terms.quantity : ZERO);
  const sells = facts.openSells.plus(terms.side === 'sell' ? terms.quantity : ZERO);
  return Decimal.max(facts.held.plus(buys).abs(), facts.held.minus(sells).abs());
}

function deny(reason: string): RuleResult {
  return { numbers: [], denied: reason };
}

function number(
  name: string,
  value: Decimal | number | string,
  limit: Decimal | number | string,
): RiskNumber {
  return { name, value: value.toString(), limit: limit.toString() };
}

function percent(share: Decimal): string {
  return `${share.times(100).toDecimalPlaces(4)}%`;
}

function money(amount: Decimal, currency: string): string {
  return `${amount.toFixed(2)} ${currency}`;
}
