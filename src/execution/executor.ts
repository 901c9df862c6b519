import { type Observable, timer } from 'rxjs';
import type {
  IntentArmed,
  SubmitAcked,
  SubmitNotSent,
  SubmitRefused,
  SubmitUnknown,
} from '../events/event.ts';
import type { Alarm } from '../model/notice.ts';
import type { OrderIntent, WrittenRequest } from '../model/order.ts';
import { type Millis, millis } from '../model/time.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Broker, ChangePurpose, SubmitAnswer } from '../ports/broker.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import { andThen, atOnce, eachAs, inOrder, silent } from '../ports/steps.ts';
import { isStale, overtaken, type Verdict } from '../risk/risk-gate.ts';
import { type OrderNews, orderNews } from './order-news.ts';
import type { OrderTracker } from './order-tracker.ts';
import type { Recorder } from './recorder.ts';
import type { Restrictions } from './restrictions.ts';

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
  readonly restrictions: Pick<Restrictions, 'standing' | 'symbolHalt'>;
  readonly onAlarm?: ((alarm: Alarm) => void) | undefined;
}

/**
 * Journals before it sends, sends once, and takes no answer for "unknown".
 * @see docs/reliability.md, "Submits and unknown orders"
 */
export function createExecutor(parts: ExecutorParts): Executor {
  const { broker, recorder, tracker, clock, restrictions, onAlarm } = parts;

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
    const moved = overtaken(verdict, restrictions.standing());
    if (moved !== undefined) return { rule: 'gate-state', reason: moved };
    const { symbol } = verdict.intent.terms;
    const halted = verdict.freshUntil === undefined ? undefined : restrictions.symbolHalt(symbol);
    if (halted !== undefined) return { rule: 'symbol-halt', reason: halted };
    return isStale(verdict, clock.now()) ? { rule: 'stale-verdict', reason: GREW_OLD } : undefined;
  }

  /** Writes down that the order is armed, and sends it unless its verdict has been overtaken by then (T-03). */
  function arm(verdict: Passed, tried: Tried = { times: 1, written: 0 }): Observable<OrderNews> {
    const { intent } = verdict;
    return inOrder<OrderNews>(
      () => silent(recorder.record(armed(verdict, clock.now()))),
      () => {
        const no = barred(verdict);
        return no === undefined ? send(verdict, tried) : deny({ kind: 'denied', intent, ...no, numbers: [] });
      },
    );
  }

  function send(verdict: Passed, tried: Tried): Observable<OrderNews> {
    const { intent } = verdict;
    return andThen(submit(verdict, tried), (answer) =>
      mayRepeat(verdict, answer, tried)
        ? again(verdict, tried)
        : andThen(recorder.record(answered(intent, answer)), (event) => follow(intent, event)),
    );
  }

  /** Only proof that no byte left allows another attempt, and only while the verdict will be fresh enough (T-08). */
  function mayRepeat(verdict: Passed, answer: SubmitAnswer, { times }: Tried): boolean {
    const waitMs = AGAIN_AFTER_MS[times - 1];
    return (
      answer.kind === 'not-sent' &&
      barred(verdict) === undefined &&
      waitMs !== undefined &&
      !isStale(verdict, millis(clock.now() + waitMs))
    );
  }

  function again(verdict: Passed, { times, written }: Tried): Observable<OrderNews> {
    const wait$ = timer(AGAIN_AFTER_MS[times - 1] ?? 0, clock.scheduler);
    return andThen(wait$, () => arm(verdict, { times: times + 1, written }));
  }

  /**
   * The attempt is journaled once it has its place in the call budget, right before its first byte (T-04, I-1). After a disk
   * that took its time a verdict is too old, after a kill it is none: then no byte leaves (I-5, I-14).
   */
  function submit(verdict: Passed, tried: Tried): Observable<SubmitAnswer> {
    const { intent } = verdict;
    const { id: intentId, terms } = intent;
    const purpose = purposeOf(verdict);
    return inOrder(() => {
      const isCounted = broker.facts.callsPer30s !== undefined;
      const waited = purpose !== 'open' && isCounted ? watchWait(intent) : undefined;
      const sending = (written: WrittenRequest | undefined): Observable<unknown> => {
        waited?.();
        tried.written += 1;
        const sent = { kind: 'submit-sending', at: clock.now(), intentId, attempt: tried.written } as const;
        return recorder.record(written === undefined ? sent : { ...sent, written });
      };
      return eachAs(
        broker.submit({ intentId, terms, purpose, sending, barred: () => barred(verdict)?.reason }),
        (answer) => {
          waited?.();
          return answer;
        },
      );
    });
  }

  /** An order that protects waits for its place as long as it takes; a person hears of it in time. */
  function watchWait({ terms, link }: OrderIntent): Cancel {
    const { symbol, quantity } = terms;
    return clock.at(millis(clock.now() + WAITS_MAX_MS), 'timer', () => {
      const what = link?.exit === true ? `The ${link.slot} of ${symbol}` : `The order that reduces ${symbol}`;
      onAlarm?.({
        code: 'protection-waits',
        message: `${what}, ${quantity} shares, has waited ${WAITS_MAX_MS / 1_000} s for a place in the call budget of the account; it is sent as soon as a call is free`,
        at: clock.now(),
        facts: { symbol, quantity: String(quantity) },
      });
    });
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

/** How often an order was tried, and how many of these attempts stand in the journal: none where it had no place. */
interface Tried {
  readonly times: number;
  written: number;
}

/** What an order is sent for: one that rests on no fact that ages adds no exposure. */
function purposeOf({ intent, freshUntil }: Passed): ChangePurpose {
  if (intent.purpose === 'flatten') return 'kill';
  return freshUntil === undefined || intent.link?.exit === true ? 'protect' : 'open';
}

/** How long an order that protects waits for its place before a person hears of it. */
const WAITS_MAX_MS = 2_000;

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
