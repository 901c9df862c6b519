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
import type { SequentialFundingCheck } from './sequential-funding-check.ts';

export interface FundingContext {
  readonly view: AccountView;
  readonly model: MarginModel;
  readonly rates: ExchangeRates;
  readonly schedule: ChargeSchedule;
  readonly currency: Currency;
  readonly short: boolean;
  readonly fundingCheck: SequentialFundingCheck;
}

interface FundsRequest {
  readonly security: Security;
  readonly terms: OrderTerms;
  /** The quantity that may still execute. */
  readonly quantity: Amount;
  readonly price: Amount | undefined;
  readonly at: Millis;
  /** The order that this one replaces; its reservation counts as free. */
  readonly except?: VenueOrder;
}

/** Returns the reason why the account cannot cover the order; undefined if it can. */
export function fundingProblem(request: FundsRequest, funding: FundingContext): string | undefined {
  if (funding.model.cover === 'at-fill') return undefined;
  if (funding.model.cover === 'rehearsed') return sequentialProblem(request, funding);
  const { security, terms, quantity, except } = request;
  const price = request.price === undefined ? undefined : unitAmount(security, request.price);
  const { symbol } = security;
  if (terms.side === 'sell') {
    const free = funding.view.freeToSell(symbol, except);
    if (compare(quantity, free) <= 0) return undefined;
    if (!funding.short) {
      return insufficientShares(symbol, quantity, free);
    }
  }
  if (price === undefined) return `No price of "${symbol}" yet to check the account against`;
  const opening = funding.view.opening(symbol, terms.side, quantity, except);
  if (opening === 0 && isConditional(terms.type)) return undefined;
  const cash = terms.side === 'buy' ? cashProblem(request, price, funding) : undefined;
  if (cash !== undefined || !needsMargin(funding)) return cash;
  return marginProblem(multiply(opening, price, 'exact'), request, funding);
}

/**
 * Checks a closing order again when it triggers; returns the reason for a refusal, otherwise undefined. Untriggered, it
 * reserved neither shares nor cash, and another order may have closed the position in the meantime. Whatever it would
 * open instead must be covered now.
 */
export function fundingProblemAtTrigger(
  order: VenueOrder,
  met: { readonly price: Amount; readonly at: Millis },
  funding: FundingContext,
): string | undefined {
  const { security, terms } = order;
  if (funding.model.cover !== 'reserved' || (terms.side === 'buy' && !funding.short)) return undefined;
  return fundingProblem({ security, terms, quantity: restOf(order), ...met, except: order }, funding);
}

/** Replacements are not checked again; the fill is checked in any case. */
function sequentialProblem(
  { security, terms, quantity, price, at, except }: FundsRequest,
  { fundingCheck }: FundingContext,
): string | undefined {
  if (except !== undefined) return undefined;
  if (price === undefined) return `No price of "${security.symbol}" yet to check the account against`;
  return fundingCheck.refusal({ security, side: terms.side, quantity, price, at });
}

/** True if margin can run out. Without credit and short sales, only cash can. */
export function needsMargin(funding: Pick<FundingContext, 'model' | 'short'>): boolean {
  return funding.model.kind === 'margin' || funding.short;
}

function cashProblem(request: FundsRequest, price: Amount, funding: FundingContext): string | undefined {
  const { security, except, quantity, at } = request;
  const { currency } = security;
  const notional = multiply(price, quantity, 'exact');
  const fees = estimateCharges({ security, side: 'buy', quantity, notional, at }, funding.schedule);
  const cost = add(notional, fees);
  if (funding.model.kind === 'cash') {
    const spendable = funding.view.spendable(currency, except);
    return compare(cost, spendable) <= 0 ? undefined : insufficient('funds', cost, spendable, currency);
  }
  const needed = converted(cost, funding.rates.rate(currency, funding.currency));
  const financeable = funding.view.financeable(except);
  return compare(needed, financeable) <= 0
    ? undefined
    : insufficient('funds and credit', needed, financeable, funding.currency);
}

function marginProblem(notional: Amount, request: FundsRequest, funding: FundingContext): string | undefined {
  if (notional === 0) return undefined;
  const { security, quantity, at, terms } = request;
  const initial = scale(notional, factorRatio(funding.model, security, 'initial'), 'half-up');
  const charges = estimateCharges({ security, side: terms.side, quantity, notional, at }, funding.schedule);
  const rate = funding.rates.rate(security.currency, funding.currency);
  const needed = converted(add(initial, charges), rate);
  const power = funding.view.buyPower(request.except);
  return compare(needed, power) <= 0 ? undefined : insufficient('buy power', needed, power, funding.currency);
}

function insufficientShares(symbol: SecuritySymbol, wanted: Amount, free: Amount): string {
  return `Insufficient quantity of "${symbol}": wants to sell ${formatAmount(wanted)}, available ${formatAmount(free)}`;
}

export function insufficient(what: string, needed: Amount, available: Amount, currency: Currency): string {
  return `Insufficient ${what}: needs ${formatAmount(needed, 2)} ${currency}, available ${formatAmount(available, 2)} ${currency}`;
}
