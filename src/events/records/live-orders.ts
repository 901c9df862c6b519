import { type Quantity, ZERO } from '../../model/decimal.ts';
import type { IntentId, Side } from '../../model/order.ts';
import { isLive, openRest } from '../../model/order-state.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { TrackedOrder } from '../bot-state.ts';

/** The live orders of one symbol and side. Every change creates a new object, so that results can be cached by it. */
export interface OrdersOfSide {
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly orders: ReadonlyMap<IntentId, TrackedOrder>;
  /** Orders of slots that exclude each other, which do not all execute. */
  readonly exclusive: ReadonlyMap<IntentId, TrackedOrder>;
  /** Open shares of all other orders by strategy; the total under ''. */
  readonly open: ReadonlyMap<string, Quantity>;
}

interface MutableSide extends OrdersOfSide {
  readonly orders: Map<IntentId, TrackedOrder>;
  readonly exclusive: Map<IntentId, TrackedOrder>;
  readonly open: Map<string, Quantity>;
}

/** Orders that may still add exposure, oldest first, with an index by symbol and side. */
export class LiveOrders extends Map<IntentId, TrackedOrder> {
  readonly #sides = new Map<string, MutableSide>();
  readonly #unknown = new Map<IntentId, TrackedOrder>();

  static of(orders: Iterable<TrackedOrder>): LiveOrders {
    const live = new LiveOrders();
    for (const order of orders) live.set(order.intentId, order);
    return live;
  }

  override set(id: IntentId, order: TrackedOrder): this {
    const before = this.get(id);
    if (before !== undefined) this.#updateSums(before, -1);
    const { orders, exclusive } = this.#updateSums(order, 1);
    orders.set(id, order);
    if (order.link?.exclusive === true) exclusive.set(id, order);
    else exclusive.delete(id);
    if (order.facets.submission.kind === 'unknown') this.#unknown.set(id, order);
    else this.#unknown.delete(id);
    return super.set(id, order);
  }

  override delete(id: IntentId): boolean {
    const order = this.get(id);
    if (order === undefined) return false;
    const { symbol, side, orders, exclusive } = this.#updateSums(order, -1);
    orders.delete(id);
    exclusive.delete(id);
    if (orders.size === 0) this.#sides.delete(keyOf(symbol, side));
    this.#unknown.delete(id);
    return super.delete(id);
  }

  override clear(): void {
    this.#sides.clear();
    this.#unknown.clear();
    super.clear();
  }

  /** Undefined where there are none. */
  ofSide(symbol: SecuritySymbol, side: Side): OrdersOfSide | undefined {
    return this.#sides.get(keyOf(symbol, side));
  }

  sides(): Iterable<OrdersOfSide> {
    return this.#sides.values();
  }

  /** Orders of which it is not known whether the venue has them. */
  unknown(): Iterable<TrackedOrder> {
    return this.#unknown.values();
  }

  /** Adds an order to the sums of its side, or takes it out of them. */
  #updateSums({ terms, facets, link, strategy }: TrackedOrder, sign: 1 | -1): MutableSide {
    const { symbol, side } = terms;
    const key = keyOf(symbol, side);
    const before = this.#sides.get(key);
    const after: MutableSide =
      before === undefined
        ? { symbol, side, orders: new Map(), exclusive: new Map(), open: new Map() }
        : { ...before };
    this.#sides.set(key, after);
    if (link?.exclusive === true || !isLive(facets)) return after;
    const rest = openRest(facets);
    for (const owner of strategy === undefined ? [''] : ['', strategy]) {
      const open = after.open.get(owner) ?? ZERO;
      after.open.set(owner, sign === 1 ? open.plus(rest) : open.minus(rest));
    }
    return after;
  }
}

const keyOf = (symbol: SecuritySymbol, side: Side): string => `${side} ${symbol}`;
