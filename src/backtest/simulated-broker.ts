import { Subject } from 'rxjs';
import { omitUndefined } from '../model/omit-undefined.ts';
import { type IntentId, intentId, type OrderDetail } from '../model/order.ts';
import { replaceableFigures } from '../model/replaceable-figures.ts';
import type { Answer, Broker, BrokerFacts, ListedOrder, OrderHint } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import { sendUnlessBlocked } from '../ports/send-unless-blocked.ts';
import { ImmediateRequest, type Request } from '../ports/task.ts';
import type { FillModel, MarginModel } from '../simulation/models.ts';
import { venueFacts } from '../simulation/rules.ts';
import type { OrderChange, SimulatedAccount, Simulation } from '../simulation/simulation.ts';

/** The simulated venue as a Broker: requests are answered at once, venue events arrive as clock events. */
export interface SimulatedBroker extends Broker {
  /** Delivers an order change of the simulation like a push. */
  deliver(change: OrderChange): void;
}

const FACTS: BrokerFacts = { pushComplete: true, requestKey: false, callsPer30s: undefined };

/** The real venue's code for an unknown order. @see docs/wire-protocol.md, "Codes" */
const ORDER_NOT_FOUND = 603001;
const INVALID_PARAMETERS = 602001;

/** Adapts one account of a simulation to the Broker port. */
export function createSimulatedBroker(
  simulation: Simulation,
  account: SimulatedAccount,
  clock: Clock,
  models?: {
    readonly margin: Pick<MarginModel, 'cover' | 'shortfall'>;
    readonly fills: Pick<FillModel, 'matching'>;
  },
): SimulatedBroker {
  const hints$ = new Subject<OrderHint>();

  /** Answers at the current time, but as a separate clock event, to prevent reentrant calls. */
  function answerLater<T>(call: () => T): Request<T> {
    return {
      subscribe: (listener) => {
        const answer = call();
        const unsubscribe = clock.at(clock.now(), 'answer', () => {
          listener.next(answer);
          listener.complete();
        });
        return { unsubscribe };
      },
    };
  }

  return {
    facts: models === undefined ? FACTS : { ...FACTS, ...venueFacts(models.margin, models.fills) },
    hints$,
    deliver: ({ detail }) => hints$.next({ orderId: detail.orderId, intentId: intentOf(detail), detail }),
    submit: (order) =>
      sendUnlessBlocked(order, () => answerLater(() => account.submit(order.terms, order.intentId))),
    replace: ({ orderId, intentId: id, terms, ...hooks }) =>
      sendUnlessBlocked(hooks, () =>
        answerLater(() => account.replace(orderId, { ...replaceableFigures(terms), remark: id })),
      ),
    cancel: (orderId) => answerLater(() => account.cancel(orderId)),
    orderDetail: (orderId) =>
      answerOrFail(
        () => {
          const detail = account.order(orderId);
          return detail && listedOrder(detail);
        },
        ORDER_NOT_FOUND,
        `Order ${orderId} not found`,
      ),
    ordersToday: () => readyAnswer(() => account.ordersToday().map(listedOrder)),
    ordersBefore: (from) => readyAnswer(() => account.ordersBefore({ from }).map(listedOrder)),
    executionsBefore: (from) => readyAnswer(() => account.executionsBefore({ from })),
    executionsToday: (orderId) =>
      readyAnswer(() => account.executionsToday({ ...omitUndefined({ orderId }) })),
    buyLimit: (request) =>
      answerOrFail(() => account.buyLimit(request), INVALID_PARAMETERS, `unknown symbol ${request.symbol}`),
    marginFactors: (symbol) =>
      answerOrFail(() => simulation.marginFactors(symbol), INVALID_PARAMETERS, `unknown symbol ${symbol}`),
    balance: (currency) => readyAnswer(() => account.balance(currency)),
    cashPostings: ({ from, to }) =>
      readyAnswer(() => account.cashPostings(from).filter(({ at }) => at <= to)),
    positions: () => readyAnswer(() => account.positions()),
  };
}

function readyAnswer<T>(ask: () => T): Request<Answer<T>> {
  return new ImmediateRequest(() => ({ kind: 'ok', value: ask() }));
}

/** Fails with a code if the value is undefined. */
function answerOrFail<T>(ask: () => T | undefined, code: number, message: string): Request<Answer<T>> {
  return new ImmediateRequest(() => {
    const value = ask();
    return value === undefined ? { kind: 'failed', code, message, retryable: false } : { kind: 'ok', value };
  });
}

function listedOrder(detail: OrderDetail): ListedOrder {
  return { ...detail, intentId: intentOf(detail) };
}

/**
 * Returns the intent of an order. In the simulation the remark is the intent id; only the wire protocol wraps it in a
 * tag.
 */
function intentOf(detail: OrderDetail): IntentId | undefined {
  return detail.remark === '' ? undefined : intentId(detail.remark);
}
