import { isWholeLots } from '../markets/lots.ts';
import { marketRecord } from '../markets/market-records.ts';
import { isOnTick } from '../markets/ticks.ts';
import type { Price } from '../model/decimal.ts';
import { atRate } from '../model/fx.ts';
import type { OrderTerms, OutsideRth } from '../model/order.ts';
import { marketOf } from '../model/symbol.ts';
import { deny, money, number, passes, percent, type RiskRule, shares } from './rule.ts';

/** Only securities that the venue lists as tradable are traded; nothing opens while trading is stopped. */
export const knownSecurity: RiskRule = {
  name: 'known-security',
  breach: 'nothing',
  judge({ terms }, { security, reference, opens }) {
    if (security === undefined) return deny(`No facts about "${terms.symbol}": the venue does not know it`);
    if (!security.tradable) return deny(`"${terms.symbol}" is not tradable`);
    if (security.multiplier !== undefined && opens) {
      const contract = `a contract on ${security.multiplier} shares`;
      return deny(`"${terms.symbol}" is ${contract}: limits count shares, trade it by hand`);
    }
    const status = reference?.status ?? 'normal';
    if (status === 'normal' || !opens) return undefined;
    return passes(
      false,
      () => [number('trading', status, 'normal')],
      () => `Trading of "${terms.symbol}" is ${status}`,
    );
  },
};

/** Quantities are whole lots and prices are on a tick; odd lots use their own order type. */
export const lotAndTick: RiskRule = {
  name: 'lot-and-tick',
  breach: 'nothing',
  judge({ terms }, facts) {
    const { quantity, price, symbol, type } = terms;
    const lot = facts.security?.lotSize ?? 1;
    const numbers = () => [number('quantity', shares(quantity), `multiple of ${shares(lot)}`)];
    if (!quantity.gt(0)) return { numbers, denied: `Quantity ${quantity} is not positive` };
    if (type !== 'ODD' && !isWholeLots(quantity, lot)) {
      return {
        numbers,
        denied: `Quantity ${quantity} of "${symbol}" is not a multiple of its lot of ${lot}`,
      };
    }
    if (price === undefined || facts.tick === undefined) return { numbers };
    const currency = facts.security?.currency ?? '';
    const tick = () => number('price', `${price} ${currency}`, `multiple of ${facts.tick} ${currency}`);
    return passes(
      isOnTick(price, facts.tick),
      () => [...numbers(), tick()],
      () => `Price ${price} of "${symbol}" is not on its tick of ${facts.tick}`,
    );
  },
};

/** Nothing opens in a symbol on the operator's list. */
export const restricted: RiskRule = {
  name: 'restricted',
  breach: 'counts',
  judge({ terms }, { opens }, limits) {
    if (!opens || !limits.restricted.includes(terms.symbol)) return undefined;
    return deny(`"${terms.symbol}" is on the restricted list`);
  },
};

/** Sells only shares that are held and not in another sell order, unless the operator allows short positions. */
export const noShort: RiskRule = {
  name: 'no-short',
  breach: 'counts',
  judge({ terms, replaces, link }, facts, limits) {
    if (terms.side === 'buy' || limits.allowShort) return undefined;
    // An amend to a smaller quantity frees shares, whatever other orders sell.
    if (replaces === true && !facts.opens) return undefined;
    const free = facts.held.minus(facts.openSells);
    // An OCO leg in the place of a larger one takes none.
    const isInPlace = link?.exclusive === true && !facts.opens && terms.quantity.gt(free);
    if (isInPlace && terms.quantity.lte(facts.held)) return undefined;
    return passes(
      terms.quantity.lte(free),
      () => [number('quantity to sell', shares(terms.quantity), `held and free ${shares(free)}`)],
      () => `Wants to sell ${terms.quantity} of "${terms.symbol}", held and free is ${free}`,
    );
  },
};

const SESSION_REACH: Readonly<Record<OutsideRth, number>> = { 'rth-only': 0, 'any-time': 1, overnight: 2 };

/** An order trades only in sessions that the operator allows; while its market is closed it waits at the venue. */
export const session: RiskRule = {
  name: 'session',
  breach: 'counts',
  judge({ terms }, facts, limits) {
    const { kind } = facts.session;
    const asked =
      marketRecord(marketOf(terms.symbol))?.hasExtendedHours === true
        ? (terms.outsideRth ?? 'rth-only')
        : 'rth-only';
    const now = kind === 'closed' ? 'closed, waits for the next open' : kind;
    return passes(
      SESSION_REACH[asked] <= SESSION_REACH[limits.maxSession],
      () => [number('session', now, 'any'), number('farthest session', asked, limits.maxSession)],
      () => `Wants to trade in "${asked}", allowed is "${limits.maxSession}"`,
    );
  },
};

/**
 * A limit price far from the market counts as a mistake. For an order with a favourable trigger, such as a target, it
 * is compared with the trigger, where the market is when the limit applies.
 */
export const priceCollar: RiskRule = {
  name: 'price-collar',
  breach: 'counts',
  judge({ terms }, facts, limits) {
    if (terms.price === undefined || facts.reference === undefined) return undefined;
    const trigger = favourableTrigger(terms, facts.reference.value);
    const reference = trigger ?? facts.reference.value;
    const [where, name] = trigger === undefined ? ['quote', 'last price'] : ['trigger', 'trigger price'];
    const distance = terms.price.minus(reference).abs().div(reference);
    return passes(
      distance.lte(limits.priceCollar),
      () => [number(`distance from ${where}`, percent(distance), percent(limits.priceCollar))],
      () => `Price ${terms.price} is ${percent(distance)} from the ${name} ${reference}`,
    );
  },
};

/**
 * A trigger above the market for a sale, below it for a purchase; undefined for others, and for orders without a
 * trigger.
 */
function favourableTrigger({ side, triggerPrice }: OrderTerms, last: Price): Price | undefined {
  if (triggerPrice === undefined) return undefined;
  const isFavourable = side === 'sell' ? triggerPrice.gt(last) : triggerPrice.lt(last);
  return isFavourable ? triggerPrice : undefined;
}

/** One order is worth at most `maxOrderNotional`. */
export const orderNotional: RiskRule = {
  name: 'max-order-notional',
  breach: 'counts',
  judge({ terms }, facts, limits) {
    if (!facts.opens || facts.reference === undefined || facts.rate === undefined) return undefined;
    const notional = atRate(terms.quantity.times(terms.price ?? facts.reference.value), facts.rate);
    const { amount, currency } = limits.maxOrderNotional;
    return passes(
      notional.lte(amount),
      () => [number('order notional', money(notional, currency), money(amount, currency))],
      () => `Order is worth ${money(notional, currency)}, limit is ${money(amount, currency)}`,
    );
  },
};

/** One order is for at most `maxOrderQuantity` shares. */
export const orderQuantity: RiskRule = {
  name: 'max-order-quantity',
  breach: 'counts',
  judge({ terms }, { opens }, limits) {
    if (!opens) return undefined;
    const { maxOrderQuantity: most } = limits;
    return passes(
      terms.quantity.lte(most),
      () => [number('order quantity', shares(terms.quantity), shares(most))],
      () => `Order is for ${shares(terms.quantity)}, limit is ${shares(most)}`,
    );
  },
};
