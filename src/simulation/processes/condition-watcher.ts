import { dayOf } from '../../markets/sessions.ts';
import { decimalOfDouble, toAmount } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import { marketOf } from '../../model/symbol.ts';
import type { CalendarDay } from '../../model/time.ts';
import { uncoveredOnceMet } from '../buying-power/funds-check.ts';
import type { SymbolMarket } from '../market/market-replay.ts';
import { type PrintIndex, stepOf } from '../market/tape.ts';
import { beginWatch, nextFiring } from '../matching/condition-watch.ts';
import type { InsideBars } from '../matching/inside-bars.ts';
import { allows } from '../matching/resting.ts';
import type { VenueContext } from '../matching/venue-context.ts';
import { metPrice, releasedLimit } from '../orders/conditions.ts';
import type { OrderHours } from '../orders/order-hours.ts';
import { offTicks } from '../orders/tick-changes.ts';
import { isOpenOrder, limitOf, type VenueOrder } from '../orders/venue-order.ts';

/** What conditional orders are led with, and where they go once their condition is met. */
export interface ConditionSources extends VenueContext {
  readonly hours: OrderHours;
  readonly inside: InsideBars;
  /** Lets an order begin to work at the current print. */
  readonly work: (order: VenueOrder) => void;
  /** Lets an order take a price of a print. */
  readonly take: (order: VenueOrder, price: Price, symbolMarket: SymbolMarket, index: PrintIndex) => void;
  /** Lets what is left of an order wait for prints. */
  readonly rest: (order: VenueOrder, symbolMarket: SymbolMarket) => void;
}

/** Leads conditional orders that wait for prints from their arrival until they are released. */
export class ConditionWatcher {
  readonly #sources: ConditionSources;

  constructor(sources: ConditionSources) {
    this.#sources = sources;
  }

  /** Fires at once where the standing print meets the condition already, else finds the print that will. */
  watch(order: VenueOrder): void {
    const { replay, hours, inside, work } = this.#sources;
    const symbolMarket = replay.symbolMarket(order.terms.symbol);
    if (symbolMarket === undefined) return;
    const mayTake = inside.begin(order, symbolMarket);
    const met = beginWatch(order, symbolMarket, replay, hours.standing(order, symbolMarket));
    if (met !== undefined && !mayTake) inside.defer(order, symbolMarket);
    if (met === undefined || !mayTake) {
      this.lookAhead(order, symbolMarket);
      return;
    }
    this.#release(order, decimalOfDouble(met));
    if (isOpenOrder(order)) work(order);
  }

  /** Lets an order wait for the print that meets its condition, as far as prints are known. */
  lookAhead(order: VenueOrder, symbolMarket: SymbolMarket): void {
    const { book, fills } = this.#sources;
    book.rest(order, symbolMarket, nextFiring(order, symbolMarket, fills));
  }

  /** A print meets the condition: the order works from the price where it was met, then from the print itself. */
  fire(order: VenueOrder, symbolMarket: SymbolMarket, index: PrintIndex): void {
    const { fills, lifecycle, inside, take, rest } = this.#sources;
    const printed = decimalOfDouble(symbolMarket.tape.price(index));
    const level = order.firePrice ?? printed;
    const met = fills.checkTicks ? metPrice(level, printed, order.security, this.#dayOf(order)) : level;
    this.#release(order, met);
    if (!isOpenOrder(order)) return;
    const limit = limitOf(order);
    if (allows(order, met)) take(order, met, symbolMarket, index);
    else if (limit !== undefined && stepOf(index) > 0 && allows(order, printed))
      lifecycle.fill(order, limit, symbolMarket, index);
    inside.released(order, symbolMarket, index);
    rest(order, symbolMarket);
  }

  /** Lets the order work, or rejects it: the position that it was to close is gone by now and the account cannot cover another, or its limit is none any more. */
  #release(order: VenueOrder, market: Price): void {
    const { replay, fills, lifecycle } = this.#sources;
    const met = { price: toAmount(market), at: replay.now() };
    const problem =
      uncoveredOnceMet(order, met, lifecycle.accountOf(order).funding) ??
      offTicks(order, replay.now(), fills);
    if (problem !== undefined) {
      lifecycle.finish(order, 'RejectedStatus', problem);
      return;
    }
    if (order.terms.type === 'TSLPAMT' || order.terms.type === 'TSLPPCT') {
      order.releasedPrice = releasedLimit(order.terms, market, order.security, this.#dayOf(order));
      order.reservePrice = unitAmount(order.security, toAmount(order.releasedPrice));
      lifecycle.reserve(order);
    }
    lifecycle.trigger(order);
  }

  #dayOf({ terms }: VenueOrder): CalendarDay {
    return dayOf(marketOf(terms.symbol), this.#sources.replay.now());
  }
}
