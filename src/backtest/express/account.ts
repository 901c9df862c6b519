import { UNITS } from '../../events/curve/fill-columns.ts';
import type { ChargeSchedule, ChargeTable } from '../../markets/charges.ts';
import { decimalOfDouble } from '../../model/amount.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Charge } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import type { PositionView } from '../../strategy/context.ts';
import { SecurityIndexList } from '../security-index-list.ts';
import {
  averageCost,
  type Cost,
  costAfterAction,
  costAfterPurchase,
  exactAverageCost,
  firstCost,
} from './average-cost.ts';
import { chargesInUnits, chargeTables } from './charges.ts';
import { chargesOfFill, type FillFigures } from './fills-of-columns.ts';
import type { OpenOrder } from './open-order.ts';
import { EXACT, fromUnits, unitsOf } from './units.ts';

const FLAT: PositionView = { quantity: 0, averageCost: 0, openBuys: 0, openSells: 0 };

/** Cash in one currency, positions and open orders, in float64 numbers that represent the decimals exactly. */
export class ExpressAccount {
  /** In units. */
  cash = Number.NaN;
  /** `cash` in currency units. */
  cashAmount = Number.NaN;
  readonly held: Float64Array;
  readonly openBuys: Float64Array;
  readonly openSells: Float64Array;
  /**
   * Signed quantity of market orders that close brackets; negative for sales. Hidden from the strategy, like other
   * exits.
   */
  readonly openExits: Float64Array;
  /** Open positions, in the order of their opening. */
  readonly holdings: SecurityIndexList;
  /** Cash reserved by open orders, in the currency. */
  reserved = 0;
  openOrderCount = 0;
  /** Whether an amount exceeded the exact range. */
  exceedsExactRange = false;
  /** Whether any security was ever sold short. */
  wasShort = false;
  /** Number of changes that are visible to the strategy. */
  changes = 0;
  #views: readonly PositionView[];
  /** Securities with outdated views, and the value of `changes` at the last update. */
  readonly #stale: Uint8Array;
  #changesAtLastView = 0;
  /** Price of the first shares of each position; later ones are in `#costs`. */
  readonly #entries: Float64Array;
  readonly #costs: (Cost | undefined)[];
  readonly #buys: readonly ChargeTable[];
  readonly #sells: readonly ChargeTable[];

  constructor(cash: number, securities: readonly Security[], charges: ChargeSchedule) {
    this.cash = cash;
    this.cashAmount = fromUnits(cash);
    this.exceedsExactRange = cash > EXACT;
    const column = (): Float64Array => new Float64Array(securities.length);
    [this.held, this.openBuys, this.openSells, this.openExits] = [column(), column(), column(), column()];
    this.holdings = new SecurityIndexList(securities.length);
    this.#views = securities.map(() => FLAT);
    this.#stale = new Uint8Array(securities.length);
    this.#entries = column();
    this.#costs = securities.map(() => undefined);
    this.#buys = chargeTables(charges, securities, 'buy');
    this.#sells = chargeTables(charges, securities, 'sell');
  }

  /** Returns the positions for the strategy. Changes create a new list. */
  views(): readonly PositionView[] {
    if (this.#changesAtLastView === this.changes) return this.#views;
    const views = this.#views.slice();
    for (let place = 0; place < views.length; place += 1) {
      if (this.#stale[place] === 0) continue;
      views[place] = this.#viewOf(place);
      this.#stale[place] = 0;
    }
    this.#changesAtLastView = this.changes;
    this.#views = views;
    return views;
  }

  /** Returns cash plus positions, in units; NaN if a price has more than six places or an amount is too large. */
  exactEquity(priceOf: (place: number) => number): number {
    const { places, count } = this.holdings;
    let worth = this.exceedsExactRange ? Number.NaN : this.cash;
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

  buyingCharge(place: number, at: number, quantity: number, notional: number): number {
    return fromUnits(chargesInUnits(this.#buys[place] as ChargeTable, at, quantity, notional));
  }

  sellingCharge(place: number, at: number, quantity: number, notional: number): number {
    return fromUnits(chargesInUnits(this.#sells[place] as ChargeTable, at, quantity, notional));
  }

  isShort(): boolean {
    const { places, count } = this.holdings;
    for (let index = 0; index < count; index += 1)
      if ((this.held[places[index] as number] as number) < 0) return true;
    return false;
  }

  addOrder(order: OpenOrder): void {
    const { place, quantity, reserve } = order;
    this.#addOpenShares(order, quantity);
    this.reserved += reserve;
    this.openOrderCount += 1;
    this.#markChanged(place);
  }

  /** Removes an order that ended unfilled. */
  removeUnfilled(order: OpenOrder): void {
    const { place, quantity, reserve } = order;
    this.#addOpenShares(order, -quantity);
    this.openOrderCount -= 1;
    this.reserved = this.openOrderCount === 0 ? 0 : this.reserved - reserve;
    this.#markChanged(place);
  }

  /** Adds shares of an open order; a negative quantity removes them. */
  #addOpenShares({ place, side, exit }: OpenOrder, quantity: number): void {
    const isExit = exit !== undefined;
    const column = isExit ? this.openExits : side === 1 ? this.openBuys : this.openSells;
    column[place] = (column[place] as number) + (isExit ? side * quantity : quantity);
  }

  /** Books all remaining shares of an order that is no longer open; returns their charges, in units. */
  fill(order: OpenOrder): number {
    return this.#book(order, order.quantity);
  }

  /** Books some shares of an order that remains open; returns their charges, in units. */
  fillPart(order: OpenOrder, quantity: number): number {
    this.#addOpenShares(order, -quantity);
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
    order.charged = chargesInUnits(this.#tableOf(order), at, order.executed, order.notional);
    const fee = order.charged - before;
    this.#setCash(this.cash - side * notional - fee);
    if (order.notional > EXACT) this.exceedsExactRange = true;
    this.#updatePosition(place, side * quantity, price);
    this.#markChanged(place);
    return fee;
  }

  /** Returns the cash that the rest of a purchase reserves; equals `reserveOf` of buying-power/reserving.ts. */
  #reserveOf({ place, quantity, reservedAt, executed, notional, charged: before, at }: OpenOrder): number {
    const rest = quantity * reservedAt;
    const table = this.#buys[place] as ChargeTable;
    const whole = chargesInUnits(table, at, executed + quantity, notional + Math.round(rest * UNITS));
    return rest + fromUnits(Math.max(0, whole - before));
  }

  /** Returns the itemized charges of an order's last fill. */
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

  #updatePosition(place: number, quantity: number, price: number): void {
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
      // A reversed position starts at the price of the fill.
      this.#entries[place] = price;
      this.#costs[place] = undefined;
    } else if (before < 0 === quantity < 0) this.#addToCost(place, quantity, price, held);
  }

  #addToCost(place: number, quantity: number, price: number, held: number): void {
    const before = this.#costs[place] ?? firstCost(this.#entries[place] as number);
    this.#costs[place] = costAfterPurchase(before, quantity, price, held);
  }

  /** Returns the average cost of a position, as in the full engine's books. */
  exactCost(place: number): Decimal {
    const cost = this.#costs[place];
    return cost === undefined ? decimalOfDouble(this.#entries[place] as number) : exactAverageCost(cost);
  }

  /** Books a corporate action: change of shares, change of cash in units, and the new average cost. */
  bookAction(place: number, shares: number, cash: number, cost: Decimal): void {
    const held = (this.held[place] as number) + shares;
    this.#setCash(this.cash + cash);
    this.held[place] = held;
    this.#costs[place] = held === 0 ? undefined : costAfterAction(cost, held);
    if (held === 0) {
      this.holdings.drop(place);
      this.#entries[place] = 0;
    }
    this.#markChanged(place);
  }

  /** Books a change of cash without a trade, in units. */
  bookCash(cash: number): void {
    this.#setCash(this.cash + cash);
    this.changes += 1;
  }

  #setCash(cash: number): void {
    this.cash = cash;
    this.cashAmount = fromUnits(cash);
    if (Math.abs(cash) > EXACT) this.exceedsExactRange = true;
  }

  #markChanged(place: number): void {
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
