import { DAY_MS, MINUTE_MS } from '../../model/time.ts';
import type { LimitName, RiskLimits } from '../../risk/limits.ts';
import { bailOut, demandAtMost, demandCount } from './bail-out.ts';
import { RecentOrders } from './recent-orders.ts';

/** Stands for the limit of an order without one. */
export const AT_MARKET = 0;

/** Worth of what else is held, open orders filled, in the currency. */
export interface OtherWorth {
  readonly gross: number;
  readonly mostLong: number;
  readonly mostShort: number;
}

/** There is no other security. */
export const NOTHING_ELSE: OtherWorth = { gross: 0, mostLong: 0, mostShort: 0 };

/** What the gate knows of one order and of the account it is for; amounts in the currency. One is filled in anew for each order. */
export class GateFigures {
  now = 0;
  place = 0;
  side: 1 | -1 = 1;
  quantity = 0;
  /** The quote, which is the close that the order was decided at. */
  quote = 0;
  /** The order's own price; `AT_MARKET` without one, and for a trigger. */
  limit = AT_MARKET;
  held = 0;
  openBuys = 0;
  openSells = 0;
  openOrders = 0;
  equity = 0;
  /** Equity when the exchange's day began. */
  dayBegan = 0;
  /** What all other securities are worth with their open orders filled: at most, at least, and the larger of both each. */
  others: OtherWorth = NOTHING_ELSE;
  /** Cash that nothing is set aside from. */
  spendable = 0;
  /** What the order costs as the venue reckons before it knows the price, charges included. */
  cost = 0;
}

/** Judges orders by the rules of risk/rules.ts in plain numbers: passes what passes for certain, and leaves at all else. */
export class ExpressGate {
  readonly #limits: RiskLimits;
  readonly #span: number;
  readonly #numbers: ReturnType<typeof numbersOf>;
  readonly #orders = new RecentOrders();
  readonly #fills = new RecentOrders();
  #peak = Number.NaN;
  /** The least equity that has passed as no loss, of a day that began with `#passedDay` and under that peak: more passes, too. */
  #passed = Number.POSITIVE_INFINITY;
  #passedDay = Number.NaN;

  constructor(limits: RiskLimits, equity: number) {
    this.#limits = limits;
    this.#span = Math.max(MINUTE_MS, limits.repeatWindow);
    this.#numbers = numbersOf(limits);
    this.#peak = equity;
  }

  /** Passes an order that may be sent. */
  pass(order: GateFigures): void {
    this.#orders.forget(order.now - this.#span);
    this.#demandNoFlood(order);
    if (order.limit !== AT_MARKET) this.#demandNear(order);
    if (order.side === 1) this.#demandRoom(order);
    else if (order.quantity > order.held - order.openSells) bailOut('a sale of more than is held');
    this.#orders.add(order.now, order.place, order.side * order.quantity, order.limit);
    if (order.side === 1 && order.equity > this.#peak) {
      this.#peak = order.equity;
      this.#passed = Number.POSITIVE_INFINITY;
    }
  }

  /** Losses by themselves, whether or not an order wants to open. Asked at every instant: a day is worked out at its lows alone. */
  demandNoLoss(equity: number, dayBegan: number): void {
    if (equity >= this.#passed && dayBegan === this.#passedDay) return;
    this.#workOutLoss(equity, dayBegan);
    if (dayBegan !== this.#passedDay || equity < this.#passed) this.#passed = equity;
    this.#passedDay = dayBegan;
  }

  #workOutLoss(equity: number, dayBegan: number): void {
    const { maxDailyLoss, maxDrawdown } = this.#numbers;
    if (!(dayBegan > 0)) bailOut('a day that began with nothing');
    demandAtMost(dayBegan - equity, dayBegan * maxDailyLoss, 'loss of the day');
    const peak = Math.max(this.#peak, equity);
    demandAtMost(peak - equity, peak * maxDrawdown, 'drawdown');
  }

  /** Counts a fill that was booked. */
  filled(at: number): void {
    this.#fills.add(at, 0, 0, 0);
  }

  #demandNoFlood({ now, place, side, quantity, limit }: GateFigures): void {
    const { maxOrderRate, maxRepeats, repeatWindow } = this.#limits;
    const { from, end, at, place: places, signed, limit: limits } = this.#orders;
    let [lately, alike, same] = [0, 0, 0];
    for (let index = from; index < end; index += 1) {
      const when = at[index] as number;
      const isOwn = places[index] === place && (signed[index] as number) > 0 === side > 0;
      if (when > now - MINUTE_MS) {
        lately += 1;
        if (isOwn) alike += 1;
      }
      if (isOwn && when > now - repeatWindow && signed[index] === side * quantity && limits[index] === limit)
        same += 1;
    }
    demandCount((side === 1 ? lately : alike) + 1, maxOrderRate, 'orders within a minute');
    demandCount(same + 1, maxRepeats, 'same orders');
  }

  #demandNear({ limit, quote }: GateFigures): void {
    demandAtMost(Math.abs(limit - quote) / quote, this.#numbers.priceCollar, 'price collar');
  }

  #demandRoom(order: GateFigures): void {
    const { quote, limit, quantity, held, openBuys, openSells, equity, others, spendable, cost } = order;
    const most = this.#numbers;
    if (!(equity > 0)) bailOut('no equity');
    this.demandNoLoss(equity, order.dayBegan);
    this.#fills.forget(order.now - DAY_MS);
    demandCount(this.#fills.count, this.#limits.maxUnattendedFills, 'fills within a day');
    demandCount(order.openOrders + 1, this.#limits.maxOpenOrders, 'open orders');
    const own = limit === AT_MARKET ? quote : limit;
    const price = Math.max(quote, own);
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
export const LIMIT_COVERAGE = {
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
