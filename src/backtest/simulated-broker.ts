import { Subject } from 'rxjs';
import { type IntentId, intentId, type OrderDetail, type OrderId } from '../model/order.ts';
import { replaceableFigures } from '../model/replaceable-figures.ts';
import { beforeLeaving } from '../ports/before-leaving.ts';
import type { Answer, Broker, BrokerFacts, ListedOrder, OrderHint } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import { type Question, Ready } from '../ports/task.ts';
import type { FillModel, MarginModel } from '../simulation/models.ts';
import { venueFacts } from '../simulation/rules.ts';
import type { OrderChange, SimulatedAccount, Simulation } from '../simulation/simulation.ts';

/** The venue's model as a Broker: questions are answered on the spot, what happens comes as an event of the clock. */
export interface SimulatedBroker extends Broker {
  /** Hands on an order change of the simulation as the hint that a push would be. */
  deliver(change: OrderChange): void;
}

const FACTS: BrokerFacts = { pushComplete: true, requestKey: false, callsPer30s: undefined };

/** The real venue's code for an unknown order. @see docs/wire-protocol.md, "Codes" */
const ORDER_NOT_FOUND = 603001;
const INVALID_PARAMETERS = 602001;

/** Plugs one account of a simulation into the Broker port. */
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

  /** The answer at this very instant, but as a separate event, so that nothing re-enters. */
  function answered<T>(call: () => T): Question<T> {
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
    deliver: ({ detail }) => hints$.next({ orderId: detail.orderId, intentId: ownIntent(detail), detail }),
    submit: (order) =>
      beforeLeaving(order, () => answered(() => account.submit(order.terms, order.intentId))),
    replace: ({ orderId, intentId: id, terms, ...sending }) =>
      beforeLeaving(sending, () =>
        answered(() => account.replace(orderId, { ...replaceableFigures(terms), remark: id })),
      ),
    cancel: (orderId) => answered(() => account.cancel(orderId)),
    orderDetail: (orderId) =>
      answerWith(() => account.order(orderId), ORDER_NOT_FOUND, unknownOrder(orderId), listed),
    ordersToday: () =>
      answerWith(
        () => account.ordersToday(),
        0,
        '',
        (orders) => orders.map(listed),
      ),
    ordersBefore: (from) =>
      answerWith(
        () => account.ordersBefore({ from }),
        0,
        '',
        (orders) => orders.map(listed),
      ),
    executionsBefore: (from) =>
      answerWith(
        () => account.executionsBefore({ from }),
        0,
        '',
        (rows) => rows,
      ),
    executionsToday: (orderId) =>
      answerWith(
        () => account.executionsToday(orderId === undefined ? {} : { orderId }),
        0,
        '',
        (rows) => rows,
      ),
    buyLimit: (question) =>
      answerWith(
        () => account.buyLimit(question),
        INVALID_PARAMETERS,
        `unknown symbol ${question.symbol}`,
        (limit) => limit,
      ),
    marginFactors: (symbol) =>
      answerWith(
        () => simulation.marginFactors(symbol),
        INVALID_PARAMETERS,
        `unknown symbol ${symbol}`,
        (factors) => factors,
      ),
    balance: (currency) =>
      answerWith(
        () => account.balance(currency),
        0,
        '',
        (balance) => balance,
      ),
    cashPostings: ({ from, to }) =>
      answerWith(
        () => account.moneyMoves(from),
        0,
        '',
        (moves) => moves.filter(({ at }) => at <= to),
      ),
    positions: () =>
      answerWith(
        () => account.positions(),
        0,
        '',
        (positions) => positions,
      ),
  };
}

function answerWith<T, R>(
  ask: () => T | undefined,
  code: number,
  message: string,
  use: (value: T) => R,
): Question<Answer<R>> {
  return new Ready(() => {
    const value = ask();
    return value === undefined
      ? { kind: 'failed', code, message, retryable: false }
      : { kind: 'ok', value: use(value) };
  });
}

function listed(detail: OrderDetail): ListedOrder {
  return { ...detail, intentId: ownIntent(detail) };
}

/** In the simulation the remark is the intent's id itself; the tag's envelope belongs to the wire. */
function ownIntent(detail: OrderDetail): IntentId | undefined {
  return detail.remark === '' ? undefined : intentId(detail.remark);
}

function unknownOrder(orderId: OrderId): string {
  return `Order ${orderId} not found`;
}
