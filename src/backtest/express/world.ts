import { bookedAction } from '../../engine/corporate-actions.ts';
import { FILLED_BY, FillLog } from '../../events/curve/fill-columns.ts';
import { CLOSING_MS } from '../../execution/algorithms/exit-watch.ts';
import { CHECK_DELAYS_MS } from '../../execution/operator/position-flattener.ts';
import { intentIdMint } from '../../execution/orders/intent-ids.ts';
import { exitsProblem } from '../../hosts/strategy/read-draft.ts';
import { hoursAt } from '../../markets/day-hours.ts';
import { isOpen, nextOpen } from '../../markets/sessions.ts';
import { decimalOfDouble, ONE, toAmount } from '../../model/amount.ts';
import type { Fill } from '../../model/fill.ts';
import type { Alarm } from '../../model/notice.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { IntentId, OrderTerms } from '../../model/order.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import { PRINTS_PER_BAR } from '../../simulation/market/prints.ts';
import type { PrintIndex } from '../../simulation/market/tape.ts';
import { PrintVolume } from '../../simulation/matching/print-volume.ts';
import { rankOf } from '../../simulation/matching/priority.ts';
import { nthOrderId } from '../../simulation/orders/order-ids.ts';
import { DEFAULT_RULES } from '../../simulation/rules.ts';
import { unknownSymbol } from '../../strategy/context.ts';
import { type ExitTerms, type ReadExits, readExits, wrongSideProblem } from '../../strategy/exits.ts';
import type { RebalanceDraft } from '../../strategy/order-draft.ts';
import type { DecidedInside } from '../inside-bar-texts.ts';
import { seededRandom } from '../seeded-random.ts';
import { dataEnd, type RunSetup } from '../setup.ts';
import { ExpressAccount } from './account.ts';
import { bailOut } from './bail-out.ts';
import { BracketRunner, type BracketTimer } from './bracket-runner.ts';
import { type Bracket, printTakenAt } from './brackets.ts';
import type { RunActions } from './corporate-actions.ts';
import type { DenialLog } from './denial-log.ts';
import { termsOf } from './exact-verdict.ts';
import { bookedFill } from './fills-of-columns.ts';
import { GateMoves, type GateMovesHost } from './gate-moves.ts';
import type { Bookings } from './holdings.ts';
import { initialCapacity } from './initial-capacity.ts';
import { InterestDays } from './interest-days.ts';
import { LatestPrints } from './latest-prints.ts';
import { ENDS, OpenOrder, OpenOrders } from './open-order.ts';
import { OrderEvents, type TrackedTerms } from './order-events.ts';
import { OrderJudge, type Quote } from './order-judge.ts';
import { RebalanceSizes } from './rebalance-sizes.ts';
import { Rebalances, type Submitted } from './rebalances.ts';
import {
  continueSearch,
  isBetweenExtremes,
  resolveFill,
  resolveFillAfter,
  resolveFillAtPrint,
  resolveFillNow,
  resolveRest,
} from './resolve-fill.ts';
import { SentOrders } from './sent-orders.ts';
import { Settlements } from './settlements.ts';
import { type SlicedOrder, SlicedOrders, type SlicesHost } from './sliced-orders.ts';
import { Sizing, type SupportedDraft, type SupportedSlices, sizeOrder } from './supported-draft.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import { TickSteps } from './tick-steps.ts';
import { fromUnits, unitsOfDecimal } from './units.ts';

/** An order that filled at a print. */
interface FillAtPrint {
  /** The order if it remains open; undefined after a complete fill. */
  readonly rest: OpenOrder | undefined;
  readonly place: number;
  readonly print: PrintIndex;
}

/** A market order that closes the position of a bracket. */
type ClosingOrder = Pick<OpenOrder, 'place' | 'side' | 'quantity'>;

/** Gate, venue and account of an express run. Orders are sent at a close, and their events are processed when due. */
export class ExpressWorld {
  readonly account: ExpressAccount;
  readonly fills: FillLog;
  /** Opening cash, fills and corporate actions, which determine all later positions. */
  readonly booked: Bookings;
  readonly orders: SentOrders;
  readonly brackets: BracketRunner;
  readonly #slicedOrders: SlicedOrders;
  readonly #rebalances: Rebalances;
  readonly gateMoves: GateMoves;
  /** Number of orders decided inside a bar, and the first of them. */
  decidedInside: Pick<DecidedInside, 'inside' | 'first'> = { inside: 0, first: undefined };
  now: Millis = NEVER;
  /**
   * Whether the strategy handles a timer. Its orders then count as decided inside the next bar, if that has opened.
   */
  isAtTimer = false;
  readonly #setup: RunSetup;
  readonly #actions: RunActions;
  readonly #cursors: readonly SymbolCursor[];
  readonly #sizing: Sizing;
  readonly #orderJudge: OrderJudge;
  readonly #ticks: readonly TickSteps[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #market: Market;
  readonly #openOrders = new OpenOrders((order, other) => this.#matchesFirst(order, other));
  readonly #settlements: Settlements;
  readonly interest: InterestDays;
  /** Allocates the volume of prints; undefined if a print fills every order. */
  readonly #printVolume: PrintVolume | undefined;
  /** Exits that the strategy declares for entries whose draft has none. */
  readonly #exits: ExitTerms | undefined;
  /** The declared exits for an entry of each side, parsed once. */
  readonly #readExits: { readonly buy: ReadExits; readonly sell: ReadExits } | undefined;
  /** Closing orders that wait until the venue has cancelled the exits. */
  #heldBackOrders: { readonly order: OpenOrder; readonly intentId: IntentId | undefined }[] = [];
  /** How the order ended that brackets currently react to, if unfilled. */
  #unfilledEnd: OpenOrder['ends'] | undefined;
  /** Cached equity and its time; invalid after a booking. */
  #equity = Number.NaN;
  #equityAt = Number.NaN;
  #dayStartEquity = Number.NaN;
  /** Equity at the start of the day, in units; NaN if not known exactly. */
  #exactDayStartEquity = Number.NaN;
  /** When losses last moved the gate. */
  #gateMovedAt = Number.NaN;
  /** End of the day of the operator's last resume. */
  #resumedUntil = Number.NEGATIVE_INFINITY;
  /** When a held security was last split. */
  #splitAt: Millis = NEVER;
  #dayUntil = Number.NEGATIVE_INFINITY;
  /** Called with every fill; undefined if the strategy has no onFill. */
  #onFill: ((fill: Fill) => void) | undefined;
  /** Events for onOrder; undefined if the strategy has no onOrder. */
  #orderEvents: OrderEvents | undefined;
  /** Whether the strategy sees ids of orders. */
  #usesIds = false;
  /** The order of which a part is being booked, and whether its rest is cancelled. */
  #filling: OpenOrder | undefined;
  #isFillingCancelled = false;
  /** Securities whose positions the operator is closing, and when the operator last closed any. */
  readonly #flattening = new Set<number>();
  #flattenedAt = Number.NaN;
  /** The fill that the strategy is currently handling. */
  #handledFill: FillAtPrint | undefined;
  readonly #latestPrints: LatestPrints;
  readonly #rebalanceSizes: RebalanceSizes;
  /**
   * Securities with denied orders, and with orders that start to work, of which sliced orders have not been notified
   * yet.
   */
  readonly #denied: number[] = [];
  readonly #accepted: number[] = [];
  /** Whether the current rebalance was decided at a timer. */
  #isRebalanceFromTimer = false;
  /** Number of leading symbols that have closed a bar. */
  #symbolsWithClose = 0;
  readonly #mintIntentId: () => IntentId;

  constructor(setup: RunSetup, cursors: readonly SymbolCursor[], actions: RunActions, start: Millis) {
    const { securities, charges, currency, cash, policy } = setup;
    const { fills } = setup.rules ?? DEFAULT_RULES;
    this.#printVolume = fills.participation === undefined ? undefined : new PrintVolume(fills);
    const capacity = initialCapacity(setup);
    this.fills = new FillLog(capacity);
    this.orders = new SentOrders(capacity);
    this.now = start;
    this.#setup = setup;
    this.#actions = actions;
    this.#mintIntentId = intentIdMint(seededRandom(setup.seed));
    this.#cursors = cursors;
    this.brackets = new BracketRunner(
      this.#bracketHost(),
      securities.map(({ symbol }) => symbol),
      { until: dataEnd(setup), beforeRenewal: (at) => this.#bailOutIfRenewalOutOfOrder(at) },
    );
    this.#slicedOrders = new SlicedOrders(this.#slicesHost(), dataEnd(setup), policy.missedSlices);
    this.#rebalances = new Rebalances(this.#rebalanceHost(), dataEnd(setup));
    this.#exits = setup.strategy.exits?.({ params: setup.params });
    if (exitsProblem(this.#exits) !== undefined) bailOut('invalid exits of the strategy');
    this.#readExits = this.#exits && {
      buy: readExits(this.#exits, 'buy'),
      sell: readExits(this.#exits, 'sell'),
    };
    this.#places = new Map(securities.map(({ symbol }, place) => [symbol, place]));
    const first = securities[0] ?? bailOut('no security');
    const opening = unitsOfDecimal(cash[currency] ?? bailOut('no cash'));
    this.account = new ExpressAccount(opening, securities, charges);
    this.#settlements = new Settlements(marketOf(first.symbol), securities.length, this.fills);
    this.interest = new InterestDays(setup, start, this.account, this.#settlements);
    this.booked = {
      opening,
      fills: this.fills,
      actions: actions.applied,
      interest: this.interest.booked,
    };
    const market = marketOf(first.symbol);
    this.#market = market;
    this.#ticks = securities.map(({ kind }) => new TickSteps({ market, kind }));
    this.#sizing = new Sizing(policy, first);
    const cursorNow = (place: number): SymbolCursor => this.cursorNow(place);
    this.#latestPrints = new LatestPrints(cursorNow, market);
    this.#rebalanceSizes = new RebalanceSizes({
      ...{ account: this.account, waiting: this.#openOrders, prints: this.#latestPrints, cursorNow },
      ...{ symbols: securities.map(({ symbol }) => symbol), cancelAfterMs: policy.cancelAfterMs },
      placeOf: (symbol) => this.placeOf(symbol),
      sizingOf: (place, price, equity) => this.#sizingOf(place, price, equity),
      equity: () => this.equity(),
      equityAtPrices: (priceOf) => this.#equityAtPrices(priceOf),
    });
    this.gateMoves = new GateMoves(setup, this.#gateHost());
    this.#orderJudge = new OrderJudge(
      {
        ...{ setup, opening, cursors, cursorNow, account: this.account, books: this.interest.books },
        ...{ waiting: this.#openOrders, brackets: this.brackets, prints: this.#latestPrints },
        placeOf: (symbol) => this.placeOf(symbol),
        equity: () => this.equity(),
        equityAtPrices: (priceOf) => this.#equityAtPrices(priceOf),
        dayStartEquity: () => this.#dayStartEquity,
        gateMoves: this.gateMoves,
      },
      market,
    );
  }

  /** Denials of the gate, by rule. */
  get denials(): DenialLog {
    return this.#orderJudge.denials;
  }

  alarms(): readonly Alarm[] {
    return [...this.brackets.alarms(), ...this.#slicedOrders.alarms].toSorted(
      (one, other) => one.at - other.at,
    );
  }

  notifyFills(onFill: (fill: Fill) => void): void {
    this.#onFill = onFill;
    this.#usesIds = true;
  }

  /** `call` receives every event of an order; the strategy sees the closes up to its second argument. */
  notifyOrders(call: ConstructorParameters<typeof OrderEvents>[0]): void {
    this.#orderEvents = new OrderEvents((event, knownAt) => {
      if (this.now < knownAt) this.#goTo(knownAt);
      this.#bailOutBeforeFirstCloses();
      call(event, knownAt);
    });
    this.#usesIds = true;
    this.#orderJudge.givesReasons = true;
  }

  /** Returns the index of a symbol among the run's securities; -1 if unknown. */
  placeOf(symbol: SecuritySymbol): number {
    // Most runs trade one security, and the strings are mostly identical.
    if (symbol === this.#cursor(0).security.symbol) return 0;
    return this.#places.get(symbol) ?? -1;
  }

  /** Returns the cursor of a symbol at the current time; throws RangeError if the symbol is not traded. */
  cursorOf(symbol: SecuritySymbol): SymbolCursor {
    const place = this.placeOf(symbol);
    return place < 0 ? unknownSymbol(symbol, [...this.#places.keys()]) : this.cursorNow(place);
  }

  /**
   * Returns the cursor of a security at the current time. Cursors advance on demand, because most events read few of
   * them.
   */
  cursorNow(place: number): SymbolCursor {
    const cursor = this.#cursor(place);
    if (cursor.now !== this.now) cursor.goTo(this.now);
    return cursor;
  }

  /**
   * Returns cash plus positions at their newest closes, in the currency; summed in the order of the books' portfolio.
   */
  equity(): number {
    if (this.#equityAt !== this.now) {
      this.#equity = this.#computeEquity();
      this.#equityAt = this.now;
    }
    return this.#equity;
  }

  /** Equity at the last `close`; nothing is booked while hooks run. */
  get equityAtClose(): number {
    return this.#equity;
  }

  #computeEquity(): number {
    const { cashAmount, held, holdings } = this.account;
    let worth = cashAmount;
    for (let index = 0; index < holdings.count; index += 1) {
      const place = holdings.places[index] as number;
      worth += (held[place] as number) * this.cursorNow(place).price;
    }
    return worth;
  }

  #equityAtPrices(priceOf: (place: number) => number): number {
    const { cashAmount, held, holdings } = this.account;
    let worth = cashAmount;
    for (let index = 0; index < holdings.count; index += 1) {
      const place = holdings.places[index] as number;
      worth += (held[place] as number) * priceOf(place);
    }
    return worth;
  }

  /** Moves to a time at which bars close, and checks losses like the gate before the strategy is called. */
  close(time: Millis): void {
    this.#goTo(time);
    this.#bailOutAtSplit();
    if (this.#cursors.length > 1) this.#bailOutIfHeldBarOpen();
    if (this.#orderJudge.gate.isWithinLimits(this.equity(), this.#dayStartEquity)) return;
    this.#reviewLosses(this.#closeOf);
  }

  /**
   * Sizes and judges a draft, and computes the outcome of its order. `isLast`: no other event follows at this time,
   * so that an order that fills now is booked at once.
   */
  placeDraft(draft: SupportedDraft, isLast = false): void {
    if (draft.kind === 'rebalance') {
      this.#startRebalance(draft);
      return;
    }
    if (this.#rebalances.isActive) bailOut('an order during a rebalance');
    const place = this.placeOf(draft.symbol);
    if (place < 0) bailOut(`"${draft.symbol}" is not traded`);
    if (this.#flattening.has(place)) bailOut('an order while the operator closes its position');
    const cursor = this.cursorNow(place);
    const sizing = this.#sizingOf(place, cursor.price, this.equity());
    const filled = this.#handledFill;
    if (filled !== undefined && draft.kind !== 'order' && draft.kind !== 'target-quantity')
      bailOut('a draft in onFill whose size depends on a price');
    const order = this.#openOrders.unusedOrder();
    order.place = place;
    if (draft.kind === 'slices') {
      if (sizeOrder(order, draft.order, sizing)) this.#startSlices(order, draft);
      return;
    }
    if (!sizeOrder(order, draft, sizing)) return;
    order.sliceOf = 0;
    order.exits = undefined;
    order.exit = undefined;
    if (this.account.openExits[place] !== 0) bailOut('an order while a bracket is being closed');
    if (this.#exceedsPosition(order)) this.#attachExits(order, draft.exits ?? this.#exits);
    if (filled !== undefined) {
      this.#sendInOnFill(filled, order);
      return;
    }
    if (order.type === 'MIT') this.#bailOutIfEventsNeeded('an MIT order');
    if (!(cursor.price > 0)) bailOut('no price');
    if (cursor.closes[cursor.closed] !== cursor.now) bailOut('the newest quote is not current');
    if (this.isAtTimer) this.#countTimerOrder(order, cursor);
    if (order.exits !== undefined && this.#usesIds) this.#mintIntentId();
    const intentId = this.#nextIntentId();
    if (this.#waitsForExits(order)) this.#holdBack(order, intentId);
    else if (this.#submit(order, intentId, isLast) && this.brackets.has(place))
      this.brackets.updateExits(place, this.now);
  }

  #sizingOf(place: number, price: number, equity: number): Sizing {
    const sizing = this.#sizing;
    const { account } = this;
    sizing.security = this.#cursor(place).security;
    sizing.now = this.now;
    sizing.price = price;
    sizing.equity = equity;
    sizing.isRounded = account.exceedsExactRange;
    sizing.held = account.held[place] as number;
    sizing.openBuys = (account.openBuys[place] as number) + this.#heldBackShares(place, 1);
    sizing.openSells = (account.openSells[place] as number) + this.#heldBackShares(place, -1);
    return sizing;
  }

  /** Returns whether an order does more than close the position. */
  #exceedsPosition({ place, side, quantity }: OpenOrder): boolean {
    return quantity > -side * (this.account.held[place] as number);
  }

  /**
   * Returns whether an order must wait for the cancellation of exits on its side. Exits remain if the gate would deny
   * the order.
   */
  #waitsForExits(order: OpenOrder): boolean {
    const { place, side } = order;
    if (!this.brackets.has(place) || this.brackets.workingShares(place, side) === 0) return false;
    const { standing, openingStopped } = this.gateMoves;
    const mayOpen = standing.state === 'active' && openingStopped === undefined;
    return mayOpen || !this.#exceedsPosition(order);
  }

  /** Counts an order that was decided at a timer, if the next bar of its symbol has opened. */
  #countTimerOrder(order: OpenOrder, { columns, closed, symbol }: SymbolCursor): void {
    // Its exits would count as decided inside a bar as well.
    if (order.exits !== undefined) bailOut('an entry with exits in onTimer');
    if (columns.time[closed + 1] !== this.now) return;
    this.#countInside(symbol);
  }

  /** Counts an order that was decided while a bar of its symbol runs. */
  #countInside(symbol: SecuritySymbol): void {
    const { inside, first = { symbol, at: this.now } } = this.decidedInside;
    this.decidedInside = { inside: inside + 1, first };
  }

  /** Prepares for timers of the strategy at the current time. Bails out if the order of timers is unknown. */
  beginTimers(): void {
    this.#handleOrders();
    this.isAtTimer = true;
    if (this.gateMoves.nextAt === this.now) bailOut('the operator acts at the time of a timer');
    if (this.#heldBackOrders.length > 0) bailOut('a timer before the cancel of exits is confirmed');
    const { now } = this;
    if (this.#openOrders.some(({ at, ends }) => at === now && ends !== ENDS.fills))
      bailOut('two timers are due at the same time');
    // Before the first close, the strategy sees the price of the open bar.
    for (let place = 0; place < this.#cursors.length; place += 1) {
      const { closed, columns } = this.cursorNow(place);
      if (closed < 0 && (columns.time[0] ?? NEVER) < now) bailOut('a timer before the first bar has closed');
    }
    if (this.brackets.hasBrackets && this.brackets.firstTimer(now + 1) !== undefined)
      bailOut('two timers are due at the same time');
    if (this.#slicedOrders.isActive && this.#slicedOrders.firstTimer(now + 1) !== undefined)
      bailOut('two timers are due at the same time');
    if (this.#rebalances.timerBefore(now + 1) !== undefined) bailOut('two timers are due at the same time');
  }

  /** Starts a rebalance, which cancels open orders, sells, and then buys. */
  #startRebalance(draft: RebalanceDraft): void {
    if (this.#handledFill !== undefined) bailOut('a rebalance in onFill');
    if (
      this.#setup.strategy.exits !== undefined ||
      this.brackets.hasBrackets ||
      this.#heldBackOrders.length > 0
    )
      bailOut('a rebalance while exits are open or declared');
    if (this.#slicedOrders.isActive) bailOut('a rebalance during a sliced order');
    this.#bailOutIfOpeningStopped('a rebalance');
    this.#bailOutIfEventsNeeded('a rebalance');
    const spec = this.#rebalanceSizes.specOf(draft);
    if (this.#usesIds) this.#mintIntentId();
    const before = this.#openOrders.list().map((order) => {
      return { number: order.number, terms: termsOf(order, this.#cursor(order.place).security) };
    });
    this.#isRebalanceFromTimer = this.isAtTimer;
    this.#rebalances.start(spec, before);
  }

  #rebalanceHost(): ConstructorParameters<typeof Rebalances>[0] {
    return {
      now: () => this.now,
      towards: (holding) => this.#rebalanceSizes.orderTowards(holding),
      held: (symbol) => decimalOfDouble(this.account.held[this.placeOf(symbol)] as number),
      affords: (terms) => this.#rebalanceSizes.canAfford(terms),
      submit: (terms) => this.#submitNow(this.#orderOf(terms), this.#isRebalanceFromTimer),
      cancel: (number) => {
        for (const order of this.#openOrders.list()) if (order.number === number) this.#cancel(order);
      },
    };
  }

  /** Cancels an open order; it ends after the events of the current time. */
  #cancel(order: OpenOrder): void {
    this.#bailOutIfBarOpen(order.place);
    order.searchedTo = Number.NaN;
    order.setOutcome(this.now, ENDS.cancelled, Number.NaN);
  }

  /** Bails out inside a bar of a symbol, whose prints may already have executed an order. */
  #bailOutIfBarOpen(place: number): void {
    const { columns, closed } = this.cursorNow(place);
    if ((columns.time[closed + 1] ?? NEVER) < this.now) bailOut('a cancel inside a bar');
  }

  #orderOf(terms: OrderTerms): OpenOrder {
    const order = this.#openOrders.unusedOrder();
    order.place = this.placeOf(terms.symbol);
    order.side = terms.side === 'buy' ? 1 : -1;
    order.quantity = terms.quantity.toNumber();
    if (terms.type === 'LO') {
      order.type = 'LO';
      order.level = terms.price?.toNumber() ?? bailOut('a limit order without a limit price');
    } else order.makeMarket();
    order.sliceOf = 0;
    return order;
  }

  #slicesHost(): SlicesHost {
    return {
      now: () => this.now,
      submit: ({ place, side, type, level, number, isFromTimer }, quantity) => {
        const order = this.#openOrders.unusedOrder();
        Object.assign(order, { place, side, type, level, sliceOf: number, quantity });
        return this.#submitNow(order, isFromTimer);
      },
      termsOf: ({ place, side, type, level }, quantity) => {
        const order = Object.assign(new OpenOrder(), { side, type, level, quantity: quantity.toNumber() });
        return termsOf(order, this.#cursor(place).security);
      },
      lotSizeOf: (place) => this.#cursor(place).security.lotSize,
      heldOf: (place) => this.account.held[place] as number,
      openOf: (place, side) => (side === 1 ? this.account.openBuys : this.account.openSells)[place] as number,
    };
  }

  /**
   * Judges an order at the latest prints and computes its outcome. `isFromTimer`: it was decided at a timer of the
   * strategy.
   */
  #submitNow(order: OpenOrder, isFromTimer: boolean): Submitted {
    const { place } = order;
    const cursor = this.cursorNow(place);
    const { now } = this;
    order.exits = undefined;
    order.exit = undefined;
    if (isFromTimer && (cursor.columns.time[cursor.closed + 1] ?? NEVER) <= now)
      this.#countInside(cursor.symbol);
    const intentId = this.#nextIntentId();
    const denial = this.#orderJudge.denialByPrints(order, {
      ...{ now, price: this.#latestPrints.price(place), ageMs: this.#latestPrints.ageMs(place) },
      lastClose: this.#rebalanceSizes.closeOf(place),
    });
    if (denial !== undefined) {
      this.#queueDenied(order, intentId);
      const { rule, payable } = denial;
      return { kind: 'denied', rule, ...omitUndefined({ payable }) };
    }
    resolveFillNow(this.#latestPrints.of(place), order, cursor, this.#ticks[place] as TickSteps);
    this.#assignNumber(order, intentId, now);
    this.account.addOrder(order);
    this.#openOrders.add();
    this.#queueAccepted(order);
    return { kind: 'sent', number: order.number };
  }

  /**
   * Delivers the denials of a decision, and steps sliced orders, because every event of an order steps those of its
   * symbol.
   */
  handleDenials(): void {
    this.#orderEvents?.deliverDenials();
    for (let place = this.#denied.shift(); place !== undefined; place = this.#denied.shift())
      this.#slicedOrders.stepSymbol(place);
  }

  /** Handles denials and orders that start to work; called after all closes of a time. */
  #handleOrders(): void {
    this.handleDenials();
    this.#orderEvents?.deliverAccepted(this.now);
    for (let place = this.#accepted.shift(); place !== undefined; place = this.#accepted.shift()) {
      this.#slicedOrders.stepSymbol(place);
      this.handleDenials();
    }
  }

  /** Records that the venue accepted an order, which works when the market is open. */
  #queueAccepted({ place, tracked }: OpenOrder): void {
    if (!this.#slicedOrders.isActive && tracked === undefined) return;
    if (!this.#cursor(place).hours.isOpen(this.now)) return;
    if (tracked === undefined) this.#accepted.push(place);
    else this.#orderEvents?.accepted(tracked);
  }

  #queueDenied(order: OpenOrder, intentId: IntentId | undefined): void {
    const { place } = order;
    if (this.#slicedOrders.isActive) this.#denied.push(place);
    if (this.#orderEvents === undefined || intentId === undefined) return;
    const terms = termsOf(order, this.#cursor(place).security);
    this.#orderEvents.denied({ intentId, terms }, this.#orderJudge.denialText(), this.now);
  }

  /** Returns the open order that next starts to work when the market opens; undefined if there is none. */
  #nextToStart(): OpenOrder | undefined {
    let first: OpenOrder | undefined;
    for (let index = 0; index < this.#openOrders.count; index += 1) {
      const order = this.#openOrders.at(index);
      if (Number.isNaN(order.worksFrom)) order.worksFrom = this.#worksSince(order);
      const { worksFrom, sentAt } = order;
      if (worksFrom > sentAt && worksFrom >= this.now && worksFrom < (first?.worksFrom ?? NEVER))
        first = order;
    }
    return first;
  }

  /** Handles the start of an order that was sent while the market was closed. */
  #startWorking(order: OpenOrder): void {
    const time = order.worksFrom as Millis;
    order.worksFrom = order.sentAt;
    if (order.tracked !== undefined) {
      this.#orderEvents?.deliverBeforeCloses(order.tracked, 'working', { time, now: this.now });
      return;
    }
    this.#goTo(time);
    this.#slicedOrders.stepSymbol(order.place);
    this.#handleOrders();
  }

  #fireRebalance(at: Millis): void {
    this.#bailOutIfCancelDue(at);
    this.#goTo(at);
    this.#rebalances.fire();
  }

  /** Starts a sliced order, and sends the first slice if it is due. */
  #startSlices(order: OpenOrder, draft: SupportedSlices): void {
    if (this.#exits !== undefined || draft.order.exits !== undefined || this.brackets.hasBrackets)
      bailOut('a sliced order while exits are open');
    if (order.timeInForce !== 'day') bailOut('a sliced order that is not a day order');
    if (order.type === 'MIT') bailOut('a sliced MIT order');
    this.#bailOutIfOpeningStopped('a sliced order');
    this.#bailOutIfEventsNeeded('a sliced order');
    if (this.#usesIds) this.#mintIntentId();
    const { lotSize } = this.#cursor(order.place).security;
    this.#slicedOrders.start(order, draft, { lotSize, isFromTimer: this.isAtTimer });
  }

  #fireSlices(sliced: SlicedOrder, at: Millis): void {
    this.#bailOutIfCancelDue(at);
    this.#goTo(at);
    this.#slicedOrders.fire(sliced);
    this.#handleOrders();
  }

  /**
   * Sends a sale at the print that filled another order of its symbol. A purchase would depend on the value of all
   * positions at the latest prints, which is unknown here.
   */
  #sendInOnFill(filled: FillAtPrint, order: OpenOrder): void {
    const { place, print } = filled;
    if (order.place !== place) bailOut('an order for another symbol in onFill');
    if (this.#gateMovedAt === this.now) bailOut('an order in onFill after the fill moved the gate');
    if (order.side === 1) bailOut('a buy in onFill');
    if (order.type === 'MIT') bailOut('an MIT order in onFill');
    if (
      this.#orderJudge.power !== undefined &&
      order.quantity > (this.account.held[place] as number) - this.#orderJudge.openShares(place, -1)
    )
      bailOut('a short sale in onFill');
    if (order.exits !== undefined || this.brackets.hasBrackets || this.#heldBackOrders.length > 0)
      bailOut('an order in onFill while exits are open');
    const isFilling = (other: OpenOrder): boolean =>
      other !== filled.rest && other.at === this.now && other.ends === ENDS.fills;
    if (this.#openOrders.some(isFilling)) bailOut('an order in onFill while another order fills');
    const cursor = this.#cursor(place);
    this.#countInside(cursor.symbol);
    const intentId = this.#nextIntentId();
    resolveFillAtPrint(print, this.now, order, cursor, this.#ticks[place] as TickSteps);
    if (
      !this.#sendIfApproved(order, intentId, {
        now: this.now,
        price: this.#priceOfPrint(filled),
        isPrint: true,
      })
    ) {
      this.#queueDenied(order, intentId);
      return;
    }
    const fillsNow = order.ends === ENDS.fills && order.at === this.now;
    if (fillsNow && this.#printVolume !== undefined)
      this.#bailOutIfEventsNeeded('an order in onFill, with participation');
    // onOrder does not see an order work that has filled when its status is first read.
    if (order.tracked === undefined || !fillsNow) this.#queueAccepted(order);
    this.account.addOrder(order);
    this.#openOrders.add();
  }

  #priceOfPrint({ place, print }: FillAtPrint): number {
    const { tape, base } = this.#cursor(place);
    return tape.price(print - base * PRINTS_PER_BAR);
  }

  /** Judges an order and computes its outcome; returns whether it was sent. */
  #submit(order: OpenOrder, intentId: IntentId | undefined, isLast: boolean): boolean {
    const { account } = this;
    const cursor = this.#cursor(order.place);
    resolveFill(order, cursor, this.#ticks[order.place] as TickSteps);
    if (!this.#sendIfApproved(order, intentId, cursor)) {
      if (this.brackets.hasBrackets) this.brackets.bailOutIfTimerDue(order.place, this.now);
      this.#queueDenied(order, intentId);
      return false;
    }
    this.#queueAccepted(order);
    if (this.brackets.hasBrackets && cursor.hours.isOpen(this.now))
      this.brackets.recordAccepted(order.place, this.now, order.number);
    const isAtOnce =
      this.#orderEvents === undefined &&
      isLast &&
      order.ends === ENDS.fills &&
      order.at === this.now &&
      this.gateMoves.nextAt > this.now &&
      !this.hasPendingWork;
    if (isAtOnce && this.#printVolume === undefined) this.#book(order);
    else {
      account.addOrder(order);
      this.#openOrders.add();
    }
    return true;
  }

  /** Judges an order, and assigns ids if the gate approves it. */
  #sendIfApproved(order: OpenOrder, intentId: IntentId | undefined, quote: Quote): boolean {
    if (!this.#orderJudge.approve(order, quote)) return false;
    this.#assignNumber(order, intentId, this.now);
    return true;
  }

  /**
   * Holds back a closing order until the venue has confirmed the cancels of exits, after all closes of the current
   * time.
   */
  #holdBack(order: OpenOrder, intentId: IntentId | undefined): void {
    this.#heldBackOrders.push({ order: Object.assign(new OpenOrder(), order), intentId });
  }

  /** Returns the quantity of held-back orders in a symbol and side. */
  #heldBackShares(place: number, side: OpenOrder['side']): number {
    let shares = 0;
    for (const { order } of this.#heldBackOrders)
      if (order.place === place && order.side === side) shares += order.quantity;
    return shares;
  }

  /** Bails out if the strategy handles order events, which are not known for some orders. */
  #bailOutIfEventsNeeded(what: string): void {
    if (this.#orderEvents !== undefined) bailOut(`onOrder with ${what}`);
  }

  /** Bails out if the algorithm of some orders may have to wait until the schedule allows opening. */
  #bailOutIfOpeningStopped(what: string): void {
    if (this.gateMoves.openingStopped !== undefined || this.#flattening.size > 0)
      bailOut(`${what} outside the hours of a schedule`);
  }

  #nextIntentId(): IntentId | undefined {
    return this.#usesIds ? this.#mintIntentId() : undefined;
  }

  /** Sends the held-back orders, one symbol after the other, because their exits are now cancelled. */
  #sendHeldBack(): void {
    const released = this.#heldBackOrders;
    this.#heldBackOrders = [];
    for (const place of new Set(released.map(({ order }) => order.place))) {
      this.brackets.cancelExits(place, this.now);
      for (const { order: held, intentId } of released) {
        if (held.place !== place) continue;
        const order = Object.assign(this.#openOrders.unusedOrder(), held);
        this.cursorNow(place);
        this.#submit(order, intentId, false);
      }
      this.brackets.updateExits(place, this.now);
    }
  }

  /** Returns whether any event may precede the closes of a time. */
  hasEventBefore(time: Millis): boolean {
    return (
      this.hasPendingWork ||
      this.#actions.nextAt <= time ||
      this.interest.nextAt <= time ||
      this.gateMoves.nextAt <= time
    );
  }

  /** Whether orders are open or algorithms active. */
  get hasPendingWork(): boolean {
    return (
      this.#openOrders.count > 0 ||
      this.brackets.hasBrackets ||
      this.#slicedOrders.isActive ||
      this.#heldBackOrders.length > 0 ||
      this.#rebalances.isActive
    );
  }

  /** Processes all events before the closes of a time: fills, expiries, cancels, day ends, and corporate actions. */
  advance(time: Millis): void {
    this.#handleOrders();
    for (let index = 0; index < this.#openOrders.count; index += 1) {
      const order = this.#openOrders.at(index);
      if (!Number.isNaN(order.searchedTo)) continueSearch(order, this.#cursor(order.place));
    }
    if (this.#heldBackOrders.length > 0) this.#sendHeldBack();
    const { interest, gateMoves } = this;
    const actions = this.#actions;
    for (;;) {
      const at = Math.min(actions.nextAt, interest.nextAt, gateMoves.nextAt) as Millis;
      this.#advanceTo(millis(Math.min(at, time)));
      // A loss on the way may have scheduled an earlier action of the operator.
      if (gateMoves.nextAt < at) continue;
      if (at > time || at === NEVER) break;
      // At equal times: day end, corporate action, all else, closes, operator.
      if (interest.nextAt === at) this.#endDay(time);
      else if (actions.nextAt === at) this.#applyCorporateAction();
      else if (at === time) break;
      else this.#runOperator();
    }
  }

  /** Books the interest of the day that ends; the next closes are at `time`. */
  #endDay(time: Millis): void {
    this.#goTo(this.interest.nextAt);
    const booked = this.interest.endDay((symbol) => this.#priceAtDayEnd(symbol));
    if (booked === undefined) return;
    // The strategy's books do not include it until then.
    if (time < booked.at) bailOut('a close within a second of midnight');
    this.account.bookCash(booked.cash);
    this.#equityAt = Number.NaN;
    if (this.#resumedUntil === this.#dayUntil) bailOut('interest on the day of a resume');
    // Interest for a day is no loss of the next.
    this.#dayStartEquity += fromUnits(booked.cash);
    this.#exactDayStartEquity += booked.cash;
    if (this.#rebalances.isActive) this.#rebalances.bailOutIfOrdersDue();
  }

  /** Returns the price of a symbol's newest print at the end of a day. */
  #priceAtDayEnd(symbol: SecuritySymbol): number {
    const { closed, columns, closes, price } = this.cursorOf(symbol);
    if ((columns.time[closed + 1] ?? NEVER) < this.now) bailOut('a bar is open at midnight');
    if ((closes[closed] as number) < this.#splitAt && this.#splitAt !== NEVER)
      bailOut('no print since a split');
    return price;
  }

  /** Advances to a time, or to an earlier action of the operator. */
  #advanceTo(end: Millis): void {
    const { brackets, gateMoves } = this;
    const waiting = this.#openOrders;
    while (this.hasPendingWork) {
      const time = gateMoves.nextAt < end ? gateMoves.nextAt : end;
      const timer = brackets.hasBrackets ? brackets.firstTimer(time) : undefined;
      const sliced = this.#slicedOrders.isActive ? this.#slicedOrders.firstTimer(time) : undefined;
      const rebalanceAt = this.#rebalances.timerBefore(time);
      const until = timer?.at ?? rebalanceAt ?? sliced?.at ?? time;
      const exit = brackets.hasBrackets ? brackets.firstTriggered(until, this.#happensBefore) : undefined;
      const nextStart =
        this.#slicedOrders.isActive || this.#orderEvents !== undefined ? this.#nextToStart() : undefined;
      const due = waiting.nextBefore(until);
      if (
        nextStart !== undefined &&
        nextStart.worksFrom <= until &&
        !((due?.at ?? NEVER) < nextStart.worksFrom)
      )
        this.#startWorking(nextStart);
      else if (exit !== undefined && (due === undefined || waiting.happensBefore(exit.order, due)))
        this.#fillExit(exit.bracket, exit.order);
      else if (due !== undefined) this.#processOrderEvent(due);
      else if (timer !== undefined) this.#fireBracketTimer(timer);
      else if (sliced !== undefined) this.#fireSlices(sliced.sliced, sliced.at);
      else if (rebalanceAt !== undefined) this.#fireRebalance(rebalanceAt);
      else return;
    }
  }

  /** Books the next corporate action on a position, and ends orders for split shares. */
  #applyCorporateAction(): void {
    const due = this.#actions.takeNext();
    const { action, at } = due;
    const place = this.placeOf(action.symbol);
    this.#goTo(at);
    if (action.kind === 'split') {
      this.#endAtSplit(place);
      this.#settlements.split(place, toAmount(action.ratio));
    }
    if (action.kind === 'split' && this.#rebalances.isActive) bailOut('a split during a rebalance');
    const { account } = this;
    const held = account.held[place] as number;
    if (held === 0) return;
    const { currency } = this.#setup;
    const averageCost = account.exactCost(place);
    const booked = bookedAction(due, { quantity: decimalOfDouble(held), averageCost, currency, at });
    const [shares, cash] = [booked.quantity.toNumber(), unitsOfDecimal(booked.amount)];
    if (shares !== 0 && this.brackets.has(place))
      bailOut('a corporate action removes shares that have exits');
    account.bookAction(place, shares, cash, booked.averageCost ?? averageCost);
    this.#equityAt = Number.NaN;
    const ratio = action.kind === 'split' ? action.ratio.toNumber() : undefined;
    if (ratio !== undefined) this.#splitAt = at;
    const applied = { fills: this.fills.length, booked, at, place, shares, cash, ratio, action };
    this.#actions.applied.push(applied);
    this.#settlements.bookAction(applied);
    if (this.#resumedUntil === this.#dayUntil) bailOut('a corporate action on the day of a resume');
    // The day's loss counts from the previous close on the new share basis, so that the payout for fractions is no
    // gain of the day.
    const paidOut = ratio === undefined ? 0 : held * ratio - (held + shares);
    // That close is already on the share basis after all splits of this time.
    const later = this.#actions.ratioDue(action.symbol, at);
    // A dividend is part of the day's profit, because the price falls by it.
    if (action.kind !== 'dividend')
      this.#dayStartEquity += fromUnits(cash) - paidOut * later * this.cursorNow(place).price;
    this.#exactDayStartEquity = Number.NaN;
    if (this.#rebalances.isActive) this.#rebalances.bailOutIfOrdersDue();
  }

  /** Ends the orders of a symbol with a split. */
  #endAtSplit(place: number): void {
    const waiting = this.#openOrders;
    if (this.brackets.has(place)) bailOut('a split of a position with exits');
    if (this.#slicedOrders.has(place)) bailOut('a split during a sliced order');
    if (this.#openOrders.count > 0) this.#bailOutIfEventsNeeded('a split while orders are open');
    for (let index = waiting.count - 1; index >= 0; index -= 1) {
      const order = waiting.at(index);
      if (order.place !== place) continue;
      if (order.exits !== undefined || order.exit !== undefined)
        bailOut('a split while an order of a bracket is open');
      if (this.#cursor(place).fills.splitOrders === 'adjust') bailOut('an order is adjusted to a split');
      waiting.remove(index);
      this.account.removeUnfilled(order);
    }
  }

  readonly #happensBefore = (order: OpenOrder, other: OpenOrder): boolean =>
    this.#openOrders.happensBefore(order, other);

  #processOrderEvent(order: OpenOrder): void {
    if (order.ends === ENDS.fills) this.#fill(order);
    else if (order.exit === 'target' && order.ends === ENDS.cancelled) this.#resendTarget(order);
    else if (order.exit !== undefined) bailOut('a closing order of a bracket ends unfilled');
    else this.#endUnfilled(order);
  }

  /** Lets a target wait for its price again, whose rest is cancelled at a close. */
  #resendTarget(rest: OpenOrder): void {
    this.#removeUnfilled(rest);
    this.#goTo(rest.at as Millis);
    this.brackets.resendTarget(rest, this.now);
  }

  /** Handles an order that expired or was cancelled: exits that were cancelled for it are sent again. */
  #endUnfilled(order: OpenOrder): void {
    const { place, at } = order;
    this.#removeUnfilled(order);
    if (order.tracked !== undefined) this.#deliverEnd(order, order.tracked);
    if (this.#slicedOrders.isActive) this.#updateSlices(order);
    if (this.#rebalances.isActive) this.#updateRebalance(order);
    if (!this.brackets.has(place)) return;
    this.#goTo(at as Millis);
    this.#unfilledEnd = order.ends;
    this.brackets.updateExits(place, this.now);
    this.#unfilledEnd = undefined;
  }

  /** Calls onOrder for an order that expired, before the closes of that time, or was cancelled. */
  #deliverEnd({ at, ends }: OpenOrder, tracked: TrackedTerms): void {
    const time = at as Millis;
    if (ends === ENDS.expires)
      this.#orderEvents?.deliverBeforeCloses(tracked, 'expired', { time, now: this.now });
    else this.#orderEvents?.deliver(tracked, 'canceled', time);
  }

  #updateRebalance({ at, ends, number }: OpenOrder): void {
    this.#goTo(at as Millis);
    this.#rebalanceSizes.isBeforeCloses = ends === ENDS.expires;
    this.#rebalances.ended(number, ends === ENDS.expires ? 'ExpiredStatus' : 'CanceledStatus');
    this.#rebalanceSizes.isBeforeCloses = false;
  }

  #updateSlices(order: OpenOrder): void {
    const { place, at, ends } = order;
    if (ends === ENDS.cancelled && this.#slicedOrders.isDue(place, at))
      bailOut('a slice is due as another order is cancelled');
    this.#goTo(at as Millis);
    this.#rebalanceSizes.isBeforeCloses = ends === ENDS.expires;
    this.#slicedOrders.updateSlice(order, 0, ends === ENDS.expires ? 'ExpiredStatus' : 'CanceledStatus');
    this.#slicedOrders.stepSymbol(place);
    this.#handleOrders();
    this.#rebalanceSizes.isBeforeCloses = false;
  }

  #removeUnfilled(order: OpenOrder): void {
    this.#openOrders.removeDue();
    this.account.removeUnfilled(order);
  }

  #fireBracketTimer(timer: BracketTimer): void {
    this.#goTo(timer.at);
    this.#bailOutAtSplit();
    if (this.#cursors.length > 1) this.#bailOutIfHeldBarOpen();
    this.brackets.fire(timer);
  }

  #bracketHost(): ConstructorParameters<typeof BracketRunner>[0] {
    return {
      cursorNow: (place) => this.cursorNow(place),
      held: (place) => this.account.held[place] as number,
      hasClosingOrder: (place, side) =>
        ((side === 1 ? this.account.openBuys : this.account.openSells)[place] as number) > 0 ||
        this.#heldBackShares(place, side) > 0,
      closingMarketShares: (place, side) => this.#closingMarketShares(place, side),
      isOpen: (number) => this.#openOrders.some((order) => order.number === number),
      cancelEntry: (number, print) => this.#cancelEntry(number, print),
      isBeforeCloses: () => this.#unfilledEnd === ENDS.expires,
      isAtCancel: () => this.#unfilledEnd === ENDS.cancelled,
      judgeExit: (exit, at) => this.#orderJudge.judgeExit(exit, at),
      sendExit: (exit, at) => {
        const intentId = this.#nextIntentId();
        this.#orderJudge.gate.recordPassed(this.#orderJudge.judgeExit(exit, at));
        this.#assignNumber(exit.order, intentId, at);
      },
      closeAtMarket: (closing, print) =>
        print === undefined ? this.#closeNow(closing) : this.#closeAtPrint(closing, print),
    };
  }

  /** Returns the quantity of the strategy's open market orders on a side, without triggered ones. */
  #closingMarketShares(place: number, side: OpenOrder['side']): number {
    return this.#openOrders.sharesOf(
      (order) =>
        order.place === place &&
        order.side === side &&
        order.type === 'MO' &&
        order.exit === undefined &&
        !order.hadTrigger,
    );
  }

  /** Sends a market order that closes, at a close. */
  #closeNow(closing: ClosingOrder): OpenOrder {
    const { now } = this;
    const { place } = closing;
    const cursor = this.cursorNow(place);
    if (cursor.closes[cursor.closed] !== cursor.now) bailOut('the newest quote is not current');
    this.#bailOutIfCancelDue(now);
    const order = this.#closingOrder(closing);
    resolveFill(order, cursor, this.#ticks[place] as TickSteps);
    return this.#submitClosing(order, cursor);
  }

  /** Bails out if an order is cancelled by age at that time. */
  #bailOutIfCancelDue(instant: number): void {
    if (this.#openOrders.some(({ at, ends }) => at === instant && ends === ENDS.cancelled))
      bailOut('two timers are due at the same time');
  }

  /** Sends a market order that closes, at a print that filled another order. */
  #closeAtPrint(closing: ClosingOrder, print: PrintIndex): OpenOrder {
    const { place } = closing;
    const isMet = (other: OpenOrder): boolean =>
      other.place === place &&
      other.position === print &&
      other.ends === ENDS.fills &&
      other !== this.#filling;
    if (
      this.#printVolume !== undefined &&
      (this.#openOrders.some(isMet) ||
        this.brackets.firstTriggered(millis(this.now + 1), this.#happensBefore) !== undefined)
    )
      bailOut('a closing order at a print that fills another order');
    const cursor = this.cursorNow(place);
    const order = this.#closingOrder(closing);
    resolveFillAfter(printTakenAt(print), order, cursor);
    const { now, tape, base } = cursor;
    return this.#submitClosing(order, { now, price: tape.price(print - base * PRINTS_PER_BAR) });
  }

  #closingOrder(closing: ClosingOrder): OpenOrder {
    const order = Object.assign(this.#openOrders.unusedOrder(), closing);
    order.makeMarket();
    order.exits = undefined;
    order.exit = 'close';
    order.sliceOf = 0;
    return order;
  }

  #submitClosing(order: OpenOrder, quote: Quote): OpenOrder {
    const intentId = this.#nextIntentId();
    if (!this.#sendIfApproved(order, intentId, quote))
      bailOut('the gate denies an order whose exits were already cancelled');
    this.account.addOrder(order);
    this.#openOrders.add();
    return order;
  }

  #fillExit(bracket: Bracket, exit: OpenOrder): void {
    const hasOthers = Math.abs(this.account.held[exit.place] as number) > exit.quantity;
    if (bracket.isTriggeredTwice && (hasOthers || this.#setup.short === true))
      bailOut('one print triggers two exits of a position');
    if (bracket.closing !== undefined) bailOut('two partially filled exits of one position');
    const shares = this.#volumeFor(exit);
    if (shares < exit.quantity) {
      this.#fillExitPart(bracket, exit, shares);
      return;
    }
    this.#goTo(exit.at as Millis);
    this.brackets.removeExecuted(bracket, exit.at);
    this.#cancelEntry(bracket.entryNumber, exit.position);
    this.#recordPrint(exit);
    this.#book(exit);
  }

  /**
   * Cancels the rest of an entry whose position is closed, at a print or, before any print of this time, at a timer. Bails
   * out if another order is filled by the print that fills the entry.
   */
  #cancelEntry(number: number, print: PrintIndex | undefined): void {
    const entry = this.#openOrders.list().find((order) => order.number === number);
    if (entry === undefined) return;
    if (entry === this.#filling) this.#isFillingCancelled = true;
    else if (entry.ends === ENDS.fills && entry.position === print)
      bailOut('an entry fills while its position is being closed');
    else this.#cancelRest(entry);
  }

  /** Cancels an order now. Bails out if that is too late for the next print. */
  #cancelRest(order: OpenOrder): void {
    const { at, ends, place } = order;
    if (ends === ENDS.fills && isBetweenExtremes(this.now + 1, at, this.#cursor(place)))
      bailOut('an entry fills while its position is being closed');
    order.searchedTo = Number.NaN;
    order.setOutcome(this.now, ENDS.cancelled, Number.NaN);
  }

  /** Books a part of a triggered exit, whose rest works as an order at the market or at its limit. */
  #fillExitPart(bracket: Bracket, exit: OpenOrder, shares: number): void {
    const { place, side } = exit;
    if (side === 1) bailOut('a partial fill of an exit of a short position');
    if (bracket.spec.stop !== undefined && bracket.spec.trail !== undefined)
      bailOut('a partial fill of one of two stops');
    if (this.brackets.hasOthers(bracket))
      bailOut('a partial fill of an exit while the symbol has other brackets');
    const { entryNumber } = bracket;
    if (this.#openOrders.some((order) => order.place === place && order.number !== entryNumber))
      bailOut('a partial fill of an exit while the symbol has other orders');
    this.#goTo(exit.at as Millis);
    if (exit.exit === 'target' || shares === 0) {
      if (this.#openOrders.some(({ number }) => number === entryNumber))
        bailOut('an exit is triggered while its entry is still filling');
    } else this.#cancelEntry(entryNumber, exit.position);
    const rest = Object.assign(this.#openOrders.unusedOrder(), exit);
    const isLimited = !Number.isNaN(exit.level);
    if (isLimited) rest.type = 'LO';
    rest.timeInForce = 'gtc';
    rest.expiresAt = bracket.expiresAt;
    rest.reservedAt = isLimited ? exit.level : exit.price;
    this.account.addOrder(rest);
    this.#openOrders.add();
    bracket.closeWith(rest);
    this.#fillPart(rest, shares, true);
  }

  /** Attaches the exits to send when an opening order fills. */
  #attachExits(order: OpenOrder, terms: ExitTerms | undefined): void {
    if (terms === undefined) return;
    if (this.#slicedOrders.isActive) bailOut('a sliced order while exits are open');
    const side = order.side === 1 ? 'buy' : 'sell';
    const known = terms === this.#exits ? this.#readExits?.[side] : undefined;
    const read = known ?? readExits(terms, side);
    if (read.kind === 'problem') bailOut(read.problem);
    if (Object.keys(read.exits).length === 0) return;
    this.#bailOutIfEventsNeeded('an entry with exits');
    const { stop, target } = read.exits;
    if (stop?.kind === 'price' || target?.kind === 'price') {
      const { price } = this.cursorNow(order.place);
      const newest = price > 0 ? decimalOfDouble(price) : undefined;
      const level = order.type === 'MO' ? undefined : decimalOfDouble(order.level);
      const limit = order.type === 'LO' ? level : undefined;
      const from = order.type === 'MIT' ? level : newest;
      const wrong = wrongSideProblem(read.exits, { side, limit, from });
      if (wrong !== undefined) bailOut(wrong);
    }
    order.exits = read.exits;
  }

  /** Records an approved order; `intentId` is undefined if the strategy does not see ids. */
  #assignNumber(order: OpenOrder, intentId: IntentId | undefined, at: Millis): void {
    order.number = this.orders.add(at);
    order.ids = intentId && { intentId, orderId: nthOrderId(this.orders.count, at) };
    if (this.#orderEvents !== undefined && intentId !== undefined)
      order.tracked = { intentId, terms: termsOf(order, this.#cursor(order.place).security) };
  }

  /** Bails out if expired exits cannot be sent again in the right order. */
  #bailOutIfRenewalOutOfOrder(at: Millis): void {
    // The strategy sees ids, which count orders in the order of sending, but renewals are processed later.
    if (this.#usesIds) bailOut('exits expire and the strategy sees the ids of orders');
    if (this.#openOrders.some((order) => order.at < at)) bailOut('exits expire after another order ended');
  }

  #fill(order: OpenOrder): void {
    const { place, quantity } = order;
    if (
      order.type === 'MIT' &&
      order.side === -1 &&
      quantity > (this.account.held[place] as number) - this.#openOrders.sharesOnSale(place)
    )
      bailOut('the shares of a triggered sale are already sold');
    const shares = this.#volumeFor(order);
    if (shares < quantity) {
      this.#fillPart(order, shares);
      return;
    }
    this.#goToFill(order);
    this.#removeUnfilled(order);
    this.#book(order);
  }

  /**
   * Moves to the print that fills an order. Bails out if an order fills on a second day, because each day has
   * separate charges.
   */
  #goToFill(order: OpenOrder): void {
    this.#goTo(order.at as Millis);
    if (order.fills > 0 && order.filledOn !== this.#dayUntil) bailOut('an order fills on several days');
    order.filledOn = this.#dayUntil;
    this.#recordPrint(order);
  }

  /** Returns how many shares of an order its print fills. */
  #volumeFor({ place, quantity, position }: OpenOrder): number {
    if (this.#printVolume === undefined) return quantity;
    const { tape, base, security } = this.#cursor(place);
    const print = position - base * PRINTS_PER_BAR;
    const taken = this.#printVolume.takeAtMost(
      undefined,
      quantity * ONE,
      security.lotSize,
      { tape, place },
      print,
    );
    return Number(taken) / ONE;
  }

  /** Books a partial fill, and computes the outcome of the rest. `isTriggered`: its print triggered the order. */
  #fillPart(order: OpenOrder, shares: number, isTriggered = order.type === 'MIT'): void {
    if (shares > 0) {
      this.#goToFill(order);
      const fee = this.account.fillPart(order, shares);
      this.account.reserved = this.#openOrders.reserved();
      this.#filling = order;
      this.#recordFill(order, shares, fee, order);
      this.#filling = undefined;
    }
    const { at } = order;
    resolveRest(order, this.#cursor(order.place), isTriggered);
    if (this.#isFillingCancelled) this.#cancelRest(order);
    this.#isFillingCancelled = false;
    if (order.exit === 'target') this.brackets.closedBy(order)?.cancelRestIfPriceLeaves(order, at);
  }

  /** Records that the print of an order has happened, and with it those of all earlier symbols at this time. */
  #recordPrint({ place, fillsAtLatestPrint }: OpenOrder): void {
    if (!fillsAtLatestPrint) this.#latestPrints.record(place);
  }

  /** Returns whether an order matches a print before another one of its symbol. */
  #matchesFirst(order: OpenOrder, other: OpenOrder): boolean {
    const turn = this.#printVolume === undefined ? 0 : this.#rank(order) - this.#rank(other);
    if (turn !== 0) return turn > 0;
    const [since, sinceOther] = [this.#worksSince(order), this.#worksSince(other)];
    return since === sinceOther ? order.number < other.number : since < sinceOther;
  }

  #rank({ place, side, type, level, position }: OpenOrder): number {
    const { tape, base } = this.#cursor(place);
    const touched = {
      side: side === 1 ? ('buy' as const) : ('sell' as const),
      limit: type === 'LO' ? decimalOfDouble(level) : undefined,
      isArmed: type === 'MIT',
    };
    return rankOf(touched, decimalOfDouble(tape.price(position - base * PRINTS_PER_BAR)));
  }

  /**
   * Returns when an order started to wait for prints: when it was sent, or if the market was closed then, when it
   * opens. A trigger waits from the start.
   */
  #worksSince({ sentAt, hadTrigger }: OpenOrder): number {
    return hadTrigger || isOpen(this.#market, sentAt as Millis)
      ? sentAt
      : nextOpen(this.#market, sentAt as Millis);
  }

  #book(order: OpenOrder): void {
    this.#recordFill(order, order.quantity, this.account.fill(order));
  }

  #recordFill(order: OpenOrder, quantity: number, fee: number, rest?: OpenOrder): void {
    // An order that onFill sends may reuse the object.
    const { place, side, at, price, number, position, tracked } = order;
    const { account } = this;
    this.#equityAt = Number.NaN;
    if (account.cash < 0 && this.#setup.margin.kind === 'cash') bailOut('cash is negative in a cash account');
    this.#orderJudge.gate.recordFill(at);
    const by = order.exit === undefined ? 0 : FILLED_BY.indexOf(order.exit);
    this.fills.add({ security: place, at, price, quantity: side * quantity, fee, by, order: number });
    if (this.#flattening.size > 0) this.#flattening.delete(place);
    this.#reviewLossesAtPrints(order);
    const event = this.#onFill && this.#fillOf(order, quantity);
    this.#stepBrackets(order, quantity, rest === undefined);
    if (this.#rebalances.isActive) this.#rebalances.filled(number, quantity);
    if (this.#slicedOrders.isActive) {
      this.#slicedOrders.updateSlice(order, quantity);
      this.#slicedOrders.stepSymbol(place);
    }
    if (event !== undefined) {
      this.#bailOutBeforeFirstCloses();
      this.#handledFill = { rest, place, print: position };
      this.#onFill?.(event);
      this.#handledFill = undefined;
    }
    if (tracked !== undefined && rest === undefined) this.#orderEvents?.deliver(tracked, 'filled', this.now);
    this.#handleOrders();
  }

  /** Bails out while the first bar of a symbol is open, because the strategy sees the price of its latest print. */
  #bailOutBeforeFirstCloses(): void {
    for (let place = this.#symbolsWithClose; place < this.#cursors.length; place += 1) {
      const { closed, columns } = this.cursorNow(place);
      if (closed < 0 && (columns.time[0] ?? NEVER) <= this.now)
        bailOut('the first bar of a symbol is still open');
      if (closed >= 0 && place === this.#symbolsWithClose) this.#symbolsWithClose += 1;
    }
  }

  /** Updates brackets after a fill, before the strategy is called. */
  #stepBrackets(order: OpenOrder, quantity: number, isComplete: boolean): void {
    const { place, at, position } = order;
    if (order.exits !== undefined) this.brackets.addEntryShares(order, quantity);
    else if (order.exit !== undefined) this.brackets.applyClosingFill(order, quantity, isComplete);
    if (order.exit === undefined && this.brackets.has(place))
      this.brackets.updateExits(place, at as Millis, position);
  }

  /**
   * Checks losses at the latest prints after a fill, like the gate, if they are near a limit at the newest closes.
   */
  #reviewLossesAtPrints({ place, position }: OpenOrder): void {
    const { gate } = this.#orderJudge;
    const dayStart = this.#dayStartEquity;
    const isNear = !gate.isWithinLimits(this.equity(), dayStart) || gate.isNearLimit(this.equity(), dayStart);
    // Usually even the worst prices of their bars are within the limits.
    const { held } = this.account;
    const worst = this.#equityAtPrices((each) => this.cursorNow(each).worstRecentPrice(held[each] as number));
    if (gate.allowsLossTo(worst, dayStart)) return;
    const { tape, base } = this.#cursor(place);
    const printed = tape.price(position - base * PRINTS_PER_BAR);
    const priceOf = (each: number): number => (each === place ? printed : this.#latestPrints.price(each));
    if (isNear) {
      this.#bailOutIfOtherFill();
      this.#reviewLosses(priceOf);
    } else if (!gate.allowsLossTo(this.#equityAtPrices(priceOf), dayStart))
      bailOut('losses at the latest prints exceed a limit, but not at the closes');
  }

  /** Bails out if another order fills at this time, because the venue has already booked that fill. */
  #bailOutIfOtherFill(): void {
    if (this.#openOrders.some(({ at, ends }) => at === this.now && ends === ENDS.fills))
      bailOut('two orders fill at the same time while losses are near a limit');
    if (
      this.brackets.hasBrackets &&
      this.brackets.firstTriggered(this.now, this.#happensBefore) !== undefined
    )
      bailOut('an exit is triggered while losses are near a limit');
  }

  /** Checks losses at the gate, with positions at these prices. */
  #reviewLosses(priceOf: (place: number) => number): void {
    const losses = {
      equity: this.account.exactEquity(priceOf),
      dayStartEquity: this.#exactDayStartEquity,
      peak: this.#orderJudge.gate.exactPeak,
    };
    if (!(this.#dayStartEquity > 0)) bailOut('equity at the start of the day is not positive');
    if (Number.isNaN(losses.equity + losses.dayStartEquity + losses.peak))
      bailOut('losses near a limit are not known exactly');
    this.gateMoves.review(losses);
  }

  readonly #closeOf = (place: number): number => this.cursorNow(place).price;

  #gateHost(): GateMovesHost {
    return {
      now: () => this.now,
      view: () => this.#operatorsView(),
      moved: () => {
        const { standing, isDrawdownRestricted } = this.gateMoves;
        this.#gateMovedAt = this.now;
        this.#bailOutIfAlgorithmsActive();
        if (standing.state === 'killed') this.#cancelOpenOrders();
        this.#orderJudge.gate.setRestriction(standing.state, isDrawdownRestricted);
      },
      equityAtResume: () => {
        if ((this.interest.booked.at(-1)?.at ?? this.now) > this.now)
          bailOut('interest is booked at the time of a resume');
        this.#bailOutIfAlgorithmsActive();
        if (this.#flattening.size > 0) bailOut('a resume while the operator closes positions');
        this.#bailOutAtSplit();
        this.#bailOutIfHeldBarOpen();
        const equity = this.account.exactEquity(this.#closeOf);
        return Number.isNaN(equity) ? bailOut('equity at a resume is not known exactly') : equity;
      },
      resumed: (equity) => {
        const { gate, denials } = this.#orderJudge;
        this.#resumedUntil = this.#dayUntil;
        this.#exactDayStartEquity = equity;
        gate.applyResume(this.now, equity);
        denials.resumed();
      },
      openingChanged: (stopped) => {
        if (this.#slicedOrders.isActive || this.#rebalances.isActive)
          bailOut('a schedule acts while an algorithm is active');
        this.#orderJudge.gate.isOpeningStopped = stopped !== undefined;
      },
      cancelAll: (symbols) => {
        if (this.brackets.hasBrackets) bailOut('all orders are cancelled while exits are open');
        if (this.#flattenedAt === this.now || this.#flattening.size > 0)
          bailOut('all orders are cancelled while the operator closes positions');
        this.#cancelOrdersOf(new Set(symbols.map((symbol) => this.placeOf(symbol))));
      },
      flatten: (symbols) => this.#flatten(symbols.map((symbol) => this.placeOf(symbol))),
    };
  }

  /** Bails out if a move of the gate would make an algorithm act. */
  #bailOutIfAlgorithmsActive(): void {
    if (this.#slicedOrders.isActive || this.#rebalances.isActive)
      bailOut('the gate moves while an algorithm is active');
    if (!this.brackets.hasBrackets) return;
    const { at, length } = this.fills;
    const isDue = this.brackets.firstTimer(millis(this.now + 1)) !== undefined;
    if (isDue || this.orders.lastAt === this.now || (at[length - 1] ?? Number.NaN) === this.now)
      bailOut('the gate moves at a time at which exits change');
  }

  #cancelOpenOrders(): void {
    if (this.brackets.hasBrackets || this.#heldBackOrders.length > 0)
      bailOut('the gate is killed while exits are open');
    if (this.#openOrders.count > 0) this.#bailOutIfEventsNeeded('a kill while orders are open');
    for (const order of this.#openOrders.list()) this.#cancel(order);
  }

  /**
   * Cancels the orders of some securities; returns the securities that had orders. They end after the events of the
   * current time.
   */
  #cancelOrdersOf(places: ReadonlySet<number>): ReadonlySet<number> {
    if (this.#slicedOrders.isActive || this.#rebalances.isActive)
      bailOut('orders are cancelled while an algorithm is active');
    const open = this.#openOrders.list().filter(({ place }) => places.has(place));
    if (open.length === 0) return new Set();
    this.#bailOutIfEventsNeeded('a cancel by the operator');
    if (open.some(({ at, ends }) => at === this.now && ends !== ENDS.fills))
      bailOut('the operator cancels an order that ends at the same time');
    for (const order of open) this.#cancel(order);
    return new Set(open.map(({ place }) => place));
  }

  /**
   * Cancels the orders of some securities and closes their positions at the market. A position without orders is
   * closed now; the operator looks for the others again when their cancels are confirmed.
   */
  #flatten(places: readonly number[]): void {
    const { account, brackets, now } = this;
    const cancelled = new Set(this.#cancelOrdersOf(new Set(places)));
    const held = places.filter((place) => account.held[place] !== 0);
    if (held.length === 0) return;
    this.#bailOutIfEventsNeeded('a close by the operator');
    if (this.#printVolume !== undefined) bailOut('a close by the operator, with participation');
    if (this.#flattening.size > 0) bailOut('the operator closes positions twice');
    if (this.gateMoves.standing.state === 'killed') bailOut('the operator flattens before the resume');
    if (brackets.hasBrackets && brackets.firstTimer(now + 1) !== undefined)
      bailOut('a timer is due as the operator closes positions');
    this.#flattenedAt = now;
    for (const place of held.filter((each) => brackets.has(each))) {
      this.#bailOutIfBarOpen(place);
      brackets.cancelAll(place, now);
      cancelled.add(place);
    }
    for (const place of held.filter((each) => !cancelled.has(each))) {
      const order = this.#closeForOperator(place);
      if (order.at !== now) bailOut('an order of the operator does not fill at once');
    }
    const later = held.filter((place) => cancelled.has(place));
    if (later.length === 0) return;
    // The operator looks again as soon as one of the positions is closed.
    if (later.length < held.length || later.length < cancelled.size)
      bailOut('the operator closes some positions at once and others later');
    for (const place of later) this.#flattening.add(place);
    this.gateMoves.callAt(millis(now + CHECK_DELAYS_MS[0]), () => {
      for (const place of later) {
        if (account.held[place] === 0) bailOut('a position ends as the operator closes it');
        const order = this.#closeForOperator(place);
        if (order.at - now >= CLOSING_MS) bailOut('an order of the operator fills after an alarm');
      }
    });
  }

  /** Sends a market order of the operator; bails out if it does not fill. */
  #closeForOperator(place: number): OpenOrder {
    const held = this.account.held[place] as number;
    const quantity = Math.abs(held);
    if (this.#openOrders.some((order) => order.place === place))
      bailOut('the operator flattens a symbol with open orders');
    if (quantity % this.#cursor(place).security.lotSize !== 0) bailOut('the operator flattens an odd lot');
    const order = this.#openOrders.unusedOrder();
    Object.assign(order, { place, side: held > 0 ? -1 : 1, quantity, sliceOf: 0 });
    order.makeMarket();
    if (this.#submitNow(order, false).kind === 'denied') bailOut('the gate denies an order of the operator');
    if (order.ends !== ENDS.fills) bailOut('an order of the operator does not fill');
    return order;
  }

  /** Returns positions and open orders for an operator. */
  #operatorsView(): ReturnType<GateMovesHost['view']> {
    const { held, holdings } = this.account;
    const symbolAt = (place: number): SecuritySymbol => this.#cursor(place).security.symbol;
    const places = Array.from({ length: holdings.count }, (_, index) => holdings.places[index] as number);
    const orders = this.#openOrders.list().map((order) => {
      return { terms: termsOf(order, this.#cursor(order.place).security) };
    });
    return {
      portfolio: {
        holdings: new Map(
          places.map((place) => [symbolAt(place), { quantity: decimalOfDouble(held[place] as number) }]),
        ),
      },
      live: orders,
    };
  }

  #runOperator(): void {
    this.#goTo(this.gateMoves.nextAt);
    this.gateMoves.fire();
  }

  /** Returns the last fill of an order as the venue reports it. */
  #fillOf(order: OpenOrder, quantity: number): Fill {
    const { place, side, at, price, ids, fills } = order;
    if (ids === undefined) throw new Error('Cannot make a fill event: the order has no ids');
    const { security } = this.#cursor(place);
    const figures = { at, price, quantity: side * quantity };
    const charges = this.account.chargesOf(order, figures, security);
    const fill = bookedFill(figures, security, { orderId: ids.orderId, before: fills - 1 }, charges);
    return { ...fill, intentId: ids.intentId };
  }

  /** Moves to a time; records equity at the start of the exchange's day before anything of that day is booked. */
  #goTo(now: Millis): void {
    if (!(now < this.#dayUntil)) this.#beginDay(now);
    if (this.now !== now) this.#latestPrints.reset();
    this.now = now;
  }

  #beginDay(now: Millis): void {
    const { midnight, nextMidnight } = hoursAt(this.#market, now);
    this.now = midnight;
    this.#dayStartEquity = this.equity();
    this.#exactDayStartEquity = this.account.exactEquity(this.#closeOf);
    this.#dayUntil = nextMidnight;
  }

  /** Bails out at the time of a split, before its print determines the value of the position. */
  #bailOutAtSplit(): void {
    if (this.#splitAt === this.now) bailOut('no print since a split');
  }

  /** Bails out if a bar of an open position is still open, because the venue already knows its prints. */
  #bailOutIfHeldBarOpen(): void {
    const { holdings } = this.account;
    for (let index = 0; index < holdings.count; index += 1) {
      const { columns, closed } = this.cursorNow(holdings.places[index] as number);
      if ((columns.time[closed + 1] ?? NEVER) < this.now)
        bailOut('a bar of a held symbol is open at a close');
    }
  }

  #cursor(place: number): SymbolCursor {
    return this.#cursors[place] as SymbolCursor;
  }
}
