import { UNITS } from '../../events/curve/fill-columns.ts';
import type { ChargeSchedule, ChargeTable } from '../../markets/charges.ts';
import { decimalOfDouble } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Charge } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import type { PositionView } from '../../strategy/context.ts';
import { PlaceList } from '../place-list.ts';
import {
  averageCost,
  type Cost,
  costAfterwards,
  costOfNow,
  exactAverageCost,
  firstCost,
} from './average-cost.ts';
import { charged, chargeTables } from './charges.ts';
import { chargesOfFill, type FillFigures } from './fills-of-columns.ts';
import type { OpenOrder } from './open-order.ts';
import { EXACT, fromUnits, unitsOf } from './units.ts';

const FLAT: PositionView = { quantity: 0, averageCost: 0, openBuys: 0, openSells: 0 };

/** Cash in one currency, positions, and orders that wait: all in numbers that hold the decimals exactly. */
export class ExpressAccount {
  /** In units. */
  cash = Number.NaN;
  /** The same in the currency. */
  amount = Number.NaN;
  readonly held: Float64Array;
  readonly openBuys: Float64Array;
  readonly openSells: Float64Array;
  /** Shares of market orders that close a bracket, below zero for sales; the strategy is not shown them, as it is not shown other exits. */
  readonly openExits: Float64Array;
  /** What is held, in the order in which it came to be held. */
  readonly holdings: PlaceList;
  /** What open orders keep from being spent, in the currency. */
  reserved = 0;
  open = 0;
  /** Whether an amount went beyond what is kept exactly. */
  isRounded = false;
  /** Whether any security was ever sold short. */
  wasShort = false;
  /** How often anything here has changed that the strategy sees. */
  changes = 0;
  #views: readonly PositionView[];
  /** Places whose views are of before a change, and the changes that the views tell of. */
  readonly #stale: Uint8Array;
  #seen = 0;
  /** What the first shares of what is held were traded at; later ones are in `#costs`. */
  readonly #entries: Float64Array;
  readonly #costs: (Cost | undefined)[];
  readonly #buys: readonly ChargeTable[];
  readonly #sells: readonly ChargeTable[];

  constructor(cash: number, securities: readonly Security[], charges: ChargeSchedule) {
    this.cash = cash;
    this.amount = fromUnits(cash);
    this.isRounded = cash > EXACT;
    const column = (): Float64Array => new Float64Array(securities.length);
    [this.held, this.openBuys, this.openSells, this.openExits] = [column(), column(), column(), column()];
    this.holdings = new PlaceList(securities.length);
    this.#views = securities.map(() => FLAT);
    this.#stale = new Uint8Array(securities.length);
    this.#entries = column();
    this.#costs = securities.map(() => undefined);
    this.#buys = chargeTables(charges, securities, 'buy');
    this.#sells = chargeTables(charges, securities, 'sell');
  }

  /** What the strategy sees of each security, as it is now: the list stays as it is when things change. */
  views(): readonly PositionView[] {
    if (this.#seen === this.changes) return this.#views;
    const views = this.#views.slice();
    for (let place = 0; place < views.length; place += 1) {
      if (this.#stale[place] === 0) continue;
      views[place] = this.#viewOf(place);
      this.#stale[place] = 0;
    }
    this.#seen = this.changes;
    this.#views = views;
    return views;
  }

  /** Cash plus positions, in units; NaN where that is not exact: a price has more than six places, or an amount is too large. */
  exactWorth(priceOf: (place: number) => number): number {
    const { places, count } = this.holdings;
    let worth = this.isRounded ? Number.NaN : this.cash;
    for (let index = 0; index < count; index += 1) {
      const place = places[index] as number;
      const price = priceOf(place);
      const each = Math.round(price * UNITS);
      const units = each * (this.held[place] as number);
      if (each / UNITS !== price || Math.abs(units) > EXACT) return Number.NaN;
      worth += units;
    }
    return Math.abs(worth) <= EXACT ? worth : Number.NaN;
  }

  /** What a purchase would be charged, in the currency. */
  buyingCharge(place: number, at: number, quantity: number, notional: number): number {
    return fromUnits(charged(this.#buys[place] as ChargeTable, at, quantity, notional));
  }

  /** What a sale would be charged, in the currency. */
  sellingCharge(place: number, at: number, quantity: number, notional: number): number {
    return fromUnits(charged(this.#sells[place] as ChargeTable, at, quantity, notional));
  }

  /** Whether any security is sold short. */
  isShort(): boolean {
    const { places, count } = this.holdings;
    for (let index = 0; index < count; index += 1)
      if ((this.held[places[index] as number] as number) < 0) return true;
    return false;
  }

  /** Takes an order among those that wait. */
  take(order: OpenOrder): void {
    const { place, quantity, reserve } = order;
    this.#open(order, quantity);
    this.reserved += reserve;
    this.open += 1;
    this.#change(place);
  }

  /** Forgets an order that died. */
  end(order: OpenOrder): void {
    const { place, quantity, reserve } = order;
    this.#open(order, -quantity);
    this.open -= 1;
    this.reserved = this.open === 0 ? 0 : this.reserved - reserve;
    this.#change(place);
  }

  /** Counts shares as those of an open order; below zero no longer. */
  #open({ place, side, exit }: OpenOrder, quantity: number): void {
    const isExit = exit !== undefined;
    const column = isExit ? this.openExits : side === 1 ? this.openBuys : this.openSells;
    column[place] = (column[place] as number) + (isExit ? side * quantity : quantity);
  }

  /** Books the whole of an order that waits no more at its price; returns what that was charged, in units. */
  fill(order: OpenOrder): number {
    return this.#book(order, order.quantity);
  }

  /** Books some shares of an order, whose rest waits on; returns what they were charged, in units. */
  fillPart(order: OpenOrder, quantity: number): number {
    this.#open(order, -quantity);
    order.quantity -= quantity;
    const fee = this.#book(order, quantity);
    if (order.side === 1) order.reserve = this.#reserveOf(order);
    return fee;
  }

  #book(order: OpenOrder, quantity: number): number {
    const { place, side, price, at } = order;
    const notional = unitsOf(price) * quantity;
    order.executed += quantity;
    order.notional += notional;
    order.fills += 1;
    // Fills of an order are charged together.
    const before = order.charged;
    order.charged = charged(this.#tableOf(order), at, order.executed, order.notional);
    const fee = order.charged - before;
    this.#setCash(this.cash - side * notional - fee);
    if (order.notional > EXACT) this.isRounded = true;
    this.#move(place, side * quantity, price);
    this.#change(place);
    return fee;
  }

  /** What the rest of a purchase keeps from being spent: the same as `reserveOf` of buying-power/reserving.ts. */
  #reserveOf({ place, quantity, reservedAt, executed, notional, charged: before, at }: OpenOrder): number {
    const rest = quantity * reservedAt;
    const table = this.#buys[place] as ChargeTable;
    const whole = charged(table, at, executed + quantity, notional + Math.round(rest * UNITS));
    return rest + fromUnits(Math.max(0, whole - before));
  }

  /** What the last fill of an order is charged, line by line. */
  chargesOf(order: OpenOrder, fill: FillFigures, security: Security): readonly Charge[] {
    const shares = Math.abs(fill.quantity);
    const before = {
      executed: order.executed - shares,
      notional: order.notional - unitsOf(fill.price) * shares,
      fills: order.fills - 1,
    };
    return chargesOfFill(this.#tableOf(order), fill, security, before);
  }

  #tableOf({ place, side }: OpenOrder): ChargeTable {
    return (side === 1 ? this.#buys : this.#sells)[place] as ChargeTable;
  }

  #move(place: number, quantity: number, price: number): void {
    const before = this.held[place] as number;
    const held = before + quantity;
    this.held[place] = held;
    if (held < 0) this.wasShort = true;
    if (held === 0) {
      this.holdings.drop(place);
      this.#entries[place] = 0;
      this.#costs[place] = undefined;
    } else if (before === 0) {
      this.holdings.add(place);
      this.#entries[place] = price;
    } else if (before < 0 !== held < 0) {
      // A position that turns round begins again at the price of the fill.
      this.#entries[place] = price;
      this.#costs[place] = undefined;
    } else if (before < 0 === quantity < 0) this.#addTo(place, quantity, price, held);
  }

  #addTo(place: number, quantity: number, price: number, held: number): void {
    const before = this.#costs[place] ?? firstCost(this.#entries[place] as number);
    this.#costs[place] = costAfterwards(before, quantity, price, held);
  }

  /** What a share that is held cost, as the books have it. */
  exactCost(place: number): Decimal {
    const cost = this.#costs[place];
    return cost === undefined ? decimalOfDouble(this.#entries[place] as number) : exactAverageCost(cost);
  }

  /** Books a corporate action: shares and units of cash that come, below zero that go, and what a share has cost from now on. */
  act(place: number, shares: number, cash: number, cost: Decimal): void {
    const held = (this.held[place] as number) + shares;
    this.#setCash(this.cash + cash);
    this.held[place] = held;
    this.#costs[place] = held === 0 ? undefined : costOfNow(cost, held);
    if (held === 0) {
      this.holdings.drop(place);
      this.#entries[place] = 0;
    }
    this.#change(place);
  }

  /** Books units of cash that come without a trade, below zero those that go. */
  receive(cash: number): void {
    this.#setCash(this.cash + cash);
    this.changes += 1;
  }

  #setCash(cash: number): void {
    this.cash = cash;
    this.amount = fromUnits(cash);
    if (Math.abs(cash) > EXACT) this.isRounded = true;
  }

  #change(place: number): void {
    this.#stale[place] = 1;
    this.changes += 1;
  }

  #viewOf(place: number): PositionView {
    const cost = this.#costs[place];
    return {
      quantity: this.held[place] as number,
      averageCost: cost === undefined ? (this.#entries[place] as number) : averageCost(cost),
      openBuys: this.openBuys[place] as number,
      openSells: this.openSells[place] as number,
    };
  }
}
