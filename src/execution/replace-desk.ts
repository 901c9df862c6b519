import { EMPTY, type Observable } from 'rxjs';
import type { IntentId, OrderId, OrderIntent, OrderTerms, WrittenRequest } from '../model/order.ts';
import { hasFigures } from '../model/replaceable-figures.ts';
import { act, allOf, andThen, inOrder } from '../ports/steps.ts';
import { isStale, overtaken, type Verdict } from '../risk/risk-gate.ts';
import type { Gate } from './gate.ts';
import type { OrderDesk } from './order-desk.ts';
import { type OrderNews, orderNews } from './order-news.ts';
import type { OrderTracker } from './order-tracker.ts';
import type { Restrictions } from './restrictions.ts';

/** Where orders get new terms, one change at a time. */
export interface ReplaceDesk {
  /**
   * Asks the gate and the venue for new terms of a live order (T-40). While an earlier change is not known to have happened,
   * the newest wish waits and takes the place of older ones; a cancel beats it (T-42, T-45, T-47).
   */
  replace(intentId: IntentId, terms: OrderTerms): Observable<OrderNews>;
  /** Sends what waited for an order, once it can be changed again; undefined where nothing waits. */
  goOn(intentId: IntentId): Observable<OrderNews> | undefined;
}

/** What a replace desk works with. */
export interface ReplaceDeskParts extends Pick<OrderDesk, 'broker' | 'recorder' | 'clock'> {
  readonly gate: Pick<Gate, 'judge'>;
  readonly restrictions: Pick<Restrictions, 'standing'>;
  readonly tracker: Pick<OrderTracker, 'pull' | 'watchChange'>;
}

const GREW_OLD = 'The facts that the new terms were approved on have grown too old to send them';

/** Journals each replace before it is sent; only a read shows which version the venue holds. */
export function createReplaceDesk({
  broker,
  recorder,
  clock,
  gate,
  restrictions,
  tracker,
}: ReplaceDeskParts): ReplaceDesk {
  const waiting = new Map<IntentId, OrderTerms>();
  const { state } = recorder;

  function replace(intentId: IntentId, terms: OrderTerms): Observable<OrderNews> {
    return inOrder(() => {
      waiting.delete(intentId);
      const order = state.live.get(intentId);
      if (order === undefined || order.facets.pending.startsWith('cancel-') || order.facets.cancelWanted)
        return EMPTY;
      const { submission, pending, executed } = order.facets;
      if (submission.kind !== 'acked' || pending !== 'none') {
        waiting.set(intentId, terms);
        return EMPTY;
      }
      if (terms.quantity.lte(executed) || hasFigures(order.terms, terms)) return EMPTY;
      // What is executed already is held, so only the rest is judged.
      const intent: OrderIntent = {
        ...{ id: intentId, reason: 'new terms', decidedAt: clock.now(), replaces: true },
        terms: { ...terms, quantity: terms.quantity.minus(executed) },
        ...(isLess(terms, order.terms) ? { lessens: true } : {}),
        ...(order.link === undefined ? {} : { link: order.link }),
        ...(order.strategy === undefined ? {} : { strategy: order.strategy }),
      };
      return andThen(gate.judge(intent), (verdict) => carryOut(verdict, terms, submission.orderId));
    });
  }

  function carryOut(verdict: Verdict, terms: OrderTerms, orderId: OrderId): Observable<OrderNews> {
    const { id: intentId } = verdict.intent;
    const stamp = { at: clock.now(), intentId };
    if (verdict.kind === 'denied') {
      const { rule, reason, numbers } = verdict;
      return andThen(
        recorder.record({ ...stamp, kind: 'replace-denied', terms, rule, reason, numbers }),
        () => tell(intentId, `new terms denied by ${rule}: ${reason}`),
      );
    }
    return inOrder<OrderNews>(
      () => send(verdict, terms, orderId),
      () => tracker.pull(orderId),
      () => act(() => tracker.watchChange(intentId)),
    );
  }

  /** Journaled once it has its place in the call budget, right before its first byte (T-40, I-1). */
  function send(
    verdict: Extract<Verdict, { kind: 'approved' }>,
    terms: OrderTerms,
    orderId: OrderId,
  ): Observable<OrderNews> {
    const { intent, numbers } = verdict;
    const intentId = intent.id;
    const sending = (written?: WrittenRequest): Observable<unknown> => {
      const sent = { kind: 'replace-sending', at: clock.now(), intentId, terms, numbers } as const;
      return recorder.record(written === undefined ? sent : { ...sent, written });
    };
    const barred = (): string | undefined =>
      overtaken(verdict, restrictions.standing()) ?? (isStale(verdict, clock.now()) ? GREW_OLD : undefined);
    const isProtective = verdict.freshUntil === undefined || intent.link?.exit === true;
    const purpose = isProtective ? 'protect' : 'open';
    return andThen(broker.replace({ orderId, intentId, terms, purpose, sending, barred }), (answer) =>
      answered(intentId, answer.kind, answer.kind === 'accepted' ? '' : answer.message),
    );
  }

  function answered(
    intentId: IntentId,
    answer: 'accepted' | 'refused' | 'not-sent' | 'unknown',
    message: string,
  ): Observable<OrderNews> {
    const at = clock.now();
    const isNo = answer === 'refused' || answer === 'not-sent';
    return andThen(recorder.record({ kind: 'replace-answered', at, intentId, answer, message }), () =>
      isNo ? tell(intentId, `new terms ${answer}: ${message}`) : EMPTY,
    );
  }

  /** The order lives on as it was. */
  function tell(intentId: IntentId, why: string): Observable<OrderNews> {
    const order = state.order(intentId);
    return order === undefined
      ? EMPTY
      : allOf([orderNews(order, { outcome: 'working', why, time: clock.now() })]);
  }

  return {
    replace,
    goOn(intentId) {
      const terms = waiting.get(intentId);
      return terms === undefined ? undefined : replace(intentId, terms);
    },
  };
}

/** Whether new terms of an order ask for fewer shares and nothing else. */
function isLess(terms: OrderTerms, order: OrderTerms): boolean {
  return terms.quantity.lt(order.quantity) && hasFigures(order, { ...terms, quantity: order.quantity });
}
