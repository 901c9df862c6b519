import { isTooManyCalls } from '../../model/order-state.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Answer, Broker } from '../../ports/broker.ts';
import type { CallBudget } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import { awaitAnswer, type Request, runTask, type Task } from '../../ports/task.ts';
import { delay } from '../orders/delay.ts';

/** Delay before a read without a free call is repeated; it fails after two windows of the call budget. */
const RETRY_DELAY_MS = 1_000;
const RETRY_FOR_MS = 70_000;

interface RetryParts {
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly budget?: Pick<CallBudget, 'hasCapacity' | 'used'> | undefined;
}

/**
 * Returns a broker for a start, whose reads of the account wait while earlier runs or other programs have used up the
 * calls of the account. Returns other errors at once.
 */
export function retriedReads(broker: Broker, { clock, alarms, budget }: RetryParts): Broker {
  let isRaised = false;

  function isOutOfCalls(answer: Answer<unknown>): boolean {
    if (answer.kind === 'not-sent') return budget?.hasCapacity('watch') === false;
    return answer.kind === 'failed' && isTooManyCalls(answer.code);
  }

  function raiseAlarm(): void {
    if (isRaised) return;
    isRaised = true;
    const others = budget?.used().others ?? 0;
    const othersText = others === 0 ? '' : `, ${others} of them by other processes of this user`;
    alarms.raise({
      code: 'start-waits',
      message: `The start waits until the account may be asked again: the calls of the last half minute are used up${othersText}`,
      at: clock.now(),
      facts: {},
    });
  }

  function retried<T>(send: () => Request<Answer<T>>): Request<Answer<T>> {
    function* attempts(): Task<Answer<T>> {
      const until = clock.now() + RETRY_FOR_MS;
      let answer = yield* awaitAnswer(send());
      while (isOutOfCalls(answer) && clock.now() < until) {
        raiseAlarm();
        yield* awaitAnswer(delay(clock, RETRY_DELAY_MS));
        answer = yield* awaitAnswer(send());
      }
      yield answer;
    }
    return {
      subscribe: (listener) => {
        const running = runTask(attempts(), listener);
        return { unsubscribe: () => running?.stop() };
      },
    };
  }

  return {
    ...broker,
    executionsToday: (orderId, purpose) => retried(() => broker.executionsToday(orderId, purpose)),
    ordersToday: (purpose, scope) => retried(() => broker.ordersToday(purpose, scope)),
    ordersBefore: (from) => retried(() => broker.ordersBefore(from)),
    balance: (currency, purpose = 'watch') => retried(() => broker.balance(currency, purpose)),
    positions: (purpose = 'watch') => retried(() => broker.positions(purpose)),
  };
}
