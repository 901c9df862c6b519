import { dayOf } from '../../markets/sessions.ts';
import { decimalOfDouble, toAmount } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import { marketOf } from '../../model/symbol.ts';
import type { CalendarDay } from '../../model/time.ts';
import { fundingProblemAtTrigger } from '../buying-power/funds-check.ts';
import type { SymbolMarket } from '../market/market-replay.ts';
import { type PrintIndex, stepOf } from '../market/tape.ts';
import { nextTrigger, startWatch } from '../matching/condition-watch.ts';
import type { InsideBars } from '../matching/inside-bars.ts';
import { isWithinLimit } from '../matching/resting.ts';
import type { VenueContext } from '../matching/venue-context.ts';
import { metPrice, releasedLimit } from '../orders/conditions.ts';
import type { OrderHours } from '../orders/order-hours.ts';
import { tickRefusal } from '../orders/tick-changes.ts';
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
    const mayTake = inside.recordArrival(order, symbolMarket);
    const met = startWatch(order, symbolMarket, replay, hours.currentPrint(order, symbolMarket));
    if (met !== undefined && !mayTake) inside.defer(order, symbolMarket);
    if (met === undefined || !mayTake) {
      this.findTrigger(order, symbolMarket);
      return;
    }
    this.#activate(order, decimalOfDouble(met));
    if (isOpenOrder(order)) work(order);
  }

  /** Queues an order for the print that meets its condition, as far as prints are known. */
  findTrigger(order: VenueOrder, symbolMarket: SymbolMarket): void {
    const { book, fills } = this.#sources;
    book.waitFor(order, symbolMarket, nextTrigger(order, symbolMarket, fills));
  }

  /**
   * Triggers an order at a print. It trades at the price where the condition was met, otherwise at its limit if the
   * print allows it; the rest waits for later prints.
   */
  trigger(order: VenueOrder, symbolMarket: SymbolMarket, index: PrintIndex): void {
    const { fills, lifecycle, inside, take, rest } = this.#sources;
    const printed = decimalOfDouble(symbolMarket.tape.price(index));
    const level = order.conditionPrice ?? printed;
    const met = fills.checkTicks ? metPrice(level, printed, order.security, this.#dayOf(order)) : level;
    this.#activate(order, met);
    if (!isOpenOrder(order)) return;
    const limit = limitOf(order);
    if (isWithinLimit(order, met)) take(order, met, symbolMarket, index);
    else if (limit !== undefined && stepOf(index) > 0 && isWithinLimit(order, printed))
      lifecycle.fill(order, limit, symbolMarket, index);
    inside.deferRest(order, symbolMarket, index);
    rest(order, symbolMarket);
  }

  /**
   * Activates a triggered order. Rejects it if its position was closed in the meantime and the account cannot cover a
   * new one, or if its limit is off the current ticks.
   */
  #activate(order: VenueOrder, market: Price): void {
    const { replay, fills, lifecycle } = this.#sources;
    const met = { price: toAmount(market), at: replay.now() };
    const problem =
      fundingProblemAtTrigger(order, met, lifecycle.accountOf(order).funding) ??
      tickRefusal(order, replay.now(), fills);
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
