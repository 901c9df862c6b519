import type { ChargeSchedule } from '../../markets/charges.ts';
import { type Amount, add, compare, formatAmount, multiply, scale } from '../../model/amount.ts';
import type { Currency } from '../../model/money.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { converted, type ExchangeRates } from '../books/exchange-rates.ts';
import type { MarginModel } from '../models.ts';
import { estimateCharges } from '../orders/bill.ts';
import { isConditional, restOf, type VenueOrder } from '../orders/venue-order.ts';
import type { AccountView } from './account-view.ts';
import { factorRatio } from './margin.ts';
import type { Rehearsal } from './rehearsal.ts';

/** What an account may do: its figures, its model, its currency, and whether it may sell short. */
export interface Means {
  readonly view: AccountView;
  readonly model: MarginModel;
  readonly rates: ExchangeRates;
  readonly schedule: ChargeSchedule;
  readonly currency: Currency;
  readonly short: boolean;
  readonly rehearsal: Rehearsal;
}

/** An order, or the rest of one, that wants cover. */
export interface Wanted {
  readonly security: Security;
  readonly terms: OrderTerms;
  /** What may still execute. */
  readonly quantity: Amount;
  readonly price: Amount | undefined;
  readonly at: Millis;
  /** The order that this replaces; what it reserves is free for this one. */
  readonly except?: VenueOrder;
}

/** Says why the account cannot cover the order; undefined when it can. */
export function uncovered(wanted: Wanted, means: Means): string | undefined {
  if (means.model.cover === 'at-fill') return undefined;
  if (means.model.cover === 'rehearsed') return rehearsed(wanted, means);
  const { security, terms, quantity, except } = wanted;
  const price = wanted.price === undefined ? undefined : unitAmount(security, wanted.price);
  const { symbol } = security;
  if (terms.side === 'sell') {
    const free = means.view.freeToSell(symbol, except);
    if (compare(quantity, free) <= 0) return undefined;
    if (!means.short) {
      return insufficientShares(symbol, quantity, free);
    }
  }
  if (price === undefined) return `No price of "${symbol}" yet to check the account against`;
  const opening = means.view.opening(symbol, terms.side, quantity, except);
  if (opening === 0 && isConditional(terms.type)) return undefined;
  const cash = terms.side === 'buy' ? uncoveredCash(wanted, price, means) : undefined;
  if (cash !== undefined || !needsMargin(means)) return cash;
  return uncoveredMargin(multiply(opening, price, 'exact'), wanted, means);
}

/**
 * Why an order cannot go on once its condition is met; undefined when it can. Until then it kept neither shares nor money for itself where it
 * was to close a position, and another order may have closed that: what it would open instead, short or long, must be covered now.
 */
export function uncoveredOnceMet(
  order: VenueOrder,
  met: { readonly price: Amount; readonly at: Millis },
  means: Means,
): string | undefined {
  const { security, terms } = order;
  if (means.model.cover !== 'reserved' || (terms.side === 'buy' && !means.short)) return undefined;
  return uncovered({ security, terms, quantity: restOf(order), ...met, except: order }, means);
}

/** New terms of an order that was rehearsed are not rehearsed again; its fill is checked in any case. */
function rehearsed(
  { security, terms, quantity, price, at, except }: Wanted,
  { rehearsal }: Means,
): string | undefined {
  if (except !== undefined) return undefined;
  if (price === undefined) return `No price of "${security.symbol}" yet to check the account against`;
  return rehearsal.refusal({ security, side: terms.side, quantity, price, at });
}

/** Without credit and short sales, cash is all that can run out. */
export function needsMargin(means: Means): boolean {
  return means.model.kind === 'margin' || means.short;
}

function uncoveredCash(wanted: Wanted, price: Amount, means: Means): string | undefined {
  const { security, except, quantity, at } = wanted;
  const { currency } = security;
  const notional = multiply(price, quantity, 'exact');
  const fees = estimateCharges({ security, side: 'buy', quantity, notional, at }, means.schedule);
  const cost = add(notional, fees);
  if (means.model.kind === 'cash') {
    const spendable = means.view.spendable(currency, except);
    return compare(cost, spendable) <= 0 ? undefined : insufficient('funds', cost, spendable, currency);
  }
  const needed = converted(cost, means.rates.rate(currency, means.currency));
  const financeable = means.view.financeable(except);
  return compare(needed, financeable) <= 0
    ? undefined
    : insufficient('funds and credit', needed, financeable, means.currency);
}

function uncoveredMargin(notional: Amount, wanted: Wanted, means: Means): string | undefined {
  if (notional === 0) return undefined;
  const { security, quantity, at, terms } = wanted;
  const initial = scale(notional, factorRatio(means.model, security, 'initial'), 'half-up');
  const charges = estimateCharges({ security, side: terms.side, quantity, notional, at }, means.schedule);
  const rate = means.rates.rate(security.currency, means.currency);
  const needed = converted(add(initial, charges), rate);
  const power = means.view.buyPower(wanted.except);
  return compare(needed, power) <= 0 ? undefined : insufficient('buy power', needed, power, means.currency);
}

/** What a refusal of a sale says. */
export function insufficientShares(symbol: SecuritySymbol, wanted: Amount, free: Amount): string {
  return `Insufficient quantity of "${symbol}": wants to sell ${formatAmount(wanted)}, available ${formatAmount(free)}`;
}

/** What a refusal says that knows both sums. */
export function insufficient(what: string, needed: Amount, available: Amount, currency: Currency): string {
  return `Insufficient ${what}: needs ${formatAmount(needed, 2)} ${currency}, available ${formatAmount(available, 2)} ${currency}`;
}
