import { type Observable, timer } from 'rxjs';
import type {
  IntentArmed,
  SubmitAcked,
  SubmitNotSent,
  SubmitRefused,
  SubmitUnknown,
} from '../events/event.ts';
import type { OrderIntent } from '../model/order.ts';
import { type Millis, millis } from '../model/time.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Broker, SubmitAnswer } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import { andThen, atOnce, eachAs, inOrder, silent } from '../ports/steps.ts';
import { isStale, overtaken, type Verdict } from '../risk/risk-gate.ts';
import type { GateLatch } from './gate-latch.ts';
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
  /** How the gate stands while an approved order is on its way to the wire. */
  readonly latch: GateLatch;
}

/** Journals before it sends, sends once, and takes no answer for "unknown". @see reliability.md 2.2 */
export function createExecutor({ broker, recorder, tracker, clock, latch }: ExecutorParts): Executor {
  function deny(verdict: Extract<Verdict, { kind: 'denied' }>): Observable<OrderNews> {
    const { intent, rule, reason, numbers, payable } = verdict;
    const at = clock.now();
    const denied = { kind: 'intent-denied', at, intentId: intent.id, rule, reason, numbers } as const;
    return eachAs(recorder.record(payable === undefined ? denied : { ...denied, payable }), () =>
      tell(intent, 'denied', `${rule}: ${reason}`),
    );
  }

  /** Why an approved order must not leave any more; asked whenever time went by, and last right before its first byte. */
  function barred(verdict: Passed): { readonly rule: string; readonly reason: string } | undefined {
    const moved = overtaken(verdict, latch.standing());
    if (moved !== undefined) return { rule: 'gate-state', reason: moved };
    const { symbol } = verdict.intent.terms;
    const halted = verdict.freshUntil === undefined ? undefined : latch.halted(symbol);
    if (halted !== undefined) return { rule: 'symbol-halt', reason: halted };
    return isStale(verdict, clock.now()) ? { rule: 'stale-verdict', reason: GREW_OLD } : undefined;
  }

  /** Writes down that the order is armed, and sends it unless its verdict has been overtaken by then (T-03). */
  function arm(verdict: Passed, attempt = 1): Observable<OrderNews> {
    const { intent } = verdict;
    return inOrder<OrderNews>(
      () => silent(recorder.record(armed(verdict, clock.now()))),
      () => {
        const no = barred(verdict);
        return no === undefined
          ? send(verdict, attempt)
          : deny({ kind: 'denied', intent, ...no, numbers: [] });
      },
    );
  }

  function send(verdict: Passed, attempt: number): Observable<OrderNews> {
    const { intent } = verdict;
    const stamp = { at: clock.now(), intentId: intent.id };
    return inOrder<OrderNews>(
      () => silent(recorder.record({ ...stamp, kind: 'submit-sending', attempt })),
      () =>
        andThen(submit(verdict), (answer) =>
          mayRepeat(verdict, answer, attempt)
            ? again(verdict, attempt)
            : andThen(recorder.record(answered(intent, answer)), (event) => follow(intent, event)),
        ),
    );
  }

  /** Only proof that no byte left allows another attempt, and only while the verdict will be fresh enough (T-08). */
  function mayRepeat(verdict: Passed, answer: SubmitAnswer, attempt: number): boolean {
    const waitMs = AGAIN_AFTER_MS[attempt - 1];
    return (
      answer.kind === 'not-sent' &&
      barred(verdict) === undefined &&
      waitMs !== undefined &&
      !isStale(verdict, millis(clock.now() + waitMs))
    );
  }

  function again(verdict: Passed, attempt: number): Observable<OrderNews> {
    return andThen(timer(AGAIN_AFTER_MS[attempt - 1] ?? 0, clock.scheduler), () => arm(verdict, attempt + 1));
  }

  /** After a disk that took its time a verdict is too old, after a kill it is none: then no byte leaves (I-5, I-14). */
  function submit(verdict: Passed): Observable<SubmitAnswer> {
    const { id: intentId, terms } = verdict.intent;
    const no = barred(verdict);
    if (no !== undefined) return atOnce(() => ({ kind: 'not-sent', message: no.reason }));
    return broker.submit({ intentId, terms, barred: () => barred(verdict)?.reason });
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
        return atOnce(() => tell(intent, 'refused', `${event.code}: ${event.message}`));
      case 'submit-not-sent':
        return atOnce(() => tell(intent, 'refused', `not sent: ${event.message}`));
      case 'submit-unknown':
        tracker.lookFor(intent);
        return atOnce(() => tell(intent, 'unknown', event.message));
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

/** Its numbers are put into words when somebody reads them. */
function armed(verdict: Passed, at: Millis): IntentArmed {
  return {
    kind: 'intent-armed',
    at,
    intentId: verdict.intent.id,
    get numbers() {
      return verdict.numbers;
    },
  };
}

type SubmitEvent = SubmitAcked | SubmitRefused | SubmitNotSent | SubmitUnknown;
