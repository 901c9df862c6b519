import { Decimal, type Quantity, ZERO } from '../model/decimal.ts';
import type { BookedFill, Fill } from '../model/fill.ts';
import type { Currency } from '../model/money.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import { type Charge, executionId, type IntentId, type OrderId, orderId } from '../model/order.ts';
import { draftOrder, isLive, moveOrder, type OrderMove } from '../model/order-state.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { BotState, KnownState, RegainedShares, TrackedOrder } from './bot-state.ts';
import type {
  CorporateActionBooked,
  FlattenChanged,
  JournalSnapshot,
  OrderSettled,
  ReplaceEvent,
  SluiceEvent,
} from './event.ts';
import { bookCharge, bookCorporateAction, bookFill, EMPTY_PORTFOLIO, portfolioOf } from './portfolio.ts';
import { createAlgorithmFold, ordersIn } from './records/algorithm-record.ts';
import { heldBy } from './records/bracket-shares.ts';
import { changeAfter } from './records/change-record.ts';
import { createForeignFold } from './records/foreign-record.ts';
import { createGateFold, type RecentFill } from './records/gate-record.ts';
import { LiveOrders } from './records/live-orders.ts';
import { manualFill } from './records/manual-fill.ts';
import { isWaiting } from './records/open-orders.ts';
import { moveOf } from './records/order-moves.ts';
import { createPendingFeesFold } from './records/pending-fees.ts';
import { type LastSplit, orderSplit, splitIn } from './records/split-record.ts';
import { createStartFold } from './records/start-record.ts';
import { type Changes, type ClosedParts, createStrategyBooks } from './records/strategy-books.ts';
import { createStateFold } from './records/strategy-state-record.ts';
import { restore, snapshotIn } from './snapshot/state-snapshot.ts';

/** Order of the fill that closes opposite positions of strategies. */
const OFFSET = orderId('offset');

/** Computes the state from events. */
export interface Fold {
  readonly state: BotState;
  apply(event: SluiceEvent): void;
  /** Returns all data of `state`. */
  known(): KnownState;
}

/** Creates an empty fold. Replaying a journal yields the state of the run that wrote it. */
export function createFold(): Fold {
  const live = new LiveOrders();
  const done = new Map<IntentId, TrackedOrder>();
  const byOrderId = new Map<OrderId, IntentId>();
  const gate = createGateFold();
  const foreign = createForeignFold();
  const starts = createStartFold();
  const orderOf = (intentId: IntentId): TrackedOrder | undefined => live.get(intentId) ?? done.get(intentId);
  const algorithms = createAlgorithmFold(orderOf);
  const states = createStateFold();
  const books = createStrategyBooks();
  const charges = createPendingFeesFold();
  const splits = new Map<SecuritySymbol, LastSplit>();
  const rounding = new Map<Currency, Decimal>();
  const flattening = new Map<SecuritySymbol, IntentId | null>();
  /** Orders that wait for the cancellation of exits; those that no longer wait are removed with the next fill. */
  const waiting = new Set<IntentId>();
  const state = {
    portfolio: EMPTY_PORTFOLIO,
    live,
    done,
    gate: gate.record,
    foreign: foreign.record,
    uncharged: charges.uncharged,
    rounding,
    starts: starts.record,
    openedAt: undefined as Millis | undefined,
    algorithms: algorithms.open,
    splits,
    flattening,
    kept: states.kept,
    books: books.books,
    intentOf: (orderId: OrderId) => byOrderId.get(orderId),
    order: orderOf,
    relevantChildren: algorithms.relevant,
    regained: [] as RegainedShares[],
  };

  function moveOrderOf(intentId: IntentId, change: OrderMove): void {
    const order = state.order(intentId);
    if (order === undefined)
      throw new Error(`Event for intent "${intentId}" before its intent-drafted event`);
    const facets = moveOrder(order.facets, change);
    if (facets === order.facets) return;
    const replacing = facets.replacement === undefined ? undefined : order.replacing;
    store({ ...order, facets, replacing });
  }

  function bookExecution(intentId: IntentId, fill: Fill): void {
    const { executionId, quantity, price } = fill;
    moveOrderOf(intentId, { kind: 'executed', executionId, quantity, price });
    const order = state.order(intentId);
    if (order !== undefined) addCharges(order, fill.charges);
  }

  /** Updates the expected position of waiting orders after a fill of another order; fills of exits are excluded. */
  function updateWaiting(filled: TrackedOrder | undefined, { symbol, side, quantity }: BookedFill): void {
    if (waiting.size === 0 || filled?.link?.exit === true) return;
    for (const intentId of waiting) {
      const order = live.get(intentId);
      if (order === undefined || !isWaiting(order)) waiting.delete(intentId);
      else if (order.terms.symbol === symbol && order.strategy === filled?.strategy) {
        const signed = side === 'buy' ? quantity : quantity.neg();
        store({ ...order, holdingExpected: (order.holdingExpected ?? ZERO).plus(signed) });
      }
    }
  }

  /**
   * Resizes waiting orders for a target position after exits or external trades changed the position; the other
   * waiting orders count the resizing as explained.
   */
  function resizeWaiting(strategy: string | undefined, symbol: SecuritySymbol): void {
    if (waiting.size === 0) return;
    const waitingOrders = [...waiting].flatMap((intentId): readonly TrackedOrder[] => {
      const order = live.get(intentId);
      return order?.terms.symbol === symbol && order.strategy === strategy && isWaiting(order) ? [order] : [];
    });
    const held = heldBy(strategy, { symbol, side: 'buy' }, state);
    let resizedTotal = ZERO;
    for (const { intentId } of waitingOrders.filter(({ isTarget }) => isTarget === true)) {
      const order = live.get(intentId);
      if (order === undefined) continue;
      const { terms } = order;
      const excess = (order.holdingExpected ?? ZERO).minus(held).minus(resizedTotal);
      const change = terms.side === 'buy' ? excess : excess.neg();
      const quantity = Decimal.max(ZERO, terms.quantity.plus(change));
      const resized = quantity.minus(terms.quantity);
      resizedTotal = resizedTotal.plus(terms.side === 'buy' ? resized : resized.neg());
      store(withQuantity(order, quantity));
    }
    if (resizedTotal.isZero()) return;
    for (const { intentId } of waitingOrders) {
      const order = live.get(intentId);
      if (order !== undefined)
        store({ ...order, holdingExpected: (order.holdingExpected ?? ZERO).minus(resizedTotal) });
    }
  }

  function addRounding({ currency, rounding: most }: BookedFill): void {
    if (most !== undefined) rounding.set(currency, (rounding.get(currency) ?? ZERO).plus(most));
  }

  function addCharges(order: TrackedOrder, charges: readonly Charge[]): void {
    if (charges.length === 0) return;
    const charged = new Map(order.charged);
    for (const { code, amount } of charges) charged.set(code, (charged.get(code) ?? ZERO).plus(amount));
    store({ ...order, charged });
  }

  function settleOrder(event: OrderSettled): void {
    const order = state.order(event.intentId);
    if (order === undefined || !isLive(order.facets)) return;
    moveOrderOf(event.intentId, { kind: 'settled', outcome: event.outcome });
    const fill = manualFill(event, order.terms);
    if (fill === undefined) return;
    const { executionId, quantity, price } = fill;
    moveOrderOf(event.intentId, { kind: 'executed', executionId, quantity, price });
    const closed = closedBy(order.strategy, fill);
    gate.recordOtherFill(event.at, fill, closed);
    algorithms.apply({ kind: 'order-filled', at: event.at, intentId: event.intentId, fill }, order.link);
    bookPosition(order, fill, closed);
  }

  /** Returns what a fill without an order of a strategy closes of the strategies' positions. */
  function closedBy(strategy: string | undefined, fill: BookedFill): ClosedParts | undefined {
    const held = state.portfolio.holdings.get(fill.symbol)?.quantity ?? ZERO;
    return strategy === undefined ? books.closedBy(fill, held) : undefined;
  }

  function closedByEvent(event: SluiceEvent): ClosedParts | undefined {
    if (event.kind === 'order-filled') return closedBy(state.order(event.intentId)?.strategy, event.fill);
    return event.kind === 'foreign-filled' ? closedBy(undefined, event.fill) : undefined;
  }

  /** Books a fill of one of our orders, or of an external order. */
  function bookPosition(
    order: TrackedOrder | undefined,
    fill: BookedFill,
    closed: ClosedParts | undefined,
  ): void {
    const strategy = order?.strategy;
    state.portfolio = bookFill(state.portfolio, fill);
    if (strategy !== undefined) books.bookFillOf(strategy, fill);
    else if (closed !== undefined) books.bookOutsideFill({ fill, closed });
    if (order !== undefined) updateWaiting(order, fill);
    const changes = bookInOrder(fill, strategy);
    for (const [owner, shares] of changes) {
      const quantity = algorithms.regained(owner, fill.symbol, shares, state);
      if (quantity.gt(0)) state.regained.push({ strategy: owner, symbol: fill.symbol, quantity });
    }
    for (const owner of new Set([...(closed?.keys() ?? [strategy]), ...changes.keys()]))
      positionChanged(owner, fill.symbol);
  }

  /**
   * Closes again what fills from outside closed if this fill was executed before others that are known. Returns the
   * shares by which other positions of strategies changed.
   */
  function bookInOrder(fill: BookedFill, strategy: string | undefined): Changes {
    const { fills, otherFills } = gate.record;
    if (books.books.size === 0 || (strategy !== undefined && otherFills.length === 0)) return new Map();
    const known = [...fills, ...otherFills]
      .filter((recent) => recent.fill.symbol === fill.symbol && recent.split === undefined)
      .map((recent) => ({
        recent,
        at: recent.at,
        fill: recent.fill,
        strategy: 'intentId' in recent.fill ? state.order(recent.fill.intentId)?.strategy : undefined,
        ...omitUndefined({ closed: recent.closed }),
      }));
    // An offset closed all positions, whatever had been executed before.
    const offsetAt = Math.max(...known.map((each) => (each.fill.orderId === OFFSET ? each.at : -1)), -1);
    const later = known.filter((each) => each.at > offsetAt && each.fill.time >= fill.time);
    if (later.length < 2 || later.every((each) => each.strategy !== undefined)) return new Map();
    const held = state.portfolio.holdings.get(fill.symbol)?.quantity ?? ZERO;
    const changes = new Map<string, Quantity>();
    for (const { of, closed } of books.closedInOrder(fill.symbol, later, held)) {
      for (const [name, shares] of books.updateClosed(of, closed))
        changes.set(name, (changes.get(name) ?? ZERO).plus(shares));
      gate.updateClosed(of.recent, closed);
    }
    return changes;
  }

  function positionChanged(strategy: string | undefined, symbol: SecuritySymbol): void {
    algorithms.positionChanged(strategy, symbol, state);
    resizeWaiting(strategy, symbol);
  }

  /**
   * Closes opposite positions of strategies with a fill of quantity 0 in the account, which counts for each of them.
   */
  function closeOffset(at: Millis, { symbol, price, currency }: NonNullable<FlattenChanged['offset']>): void {
    const closed = books.offsetIn(symbol);
    if (closed === undefined) return;
    const fill = {
      executionId: executionId(`offset-${symbol}-${at}`),
      orderId: OFFSET,
      symbol,
      side: 'sell' as const,
      quantity: ZERO,
      price,
      currency,
      fee: ZERO,
      charges: [],
      time: at,
    };
    gate.recordOtherFill(at, fill, closed);
    books.bookOutsideFill({ fill, closed });
    for (const owner of closed.keys()) positionChanged(owner, symbol);
  }

  /** Converts the quantities of active algorithms to the new share basis. */
  function applySplit(event: CorporateActionBooked): void {
    const booked = splitIn(event);
    if (booked === undefined) return;
    const { ratio, price } = booked;
    splits.set(event.symbol, { at: event.at, price });
    for (const id of ordersIn(algorithms.open, event.symbol)) {
      const order = state.order(id);
      if (order?.terms.symbol !== event.symbol) continue;
      store({ ...order, split: orderSplit(order.facets, order.split, ratio) });
    }
  }

  /** Updates the terms of an order to those that a read shows; until then both versions are tracked. */
  function applyReplace(event: ReplaceEvent): void {
    const before = state.order(event.intentId);
    const change = before === undefined ? undefined : changeAfter(before, event);
    if (event.kind !== 'replace-denied') moveOrderOf(event.intentId, moveOf(event));
    const order = state.order(event.intentId);
    if (order === undefined) return;
    const isPending = order.facets.replacement !== undefined;
    const requestedTerms = event.kind === 'replace-sending' ? event.terms : order.replacing;
    const terms = event.kind === 'replace-read' ? event.terms : order.terms;
    store({ ...order, terms, replacing: isPending ? requestedTerms : undefined, change });
  }

  function isBooked({ intentId, fill }: Extract<SluiceEvent, { kind: 'order-filled' }>): boolean {
    return state.order(intentId)?.facets.executions.has(fill.executionId) === true;
  }

  function isBound({ intentId, orderId }: Extract<SluiceEvent, { kind: 'submit-acked' }>): boolean {
    const submission = state.order(intentId)?.facets.submission;
    return submission?.kind === 'acked' && submission.orderId === orderId;
  }

  function store(order: TrackedOrder): void {
    const mayFill = isLive(order.facets) || order.facets.submission.kind === 'drafted';
    (mayFill ? done : live).delete(order.intentId);
    (mayFill ? live : done).set(order.intentId, order);
    algorithms.orderChanged(order);
  }

  /** Returns the order of an event for the gate; undefined if an intent is armed again because it was not sent. */
  function orderFor(event: SluiceEvent): TrackedOrder | undefined {
    const order = 'intentId' in event ? state.order(event.intentId) : undefined;
    const isRepeat = event.kind === 'intent-armed' && order?.facets.submission.kind !== 'drafted';
    return isRepeat ? undefined : order;
  }

  function apply(event: SluiceEvent): void {
    if (state.regained.length > 0) state.regained = [];
    if (event.kind === 'order-filled' && isBooked(event)) return;
    if (event.kind === 'foreign-filled' && foreign.record.executions.has(event.fill.executionId)) return;
    if (event.kind === 'journal-carried') {
      restoreSnapshot(event);
      return;
    }
    foreign.apply(event);
    charges.apply(event);
    starts.apply(event);
    states.apply(event);
    const closed = closedByEvent(event);
    const shares = event.kind === 'corporate-action' ? books.sharesOf(event) : undefined;
    gate.apply(event, orderFor(event), closed, shares);
    switch (event.kind) {
      case 'run-started':
        if (state.openedAt === undefined) state.portfolio = portfolioOf(event);
        state.openedAt ??= event.at;
        return;
      case 'books-adopted':
        books.adoptVenuePositions(state.portfolio, portfolioOf(event));
        state.portfolio = portfolioOf(event);
        rounding.clear();
        for (const { spec, strategy } of [...algorithms.open.values()])
          if (spec.kind === 'bracket') algorithms.positionChanged(strategy, spec.entry.symbol, state);
        for (const intentId of [...waiting]) {
          const order = live.get(intentId);
          if (order !== undefined) resizeWaiting(order.strategy, order.terms.symbol);
        }
        return;
      case 'corporate-action':
        state.portfolio = bookCorporateAction(state.portfolio, event);
        books.bookActionOf(event);
        applySplit(event);
        algorithms.apply(event, undefined);
        return;
      case 'interest-booked':
        state.portfolio = bookCharge(state.portfolio, event.currency, event.amount.neg());
        return;
      case 'foreign-filled':
        bookPosition(undefined, event.fill, closed);
        return;
      case 'foreign-charged':
        state.portfolio = bookCharge(state.portfolio, event.currency, event.fee);
        books.bookOutsideCharge(fillsOf(gate.record.otherFills, event), event.currency, event.fee);
        return;
      case 'order-charged': {
        const order = state.order(event.intentId);
        if (order !== undefined) addCharges(order, event.charges);
        state.portfolio = bookCharge(state.portfolio, event.currency, event.fee);
        if (order?.strategy !== undefined) books.bookChargeOf(order.strategy, event.currency, event.fee);
        else books.bookOutsideCharge(fillsOf(gate.record.fills, event), event.currency, event.fee);
        return;
      }
      case 'order-settled':
        settleOrder(event);
        return;
      case 'intent-drafted':
        store({
          intentId: event.intentId,
          terms: event.terms,
          decidedAt: event.at,
          cancelAfterMs: event.cancelAfterMs,
          facets: draftOrder(event.terms.quantity),
          charged: new Map(),
          link: event.link,
          strategy: event.strategy,
          held: false,
          replacing: undefined,
          change: undefined,
          ...omitUndefined({ isTarget: event.isTarget }),
        });
        if (event.cause.kind === 'operator' && flattening.has(event.terms.symbol))
          flattening.set(event.terms.symbol, event.intentId);
        algorithms.apply(event, event.link);
        return;
      case 'order-filled': {
        bookExecution(event.intentId, event.fill);
        const order = state.order(event.intentId);
        algorithms.apply(event, order?.link);
        bookPosition(order, event.fill, closed);
        addRounding(event.fill);
        return;
      }
      case 'submit-acked':
        moveOrderOf(event.intentId, { kind: 'acked', orderId: event.orderId });
        if (isBound(event)) byOrderId.set(event.orderId, event.intentId);
        return;
      case 'intent-armed': {
        const order = state.order(event.intentId);
        if (order !== undefined && event.quantity !== undefined) store(withQuantity(order, event.quantity));
        moveOrderOf(event.intentId, moveOf(event));
        return;
      }
      case 'intent-held': {
        const order = state.order(event.intentId);
        if (order === undefined) return;
        const holdingExpected = heldBy(order.strategy, { symbol: order.terms.symbol, side: 'buy' }, state);
        waiting.add(order.intentId);
        store({ ...order, held: true, holdingExpected });
        return;
      }
      case 'algorithm-started':
      case 'algorithm-withdrew':
      case 'algorithm-ended':
      case 'operator-commanded':
      case 'gate-moved':
      case 'strategy-failed':
        algorithms.apply(event, undefined);
        return;
      case 'flatten-changed':
        for (const symbol of flattening.keys())
          if (!event.symbols.includes(symbol)) flattening.delete(symbol);
        for (const symbol of event.symbols) flattening.set(symbol, flattening.get(symbol) ?? null);
        if (event.offset !== undefined) closeOffset(event.at, event.offset);
        return;
      case 'replace-sending':
      case 'replace-answered':
      case 'replace-read':
      case 'replace-denied':
        applyReplace(event);
        return;
      case 'equity-peaked':
      case 'symbol-halted':
      case 'state-kept':
      case 'run-ended':
      case 'lease-taken':
      case 'foreign-moved':
        return;
      default:
        moveOrderOf(event.intentId, moveOf(event));
    }
  }

  function known(): KnownState {
    const { regained: _regained, intentOf: _intentOf, order: _order, ...more } = state;
    const { relevantChildren: _relevantChildren, ...rest } = more;
    return { ...rest, byOrderId };
  }

  /** Restores the collections in place, because the parts of the fold keep references to them. */
  function restoreSnapshot(event: JournalSnapshot): void {
    const { portfolio, openedAt, ...lists } = snapshotIn(event).known;
    Object.assign(state, { portfolio, openedAt });
    restore(known(), lists);
    waiting.clear();
    for (const order of live.values()) if (isWaiting(order)) waiting.add(order.intentId);
    algorithms.rebuildLists();
  }

  return { state, apply, known };
}

/** Changes the quantity of an order that was not sent yet. */
function withQuantity(order: TrackedOrder, quantity: Quantity): TrackedOrder {
  return {
    ...order,
    terms: { ...order.terms, quantity },
    facets: { ...order.facets, ordered: quantity },
  };
}

/** Returns the recorded fills of the order of a charge. */
function fillsOf(
  fills: readonly RecentFill[],
  event: Extract<SluiceEvent, { kind: 'order-charged' | 'foreign-charged' }>,
): readonly RecentFill[] {
  return fills.filter(({ fill }) =>
    event.kind === 'foreign-charged'
      ? fill.orderId === event.orderId
      : 'intentId' in fill && fill.intentId === event.intentId,
  );
}
