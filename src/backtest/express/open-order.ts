import type { FilledBy } from '../../events/curve/fill-columns.ts';
import type { Exits } from '../../model/algorithm.ts';
import type { IntentId, OrderId, TimeInForce } from '../../model/order.ts';
import type { CalendarDay } from '../../model/time.ts';
import type { Bound } from '../../simulation/market/watch.ts';

/** How an order ends, in the order of what happens at one instant: with its last day, by our own cancel, or by a fill in full. */
export const ENDS = { expires: 0, cancelled: 1, fills: 2 } as const;

/** An order for whole lots, and what becomes of it. It is filled in step by step, and used again for another one later. */
export class OpenOrder {
  /** Place of its security in the run's. */
  place = 0;
  side: 1 | -1 = 1;
  /** Shares that are still to be filled. */
  quantity = Number.NaN;
  /** `MO` and `LO` as ever; `MIT` waits for its trigger and then takes what the market gives. */
  type: 'MO' | 'LO' | 'MIT' = 'MO';
  /** Limit of an LO, trigger of an MIT, as the double that reads as it; NaN for an MO. */
  level = Number.NaN;
  timeInForce: TimeInForce = 'day';
  /** The last day of one that names it (`gtd`). */
  expireDate: CalendarDay | undefined;
  /** What it keeps from being spent, in the currency: price and charges as they were estimated. */
  reserve = Number.NaN;
  /** Price that a purchase is reserved at: its limit, or the price with the market's buffer on top. */
  reservedAt = Number.NaN;
  sentAt = Number.NaN;
  /** When it begins to work at the exchange; NaN while that is not worked out. */
  worksFrom = Number.NaN;
  /** Whether it was sent with a trigger. */
  wasArmed = false;
  /** The prices that meet its trigger; undefined for one without. */
  trigger: Bound | undefined;
  /** When it ends unfilled. */
  expiresAt = Number.NaN;
  /** First print that was not searched, counted from the first bar of the run, where it outlives the stretch of bars; NaN where it does not. */
  searchedTo = Number.NaN;
  /** When it ends, and how. */
  at = Number.NaN;
  ends: (typeof ENDS)[keyof typeof ENDS] = ENDS.expires;
  /** What it fills at; NaN when it does not. */
  price = Number.NaN;
  /** The print that fills it, counted from the first bar of the run. */
  position = Number.NaN;
  /** Close tick of the bar at an extreme of which it was sent, counted so; it trades there at the tick's own price. NaN for others. */
  insideFrom = Number.NaN;
  /** Whether it takes the print that was the latest as it was sent: before any other print of that instant. */
  isAtOnce = false;
  /** Shares that were filled, their price x shares and their charges in units, and in how many fills. */
  executed = 0;
  notional = 0;
  charged = 0;
  fills = 0;
  /** The end of the exchange's day of its last fill. */
  filledOn = Number.NaN;
  /** Exits that are sent once it is filled; undefined: none. */
  exits: Exits | undefined;
  /** The number of the order in parts that it is a part of; 0 for others. */
  sliced = 0;
  /** Which order of a bracket it is; undefined for an order of the strategy. */
  exit: Exclude<FilledBy, 'order'> | undefined;

  /** Its place among the orders that the run sent. */
  number = -1;
  /** Its ids; undefined if the strategy has no onFill. */
  ids: { readonly intentId: IntentId; readonly orderId: OrderId } | undefined;

  /** Makes it an order that nothing was filled of. */
  begin(): this {
    this.timeInForce = 'day';
    this.expireDate = undefined;
    this.trigger = undefined;
    this.searchedTo = Number.NaN;
    this.insideFrom = Number.NaN;
    this.worksFrom = Number.NaN;
    this.executed = 0;
    this.notional = 0;
    this.charged = 0;
    this.fills = 0;
    return this;
  }

  /** Makes it a market order. */
  atMarket(): void {
    this.type = 'MO';
    this.trigger = undefined;
    this.level = Number.NaN;
  }

  /** Sets when it ends, how, and at what price. */
  willEnd(at: number, ends: OpenOrder['ends'], price: number): void {
    this.at = at;
    this.ends = ends;
    this.price = price;
    this.isAtOnce = false;
  }
}

/** Orders that wait, in the order in which they were sent. A run sends tens of thousands, a few at a time: they are used again. */
export class OpenOrders {
  count = 0;
  /** The first `count` wait, the others are spare. */
  readonly #orders: OpenOrder[] = [];
  readonly #isFirst: (order: OpenOrder, other: OpenOrder) => boolean;
  #due = -1;

  /** `isFirst`: whether an order meets a print before another one of its symbol. */
  constructor(isFirst: (order: OpenOrder, other: OpenOrder) => boolean) {
    this.#isFirst = isFirst;
  }

  /** An order to fill in; `add` takes it among those that wait. */
  spare(): OpenOrder {
    const spare = this.#orders[this.count];
    if (spare !== undefined) return spare.begin();
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

  /** All of them, in that order. */
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

  /** Shares of a symbol that sales hold; what waits for its trigger holds none. */
  onSale(symbol: number): number {
    return this.sharesOf(({ place, side, type }) => place === symbol && side === -1 && type !== 'MIT');
  }

  /** What they keep from being spent, in the currency. */
  reserved(): number {
    let sum = 0;
    for (let index = 0; index < this.count; index += 1) sum += this.at(index).reserve;
    return sum;
  }

  /**
   * The first to which something happens before the closes of an instant; undefined when there is none. It waits on unless `removeDue`
   * takes it out.
   */
  due(time: number): OpenOrder | undefined {
    let found = -1;
    for (let index = 0; index < this.count; index += 1) {
      const order = this.at(index);
      const isDue = order.at < time || (order.at === time && (order.ends === ENDS.expires || order.isAtOnce));
      if (isDue && (found < 0 || this.comesBefore(order, this.at(found)))) found = index;
    }
    this.#due = found;
    return found < 0 ? undefined : this.at(found);
  }

  /** Takes out the order that `due` found. It stays as it is until the next `spare`. */
  removeDue(): void {
    this.remove(this.#due);
  }

  /** Takes out one order, likewise. */
  remove(index: number): void {
    const order = this.at(index);
    const last = this.count - 1;
    for (let place = index; place < last; place += 1) this.#orders[place] = this.at(place + 1);
    this.#orders[last] = order;
    this.count = last;
  }

  /** Whether something happens to an order before something happens to another one. */
  comesBefore(order: OpenOrder, other: OpenOrder): boolean {
    if (order.at !== other.at) return order.at < other.at;
    if (order.ends !== other.ends) return order.ends < other.ends;
    if (order.isAtOnce || other.isAtOnce)
      return order.isAtOnce && (!other.isAtOnce || order.number < other.number);
    if (order.ends === ENDS.expires) return order.number < other.number;
    if (order.place !== other.place) return order.place < other.place;
    return order.ends === ENDS.fills && this.#isFirst(order, other);
  }
}
