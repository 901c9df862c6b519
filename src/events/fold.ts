import { type Decimal, type Quantity, ZERO } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import type { IntentId, OrderId, OrderTerms } from '../model/order.ts';
import type { OrderFacets } from '../model/order-facets.ts';
import { draftOrder, isLive, moveOrder, type OrderMove, openRest } from '../model/order-state.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import { unreachable } from '../model/unreachable.ts';
import type { SluiceEvent } from './event.ts';
import { createGateFold, type GateRecord } from './gate-record.ts';
import { bookFill, EMPTY_PORTFOLIO, type Portfolio } from './portfolio.ts';

/** An intent and all that became of it. */
export interface TrackedOrder {
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
  readonly decidedAt: Millis;
  readonly facets: OrderFacets;
  /** Charged so far by charge code, as booked with its fills. */
  readonly charged: ReadonlyMap<string, Decimal>;
}

/** Everything a bot knows, read-only to all but the fold. */
export interface BotState {
  readonly portfolio: Portfolio;
  /** Orders that may still add exposure, oldest first. */
  readonly live: ReadonlyMap<IntentId, TrackedOrder>;
  /** Finished orders, kept so that a late word about one is understood. */
  readonly done: ReadonlyMap<IntentId, TrackedOrder>;
  /** How the gate stands, and what it remembers. */
  readonly gate: GateRecord;
  intentOf(orderId: OrderId): IntentId | undefined;
  order(intentId: IntentId): TrackedOrder | undefined;
}

/** The one way from events to state. `apply` folds an event in; handing the state on is the caller's business. */
export interface Fold {
  readonly state: BotState;
  apply(event: SluiceEvent): void;
}

/** Starts from nothing; replaying a journal through it gives the state of the run that wrote it. */
export function createFold(): Fold {
  const live = new Map<IntentId, TrackedOrder>();
  const done = new Map<IntentId, TrackedOrder>();
  const byOrderId = new Map<OrderId, IntentId>();
  const gate = createGateFold();
  const state = {
    portfolio: EMPTY_PORTFOLIO,
    live,
    done,
    gate: gate.record,
    intentOf: (orderId: OrderId) => byOrderId.get(orderId),
    order: (intentId: IntentId) => live.get(intentId) ?? done.get(intentId),
  };

  function move(intentId: IntentId, change: OrderMove): void {
    const order = state.order(intentId);
    if (order === undefined)
      throw new Error(`Event for intent "${intentId}" before its intent-drafted event`);
    const facets = moveOrder(order.facets, change);
    if (facets === order.facets) return;
    keep({ ...order, facets });
  }

  function book(intentId: IntentId, fill: Fill): void {
    const { executionId, quantity, price } = fill;
    move(intentId, { kind: 'executed', executionId, quantity, price });
    const order = state.order(intentId);
    if (order === undefined || fill.charges.length === 0) return;
    const charged = new Map(order.charged);
    for (const charge of fill.charges)
      charged.set(charge.code, (charged.get(charge.code) ?? ZERO).plus(charge.amount));
    keep({ ...order, charged });
  }

  function isBooked({ intentId, fill }: Extract<SluiceEvent, { kind: 'order-filled' }>): boolean {
    return state.order(intentId)?.facets.executions.has(fill.executionId) === true;
  }

  function isBound({ intentId, orderId }: Extract<SluiceEvent, { kind: 'submit-acked' }>): boolean {
    const submission = state.order(intentId)?.facets.submission;
    return submission?.kind === 'acked' && submission.orderId === orderId;
  }

  function keep(order: TrackedOrder): void {
    const mayFill = isLive(order.facets) || order.facets.submission.kind === 'drafted';
    (mayFill ? done : live).delete(order.intentId);
    (mayFill ? live : done).set(order.intentId, order);
  }

  function apply(event: SluiceEvent): void {
    if (event.kind === 'order-filled' && isBooked(event)) return;
    gate.apply(event, 'intentId' in event ? state.order(event.intentId)?.terms : undefined);
    switch (event.kind) {
      case 'run-started':
        state.portfolio = openingPortfolio(event);
        return;
      case 'intent-drafted':
        keep({
          intentId: event.intentId,
          terms: event.terms,
          decidedAt: event.at,
          facets: draftOrder(event.terms.quantity),
          charged: new Map(),
        });
        return;
      case 'order-filled':
        book(event.intentId, event.fill);
        state.portfolio = bookFill(state.portfolio, event.fill);
        return;
      case 'submit-acked':
        move(event.intentId, { kind: 'acked', orderId: event.orderId });
        if (isBound(event)) byOrderId.set(event.orderId, event.intentId);
        return;
      case 'gate-moved':
      case 'equity-peaked':
      case 'strategy-failed':
      case 'run-ended':
        return;
      default:
        move(event.intentId, moveOf(event));
    }
  }

  return { state, apply };
}

type PlainMove = Exclude<
  SluiceEvent,
  {
    kind:
      | 'run-started'
      | 'intent-drafted'
      | 'order-filled'
      | 'submit-acked'
      | 'gate-moved'
      | 'equity-peaked'
      | 'strategy-failed'
      | 'run-ended';
  }
>;

function moveOf(event: PlainMove): OrderMove {
  switch (event.kind) {
    case 'intent-denied':
      return { kind: 'denied', rule: event.rule };
    case 'intent-armed':
      return { kind: 'armed' };
    case 'submit-sending':
      return { kind: 'sending', attempt: event.attempt };
    case 'submit-refused':
      return { kind: 'refused', code: event.code };
    case 'submit-not-sent':
      return { kind: 'not-sent' };
    case 'submit-unknown':
      return { kind: 'unknown' };
    case 'submit-abandoned':
      return { kind: 'abandoned' };
    case 'order-moved':
      return {
        kind: 'status',
        status: event.status,
        by: 'pull',
        executedQuantity: event.executedQuantity,
        at: event.at,
      };
    case 'order-doubled':
      return { kind: 'doubled', orderId: event.orderId };
    case 'cancel-asked':
      return { kind: 'cancel-asked' };
    case 'cancel-sending':
      return { kind: 'cancel-sending' };
    case 'cancel-answered':
      return { kind: 'cancel-answered', answer: event.answer };
    default:
      return unreachable(event);
  }
}

function openingPortfolio(event: Extract<SluiceEvent, { kind: 'run-started' }>): Portfolio {
  const holdings = event.positions
    .filter((position) => !position.quantity.isZero())
    .map((position) => {
      const { symbol, currency, quantity, averageCost } = position;
      return [symbol, { currency, quantity, averageCost: averageCost ?? ZERO }] as const;
    });
  return { cash: new Map(Object.entries(event.cash)), holdings: new Map(holdings) };
}

/** Shares that open orders of one symbol and side may still execute; unknown ones count in full. */
export function openQuantity(state: BotState, symbol: SecuritySymbol, side: 'buy' | 'sell'): Quantity {
  let open = ZERO;
  for (const order of state.live.values()) {
    if (order.terms.symbol !== symbol || order.terms.side !== side || !isLive(order.facets)) continue;
    open = open.plus(openRest(order.facets));
  }
  return open;
}
