import { UNITS } from '../../events/curve/fill-columns.ts';
import { decimalOfDouble, doubleOfDecimal, toDecimal } from '../../model/amount.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Market, SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { Exposure } from '../../risk/facts.ts';
import type { Denial, Verdict } from '../../risk/risk-gate.ts';
import { gateState } from '../../risk/state-rules.ts';
import type { RunSetup } from '../setup.ts';
import type { ExpressAccount } from './account.ts';
import { bailOut, isAtMost, SLACK } from './bail-out.ts';
import type { BracketRunner } from './bracket-runner.ts';
import type { Exit } from './brackets.ts';
import { BuyingPower } from './buying-power.ts';
import { DenialLog } from './denial-log.ts';
import type { ExactBooks } from './exact-books.ts';
import { exactVerdict } from './exact-verdict.ts';
import {
  AT_MARKET,
  DecisionCounter,
  ExpressGate,
  GateFigures,
  NO_OTHERS,
  type OtherPositions,
  UNCLEAR,
} from './gate.ts';
import type { GateMoves } from './gate-moves.ts';
import type { LatestPrints } from './latest-prints.ts';
import type { OpenOrder, OpenOrders } from './open-order.ts';
import type { SymbolCursor } from './symbol-cursor.ts';

/** The price and time at which the gate judges an order. */
export interface Quote extends Pick<SymbolCursor, 'now' | 'price'> {
  /** Trading time since its successor was due; absent for a current quote. */
  readonly ageMs?: number;
  /** The newest close, if its price differs. */
  readonly lastClose?: number;
  /** Whether it is the print that filled another order; absent if not. */
  readonly isPrint?: boolean;
}

interface JudgeSources {
  readonly setup: RunSetup;
  readonly opening: number;
  readonly account: ExpressAccount;
  readonly books: ExactBooks;
  readonly waiting: OpenOrders;
  readonly brackets: BracketRunner;
  readonly prints: LatestPrints;
  readonly cursors: readonly SymbolCursor[];
  readonly cursorNow: (place: number) => SymbolCursor;
  readonly placeOf: (symbol: SecuritySymbol) => number;
  /** Return equity with positions at their newest closes, and at other prices. */
  readonly equity: () => number;
  readonly equityAtPrices: (priceOf: (place: number) => number) => number;
  /** Returns equity at the start of the exchange's day. */
  readonly dayStartEquity: () => number;
  readonly gateMoves: GateMoves;
}

/** Judges the orders of a run in float64, and by the rules of risk/ on exact figures if float64 cannot decide. */
export class OrderJudge {
  readonly gate: ExpressGate;
  readonly denials: DenialLog;
  /** Buying power; undefined if only cash counts. */
  readonly power: BuyingPower | undefined;
  readonly #sources: JudgeSources;
  readonly #figures = new GateFigures();
  /** Factor of the quote for the reservation of a market order. */
  readonly #buffer: number;
  readonly #maxQuoteJump: number;
  /** Whether the gate values positions at the latest prints, for orders that are not sent at a close. */
  #usesPrints = false;
  /** The gate's latest denial by its exact rules. */
  #denial: (Pick<Denial, 'rule' | 'payable'> & Partial<Pick<Denial, 'reason'>>) | undefined;
  /** Whether every denial has its reason; otherwise only the first of a rule has. */
  givesReasons = false;

  constructor(sources: JudgeSources, market: Market) {
    const { setup, opening, account, waiting } = sources;
    const { limits, margin } = setup;
    this.#sources = sources;
    this.gate = new ExpressGate(limits, opening);
    this.denials = new DenialLog(limits);
    this.power = BuyingPower.of(opening, { setup, account, waiting, price: this.#priceOf });
    this.#figures.power = this.power;
    this.#maxQuoteJump = setup.limits.maxQuoteJump.toNumber();
    this.#buffer = (margin.marketBuffer[market] ?? margin.marketBufferElse).toNumber();
  }

  /** Returns whether the gate approves the order, and sets its reserved cash, which is 0 for a sale. */
  approve(order: OpenOrder, quote: Quote): boolean {
    const { now, price } = quote;
    const { account, brackets, prints, cursors } = this.#sources;
    const equity = this.#usesPrints
      ? this.#sources.equityAtPrices((each) => prints.price(each))
      : this.#sources.equity();
    const { place, side, quantity, type, level } = order;
    const limit = type === 'LO' ? level : AT_MARKET;
    const isTrigger = type === 'MIT';
    order.reservedAt = limit === AT_MARKET ? (isTrigger ? level : price) * this.#buffer : limit;
    const reserve = side === 1 ? this.#costAt(order.reservedAt, order, now) : 0;
    // The gate checks funds at the quote, the venue at the trigger.
    const cost = side === 1 && isTrigger ? this.#costAt(price * this.#buffer, order, now) : reserve;
    const figures = this.#figures;
    figures.now = now;
    figures.place = place;
    figures.side = side;
    figures.quantity = quantity;
    figures.quote = price;
    figures.limit = limit;
    figures.trigger = isTrigger ? level : 0;
    figures.isExit = order.exit !== undefined;
    figures.held = account.held[place] as number;
    figures.openBuys = this.openShares(place, 1);
    figures.openSells = this.openShares(place, -1);
    figures.equity = equity;
    figures.sliceOf = order.sliceOf;
    figures.openOrders = this.#otherOpenOrders(order.sliceOf) + brackets.orderCount();
    figures.dayStartEquity = this.#sources.dayStartEquity();
    figures.others = cursors.length === 1 ? NO_OTHERS : this.#otherPositions(place);
    figures.spendable = account.cashAmount - account.reserved;
    figures.cost = cost;
    if (isTrigger && side === -1 && figures.opens) bailOut('a triggered short sale');
    if (isTrigger && side === 1 && this.power !== undefined) bailOut('a triggered buy in a margin account');
    if (figures.opens) this.#notePeak(place, quote, equity);
    this.power?.compute(order, figures);
    const rule = this.gate.judge(figures) ?? (this.#needsExactQuoteRules(quote) ? UNCLEAR : undefined);
    if (rule !== undefined && figures.isExit) bailOut('the gate denies an exit');
    if (rule !== undefined && this.#isDenied(order, rule, quote)) {
      if (rule === gateState.name) this.#sources.gateMoves.denied(place, side);
      return false;
    }
    if (isTrigger && side === 1 && !isAtMost(reserve, figures.spendable))
      bailOut('the venue may reject a triggered buy for insufficient cash');
    this.power?.bailOutIfUnderfunded(order, figures);
    this.gate.recordPassed(figures);
    order.reserve = reserve;
    return true;
  }

  /** Returns the cost of a purchase at a price, charges included. */
  #costAt(price: number, { place, quantity }: OpenOrder, now: number): number {
    const notional = quantity * price;
    const { account } = this.#sources;
    return notional + account.buyingCharge(place, now, quantity, Math.round(notional * UNITS));
  }

  /**
   * Updates the peak with the equity at which an opening order is judged; after a print, positions are valued at the
   * latest prints.
   */
  #notePeak(place: number, { price, isPrint }: Quote, equity: number): void {
    const { account, prints, equityAtPrices } = this.#sources;
    if (isPrint !== true) {
      this.gate.notePeak(equity, () => account.exactEquity(this.#priceOf));
      return;
    }
    const priceOf = (each: number): number => (each === place ? price : prints.price(each));
    this.gate.notePeak(equityAtPrices(priceOf), () => account.exactEquity(priceOf));
  }

  /**
   * Returns why the gate denies an order that is sent between closes, judged at the latest prints; undefined if
   * approved.
   */
  denialByPrints(order: OpenOrder, quote: Quote): Pick<Denial, 'rule' | 'payable'> | undefined {
    this.#usesPrints = true;
    const passes = this.approve(order, quote);
    this.#usesPrints = false;
    return passes ? undefined : (this.#denial ?? bailOut('a denial without a reason'));
  }

  /** Returns the latest denial as `onOrder` receives it; needs `givesReasons`. */
  denialText(): string {
    const { rule, reason } = this.#denial ?? bailOut('a denial without a reason');
    return `${rule}: ${reason ?? bailOut('a denial without a reason')}`;
  }

  /** Judges an exit that is new or has new terms. */
  judgeExit({ order, terms }: Exit, at: Millis): GateFigures {
    const figures = this.#figures;
    figures.now = at;
    figures.place = order.place;
    figures.side = order.side;
    figures.quantity = order.quantity;
    figures.limit = terms.price === undefined ? AT_MARKET : doubleOfDecimal(terms.price);
    figures.trigger = terms.triggerPrice === undefined ? 0 : doubleOfDecimal(terms.triggerPrice);
    figures.isExit = true;
    // The price collar measures a target from its trigger.
    figures.quote = figures.limit;
    figures.held = -order.side * order.quantity;
    figures.openBuys = 0;
    figures.openSells = 0;
    figures.sliceOf = 0;
    if (this.gate.judge(figures) !== undefined) bailOut('the gate denies an exit');
    return figures;
  }

  /** Returns the shares that open orders may buy or sell. */
  openShares(place: number, side: OpenOrder['side']): number {
    const { account, brackets } = this.#sources;
    const own = (side === 1 ? account.openBuys : account.openSells)[place] as number;
    const closing = Math.max(0, side * (account.openExits[place] as number));
    return own + closing + brackets.workingShares(place, side);
  }

  /** Returns whether a quote may be too old for a purchase, or too far from the newest close. */
  #needsExactQuoteRules({ price, ageMs, lastClose = price }: Quote): boolean {
    if (ageMs === undefined) return false;
    const { maxQuoteAge } = this.#sources.setup.limits;
    const jump = Math.abs(price - lastClose);
    return ageMs > maxQuoteAge || jump > lastClose * this.#maxQuoteJump * (1 - SLACK);
  }

  /** Returns the number of open orders without the judged one; slices of one order count once. */
  #otherOpenOrders(sliceOf: number): number {
    const { account, waiting } = this.#sources;
    if (!this.gate.recent.hasSlices) return account.openOrderCount;
    const decisions = new DecisionCounter(sliceOf);
    for (let index = 0; index < waiting.count; index += 1) decisions.add(waiting.at(index).sliceOf);
    return decisions.count - 1;
  }

  /** Applies the exact risk rules if float64 cannot decide, and for the reason of each rule's first denial. */
  #isDenied(order: OpenOrder, rule: string, quote: Quote): boolean {
    const { denials } = this;
    const { now, opens, sliceOf } = this.#figures;
    const at = now as Millis;
    // For a rebalance the rules also return the affordable quantity, and a rule about the quote may precede this one.
    const isKnown =
      !this.givesReasons && (!this.#usesPrints || (sliceOf !== 0 && !this.#needsExactQuoteRules(quote)));
    if (rule !== UNCLEAR && denials.has(rule) && isKnown) {
      this.#denial = { rule };
      denials.add({ rule, reason: '', at, opens });
      return true;
    }
    const verdict = this.#exactVerdict(order, quote);
    if (verdict.kind === 'approved') return false;
    if (verdict.transition !== undefined) bailOut('a denial moves the gate');
    this.#denial = verdict;
    denials.add({ rule: verdict.rule, reason: verdict.reason, at, opens });
    return true;
  }

  #exactVerdict(order: OpenOrder, { price, ageMs = 0, lastClose = price }: Quote): Verdict {
    const { setup, account, waiting, cursors, books, opening, placeOf, gateMoves } = this.#sources;
    if (account.exceedsExactRange) bailOut('a figure near its limit is above the exact range');
    const { recent, peak, unattendedFills } = this.gate;
    return exactVerdict({
      ...{ setup, order, figures: this.#figures, security: (cursors[order.place] as SymbolCursor).security },
      ...{
        others: this.#exactOtherPositions(order.place),
        recent,
        peak,
        unattendedFills,
        standing: gateMoves.standing,
        openingStopped: gateMoves.openingStopped,
      },
      ...{ equity: this.#exactEquity(), books },
      open: waiting.list(),
      ...{ opening, priceOf: (symbol) => this.#gatePrice(placeOf(symbol)) },
      ...{ quoteAgeMs: ageMs, lastClose },
    });
  }

  #exactEquity(): Decimal {
    const { cash, held, holdings } = this.#sources.account;
    let equity = toDecimal(cash);
    for (let index = 0; index < holdings.count; index += 1) {
      const place = holdings.places[index] as number;
      equity = equity.plus(decimalOfDouble(this.#gatePrice(place)).times(held[place] as number));
    }
    return equity;
  }

  /** Returns the value of the other positions with open orders filled, in exact numbers. */
  #exactOtherPositions(place: number): Exposure {
    let [gross, long, short] = [ZERO, ZERO, ZERO];
    this.#forOtherPositions(place, (price, longest, shortest) => {
      const exact = decimalOfDouble(price);
      gross = gross.plus(exact.times(Math.max(Math.abs(longest), Math.abs(shortest))));
      long = long.plus(exact.times(longest));
      short = short.plus(exact.times(shortest));
    });
    return { gross, mostLong: long, mostShort: short };
  }

  #otherPositions(place: number): OtherPositions {
    let [gross, long, short] = [0, 0, 0];
    this.#forOtherPositions(place, (price, longest, shortest) => {
      gross += Math.max(Math.abs(longest), Math.abs(shortest)) * price;
      long += longest * price;
      short += shortest * price;
    });
    return { gross, mostLong: long, mostShort: short };
  }

  /**
   * Visits every other position with its price, and the most long and most short quantity that open orders can lead
   * to.
   */
  #forOtherPositions(place: number, visit: (price: number, longest: number, shortest: number) => void): void {
    const { account, cursors } = this.#sources;
    const { held } = account;
    for (let other = 0; other < cursors.length; other += 1) {
      if (other === place) continue;
      const longest = (held[other] as number) + this.openShares(other, 1);
      const shortest = (held[other] as number) - this.openShares(other, -1);
      if (longest === 0 && shortest === 0) continue;
      visit(Math.max(this.#gatePrice(other), this.#highestBuyLimit(other)), longest, shortest);
    }
  }

  readonly #priceOf = (place: number): number => this.#gatePrice(place);

  /** Returns the price at which the gate values a position. */
  #gatePrice(place: number): number {
    return this.#usesPrints ? this.#sources.prints.price(place) : this.#sources.cursorNow(place).price;
  }

  #highestBuyLimit(place: number): number {
    const { waiting } = this.#sources;
    let highest = 0;
    for (let index = 0; index < waiting.count; index += 1) {
      const order = waiting.at(index);
      const isBuyLimit = order.place === place && order.side === 1 && order.type === 'LO';
      if (isBuyLimit && order.level > highest) highest = order.level;
    }
    return highest;
  }
}
