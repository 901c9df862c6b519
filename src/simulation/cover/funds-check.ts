import type { ChargeSchedule } from '../../markets/charges.ts';
import type { Decimal, Price, Quantity } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import { unitValue } from '../../model/option-symbol.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { ExchangeRates } from '../books/exchange-rates.ts';
import type { MarginModel } from '../models.ts';
import { estimateCharges } from '../orders/bill.ts';
import { isConditional, restOf, type VenueOrder } from '../orders/venue-order.ts';
import type { AccountView } from './account-view.ts';
import { factorsUnder } from './margin.ts';
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
  readonly quantity: Quantity;
  readonly price: Price | undefined;
  readonly at: Millis;
  /** The order that this replaces; what it reserves is free for this one. */
  readonly except?: VenueOrder;
}

/** Says why the account cannot cover the order; undefined when it can. */
export function uncovered(wanted: Wanted, means: Means): string | undefined {
  if (means.model.cover === 'at-fill') return undefined;
  if (means.model.cover === 'rehearsed') return rehearsed(wanted, means);
  const { security, terms, quantity, except } = wanted;
  const price = wanted.price === undefined ? undefined : unitValue(security, wanted.price);
  const { symbol } = security;
  if (terms.side === 'sell') {
    const free = means.view.freeToSell(symbol, except);
    if (quantity.lte(free)) return undefined;
    if (!means.short) {
      return insufficientShares(symbol, quantity, free);
    }
  }
  if (price === undefined) return `No price of "${symbol}" yet to check the account against`;
  const opening = means.view.opening(symbol, terms.side, quantity, except);
  if (opening.isZero() && isConditional(terms.type)) return undefined;
  const cash = terms.side === 'buy' ? uncoveredCash(wanted, price, means) : undefined;
  if (cash !== undefined || !needsMargin(means)) return cash;
  return uncoveredMargin(opening.times(price), wanted, means);
}

/**
 * Why an order cannot go on once its condition is met; undefined when it can. Until then it kept neither shares nor money for itself where it
 * was to close a position, and another order may have closed that: what it would open instead, short or long, must be covered now.
 */
export function uncoveredOnceMet(
  order: VenueOrder,
  met: { readonly price: Price; readonly at: Millis },
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

function uncoveredCash(wanted: Wanted, price: Price, means: Means): string | undefined {
  const { security, except, quantity, at } = wanted;
  const { currency } = security;
  const notional = price.times(quantity);
  const fees = estimateCharges({ security, side: 'buy', quantity, notional, at }, means.schedule);
  const cost = notional.plus(fees);
  if (means.model.kind === 'cash') {
    const spendable = means.view.spendable(currency, except);
    return cost.lte(spendable) ? undefined : insufficient('funds', cost, spendable, currency);
  }
  const converted = cost.times(means.rates.rate(currency, means.currency));
  const financeable = means.view.financeable(except);
  return converted.lte(financeable)
    ? undefined
    : insufficient('funds and credit', converted, financeable, means.currency);
}

function uncoveredMargin(notional: Decimal, wanted: Wanted, means: Means): string | undefined {
  if (notional.isZero()) return undefined;
  const { security, quantity, at, terms } = wanted;
  const needed = notional
    .times(factorsUnder(means.model, security).initial)
    .plus(estimateCharges({ security, side: terms.side, quantity, notional, at }, means.schedule))
    .times(means.rates.rate(security.currency, means.currency));
  const power = means.view.buyPower(wanted.except);
  return needed.lte(power) ? undefined : insufficient('buy power', needed, power, means.currency);
}

/** What a refusal of a sale says. */
export function insufficientShares(symbol: SecuritySymbol, wanted: Quantity, free: Quantity): string {
  return `Insufficient quantity of "${symbol}": wants to sell ${wanted}, available ${free}`;
}

/** What a refusal says that knows both sums. */
export function insufficient(what: string, needed: Decimal, available: Decimal, currency: Currency): string {
  return `Insufficient ${what}: needs ${needed.toFixed(2)} ${currency}, available ${available.toFixed(2)} ${currency}`;
}
