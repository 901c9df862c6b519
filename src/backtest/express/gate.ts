import { NEAR_LIMIT_SHARE } from '../../execution/gate/loss-watch.ts';
import type { GateState } from '../../model/gate.ts';
import { DAY_MS, MINUTE_MS } from '../../model/time.ts';
import type { LimitName, RiskLimits } from '../../risk/limits.ts';
import { gateState, openingHours } from '../../risk/state-rules.ts';
import { bailOut, bailOutAbove, isAtMost, SLACK } from './bail-out.ts';
import { RecentOrders } from './recent-orders.ts';
import { fromUnits } from './units.ts';

/** The value of `limit` for an order without one. */
export const AT_MARKET = 0;

/** Value of the other positions with open orders filled, in the currency. */
export interface OtherPositions {
  readonly gross: number;
  readonly mostLong: number;
  readonly mostShort: number;
}

/** For a run with one security. */
export const NO_OTHERS: OtherPositions = { gross: 0, mostLong: 0, mostShort: 0 };

/** The money rules of an account with borrowing. */
export interface MoneyRules {
  /** Returns the first rule that denies the order weighed last, or `UNCLEAR`; undefined if all pass. */
  ruleThatDenies(headroom: number): string | undefined;
}

/** The gate's input for one order, amounts in the currency. One object is reused for all orders. */
export class GateFigures {
  now = 0;
  place = 0;
  side: 1 | -1 = 1;
  quantity = 0;
  /** The quote, which is the close at which the order was decided. */
  quote = 0;
  /** The order's limit; `AT_MARKET` without one, and for a trigger. */
  limit = AT_MARKET;
  /** Trigger price; 0 for none. */
  trigger = 0;
  /** Whether it is an exit of a bracket. */
  isExit = false;
  held = 0;
  openBuys = 0;
  openSells = 0;
  openOrders = 0;
  /** Number of its sliced order; 0 for others. Slices of one order count as one order. */
  sliceOf = 0;
  equity = 0;
  /** Equity at the start of the exchange's day. */
  dayStartEquity = 0;
  /**
   * Value of all other positions with open orders filled: most long, most short, and the sum of the larger absolute
   * values.
   */
  others: OtherPositions = NO_OTHERS;
  /** Cash that is not reserved. */
  spendable = 0;
  /** Money rules of an account with borrowing; undefined for a cash account without short sales. */
  power: MoneyRules | undefined;
  /** Estimated cost of the order, charges included. */
  cost = 0;

  /** Whether it adds exposure, counting open orders as filled; equals `opensExposure`. */
  get opens(): boolean {
    const { side, held, openBuys, openSells, quantity } = this;
    return side === 1 ? held + openBuys + quantity > 0 : quantity > held - openSells;
  }
}

/** The verdict if float64 cannot decide, because a figure is within rounding of its limit. */
export const UNCLEAR = 'unclear';

/**
 * Compares orders with limits in float64, in the order of risk/rules.ts. The exact rules judge denials and figures
 * within rounding of a limit (exact-verdict.ts). Bails out if fills would move the gate.
 */
export class ExpressGate {
  readonly #limits: RiskLimits;
  readonly #recentMs: number;
  readonly #maxima: ReturnType<typeof numbersOf>;
  /** Orders that passed recently. */
  readonly recent = new RecentOrders();
  readonly #fills = new RecentOrders();
  #peak: number;
  /** The peak in units; NaN if not known exactly. */
  #exactPeak: number;
  /** State of the gate. */
  #state: GateState = 'active';
  /** Whether a schedule has stopped opening. */
  isOpeningStopped = false;
  /** Whether the drawdown limit already restricts the gate, so that exceeding it again has no effect. */
  #isDrawdownRestricted = false;
  /**
   * Lowest equity that was within the limits, for the day's start `#lowestPassedDay` and the current peak; any higher
   * equity is as well.
   */
  #lowestPassed = Number.POSITIVE_INFINITY;
  #lowestPassedDay = Number.NaN;

  /** `opening` is initial equity, in units. */
  constructor(limits: RiskLimits, opening: number) {
    this.#limits = limits;
    this.#recentMs = Math.max(MINUTE_MS, limits.repeatWindow);
    this.#maxima = numbersOf(limits);
    this.#peak = fromUnits(opening);
    this.#exactPeak = opening;
  }

  /** Highest equity at which an order was judged. */
  get peak(): number {
    return this.#peak;
  }

  /** The peak in units; NaN if not known exactly. */
  get exactPeak(): number {
    return this.#exactPeak;
  }

  /** Fills within a day. */
  get unattendedFills(): number {
    return this.#fills.count;
  }

  /** Returns the first rule that denies an order, or `UNCLEAR`; undefined if all pass. */
  judge(order: GateFigures): string | undefined {
    this.recent.dropUntil(order.now - this.#recentMs);
    const { side, opens } = order;
    if (this.#state !== 'active' && (opens || this.#state !== 'reduce-only')) return gateState.name;
    if (opens && this.isOpeningStopped) return openingHours.name;
    if (side === -1 && opens && !this.#limits.allowShort) return 'no-short';
    if (side === -1 && opens && order.power === undefined) bailOut('a sale of more shares than held');
    const flowRule = this.#checkOrderFlow(order);
    if (flowRule !== undefined) return flowRule;
    if (opens) this.#checkEquity(order);
    const collarRule =
      order.limit === AT_MARKET
        ? undefined
        : ruleIfAbove(
            Math.abs(order.limit - order.quote) / order.quote,
            this.#maxima.priceCollar,
            'price-collar',
          );
    return collarRule ?? (opens ? this.#checkLimits(order) : undefined);
  }

  recordPassed(order: GateFigures): void {
    const { now, place, side, quantity, limit } = order;
    this.recent.add(now, place, side * quantity, limit, order);
  }

  /**
   * Updates the peak with the equity at which an opening order is judged, whatever the verdict; `exact` returns it in
   * units.
   */
  notePeak(equity: number, exact: () => number): void {
    if (!(equity > this.#peak)) return;
    this.#setPeak(equity, exact());
  }

  #setPeak(equity: number, exact: number): void {
    this.#peak = equity;
    this.#exactPeak = exact;
    this.#lowestPassed = Number.POSITIVE_INFINITY;
  }

  /** Handles a restriction by a loss limit. */
  setRestriction(state: GateState, isDown: boolean): void {
    this.#state = state;
    this.#isDrawdownRestricted = isDown;
    this.#lowestPassed = Number.POSITIVE_INFINITY;
  }

  /** Handles a resume: losses and fills count from now on. */
  applyResume(now: number, equity: number): void {
    this.setRestriction('active', false);
    this.#setPeak(fromUnits(equity), equity);
    this.#fills.dropUntil(now);
  }

  /**
   * Returns whether losses certainly do not move the gate. Caches the day's lowest equity that passed, because it is
   * called at every event.
   */
  isWithinLimits(equity: number, dayStartEquity: number): boolean {
    if (equity >= this.#lowestPassed && dayStartEquity === this.#lowestPassedDay) return true;
    if (!this.allowsLossTo(equity, dayStartEquity)) return false;
    if (dayStartEquity !== this.#lowestPassedDay || equity < this.#lowestPassed) this.#lowestPassed = equity;
    this.#lowestPassedDay = dayStartEquity;
    return true;
  }

  /** Returns whether losses are within the limits at this equity or more. */
  allowsLossTo(equity: number, dayStartEquity: number): boolean {
    if (this.#state === 'killed') return true;
    const { maxDailyLoss, maxDrawdown } = this.#maxima;
    const [lost, down] = [dayStartEquity - equity, this.#peak - equity];
    return (
      dayStartEquity > 0 &&
      isAtMost(lost, dayStartEquity * maxDailyLoss) &&
      (this.#isDrawdownRestricted || isAtMost(down, this.#peak * maxDrawdown))
    );
  }

  /**
   * Returns whether equity at the newest closes is so near a limit that the gate checks losses at the latest prints.
   */
  isNearLimit(equity: number, dayStartEquity: number): boolean {
    const { maxDailyLoss, maxDrawdown } = this.#maxima;
    return (
      isAbove(dayStartEquity - equity, dayStartEquity * maxDailyLoss * NEAR_LIMIT_SHARE) ||
      isAbove(this.#peak - equity, this.#peak * maxDrawdown * NEAR_LIMIT_SHARE)
    );
  }

  recordFill(at: number): void {
    this.#fills.add(at, 0, 0, 0);
  }

  #checkOrderFlow(order: GateFigures): string | undefined {
    const { now, place, side, quantity, limit, trigger, isExit, sliceOf, opens } = order;
    const { maxOrderRate, maxRepeats, repeatWindow } = this.#limits;
    const { recent } = this;
    const { from, end, at, place: places, signed, limit: limits, sliceOf: parts } = recent;
    const exit = isExit ? 1 : 0;
    const [recentDecisions, sameSide, duplicates] = [
      new DecisionCounter(sliceOf),
      new DecisionCounter(sliceOf),
      new DecisionCounter(sliceOf),
    ];
    for (let index = from; index < end; index += 1) {
      const when = at[index] as number;
      const part = parts[index] as number;
      const isAlike =
        places[index] === place && (signed[index] as number) > 0 === side > 0 && recent.exit[index] === exit;
      if (when > now - MINUTE_MS) {
        recentDecisions.add(part);
        if (isAlike) sameSide.add(part);
      }
      if (
        isAlike &&
        when > now - repeatWindow &&
        signed[index] === side * quantity &&
        limits[index] === limit &&
        recent.trigger[index] === trigger
      )
        duplicates.add(part);
    }
    if ((opens ? recentDecisions : sameSide).count > maxOrderRate) return opens ? 'order-rate' : 'close-rate';
    return duplicates.count > maxRepeats ? 'duplicate-order' : undefined;
  }

  /** Checks whether an opening order may put equity at risk at all. */
  #checkEquity({ now, equity, dayStartEquity }: GateFigures): void {
    if (!(equity > 0)) bailOut('equity is not positive');
    if (!this.isWithinLimits(equity, dayStartEquity))
      bailOut('an order is judged while losses exceed a limit');
    this.#fills.dropUntil(now - DAY_MS);
    bailOutAbove(this.#fills.count, this.#limits.maxUnattendedFills, 'fills within a day');
  }

  #checkLimits(order: GateFigures): string | undefined {
    const { quote, limit, side, quantity, held, openBuys, openSells, equity, others } = order;
    const max = this.#maxima;
    const own = limit === AT_MARKET ? quote : limit;
    const price = Math.max(quote, own);
    const longest = held + openBuys + (side === 1 ? quantity : 0);
    const shortest = held - openSells - (side === 1 ? 0 : quantity);
    const worst = Math.max(Math.abs(longest), Math.abs(shortest));
    const net = Math.max(
      Math.abs(others.mostLong + longest * price),
      Math.abs(others.mostShort + shortest * price),
    );
    return (
      ruleIfAbove(quantity * own, max.orderNotional, 'max-order-notional') ??
      (quantity > max.orderQuantity ? 'max-order-quantity' : undefined) ??
      ruleIfAbove(worst * price, equity * max.positionWeight, 'max-position-weight') ??
      (worst > max.positionQuantity ? 'max-position-quantity' : undefined) ??
      ruleIfAbove(others.gross + worst * price, equity * max.grossExposure, 'max-gross-exposure') ??
      // A small difference of large sums.
      ruleIfAbove(net, equity * max.netExposure, 'max-net-exposure', others.gross + worst * price) ??
      (order.openOrders + 1 > this.#limits.maxOpenOrders ? 'max-open-orders' : undefined) ??
      this.#checkFunds(order, quantity * own)
    );
  }

  #checkFunds({ power, cost, spendable }: GateFigures, notional: number): string | undefined {
    const { marginHeadroom } = this.#maxima;
    if (power !== undefined) return power.ruleThatDenies(marginHeadroom);
    return (
      ruleIfAbove(cost, spendable, 'buy-limit') ??
      ruleIfAbove(notional, spendable * (1 - marginHeadroom), 'margin-headroom')
    );
  }
}

/** Counts decisions like `decisionsWith` of risk/flow-rules.ts: all slices of one order are one. */
export class DecisionCounter {
  #others = 0;
  /** Numbers of sliced orders; most runs have none. */
  #slicedOrders: Set<number> | undefined;

  /** Starts with one order; `sliceOf` is the number of its sliced order, 0 for none. */
  constructor(sliceOf: number) {
    this.add(sliceOf);
  }

  add(sliceOf: number): void {
    if (sliceOf === 0) this.#others += 1;
    else {
      this.#slicedOrders ??= new Set();
      this.#slicedOrders.add(sliceOf);
    }
  }

  get count(): number {
    return this.#others + (this.#slicedOrders?.size ?? 0);
  }
}

/** Returns whether a figure exceeds a limit; bails out if it is within rounding of it. */
function isAbove(figure: number, limit: number): boolean {
  if (isAtMost(figure, limit)) return false;
  if (!(figure > limit + Math.abs(limit) * SLACK)) bailOut('losses are within rounding of a limit');
  return true;
}

/**
 * Returns the rule if a figure, a sum of terms up to `size`, certainly exceeds its limit; `UNCLEAR` within rounding
 * of it, undefined below.
 */
function ruleIfAbove(
  figure: number,
  limit: number,
  rule: string,
  size = Math.abs(figure),
): string | undefined {
  const slack = (Math.abs(limit) + size) * SLACK;
  if (figure <= limit - slack) return undefined;
  return figure >= limit + slack ? rule : UNCLEAR;
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

/** How each limit is implemented here; a new one does not compile until it is added. */
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
  maxQuoteAge: 'compared; the exact rules judge quotes that are not prints of that time',
  priceCollar: 'compared',
  maxQuoteJump: 'compared if the quote is not the close, then judged by the exact rules',
  maxSession: 'no order requests another session',
  restricted: 'the list is empty',
  allowShort: 'compared',
  useMargin: 'the account borrows only if it is set',
  maxBreaches: 'compared',
  breachWindow: 'compared',
  maxEstimateAge: 'the venue answers at once',
  maxBalanceAge: 'the venue answers at once',
  maxPositionsAge: 'positions are always current',
  maxMarginAge: 'the venue answers at once',
} as const satisfies Readonly<Record<LimitName, string>>;
