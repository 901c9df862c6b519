import { concat, concatMap, defer, ignoreElements, type Observable, of, timer } from 'rxjs';
import type { SubmitAcked, SubmitNotSent, SubmitRefused, SubmitUnknown } from '../events/event.ts';
import type { OrderIntent } from '../model/order.ts';
import { millis } from '../model/time.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Broker, SubmitAnswer } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import { isStale, type Verdict } from '../risk/risk-gate.ts';
import { type OrderNews, orderNews } from './order-news.ts';
import type { OrderTracker } from './order-tracker.ts';
import type { Recorder } from './recorder.ts';

/** Where approved intents become orders. */
export interface Executor {
  /** Carries out a verdict: a denial is written down, an approved intent is journaled, sent once, and followed. */
  execute(verdict: Verdict): Observable<OrderNews>;
}

/** What an executor works with. */
export interface ExecutorParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly tracker: OrderTracker;
  readonly clock: Clock;
}

/** Journals before it sends, sends once, and takes no answer for "unknown". @see reliability.md 2.2 */
export function createExecutor({ broker, recorder, tracker, clock }: ExecutorParts): Executor {
  function deny(verdict: Extract<Verdict, { kind: 'denied' }>): Observable<OrderNews> {
    const { intent, rule, reason, numbers } = verdict;
    const at = clock.now();
    return recorder
      .record({ kind: 'intent-denied', at, intentId: intent.id, rule, reason, numbers })
      .pipe(concatMap(() => of(tell(intent, 'denied', `${rule}: ${reason}`))));
  }

  /** Writes down that the order is armed, and sends it unless its verdict has grown old by then (T-03). */
  function arm(verdict: Passed, attempt = 1): Observable<OrderNews> {
    const { intent, numbers } = verdict;
    const stamp = { at: clock.now(), intentId: intent.id };
    return concat(
      recorder.record({ ...stamp, kind: 'intent-armed', numbers }).pipe(ignoreElements()),
      defer(() =>
        isStale(verdict, clock.now())
          ? deny({ kind: 'denied', intent, rule: 'stale-verdict', reason: GREW_OLD, numbers: [] })
          : send(verdict, attempt),
      ),
    );
  }

  function send(verdict: Passed, attempt: number): Observable<OrderNews> {
    const { intent } = verdict;
    const stamp = { at: clock.now(), intentId: intent.id };
    return concat(
      recorder.record({ ...stamp, kind: 'submit-sending', attempt }).pipe(ignoreElements()),
      defer(() => submit(verdict)).pipe(
        concatMap((answer) =>
          mayRepeat(verdict, answer, attempt)
            ? again(verdict, attempt)
            : recorder.record(answered(intent, answer)).pipe(concatMap((event) => follow(intent, event))),
        ),
      ),
    );
  }

  /** Only proof that no byte left allows another attempt, and only while the verdict will be fresh enough (T-08). */
  function mayRepeat(verdict: Passed, answer: SubmitAnswer, attempt: number): boolean {
    const waitMs = AGAIN_AFTER_MS[attempt - 1];
    return (
      answer.kind === 'not-sent' && waitMs !== undefined && !isStale(verdict, millis(clock.now() + waitMs))
    );
  }

  function again(verdict: Passed, attempt: number): Observable<OrderNews> {
    return timer(AGAIN_AFTER_MS[attempt - 1] ?? 0, clock.scheduler).pipe(
      concatMap(() => arm(verdict, attempt + 1)),
    );
  }

  /** A disk that took too long to sync leaves a verdict too old to act on: then no byte leaves (I-5). */
  function submit(verdict: Passed): Observable<SubmitAnswer> {
    const { id: intentId, terms } = verdict.intent;
    if (isStale(verdict, clock.now())) return of({ kind: 'not-sent', message: GREW_OLD });
    return broker.submit({ intentId, terms });
  }

  function answered(intent: OrderIntent, answer: SubmitAnswer): SubmitEvent {
    const stamp = { at: clock.now(), intentId: intent.id };
    switch (answer.kind) {
      case 'accepted':
        return { ...stamp, kind: 'submit-acked', orderId: answer.orderId, by: 'answer' };
      case 'refused': {
        const { code, message } = answer;
        return tracker.distrusted.has(code)
          ? { ...stamp, kind: 'submit-unknown', message: `${code}: ${message} (no proof any more)` }
          : { ...stamp, kind: 'submit-refused', code, message };
      }
      case 'not-sent':
        return { ...stamp, kind: 'submit-not-sent', message: answer.message };
      case 'unknown':
        return { ...stamp, kind: 'submit-unknown', message: answer.message };
      default:
        return unreachable(answer);
    }
  }

  function follow(intent: OrderIntent, event: SubmitEvent): Observable<OrderNews> {
    switch (event.kind) {
      case 'submit-acked':
        tracker.watch(intent);
        return tracker.pull(event.orderId);
      case 'submit-refused':
        return of(tell(intent, 'refused', `${event.code}: ${event.message}`));
      case 'submit-not-sent':
        return of(tell(intent, 'refused', `not sent: ${event.message}`));
      case 'submit-unknown':
        tracker.lookFor(intent);
        return of(tell(intent, 'unknown', event.message));
      default:
        return unreachable(event);
    }
  }

  function tell(intent: OrderIntent, outcome: 'denied' | 'refused' | 'unknown', why: string): OrderNews {
    return orderNews({ intentId: intent.id, terms: intent.terms }, { outcome, why, time: clock.now() });
  }

  return {
    execute: (verdict) => (verdict.kind === 'denied' ? deny(verdict) : arm(verdict)),
  };
}

type Passed = Extract<Verdict, { kind: 'approved' }>;

/** Waits before the second and the third attempt at an order of which no byte left. */
const AGAIN_AFTER_MS = [250, 1_000] as const;

const GREW_OLD = 'The facts that the order was approved on have grown too old to send it';

type SubmitEvent = SubmitAcked | SubmitRefused | SubmitNotSent | SubmitUnknown;
