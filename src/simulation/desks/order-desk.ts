import { Decimal, type Price } from '../../model/decimal.ts';
import { millis } from '../../model/time.ts';
import type { BidAsk } from '../market/bid-ask.ts';
import type { Floor, Lane } from '../market/floor.ts';
import { barOf, NO_PRINT, type PrintIndex } from '../market/tape.ts';
import { missedOpening } from '../matching/auctions.ts';
import { InsideBars } from '../matching/inside-bars.ts';
import { LaneBook } from '../matching/lane-book.ts';
import { OrderKeeper } from '../matching/order-keeper.ts';
import { inTurn, losesTurn } from '../matching/priority.ts';
import { isMarketable, nextTouch, restingPrice, tradesAtRest } from '../matching/resting.ts';
import { slippedPrice } from '../matching/slippage.ts';
import type { StandingBook } from '../matching/standing-book.ts';
import { OrderHours } from '../orders/order-hours.ts';
import { hasSameCondition } from '../orders/replaced-terms.ts';
import { offTicks } from '../orders/tick-changes.ts';
import { isConditional, isOpenOrder, type VenueOrder } from '../orders/venue-order.ts';
import type { SimulationEvent } from '../simulation.ts';
import type { SimulationModels } from '../simulation-options.ts';
import type { WholeBarDesk } from '../whole-bars/whole-bar-desk.ts';
import { Agenda } from './agenda.ts';
import { ConditionDesk } from './condition-desk.ts';
import type { DeskSources } from './desk-sources.ts';
import { type DeskTask, endsDay, isStillDue, isWithoutOrder } from './desk-task.ts';
import { type SideDesks, sideDesks } from './side-desks.ts';

/** Leads orders from their arrival to their end, and decides when and at what price they trade. */
export class OrderDesk {
  readonly agenda = new Agenda<DeskTask>({ isDue: isStillDue, isFirst: endsDay });
  readonly #floor: Floor;
  readonly #models: SimulationModels;
  readonly #bidAsk: BidAsk;
  readonly #hours: OrderHours;
  readonly #book: LaneBook;
  readonly #keeper: OrderKeeper;
  /** Where orders meet whole bars; undefined where they meet prints. */
  readonly #wholeBars: WholeBarDesk | undefined;
  readonly #conditions: ConditionDesk;
  readonly #inside: InsideBars;
  readonly #side: SideDesks;
  /** What orders meet that arrive; undefined where they meet the last price. */
  readonly #standingBook: StandingBook | undefined;
  /** The print that orders met last. */
  #met: { readonly lane: Lane; readonly index: PrintIndex } | undefined;

  constructor(sources: DeskSources) {
    const { floor, models, bidAsk, everyPrint, accounts } = sources;
    this.#floor = floor;
    this.#models = models;
    this.#hours = new OrderHours(floor, models.fills);
    this.#bidAsk = bidAsk;
    this.#book = new LaneBook(floor, everyPrint);
    this.#keeper = new OrderKeeper({
      ...{ floor, models, accounts, book: this.#book },
      inBetween: sources.inBetweenMs !== undefined,
    });
    const { insideBars = 'close' } = models.fills;
    this.#inside = new InsideBars(floor, insideBars === 'close' && sources.standingBook === undefined);
    this.#conditions = new ConditionDesk({
      ...{ floor, fills: models.fills, hours: this.#hours, book: this.#book, keeper: this.#keeper },
      inside: this.#inside,
      work: (order) => this.#work(order),
      take: (order, price, lane, index) => this.#take(order, price, lane, index),
      rest: (order, lane) => this.#restOrEnd(order, lane),
    });
    const rewait = (order: VenueOrder): void => this.#rewait(order);
    const { agenda } = this;
    this.#side = sideDesks({ ...sources, agenda, book: this.#book, keeper: this.#keeper, rewait });
    this.#wholeBars = this.#side.wholeBars;
    this.#standingBook = this.#side.standingBook;
  }

  /** Does what is due and returns what it caused. */
  perform(task: DeskTask): readonly SimulationEvent[] {
    if (isWithoutOrder(task)) {
      this.#side.perform(task);
      this.#side.closeOuts?.watchPrints();
      return this.#keeper.takeEvents();
    }
    const { order } = task;
    switch (task.kind) {
      case 'arrive':
        this.#arrive(order);
        break;
      case 'open':
        this.#report(order);
        break;
      case 'expire':
        this.#keeper.finish(order, 'ExpiredStatus');
        break;
      case 'cancel':
        if (!this.#isPutOff(task)) this.#keeper.finish(order, 'CanceledStatus');
        break;
      case 'new-ticks':
        this.#handAnew(order);
        break;
      case 'show':
        if (order.stage === 'working' || (order.stage === 'travelling' && this.#hours.isOpen(order)))
          this.#keeper.show(order, task.status);
        break;
      case 'replace':
        if (!this.#isPutOff(task)) this.#replace(task);
    }
    if (!isOpenOrder(order)) this.#wholeBars?.ended(order);
    this.#side.closeOuts?.watchPrints();
    return this.#keeper.takeEvents();
  }

  /** Puts a cancel or a change off that comes too late for the other extreme of the running bar. */
  #isPutOff(task: Extract<DeskTask, { readonly order: VenueOrder }>): boolean {
    const { order } = task;
    const lane = this.#floor.lane(order.terms.symbol);
    if (lane === undefined || this.#wholeBars !== undefined) return false;
    const lastFill = this.#keeper.accountOf(order).lastFills.get(order.terms.symbol);
    const later = this.#inside.comesTooLate(order, lane, lastFill);
    if (later !== undefined) this.agenda.add(later, task);
    return later !== undefined;
  }

  /** Lets every order that the print touches meet it. */
  meetPrint(lane: Lane, index: PrintIndex): readonly SimulationEvent[] {
    if (this.#wholeBars !== undefined) this.#wholeBars.meet();
    else if (lane.status === 'normal') this.#meetAlone(lane, index);
    // Halted or gone: who waits does so until trading resumes, and then looks anew.
    else for (const order of this.#book.touchedBy(lane, index)) this.#book.rest(order, lane, NO_PRINT);
    this.#met = { lane, index };
    return this.#afterMeeting();
  }

  /** True while orders are left that have not met the whole bars of this instant. */
  isMidway(): boolean {
    return this.#wholeBars?.isMidway === true;
  }

  /** Lets the next orders meet the whole bars of this instant. */
  goOn(): readonly SimulationEvent[] {
    this.#wholeBars?.meet();
    return this.#afterMeeting();
  }

  #afterMeeting(): readonly SimulationEvent[] {
    if (this.#met !== undefined && !this.isMidway()) {
      this.#side.closeOuts?.check(this.#met.lane, this.#met.index);
      this.#book.reschedule(this.#met.lane);
    }
    this.#side.closeOuts?.watchPrints();
    return this.#keeper.takeEvents();
  }

  /** Lets working orders meet the book of a new second, and a trade between two prints that passes their limit. */
  meetTrade(lane: Lane, price: number, volume: number): readonly SimulationEvent[] {
    this.#standingBook?.meetTrade(this.#book.waiting(lane), lane, { price, volume });
    return this.#keeper.takeEvents();
  }

  #meetAlone(lane: Lane, index: PrintIndex): void {
    const { fills } = this.#models;
    for (const order of inTurn(this.#book.touchedBy(lane, index), lane.tape.price(index), fills)) {
      if (order.stage === 'armed') this.#conditions.fire(order, lane, index);
      else this.#meet(order, lane, index);
    }
  }

  #arrive(order: VenueOrder): void {
    if (order.rejection !== undefined) {
      this.#wholeBars?.joinBracket(order);
      this.#keeper.finish(order, 'RejectedStatus', order.rejection);
    } else if (isConditional(order.terms.type)) this.#arm(order);
    else this.#report(order);
  }

  /** Hands the order to the exchange, or keeps it for the next open. */
  #report(order: VenueOrder): void {
    if (this.#hours.isOpen(order)) {
      this.#keeper.becomeWorking(order);
      this.#work(order);
      return;
    }
    order.stage = 'queued';
    this.#keeper.tell(order);
    this.agenda.add(this.#hours.opensAt(order), { kind: 'open', order });
  }

  /** An order from before the price steps changed ends where its price lies on none of them; what waits for its condition waits on. */
  #handAnew(order: VenueOrder): void {
    if (order.stage === 'armed') return;
    const refusal = offTicks(order, this.#floor.now(), this.#models.fills);
    if (refusal !== undefined) this.#keeper.finish(order, 'ExpiredStatus', refusal);
  }

  #arm(order: VenueOrder): void {
    order.stage = 'armed';
    order.status = 'VarietiesNotReported';
    order.updatedAt = this.#floor.now();
    this.#keeper.tell(order);
    if (this.#wholeBars !== undefined) this.#wholeBars.take(order);
    else this.#conditions.watch(order);
  }

  /** A print has come to be known that was not: whoever waited for one looks whether this is it. */
  extend(lane: Lane): void {
    for (const order of this.#book.unforeseen(lane)) {
      if (order.stage === 'armed') this.#conditions.lookAhead(order, lane);
      else this.#restOrEnd(order, lane);
    }
    this.#book.reschedule(lane);
  }

  /** An order begins to work: it takes what stands, and what is left waits for prints. */
  #work(order: VenueOrder): void {
    if (this.#wholeBars !== undefined) {
      this.#wholeBars.take(order);
      return;
    }
    const lane = this.#floor.lane(order.terms.symbol);
    if (lane === undefined) return;
    const mayTake = this.#inside.begin(order, lane);
    if (mayTake) this.#takeFacing(order, lane);
    const standing = order.behaviour.startsWith('auction') ? undefined : this.#hours.standing(order, lane);
    if (isOpenOrder(order) && standing !== undefined) {
      const price = lane.tape.price(standing);
      const takes = isMarketable(order, price);
      if (!mayTake) {
        if (takes || order.behaviour === 'limit-or-cancel') this.#inside.defer(order, lane);
      } else if (this.#standingBook !== undefined) this.#standingBook.take(order, lane);
      else if (takes) this.#take(order, new Decimal(price), lane, standing);
      if (mayTake && order.behaviour === 'limit-or-cancel') this.#keeper.finish(order, 'CanceledStatus');
    }
    this.#restOrEnd(order, lane);
  }

  /**
   * A market order pays the ask, or gets the bid, that faces it when it arrives. What was quoted before the market opened faces nobody any
   * more: over a night the price goes elsewhere, and over a split it counts other shares.
   */
  #takeFacing(order: VenueOrder, lane: Lane): void {
    const last = this.#floor.last(lane);
    if (order.behaviour !== 'market' || last === undefined || !this.#hours.trades(order, lane)) return;
    const bar = lane.tape.columns.time[barOf(last)] as number;
    const since = millis(Math.max(bar, this.#hours.openSince(order)));
    const facing = this.#bidAsk.facing(order.terms.symbol, order.terms.side, since, this.#floor.now());
    if (facing !== undefined) this.#keeper.fill(order, new Decimal(facing), lane, last);
  }

  /** An order that waited meets the print that it waited for. */
  #meet(order: VenueOrder, lane: Lane, index: PrintIndex): void {
    if (tradesAtRest(order, lane.tape, index, this.#models.fills)) {
      const price = restingPrice(order, lane.tape, index);
      if (order.behaviour === 'market') this.#take(order, price, lane, index);
      else this.#keeper.fill(order, price, lane, index);
    }
    if (order.behaviour === 'limit-or-cancel') this.#keeper.finish(order, 'CanceledStatus');
    if (order.behaviour === 'auction-market') this.#keeper.finish(order, 'ExpiredStatus');
    if (order.behaviour === 'auction-limit') order.behaviour = 'limit';
    this.#restOrEnd(order, lane);
  }

  /** Fills at what a print costs whoever takes it, or at what the book shows where there is one. */
  #take(order: VenueOrder, price: Price, lane: Lane, index: PrintIndex): void {
    if (this.#standingBook !== undefined) {
      this.#standingBook.take(order, lane);
      return;
    }
    const met = { price, bar: lane.tape.figures(barOf(index)), at: this.#floor.now() };
    const worse = slippedPrice(order, met, this.#models.fills);
    this.#keeper.fill(order, worse, lane, index);
  }

  #restOrEnd(order: VenueOrder, lane: Lane): void {
    if (!isOpenOrder(order)) return;
    this.#book.rest(order, lane, nextTouch(order, lane, this.#floor, this.#models.fills));
    if (order.stage !== 'working' || !missedOpening(order, lane.tape)) return;
    if (order.behaviour === 'auction-market') {
      this.#keeper.finish(order, 'ExpiredStatus');
      return;
    }
    order.behaviour = 'limit';
    this.#restOrEnd(order, lane);
  }

  /**
   * New terms may cost an order its turn; where orders meet whole bars it keeps its place in the queue. One that waits for the
   * same condition as before watches on: a stop that trails stays where it has come to.
   */
  #replace(task: Extract<DeskTask, { kind: 'replace' }>): void {
    const { order } = task;
    const before = order.terms;
    if (!this.#side.replaceDesk.replace(task)) return;
    if (order.stage === 'armed' && hasSameCondition(before, order.terms)) return;
    if (this.#wholeBars === undefined && losesTurn(before, order.terms)) this.#book.remove(order);
    this.#rewait(order);
  }

  /** Lets an order wait anew, as its terms are now; where it meets whole bars it keeps its place in the queue. */
  #rewait(order: VenueOrder): void {
    if (this.#wholeBars !== undefined) return;
    order.stage === 'armed' ? this.#conditions.watch(order) : this.#work(order);
  }
}
