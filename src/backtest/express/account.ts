import type { ChargeSchedule } from '../../markets/charges.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Security } from '../../model/security.ts';
import type { PositionView } from '../../strategy/context.ts';
import { type ChargeTable, chargeTable } from './charges.ts';
import type { Outcome } from './outcome.ts';
import { EXACT, fromUnits, unitsOf } from './units.ts';
import type { Wish } from './wish.ts';

/** An order that waits for what becomes of it. */
export interface OpenOrder extends Wish, Outcome {
  /** Place of its security in the run's. */
  readonly place: number;
  /** What it keeps from being spent, in the currency: price and charges as they were estimated. */
  readonly reserve: number;
}

/** One purchase, as average cost remembers it. */
interface Cost {
  readonly before: Cost | undefined;
  readonly quantity: number;
  readonly price: number;
  /** Shares held once it was booked. */
  readonly held: number;
  /** Worked out when somebody looks. */
  mean: Decimal | undefined;
}

const FLAT: PositionView = { quantity: 0, averageCost: 0, openBuys: 0, openSells: 0 };

/** Cash in one currency, positions, and orders that wait: all in numbers that hold the decimals exactly. */
export class ExpressAccount {
  /** In units. */
  cash: number;
  readonly held: Float64Array;
  readonly openBuys: Float64Array;
  readonly openSells: Float64Array;
  /** Places of what is held, in the order in which it came to be held. */
  holdings: readonly number[] = [];
  /** What open orders keep from being spent, in the currency. */
  reserved = 0;
  open = 0;
  /** Whether an amount went beyond what is kept exactly. */
  isRounded = false;
  #views: readonly PositionView[];
  readonly #changed = new Set<number>();
  readonly #costs: (Cost | undefined)[];
  readonly #buys: readonly ChargeTable[];
  readonly #sells: readonly ChargeTable[];

  constructor(cash: number, securities: readonly Security[], charges: ChargeSchedule) {
    this.cash = cash;
    const column = (): Float64Array => new Float64Array(securities.length);
    [this.held, this.openBuys, this.openSells] = [column(), column(), column()];
    this.#views = securities.map(() => FLAT);
    this.#costs = securities.map(() => undefined);
    this.#buys = securities.map((security) => chargeTable(charges, security, 'buy'));
    this.#sells = securities.map((security) => chargeTable(charges, security, 'sell'));
  }

  /** What the strategy sees of each security, as it is now: the list stays as it is when things change. */
  views(): readonly PositionView[] {
    if (this.#changed.size === 0) return this.#views;
    const views = this.#views.slice();
    for (const place of this.#changed) views[place] = this.#viewOf(place);
    this.#changed.clear();
    this.#views = views;
    return views;
  }

  /** Cash plus positions at what `priceOf` says, in the currency; summed as the books' portfolio is. */
  equity(priceOf: (place: number) => number): number {
    let equity = fromUnits(this.cash);
    for (const place of this.holdings) equity += (this.held[place] as number) * priceOf(place);
    return equity;
  }

  /** What a purchase would be charged, in the currency. */
  buyingCharge(place: number, at: number, quantity: number, notional: number): number {
    return fromUnits((this.#buys[place] as ChargeTable).charge(at, quantity, notional));
  }

  /** Takes an order among those that wait. */
  take({ place, side, quantity, reserve }: OpenOrder): void {
    const column = side === 1 ? this.openBuys : this.openSells;
    column[place] = (column[place] as number) + quantity;
    this.reserved += reserve;
    this.open += 1;
    this.#changed.add(place);
  }

  /** Forgets an order that died. */
  end({ place, side, quantity, reserve }: OpenOrder): void {
    const column = side === 1 ? this.openBuys : this.openSells;
    column[place] = (column[place] as number) - quantity;
    this.open -= 1;
    this.reserved = this.open === 0 ? 0 : this.reserved - reserve;
    this.#changed.add(place);
  }

  /** Books the whole of an order at its price; returns what it was charged, in the currency. */
  fill(order: OpenOrder): number {
    this.end(order);
    const { place, side, quantity, price, at } = order;
    const notional = unitsOf(price) * quantity;
    const table = (side === 1 ? this.#buys : this.#sells)[place] as ChargeTable;
    const fee = table.charge(at, quantity, notional);
    this.cash -= side * notional + fee;
    if (notional > EXACT || this.cash > EXACT) this.isRounded = true;
    this.#move(place, side * quantity, price);
    return fromUnits(fee);
  }

  #move(place: number, quantity: number, price: number): void {
    const before = this.held[place] as number;
    const held = before + quantity;
    this.held[place] = held;
    if (held === 0) {
      this.holdings = this.holdings.filter((other) => other !== place);
      this.#costs[place] = undefined;
    } else if (before === 0) {
      this.holdings = [...this.holdings, place];
      this.#costs[place] = { before: undefined, quantity, price, held, mean: undefined };
    } else if (quantity > 0) {
      this.#costs[place] = { before: this.#costs[place], quantity, price, held, mean: undefined };
    }
  }

  #viewOf(place: number): PositionView {
    const cost = this.#costs[place];
    return {
      quantity: this.held[place] as number,
      averageCost: cost === undefined ? 0 : averageCost(cost),
      openBuys: this.openBuys[place] as number,
      openSells: this.openSells[place] as number,
    };
  }
}

/** The same as `costAfter` in events/portfolio.ts: the first purchase's price, and from then on the mean that it grows by. */
function averageCost(newest: Cost): number {
  if (newest.before === undefined) return newest.price;
  const unknown: Cost[] = [];
  for (let cost: Cost | undefined = newest; cost !== undefined && cost.mean === undefined; cost = cost.before)
    unknown.push(cost);
  for (const cost of unknown.reverse()) {
    const paid = new Decimal(cost.price);
    const heldBefore = new Decimal(cost.held - cost.quantity);
    cost.mean =
      cost.before?.mean === undefined
        ? paid
        : heldBefore.times(cost.before.mean).plus(paid.times(cost.quantity)).div(cost.held);
  }
  return newest.mean?.toNumber() ?? newest.price;
}
