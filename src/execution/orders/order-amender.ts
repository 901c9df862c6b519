import { omitUndefined } from '../../model/omit-undefined.ts';
import type { IntentId, OrderId, OrderIntent, OrderTerms, WrittenRequest } from '../../model/order.ts';
import { hasFigures } from '../../model/replaceable-figures.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';
import { isStale, supersededReason, type Verdict } from '../../risk/risk-gate.ts';
import type { Gate } from '../gate/gate.ts';
import type { Restrictions } from '../gate/restrictions.ts';
import type { OrderTracker } from './order-tracker.ts';
import type { OrderTrackingContext } from './order-tracking-context.ts';
import { type OrderUpdate, orderUpdate } from './order-update.ts';

/** Amends orders, one change at a time. */
export interface OrderAmender {
  /**
   * Requests new terms of a live order from the gate and the venue (T-40). While an earlier change is unconfirmed,
   * only the newest amend waits; a cancel takes precedence (T-42, T-45, T-47).
   */
  replace(intentId: IntentId, terms: OrderTerms): Task<OrderUpdate>;
  /** Sends the waiting amend of an order that can be changed again; undefined if there is none. */
  resumePending(intentId: IntentId): Task<OrderUpdate> | undefined;
}

export interface OrderAmenderParts extends Pick<OrderTrackingContext, 'broker' | 'recorder' | 'clock'> {
  readonly gate: Pick<Gate, 'judge'>;
  readonly restrictions: Pick<Restrictions, 'standing' | 'symbolHalt' | 'observed'>;
  readonly tracker: Pick<OrderTracker, 'pull' | 'watchChange'>;
}

const STALE_REASON = 'The facts that the new terms were approved on have grown too old to send them';

/** Creates the amender. It journals each replace before sending; only a read shows which terms the venue has. */
export function createOrderAmender({
  broker,
  recorder,
  clock,
  gate,
  restrictions,
  tracker,
}: OrderAmenderParts): OrderAmender {
  const pendingAmends = new Map<IntentId, OrderTerms>();
  const { state } = recorder;

  function* replace(intentId: IntentId, terms: OrderTerms): Task<OrderUpdate> {
    pendingAmends.delete(intentId);
    const order = state.live.get(intentId);
    if (order === undefined || order.facets.pending.startsWith('cancel-') || order.facets.cancelWanted)
      return;
    const { submission, pending, executed } = order.facets;
    if (submission.kind !== 'acked' || pending !== 'none') {
      pendingAmends.set(intentId, terms);
      return;
    }
    if (terms.quantity.lte(executed) || hasFigures(order.terms, terms)) return;
    // The executed quantity is already in the position, so only the rest is checked.
    const intent: OrderIntent = {
      id: intentId,
      reason: 'new terms',
      decidedAt: clock.now(),
      replaces: true,
      terms: { ...terms, quantity: terms.quantity.minus(executed) },
      ...(onlyReduces(terms, order.terms) ? { reducesQuantity: true } : {}),
      ...omitUndefined({ link: order.link, strategy: order.strategy }),
    };
    const verdict = yield* gate.judge(intent);
    if (verdict.kind === 'denied') {
      const { rule, reason, numbers } = verdict;
      recorder.record({ kind: 'replace-denied', at: clock.now(), intentId, terms, rule, reason, numbers });
      yield* emitWorking(intentId, `new terms denied by ${rule}: ${reason}`);
      return;
    }
    yield* send(verdict, terms, submission.orderId);
    yield* tracker.pull(submission.orderId);
    tracker.watchChange(intentId);
  }

  /** Sends a replace, journaled once it has a call, right before its first byte (T-40, I-1). */
  function* send(
    verdict: Extract<Verdict, { kind: 'approved' }>,
    terms: OrderTerms,
    orderId: OrderId,
  ): Task<OrderUpdate> {
    const { intent, numbers } = verdict;
    const intentId = intent.id;
    const isProtective = verdict.freshUntil === undefined || intent.link?.exit === true;
    const openingBlock = (symbol: SecuritySymbol): string | undefined =>
      restrictions.symbolHalt(symbol) ?? restrictions.observed(symbol)?.reason;
    const beforeSend = (written?: WrittenRequest): void => {
      const sent = { kind: 'replace-sending', at: clock.now(), intentId, terms, numbers } as const;
      recorder.record(written === undefined ? sent : { ...sent, written });
    };
    const blockedReason = (): string | undefined =>
      supersededReason(verdict, restrictions.standing()) ??
      (isProtective ? undefined : openingBlock(intent.terms.symbol)) ??
      (isStale(verdict, clock.now()) ? STALE_REASON : undefined);
    const purpose = isProtective ? 'protect' : 'open';
    const reply = yield* awaitAnswer(
      broker.replace({ orderId, intentId, terms, purpose, beforeSend, blockedReason }),
    );
    const answer = reply.kind;
    const message = reply.kind === 'accepted' ? '' : reply.message;
    recorder.record({ kind: 'replace-answered', at: clock.now(), intentId, answer, message });
    if (answer === 'refused' || answer === 'not-sent')
      yield* emitWorking(intentId, `new terms ${answer}: ${message}`);
  }

  /** Emits that the order continues with its old terms. */
  function* emitWorking(intentId: IntentId, why: string): Task<OrderUpdate> {
    const order = state.order(intentId);
    if (order !== undefined) yield orderUpdate(order, { outcome: 'working', why, time: clock.now() });
  }

  return {
    replace,
    resumePending(intentId) {
      const terms = pendingAmends.get(intentId);
      return terms === undefined ? undefined : replace(intentId, terms);
    },
  };
}

/** True if new terms only reduce the quantity. */
function onlyReduces(terms: OrderTerms, order: OrderTerms): boolean {
  return terms.quantity.lt(order.quantity) && hasFigures(order, { ...terms, quantity: order.quantity });
}
