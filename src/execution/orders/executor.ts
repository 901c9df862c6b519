import type {
  IntentArmed,
  SubmitAcked,
  SubmitNotSent,
  SubmitRefused,
  SubmitUnknown,
} from '../../events/event.ts';
import type { Alarm } from '../../model/notice.ts';
import type { OrderIntent, WrittenRequest } from '../../model/order.ts';
import { type Millis, millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Broker, ChangePurpose, OrderToSend, SubmitAnswer } from '../../ports/broker.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';
import { isStale, supersededReason, type Verdict } from '../../risk/risk-gate.ts';
import type { Restrictions } from '../gate/restrictions.ts';
import type { Recorder } from '../recorder.ts';
import { delay } from './delay.ts';
import type { OrderTracker } from './order-tracker.ts';
import { type OrderUpdate, orderUpdate } from './order-update.ts';

/** Submits approved intents. */
export interface Executor {
  /** Executes a verdict: journals a denial; journals, submits once and follows an approved intent. */
  execute(verdict: Verdict): Task<OrderUpdate>;
}

export interface ExecutorParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly tracker: OrderTracker;
  readonly clock: Clock;
  /** Restrictions that are checked again until the order is sent. */
  readonly restrictions: Pick<Restrictions, 'standing' | 'symbolHalt' | 'observed'>;
  readonly onAlarm?: ((alarm: Alarm) => void) | undefined;
}

/**
 * Creates the executor. It journals before sending, sends once, and treats a missing answer as unknown.
 * @see docs/reliability.md, "Submits and unknown orders"
 */
export function createExecutor(parts: ExecutorParts): Executor {
  const { broker, recorder, tracker, clock, restrictions, onAlarm } = parts;

  function deny(verdict: Extract<Verdict, { kind: 'denied' }>): OrderUpdate {
    const { intent, rule, reason, numbers, payable } = verdict;
    const at = clock.now();
    const denied = { kind: 'intent-denied', at, intentId: intent.id, rule, reason, numbers } as const;
    recorder.record(payable === undefined ? denied : { ...denied, payable });
    return updateOf(intent, 'denied', `${rule}: ${reason}`);
  }

  /**
   * Returns why an approved order must not be sent any more; checked after each wait, and last before its first byte.
   */
  function blockedBy(
    verdict: ApprovedVerdict,
  ): { readonly rule: string; readonly reason: string } | undefined {
    const moved = supersededReason(verdict, restrictions.standing());
    if (moved !== undefined) return { rule: 'gate-state', reason: moved };
    const { symbol } = verdict.intent.terms;
    const halted = verdict.freshUntil === undefined ? undefined : restrictions.symbolHalt(symbol);
    if (halted !== undefined) return { rule: 'symbol-halt', reason: halted };
    // A protective order is sent despite observed restrictions.
    const seen = purposeOf(verdict) === 'open' ? restrictions.observed(symbol) : undefined;
    if (seen !== undefined)
      return { rule: seen.rule, reason: `Since the order was approved: ${seen.reason}` };
    return isStale(verdict, clock.now()) ? { rule: 'stale-verdict', reason: STALE_REASON } : undefined;
  }

  /** Journals that the order is armed, and sends it unless its verdict has become invalid (T-03). */
  function* arm(verdict: ApprovedVerdict): Task<OrderUpdate> {
    const { intent } = verdict;
    const attempts: Attempts = { times: 0, written: 0 };
    for (;;) {
      attempts.times += 1;
      recorder.record(armedEvent(verdict, clock.now()));
      const block = blockedBy(verdict);
      if (block !== undefined) {
        yield deny({ kind: 'denied', intent, ...block, numbers: [] });
        return;
      }
      const answer = yield* submit(verdict, attempts);
      if (!mayRepeat(verdict, answer, attempts))
        return yield* handleOutcome(intent, recorder.record(submitEvent(intent, answer)));
      yield* awaitAnswer(delay(clock, RETRY_DELAYS_MS[attempts.times - 1] ?? 0));
    }
  }

  /** Allows another attempt only if no byte was sent and the verdict will still be valid (T-08). */
  function mayRepeat(verdict: ApprovedVerdict, answer: SubmitAnswer, { times }: Attempts): boolean {
    const waitMs = RETRY_DELAYS_MS[times - 1];
    return (
      answer.kind === 'not-sent' &&
      blockedBy(verdict) === undefined &&
      waitMs !== undefined &&
      !isStale(verdict, millis(clock.now() + waitMs))
    );
  }

  /**
   * Journals the attempt once it has a call, right before its first byte (T-04, I-1). No byte is sent if a slow disk
   * made the verdict too old, or after a kill (I-5, I-14).
   */
  function* submit(verdict: ApprovedVerdict, attempts: Attempts): Task<never, SubmitAnswer> {
    const { id: intentId, terms } = verdict.intent;
    const purpose = purposeOf(verdict);
    const isCounted = broker.facts.callsPer30s !== undefined;
    const waited = purpose !== 'open' && isCounted ? watchWait(verdict.intent) : undefined;
    const beforeSend = (written: WrittenRequest | undefined): void => {
      waited?.();
      attempts.written += 1;
      const sent = { kind: 'submit-sending', at: clock.now(), intentId, attempt: attempts.written } as const;
      recorder.record(written === undefined ? sent : { ...sent, written });
    };
    const blockedReason = (): string | undefined => blockedBy(verdict)?.reason;
    const order: OrderToSend = { intentId, terms, purpose, beforeSend, blockedReason };
    const answer = yield* awaitAnswer(broker.submit(order));
    waited?.();
    return answer;
  }

  /** Raises an alarm if a protective order waits long for a call; it is still sent as soon as one is free. */
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

  function submitEvent(intent: OrderIntent, answer: SubmitAnswer): SubmitEvent {
    const stamp = { at: clock.now(), intentId: intent.id };
    switch (answer.kind) {
      case 'accepted':
        return { ...stamp, kind: 'submit-acked', orderId: answer.orderId, by: 'answer' };
      case 'refused': {
        const { code, message } = answer;
        return tracker.distrustedCodes.has(code)
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

  function* handleOutcome(intent: OrderIntent, event: SubmitEvent): Task<OrderUpdate> {
    switch (event.kind) {
      case 'submit-acked':
        tracker.watch(intent);
        return yield* tracker.pull(event.orderId);
      case 'submit-refused':
        yield updateOf(intent, 'refused', `${event.code}: ${event.message}`);
        return;
      case 'submit-not-sent':
        yield updateOf(intent, 'refused', `not sent: ${event.message}`);
        return;
      case 'submit-unknown':
        tracker.search(intent);
        yield updateOf(intent, 'unknown', event.message);
        return;
      default:
        return unreachable(event);
    }
  }

  function updateOf(
    intent: OrderIntent,
    outcome: 'denied' | 'refused' | 'unknown',
    why: string,
  ): OrderUpdate {
    return orderUpdate({ intentId: intent.id, terms: intent.terms }, { outcome, why, time: clock.now() });
  }

  function* execute(verdict: Verdict): Task<OrderUpdate> {
    if (verdict.kind === 'denied') yield deny(verdict);
    else yield* arm(verdict);
  }

  return { execute };
}

type ApprovedVerdict = Extract<Verdict, { kind: 'approved' }>;

/** Attempts to send an order, and how many of them were journaled: none without a free call. */
interface Attempts {
  times: number;
  written: number;
}

/** Returns the purpose of an order; one whose verdict does not age adds no exposure. */
function purposeOf({ intent, freshUntil }: ApprovedVerdict): ChangePurpose {
  if (intent.purpose === 'flatten') return 'kill';
  return freshUntil === undefined || intent.link?.exit === true ? 'protect' : 'open';
}

/** Wait of a protective order before an alarm. */
const WAITS_MAX_MS = 2_000;

/** Delays before the second and third attempt of an order that was not sent. */
const RETRY_DELAYS_MS = [250, 1_000] as const;

const STALE_REASON = 'The facts that the order was approved on have grown too old to send it';

/** The numbers are formatted when they are read. */
function armedEvent(verdict: ApprovedVerdict, at: Millis): IntentArmed {
  return {
    kind: 'intent-armed',
    at,
    intentId: verdict.intent.id,
    ...(verdict.intent.isResized === true ? { quantity: verdict.intent.terms.quantity } : {}),
    get numbers() {
      return verdict.numbers;
    },
  };
}

type SubmitEvent = SubmitAcked | SubmitRefused | SubmitNotSent | SubmitUnknown;
