import { dayOf } from '../../markets/sessions.ts';
import { toAmount } from '../../model/amount.ts';
import { Decimal, type Price } from '../../model/decimal.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import { marketOf } from '../../model/symbol.ts';
import type { CalendarDay } from '../../model/time.ts';
import { uncoveredOnceMet } from '../cover/funds-check.ts';
import type { Floor, Lane } from '../market/floor.ts';
import { type PrintIndex, stepOf } from '../market/tape.ts';
import type { InsideBars } from '../matching/inside-bars.ts';
import type { LaneBook } from '../matching/lane-book.ts';
import type { OrderKeeper } from '../matching/order-keeper.ts';
import { allows } from '../matching/resting.ts';
import { beginWatch, nextFiring } from '../matching/watching.ts';
import type { FillModel } from '../models.ts';
import { metPrice, releasedLimit } from '../orders/conditions.ts';
import type { OrderHours } from '../orders/order-hours.ts';
import { offTicks } from '../orders/tick-changes.ts';
import { isOpenOrder, limitOf, type VenueOrder } from '../orders/venue-order.ts';

/** What conditional orders are led with, and where they go once their condition is met. */
export interface ConditionSources {
  readonly floor: Floor;
  readonly fills: FillModel;
  readonly hours: OrderHours;
  readonly book: LaneBook;
  readonly keeper: OrderKeeper;
  readonly inside: InsideBars;
  /** Lets an order begin to work at what stands. */
  readonly work: (order: VenueOrder) => void;
  /** Lets an order take a price of a print. */
  readonly take: (order: VenueOrder, price: Price, lane: Lane, index: PrintIndex) => void;
  /** Lets what is left of an order wait for prints. */
  readonly rest: (order: VenueOrder, lane: Lane) => void;
}

/** Leads conditional orders that wait for prints from their arrival until they are released. */
export class ConditionDesk {
  readonly #sources: ConditionSources;

  constructor(sources: ConditionSources) {
    this.#sources = sources;
  }

  /** Fires at once where the standing print meets the condition already, else finds the print that will. */
  watch(order: VenueOrder): void {
    const { floor, hours, inside, work } = this.#sources;
    const lane = floor.lane(order.terms.symbol);
    if (lane === undefined) return;
    const mayTake = inside.begin(order, lane);
    const met = beginWatch(order, lane, floor, hours.standing(order, lane));
    if (met !== undefined && !mayTake) inside.defer(order, lane);
    if (met === undefined || !mayTake) {
      this.lookAhead(order, lane);
      return;
    }
    this.#release(order, new Decimal(met));
    if (isOpenOrder(order)) work(order);
  }

  /** Lets an order wait for the print that meets its condition, as far as prints are known. */
  lookAhead(order: VenueOrder, lane: Lane): void {
    const { book, fills } = this.#sources;
    book.rest(order, lane, nextFiring(order, lane, fills));
  }

  /** A print meets the condition: the order works from the price where it was met, then from the print itself. */
  fire(order: VenueOrder, lane: Lane, index: PrintIndex): void {
    const { fills, keeper, inside, take, rest } = this.#sources;
    const printed = new Decimal(lane.tape.price(index));
    const level = order.firePrice ?? printed;
    const met = fills.checkTicks ? metPrice(level, printed, order.security, this.#dayOf(order)) : level;
    this.#release(order, met);
    if (!isOpenOrder(order)) return;
    const limit = limitOf(order);
    if (allows(order, met)) take(order, met, lane, index);
    else if (limit !== undefined && stepOf(index) > 0 && allows(order, printed))
      keeper.fill(order, limit, lane, index);
    inside.released(order, lane, index);
    rest(order, lane);
  }

  /** Lets the order work, or rejects it: the position that it was to close is gone by now and the account cannot cover another, or its limit is none any more. */
  #release(order: VenueOrder, market: Price): void {
    const { floor, fills, keeper } = this.#sources;
    const met = { price: toAmount(market), at: floor.now() };
    const problem =
      uncoveredOnceMet(order, met, keeper.accountOf(order).means) ?? offTicks(order, floor.now(), fills);
    if (problem !== undefined) {
      keeper.finish(order, 'RejectedStatus', problem);
      return;
    }
    if (order.terms.type === 'TSLPAMT' || order.terms.type === 'TSLPPCT') {
      order.releasedPrice = releasedLimit(order.terms, market, order.security, this.#dayOf(order));
      order.reservePrice = unitAmount(order.security, toAmount(order.releasedPrice));
      keeper.reserve(order);
    }
    keeper.trigger(order);
  }

  #dayOf({ terms }: VenueOrder): CalendarDay {
    return dayOf(marketOf(terms.symbol), this.#sources.floor.now());
  }
}
