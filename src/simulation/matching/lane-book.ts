import type { Floor, Lane } from '../market/floor.ts';
import { NO_PRINT, type PrintIndex } from '../market/tape.ts';
import type { VenueOrder } from '../orders/venue-order.ts';

/** Orders that wait for prints, by symbol, in the order in which they began to wait; tells the floor what comes next. */
export class LaneBook {
  readonly #floor: Floor;
  readonly #everyPrint: boolean;
  readonly #lanes: readonly Set<VenueOrder>[];
  /** True for lanes of which every print counts at the moment, whatever orders wait for. */
  #watched: (lane: Lane) => boolean = () => false;

  /** With `everyPrint` each print is a step of its own, else only those that touch an order. */
  constructor(floor: Floor, everyPrint: boolean) {
    this.#floor = floor;
    this.#everyPrint = everyPrint;
    this.#lanes = floor.lanes.map(() => new Set());
    for (const lane of floor.lanes) this.reschedule(lane);
  }

  /** States which lanes somebody else watches print by print. */
  watch(watched: (lane: Lane) => boolean): void {
    this.#watched = watched;
  }

  /** Lets an order wait for a print; NO_PRINT waits for nothing but its end. */
  rest(order: VenueOrder, lane: Lane, touch: PrintIndex): void {
    order.touch = touch;
    this.#ordersOf(lane).add(order);
    this.reschedule(lane);
  }

  /**
   * Lets those of the orders that wait in a lane go on to another print. Its next step is looked for once, however many they
   * are: looked for after each, ten thousand orders that rest for years would take hours.
   */
  restOn(lane: Lane, orders: readonly VenueOrder[], touch: PrintIndex): void {
    const waiting = this.#ordersOf(lane);
    for (const order of orders) if (waiting.has(order)) order.touch = touch;
    this.reschedule(lane);
  }

  /** Takes an order out, if it is in. */
  remove(order: VenueOrder): void {
    order.touch = NO_PRINT;
    const lane = this.#floor.lane(order.terms.symbol);
    if (lane !== undefined && this.#ordersOf(lane).delete(order)) this.reschedule(lane);
  }

  /** The orders that a print touches; those that ended meanwhile no longer name it. */
  touchedBy(lane: Lane, index: PrintIndex): readonly VenueOrder[] {
    return [...this.#ordersOf(lane)].filter((order) => order.touch === index);
  }

  /** Everything that waits in a lane. */
  waiting(lane: Lane): readonly VenueOrder[] {
    return [...this.#ordersOf(lane)];
  }

  /** Orders that wait for a print that nobody knows of yet. */
  unforeseen(lane: Lane): readonly VenueOrder[] {
    return this.waiting(lane).filter((order) => order.touch === NO_PRINT);
  }

  /** Tells the floor which print of the lane is its next step. */
  reschedule(lane: Lane): void {
    this.#floor.schedule(
      lane,
      this.#everyPrint || this.#watched(lane) ? this.#floor.upcoming(lane) : this.#firstTouch(lane),
    );
  }

  #firstTouch(lane: Lane): PrintIndex {
    let first = NO_PRINT;
    for (const order of this.#ordersOf(lane)) first = Math.min(first, order.touch);
    return first;
  }

  #ordersOf(lane: Lane): Set<VenueOrder> {
    const orders = this.#lanes[lane.place];
    if (orders === undefined) throw new Error(`No book of orders for "${lane.symbol}"`);
    return orders;
  }
}
