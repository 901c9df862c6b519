import { decimalOfDouble } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import { millis, NEVER } from '../../model/time.ts';
import { BarMatcher } from '../bar-matching/bar-matcher.ts';
import type { BidAsk } from '../market/bid-ask.ts';
import type { MarketReplay, SymbolMarket } from '../market/market-replay.ts';
import { barOf, NO_PRINT, type PrintIndex } from '../market/tape.ts';
import { missedOpening } from '../matching/auctions.ts';
import { InsideBars } from '../matching/inside-bars.ts';
import { OrderLifecycle } from '../matching/order-lifecycle.ts';
import { inPriorityOrder, losesPriority } from '../matching/priority.ts';
import { QuotedBook } from '../matching/quoted-book.ts';
import { canTradeAtPrint, isMarketable, nextTouch, restingPrice } from '../matching/resting.ts';
import { slippedPrice } from '../matching/slippage.ts';
import type { VenueContext, VenueSources } from '../matching/venue-context.ts';
import { WaitingOrders } from '../matching/waiting-orders.ts';
import { OrderHours } from '../orders/order-hours.ts';
import { hasSameCondition } from '../orders/order-rules.ts';
import { tickRefusal } from '../orders/tick-changes.ts';
import { isConditional, isOpenOrder, type VenueOrder } from '../orders/venue-order.ts';
import type { SimulationEvent } from '../simulation.ts';
import type { SimulationModels } from '../simulation-options.ts';
import { ConditionWatcher } from './condition-watcher.ts';
import { CorporateActionProcess } from './corporate-actions.ts';
import { EventQueue } from './event-queue.ts';
import { ExogenousEventProcess } from './exogenous-events.ts';
import { InterestAccrual } from './interest-accrual.ts';
import { createCloseOut, type MarginCloseOut } from './margin-close-out.ts';
import { OrderReplacement } from './order-replacement.ts';
import { endsDay, isStillDue, isWithoutOrder, type TaskWithoutOrder, type VenueTask } from './venue-task.ts';

interface VenueProcesses {
  /** Undefined with print matching. */
  readonly barMatcher: BarMatcher | undefined;
  perform(task: TaskWithoutOrder): void;
  readonly replacement: OrderReplacement;
  /** Undefined if no account is closed out. */
  readonly closeOuts: MarginCloseOut | undefined;
  /** The book that arriving orders match; undefined if they match the last price. */
  readonly quotedBook: QuotedBook | undefined;
}

function createProcesses(context: VenueContext, queue: EventQueue<VenueTask>): VenueProcesses {
  const { replay, models, accounts, quotedBook, fills } = context;
  const barMatcher =
    fills.matching.kind === 'whole-bars' ? new BarMatcher({ ...context, rule: fills.matching }) : undefined;
  const corporateActions = new CorporateActionProcess({ ...context, barMatcher });
  const exogenousEvents = new ExogenousEventProcess({ ...context, corporateActions });
  const interest = new InterestAccrual(replay, accounts, models.interest);

  for (const { account, at } of interest.firstEnds()) queue.add(at, { kind: 'day-end', account });

  function perform(task: TaskWithoutOrder): void {
    switch (task.kind) {
      case 'corporate-action':
        if (task.action.kind === 'split') replay.split(task.action.symbol, task.action.ratio);
        corporateActions.apply(task.action);
        return;
      case 'exogenous-event':
        exogenousEvents.apply(task.what);
        return;
      case 'day-end': {
        interest.endDay(task.account);
        queue.add(interest.nextEnd(task.account) ?? NEVER, task);
      }
    }
  }

  return {
    barMatcher,
    perform,
    replacement: new OrderReplacement(context),
    closeOuts: createCloseOut(models.margin.closeOut, { ...context, barMatcher }),
    quotedBook: quotedBook && new QuotedBook({ ...context, bookOf: quotedBook }),
  };
}

/** Processes orders from arrival to their end, and decides when and at what price they trade. */
export class OrderProcessor {
  readonly queue = new EventQueue<VenueTask>({ isDue: isStillDue, isFirst: endsDay });
  readonly #replay: MarketReplay;
  readonly #models: SimulationModels;
  readonly #bidAsk: BidAsk;
  readonly #hours: OrderHours;
  readonly #book: WaitingOrders;
  readonly #lifecycle: OrderLifecycle;
  readonly #barMatcher: BarMatcher | undefined;
  readonly #conditions: ConditionWatcher;
  readonly #inside: InsideBars;
  readonly #processes: VenueProcesses;
  readonly #quotedBook: QuotedBook | undefined;
  #lastMatched: { readonly symbolMarket: SymbolMarket; readonly index: PrintIndex } | undefined;

  constructor(sources: VenueSources) {
    const { replay, models, bidAsk, everyPrint } = sources;
    const { fills } = models;
    this.#replay = replay;
    this.#models = models;
    this.#hours = new OrderHours(replay, fills);
    this.#bidAsk = bidAsk;
    this.#book = new WaitingOrders(replay, everyPrint);
    this.#lifecycle = new OrderLifecycle({ ...sources, book: this.#book });
    this.#inside = new InsideBars(replay, fills.insideBars !== 'tick' && sources.quotedBook === undefined);
    const context: VenueContext = {
      ...sources,
      fills,
      book: this.#book,
      lifecycle: this.#lifecycle,
      requeue: (order) => this.#requeue(order),
    };
    this.#conditions = new ConditionWatcher({
      ...context,
      hours: this.#hours,
      inside: this.#inside,
      work: (order) => this.#work(order),
      take: (order, price, symbolMarket, index) => this.#fillWithSlippage(order, price, symbolMarket, index),
      rest: (order, symbolMarket) => this.#waitOrEnd(order, symbolMarket),
    });
    this.#processes = createProcesses(context, this.queue);
    this.#barMatcher = this.#processes.barMatcher;
    this.#quotedBook = this.#processes.quotedBook;
  }

  perform(task: VenueTask): readonly SimulationEvent[] {
    if (isWithoutOrder(task)) {
      this.#processes.perform(task);
      this.#processes.closeOuts?.watchPrints();
      return this.#lifecycle.takeEvents();
    }
    const { order } = task;
    switch (task.kind) {
      case 'arrive':
        this.#handleArrival(order);
        break;
      case 'open':
        this.#sendToExchange(order);
        break;
      case 'expire':
        this.#lifecycle.finish(order, 'ExpiredStatus');
        break;
      case 'cancel':
        if (!this.#isDeferred(task)) this.#lifecycle.finish(order, 'CanceledStatus');
        break;
      case 'new-ticks':
        this.#checkNewTicks(order);
        break;
      case 'show':
        if (order.stage === 'working' || (order.stage === 'travelling' && this.#hours.isOpen(order)))
          this.#lifecycle.reportStatus(order, task.status);
        break;
      case 'replace':
        if (!this.#isDeferred(task)) this.#replace(task);
    }
    if (!isOpenOrder(order)) this.#barMatcher?.handleEnd(order);
    this.#processes.closeOuts?.watchPrints();
    return this.#lifecycle.takeEvents();
  }

  /** Defers a cancel or replacement that arrives too late for the second extreme of the running bar. */
  #isDeferred(task: Extract<VenueTask, { readonly order: VenueOrder }>): boolean {
    const { order } = task;
    const symbolMarket = this.#replay.symbolMarket(order.terms.symbol);
    if (symbolMarket === undefined || this.#barMatcher !== undefined) return false;
    const lastFill = this.#lifecycle.accountOf(order).lastFills.get(order.terms.symbol);
    const later = this.#inside.deferredUntil(order, symbolMarket, lastFill);
    if (later !== undefined) this.queue.add(later, task);
    return later !== undefined;
  }

  matchPrint(symbolMarket: SymbolMarket, index: PrintIndex): readonly SimulationEvent[] {
    if (this.#barMatcher !== undefined) this.#barMatcher.matchDueOrders();
    else if (symbolMarket.status === 'normal') this.#matchPrint(symbolMarket, index);
    // Halted or delisted: waiting orders are checked again when trading resumes.
    else
      for (const order of this.#book.touchedBy(symbolMarket, index))
        this.#book.waitFor(order, symbolMarket, NO_PRINT);
    this.#lastMatched = { symbolMarket, index };
    return this.#afterMatching();
  }

  /** True while orders still have to be matched against the whole bars of this instant. */
  hasUnmatchedOrders(): boolean {
    return this.#barMatcher?.hasUnmatchedOrders === true;
  }

  /** Continues matching against the whole bars of this instant. */
  continueMatching(): readonly SimulationEvent[] {
    this.#barMatcher?.matchDueOrders();
    return this.#afterMatching();
  }

  #afterMatching(): readonly SimulationEvent[] {
    if (this.#lastMatched !== undefined && !this.hasUnmatchedOrders()) {
      this.#processes.closeOuts?.check(this.#lastMatched.symbolMarket, this.#lastMatched.index);
      this.#book.reschedule(this.#lastMatched.symbolMarket);
    }
    this.#processes.closeOuts?.watchPrints();
    return this.#lifecycle.takeEvents();
  }

  /**
   * Matches working orders against the book of a new second, then against a trade between prints that passes their
   * limit.
   */
  matchTrade(symbolMarket: SymbolMarket, price: number, volume: number): readonly SimulationEvent[] {
    this.#quotedBook?.matchTrade(this.#book.waiting(symbolMarket), symbolMarket, { price, volume });
    return this.#lifecycle.takeEvents();
  }

  #matchPrint(symbolMarket: SymbolMarket, index: PrintIndex): void {
    const { fills } = this.#models;
    for (const order of inPriorityOrder(
      this.#book.touchedBy(symbolMarket, index),
      symbolMarket.tape.price(index),
      fills,
    )) {
      if (order.stage === 'armed') this.#conditions.trigger(order, symbolMarket, index);
      else this.#matchOrder(order, symbolMarket, index);
    }
  }

  #handleArrival(order: VenueOrder): void {
    if (order.rejection !== undefined) {
      this.#barMatcher?.joinBracket(order);
      this.#lifecycle.finish(order, 'RejectedStatus', order.rejection);
    } else if (isConditional(order.terms.type)) this.#arm(order);
    else this.#sendToExchange(order);
  }

  /** Hands the order to the exchange, or queues it for the next open. */
  #sendToExchange(order: VenueOrder): void {
    if (this.#hours.isOpen(order)) {
      this.#lifecycle.becomeWorking(order);
      this.#work(order);
      return;
    }
    order.stage = 'queued';
    this.#lifecycle.emitStatus(order);
    this.queue.add(this.#hours.opensAt(order), { kind: 'open', order });
  }

  /** Expires an order whose limit is off changed ticks; an untriggered order stays. */
  #checkNewTicks(order: VenueOrder): void {
    if (order.stage === 'armed') return;
    const refusal = tickRefusal(order, this.#replay.now(), this.#models.fills);
    if (refusal !== undefined) this.#lifecycle.finish(order, 'ExpiredStatus', refusal);
  }

  #arm(order: VenueOrder): void {
    order.stage = 'armed';
    order.status = 'VarietiesNotReported';
    order.updatedAt = this.#replay.now();
    this.#lifecycle.emitStatus(order);
    if (this.#barMatcher !== undefined) this.#barMatcher.addOrder(order);
    else this.#conditions.watch(order);
  }

  /** Updates orders that wait for an unknown print after one became known. */
  updateUnknownPrints(symbolMarket: SymbolMarket): void {
    for (const order of this.#book.withUnknownPrint(symbolMarket)) {
      if (order.stage === 'armed') this.#conditions.findTrigger(order, symbolMarket);
      else this.#waitOrEnd(order, symbolMarket);
    }
    this.#book.reschedule(symbolMarket);
  }

  /** Starts to work an order: it takes the current print, and its rest waits for later prints. */
  #work(order: VenueOrder): void {
    if (this.#barMatcher !== undefined) {
      this.#barMatcher.addOrder(order);
      return;
    }
    const symbolMarket = this.#replay.symbolMarket(order.terms.symbol);
    if (symbolMarket === undefined) return;
    const mayTake = this.#inside.recordArrival(order, symbolMarket);
    if (mayTake) this.#fillAtQuote(order, symbolMarket);
    const standing = order.behaviour.startsWith('auction')
      ? undefined
      : this.#hours.currentPrint(order, symbolMarket);
    if (isOpenOrder(order) && standing !== undefined) {
      const price = symbolMarket.tape.price(standing);
      const takes = isMarketable(order, price);
      if (!mayTake) {
        if (takes || order.behaviour === 'limit-or-cancel') this.#inside.defer(order, symbolMarket);
      } else if (this.#quotedBook !== undefined) this.#quotedBook.take(order, symbolMarket);
      else if (takes) this.#fillWithSlippage(order, decimalOfDouble(price), symbolMarket, standing);
      if (mayTake && order.behaviour === 'limit-or-cancel') this.#lifecycle.finish(order, 'CanceledStatus');
    }
    this.#waitOrEnd(order, symbolMarket);
  }

  /**
   * Fills a market order at the opposite quote at arrival. Quotes from before the open do not count: prices move
   * overnight, and a split changes the shares.
   */
  #fillAtQuote(order: VenueOrder, symbolMarket: SymbolMarket): void {
    const last = this.#replay.last(symbolMarket);
    if (order.behaviour !== 'market' || last === undefined || !this.#hours.trades(order, symbolMarket))
      return;
    const bar = symbolMarket.tape.columns.time[barOf(last)] as number;
    const since = millis(Math.max(bar, this.#hours.openSince(order)));
    const facing = this.#bidAsk.oppositeQuote(
      order.terms.symbol,
      order.terms.side,
      since,
      this.#replay.now(),
    );
    if (facing !== undefined) this.#lifecycle.fill(order, decimalOfDouble(facing), symbolMarket, last);
  }

  #matchOrder(order: VenueOrder, symbolMarket: SymbolMarket, index: PrintIndex): void {
    if (canTradeAtPrint(order, symbolMarket.tape, index, this.#models.fills)) {
      const price = restingPrice(order, symbolMarket.tape, index);
      if (order.behaviour === 'market') this.#fillWithSlippage(order, price, symbolMarket, index);
      else this.#lifecycle.fill(order, price, symbolMarket, index);
    }
    if (order.behaviour === 'limit-or-cancel') this.#lifecycle.finish(order, 'CanceledStatus');
    if (order.behaviour === 'auction-market') this.#lifecycle.finish(order, 'ExpiredStatus');
    if (order.behaviour === 'auction-limit') order.behaviour = 'limit';
    this.#waitOrEnd(order, symbolMarket);
  }

  /** Fills at a print's price with slippage, or from the quoted book if there is one. */
  #fillWithSlippage(order: VenueOrder, price: Price, symbolMarket: SymbolMarket, index: PrintIndex): void {
    if (this.#quotedBook !== undefined) {
      this.#quotedBook.take(order, symbolMarket);
      return;
    }
    const met = { price, bar: symbolMarket.tape.figures(barOf(index)), at: this.#replay.now() };
    const worse = slippedPrice(order, met, this.#models.fills);
    this.#lifecycle.fill(order, worse, symbolMarket, index);
  }

  #waitOrEnd(order: VenueOrder, symbolMarket: SymbolMarket): void {
    if (!isOpenOrder(order)) return;
    this.#book.waitFor(order, symbolMarket, nextTouch(order, symbolMarket, this.#replay, this.#models.fills));
    if (order.stage !== 'working' || !missedOpening(order, symbolMarket.tape)) return;
    if (order.behaviour === 'auction-market') {
      this.#lifecycle.finish(order, 'ExpiredStatus');
      return;
    }
    order.behaviour = 'limit';
    this.#waitOrEnd(order, symbolMarket);
  }

  /**
   * Replaces the terms of an order. It may lose time priority; with whole-bar matching it keeps its queue position. An
   * armed order with an unchanged condition keeps its watch: a trailing stop keeps its level.
   */
  #replace(task: Extract<VenueTask, { kind: 'replace' }>): void {
    const { order } = task;
    const before = order.terms;
    if (!this.#processes.replacement.replace(task)) return;
    if (order.stage === 'armed' && hasSameCondition(before, order.terms)) return;
    if (this.#barMatcher === undefined && losesPriority(before, order.terms)) this.#book.remove(order);
    this.#requeue(order);
  }

  /** With whole-bar matching an order keeps its queue position. */
  #requeue(order: VenueOrder): void {
    if (this.#barMatcher !== undefined) return;
    order.stage === 'armed' ? this.#conditions.watch(order) : this.#work(order);
  }
}
