import { DAY_MS, MINUTE_MS } from '../../model/time.ts';
import type { LimitName, RiskLimits } from '../../risk/limits.ts';
import { demandAtMost, demandCount, leave } from './leaves.ts';

/** Stands for the limit of an order without one. */
const AT_MARKET = 0;

/** What the gate knows of one order and of the account it is for; amounts in the currency. */
export interface GateFigures {
  readonly now: number;
  readonly place: number;
  readonly side: 1 | -1;
  readonly quantity: number;
  /** The quote, which is the close that the order was decided at. */
  readonly quote: number;
  /** The order's own price; undefined at the market, and for a trigger. */
  readonly limit: number | undefined;
  readonly held: number;
  readonly openBuys: number;
  readonly openSells: number;
  readonly openOrders: number;
  readonly equity: number;
  /** Equity when the exchange's day began. */
  readonly dayBegan: number;
  /** What all other securities are worth with their open orders filled: at most, at least, and the larger of both each. */
  readonly others: OtherWorth;
  /** Cash that nothing is set aside from. */
  readonly spendable: number;
  /** What the order costs as the venue reckons before it knows the price, charges included. */
  readonly cost: number;
}

/** Worth of what else is held, open orders filled, in the currency. */
export interface OtherWorth {
  readonly gross: number;
  readonly mostLong: number;
  readonly mostShort: number;
}

/** Judges orders by the rules of risk/rules.ts in plain numbers: passes what passes for certain, and leaves at all else. */
export class ExpressGate {
  readonly #limits: RiskLimits;
  readonly #numbers: ReturnType<typeof numbersOf>;
  readonly #orders = {
    at: [] as number[],
    place: [] as number[],
    signed: [] as number[],
    limit: [] as number[],
  };
  #oldest = 0;
  readonly #fills: number[] = [];
  #oldFill = 0;
  #peak: number;

  constructor(limits: RiskLimits, equity: number) {
    this.#limits = limits;
    this.#numbers = numbersOf(limits);
    this.#peak = equity;
  }

  /** Passes an order that may be sent. */
  pass(order: GateFigures): void {
    this.#forget(order.now);
    this.#demandNoFlood(order);
    if (order.limit !== undefined)
      demandAtMost(
        Math.abs(order.limit - order.quote) / order.quote,
        this.#numbers.priceCollar,
        'price collar',
      );
    if (order.side === 1) this.#demandRoom(order);
    else if (order.quantity > order.held - order.openSells) leave('a sale of more than is held');
    this.#orders.at.push(order.now);
    this.#orders.place.push(order.place);
    this.#orders.signed.push(order.side * order.quantity);
    this.#orders.limit.push(order.limit ?? AT_MARKET);
    if (order.side === 1 && order.equity > this.#peak) this.#peak = order.equity;
  }

  /** Losses by themselves, whether or not an order wants to open. */
  demandNoLoss(equity: number, dayBegan: number): void {
    const { maxDailyLoss, maxDrawdown } = this.#numbers;
    if (!(dayBegan > 0)) leave('a day that began with nothing');
    demandAtMost(dayBegan - equity, dayBegan * maxDailyLoss, 'loss of the day');
    const peak = Math.max(this.#peak, equity);
    demandAtMost(peak - equity, peak * maxDrawdown, 'drawdown');
  }

  /** Counts a fill that was booked. */
  filled(at: number): void {
    this.#fills.push(at);
  }

  #demandNoFlood({ now, place, side, quantity, limit }: GateFigures): void {
    const { maxOrderRate, maxRepeats, repeatWindow } = this.#limits;
    const { at, place: places, signed, limit: limits } = this.#orders;
    let [lately, alike, same] = [0, 0, 0];
    for (let index = this.#oldest; index < at.length; index += 1) {
      const when = at[index] as number;
      const isOwn = places[index] === place && (signed[index] as number) > 0 === side > 0;
      if (when > now - MINUTE_MS) {
        lately += 1;
        if (isOwn) alike += 1;
      }
      if (
        isOwn &&
        when > now - repeatWindow &&
        signed[index] === side * quantity &&
        limits[index] === (limit ?? AT_MARKET)
      )
        same += 1;
    }
    demandCount((side === 1 ? lately : alike) + 1, maxOrderRate, 'orders within a minute');
    demandCount(same + 1, maxRepeats, 'same orders');
  }

  #demandRoom(order: GateFigures): void {
    const { quote, limit, quantity, held, openBuys, openSells, equity, others, spendable, cost } = order;
    const most = this.#numbers;
    if (!(equity > 0)) leave('no equity');
    this.demandNoLoss(equity, order.dayBegan);
    demandCount(this.#fills.length - this.#oldFill, this.#limits.maxUnattendedFills, 'fills within a day');
    demandCount(order.openOrders + 1, this.#limits.maxOpenOrders, 'open orders');
    const price = Math.max(quote, limit ?? quote);
    const own = limit ?? quote;
    const longest = held + openBuys + quantity;
    const shortest = held - openSells;
    const worst = Math.max(Math.abs(longest), Math.abs(shortest));
    demandAtMost(quantity * own, most.orderNotional, 'order notional');
    demandCount(quantity, most.orderQuantity, 'order quantity');
    demandAtMost(worst * price, equity * most.positionWeight, 'position weight');
    demandCount(worst, most.positionQuantity, 'position');
    demandAtMost(others.gross + worst * price, equity * most.grossExposure, 'gross exposure');
    const net = Math.max(
      Math.abs(others.mostLong + longest * price),
      Math.abs(others.mostShort + shortest * price),
    );
    demandAtMost(net, equity * most.netExposure, 'net exposure');
    demandAtMost(cost, spendable, 'buy limit');
    demandAtMost(quantity * own, spendable * (1 - most.marginHeadroom), 'margin');
  }

  #forget(now: number): void {
    const { at } = this.#orders;
    const span = Math.max(MINUTE_MS, this.#limits.repeatWindow);
    while (this.#oldest < at.length && (at[this.#oldest] as number) <= now - span) this.#oldest += 1;
    while (this.#oldFill < this.#fills.length && (this.#fills[this.#oldFill] as number) <= now - DAY_MS)
      this.#oldFill += 1;
  }
}

function numbersOf(limits: RiskLimits) {
  return {
    orderNotional: limits.maxOrderNotional.amount.toNumber(),
    orderQuantity: limits.maxOrderQuantity.toNumber(),
    positionWeight: limits.maxPositionWeight.toNumber(),
    positionQuantity: limits.maxPositionQuantity.toNumber(),
    grossExposure: limits.maxGrossExposure.toNumber(),
    netExposure: limits.maxNetExposure.toNumber(),
    marginHeadroom: limits.marginHeadroom.toNumber(),
    priceCollar: limits.priceCollar.toNumber(),
    maxDailyLoss: limits.maxDailyLoss.toNumber(),
    maxDrawdown: limits.maxDrawdown.toNumber(),
  };
}

/** How each limit is kept here; a new one does not compile before somebody has said how. */
export const KEPT = {
  maxOrderNotional: 'compared',
  maxOrderQuantity: 'compared',
  maxPositionWeight: 'compared',
  maxPositionQuantity: 'compared',
  maxGrossExposure: 'compared',
  maxNetExposure: 'compared',
  maxOpenOrders: 'compared',
  maxOrderRate: 'compared',
  maxRepeats: 'compared',
  repeatWindow: 'compared',
  marginHeadroom: 'compared',
  maxDailyLoss: 'compared',
  maxDrawdown: 'compared',
  maxUnattendedFills: 'compared',
  maxQuoteAge: 'an order is for a symbol whose bar closed at that instant',
  priceCollar: 'compared',
  maxQuoteJump: 'the quote is the close',
  maxSession: 'orders ask for no other session',
  restricted: 'the list is empty',
  allowShort: 'nothing is sold short',
  useMargin: 'the account borrows nothing',
  maxBreaches: 'nothing is denied',
  breachWindow: 'nothing is denied',
  maxEstimateAge: 'answers come at once',
  maxBalanceAge: 'answers come at once',
  maxPositionsAge: 'the books are the venue',
  maxMarginAge: 'answers come at once',
} as const satisfies Readonly<Record<LimitName, string>>;
