import { concat, concatMap, ignoreElements, type Observable, of } from 'rxjs';
import type { SubmitAcked, SubmitNotSent, SubmitRefused, SubmitUnknown } from '../events/event.ts';
import type { OrderIntent } from '../model/order.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Broker, SubmitAnswer } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import type { Approved, Verdict } from '../risk/risk-gate.ts';
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

  function send(intent: Approved<OrderIntent>, numbers: Verdict['numbers']): Observable<OrderNews> {
    const stamp = { at: clock.now(), intentId: intent.id };
    return concat(
      recorder.record({ ...stamp, kind: 'intent-armed', numbers }).pipe(ignoreElements()),
      recorder.record({ ...stamp, kind: 'submit-sending', attempt: 1 }).pipe(ignoreElements()),
      broker.submit({ intentId: intent.id, terms: intent.terms }).pipe(
        concatMap((answer) => recorder.record(answered(intent, answer))),
        concatMap((event) => follow(intent, event)),
      ),
    );
  }

  function answered(intent: OrderIntent, answer: SubmitAnswer): SubmitEvent {
    const stamp = { at: clock.now(), intentId: intent.id };
    switch (answer.kind) {
      case 'accepted':
        return { ...stamp, kind: 'submit-acked', orderId: answer.orderId, by: 'answer' };
      case 'refused':
        return { ...stamp, kind: 'submit-refused', code: answer.code, message: answer.message };
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
    execute: (verdict) => (verdict.kind === 'denied' ? deny(verdict) : send(verdict.intent, verdict.numbers)),
  };
}

type SubmitEvent = SubmitAcked | SubmitRefused | SubmitNotSent | SubmitUnknown;
