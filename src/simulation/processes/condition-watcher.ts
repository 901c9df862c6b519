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

interface ConditionSources extends VenueContext {
  readonly hours: OrderHours;
  readonly inside: InsideBars;
  readonly work: (order: VenueOrder) => void;
  readonly take: (order: VenueOrder, price: Price, symbolMarket: SymbolMarket, index: PrintIndex) => void;
  readonly rest: (order: VenueOrder, symbolMarket: SymbolMarket) => void;
}

/** Manages conditional orders with print matching from arrival to trigger. */
export class ConditionWatcher {
  readonly #sources: ConditionSources;

  constructor(sources: ConditionSources) {
    this.#sources = sources;
  }

  /** Triggers an order at once if the current print meets its condition; otherwise finds the print that will. */
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

  /** Queues an order for the print that meets its condition, as far as prints are known. */
  lookAhead(order: VenueOrder, symbolMarket: SymbolMarket): void {
    const { book, fills } = this.#sources;
    book.rest(order, symbolMarket, nextFiring(order, symbolMarket, fills));
  }

  /**
   * Triggers an order at a print. It trades at the price where the condition was met, otherwise at its limit if the
   * print allows it; the rest waits for later prints.
   */
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

  /**
   * Activates a triggered order. Rejects it if its position was closed in the meantime and the account cannot cover a
   * new one, or if its limit is off the current ticks.
   */
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
