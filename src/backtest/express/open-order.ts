import type { FilledBy } from '../../events/curve/fill-columns.ts';
import type { Exits } from '../../model/algorithm.ts';
import type { IntentId, OrderId, TimeInForce } from '../../model/order.ts';
import type { CalendarDay } from '../../model/time.ts';
import type { Bound } from '../../simulation/market/watch.ts';
import type { TrackedTerms } from './order-events.ts';

/** How an order ends, in the sequence of events at one time: by expiry, by our cancel, or by a complete fill. */
export const ENDS = { expires: 0, cancelled: 1, fills: 2 } as const;

/**
 * An order for whole lots, and its outcome. The fields are set step by step, and the object is reused for later
 * orders.
 */
export class OpenOrder {
  /** Index of its security. */
  place = 0;
  side: 1 | -1 = 1;
  /** Remaining quantity, in shares. */
  quantity = Number.NaN;
  /** `MIT` waits for its trigger and then becomes a market order. */
  type: 'MO' | 'LO' | 'MIT' = 'MO';
  /** Limit of an LO or trigger of an MIT, as float64; NaN for an MO. */
  level = Number.NaN;
  timeInForce: TimeInForce = 'day';
  /** Last day of a `gtd` order. */
  expireDate: CalendarDay | undefined;
  /** Reserved cash, in the currency: estimated price and charges. */
  reserve = Number.NaN;
  /** Price for the reservation of a purchase: its limit, or the quote or trigger price with the market buffer. */
  reservedAt = Number.NaN;
  sentAt = Number.NaN;
  /** When it starts to work at the exchange; NaN until computed. */
  worksFrom = Number.NaN;
  /** Whether it was sent with a trigger. */
  hadTrigger = false;
  /** The prices that match its trigger; undefined without one. */
  trigger: Bound | undefined;
  /** When it expires. */
  expiresAt = Number.NaN;
  /**
   * First print that was not searched yet, counted from the first bar of the run, if the order outlives the window;
   * NaN otherwise.
   */
  searchedTo = Number.NaN;
  /** When and how it ends. */
  at = Number.NaN;
  ends: (typeof ENDS)[keyof typeof ENDS] = ENDS.expires;
  /** Fill price; NaN if it does not fill. */
  price = Number.NaN;
  /** The print that fills it, counted from the first bar of the run. */
  position = Number.NaN;
  /**
   * Close tick of the bar at whose extreme it was sent, counted likewise, which fills it at the tick's price. NaN for
   * other orders.
   */
  insideFrom = Number.NaN;
  /** Whether it takes the print that was the latest when it was sent, before any other print of that time. */
  fillsAtLatestPrint = false;
  /** Executed shares, their price x shares and charges in units, and the number of fills. */
  executed = 0;
  notional = 0;
  charged = 0;
  fills = 0;
  /** End of the exchange's day of its last fill. */
  filledOn = Number.NaN;
  /** Exits to send when it is filled; undefined for none. */
  exits: Exits | undefined;
  /** Number of its sliced order; 0 for others. */
  sliceOf = 0;
  /** Its role in a bracket; undefined for an order of the strategy. */
  exit: Exclude<FilledBy, 'order'> | undefined;

  /** Index among the orders that the run sent. */
  number = -1;
  /** Its id and terms for onOrder; undefined if the strategy has no onOrder. */
  tracked: TrackedTerms | undefined;
  /** Undefined if the strategy sees no ids. */
  ids: { readonly intentId: IntentId; readonly orderId: OrderId } | undefined;

  /** Resets it to an order without fills. */
  reset(): this {
    this.timeInForce = 'day';
    this.expireDate = undefined;
    this.trigger = undefined;
    this.searchedTo = Number.NaN;
    this.insideFrom = Number.NaN;
    this.worksFrom = Number.NaN;
    this.tracked = undefined;
    this.executed = 0;
    this.notional = 0;
    this.charged = 0;
    this.fills = 0;
    return this;
  }

  makeMarket(): void {
    this.type = 'MO';
    this.trigger = undefined;
    this.level = Number.NaN;
  }

  /** Sets when and how it ends, and at what price. */
  setOutcome(at: number, ends: OpenOrder['ends'], price: number): void {
    this.at = at;
    this.ends = ends;
    this.price = price;
    this.fillsAtLatestPrint = false;
  }
}

/**
 * Open orders in the order of sending. Objects are reused, because a run sends tens of thousands of orders, few at a
 * time.
 */
export class OpenOrders {
  count = 0;
  /** The first `count` are open, the others spare. */
  readonly #orders: OpenOrder[] = [];
  readonly #isFirst: (order: OpenOrder, other: OpenOrder) => boolean;
  #due = -1;

  /** `isFirst` returns whether an order matches a print before another one of its symbol. */
  constructor(isFirst: (order: OpenOrder, other: OpenOrder) => boolean) {
    this.#isFirst = isFirst;
  }

  /** Returns an order to fill in; `add` makes it an open one. */
  unusedOrder(): OpenOrder {
    const spare = this.#orders[this.count];
    if (spare !== undefined) return spare.reset();
    const made = new OpenOrder();
    this.#orders.push(made);
    return made;
  }

  add(): void {
    this.count += 1;
  }

  at(index: number): OpenOrder {
    return this.#orders[index] as OpenOrder;
  }

  /** Returns the open orders in the order of sending. */
  list(): readonly OpenOrder[] {
    return this.#orders.slice(0, this.count);
  }

  /** Whether something is true of any of them. */
  some(isTrue: (order: OpenOrder) => boolean): boolean {
    for (let index = 0; index < this.count; index += 1) if (isTrue(this.at(index))) return true;
    return false;
  }

  /** Shares of those of which something is true. */
  sharesOf(isTrue: (order: OpenOrder) => boolean): number {
    let shares = 0;
    for (let index = 0; index < this.count; index += 1)
      if (isTrue(this.at(index))) shares += this.at(index).quantity;
    return shares;
  }

  /** Returns the shares of a symbol that sales reserve; untriggered orders reserve none. */
  sharesOnSale(symbol: number): number {
    return this.sharesOf(({ place, side, type }) => place === symbol && side === -1 && type !== 'MIT');
  }

  /** Returns the total reserved cash, in the currency. */
  reserved(): number {
    let sum = 0;
    for (let index = 0; index < this.count; index += 1) sum += this.at(index).reserve;
    return sum;
  }

  /**
   * Returns the first order with an event before the closes of a time; undefined if there is none. It remains open
   * unless `removeDue` removes it.
   */
  nextBefore(time: number): OpenOrder | undefined {
    let found = -1;
    for (let index = 0; index < this.count; index += 1) {
      const order = this.at(index);
      const isDue =
        order.at < time || (order.at === time && (order.ends === ENDS.expires || order.fillsAtLatestPrint));
      if (isDue && (found < 0 || this.happensBefore(order, this.at(found)))) found = index;
    }
    this.#due = found;
    return found < 0 ? undefined : this.at(found);
  }

  /** Removes the order that `nextBefore` found. The object is unchanged until the next `unusedOrder`. */
  removeDue(): void {
    this.remove(this.#due);
  }

  /** Removes an order in the same way. */
  remove(index: number): void {
    const order = this.at(index);
    const last = this.count - 1;
    for (let place = index; place < last; place += 1) this.#orders[place] = this.at(place + 1);
    this.#orders[last] = order;
    this.count = last;
  }

  /** Returns whether an order's event precedes that of another. */
  happensBefore(order: OpenOrder, other: OpenOrder): boolean {
    if (order.at !== other.at) return order.at < other.at;
    if (order.ends !== other.ends) return order.ends < other.ends;
    if (order.fillsAtLatestPrint || other.fillsAtLatestPrint)
      return order.fillsAtLatestPrint && (!other.fillsAtLatestPrint || order.number < other.number);
    if (order.ends !== ENDS.fills) return order.number < other.number;
    if (order.place !== other.place) return order.place < other.place;
    return this.#isFirst(order, other);
  }
}
