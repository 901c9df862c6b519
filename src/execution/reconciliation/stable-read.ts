import type { BotState } from '../../events/bot-state.ts';
import type { AccountBalance, Position } from '../../model/account.ts';
import type { Currency } from '../../model/money.ts';
import type { Execution, OrderId } from '../../model/order.ts';
import { isOver } from '../../model/order-facets.ts';
import type { Answer, Broker, ListedOrder } from '../../ports/broker.ts';
import { answerTo, type Task } from '../../ports/task.ts';

/** An account as separate calls tell it, with nothing executed in between. */
export interface AccountRead {
  readonly orders: readonly ListedOrder[];
  readonly executions: readonly Execution[];
  readonly positions: readonly Position[];
  readonly balance: AccountBalance;
}

/** The result of a stable read: `busy` means that something was executed during each try, which is no divergence. */
export type StableRead =
  | { readonly kind: 'stable'; readonly account: AccountRead }
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed'; readonly what: string; readonly code: number; readonly message: string };

/** Orders that are read by their ids where the venue lists none. */
export type OpenOrders = () => readonly OrderId[];

/** Ids of our orders that the venue may still execute. */
export function openOrders({ live }: Pick<BotState, 'live'>): readonly OrderId[] {
  return [...live.values()].flatMap(({ facets }) =>
    facets.submission.kind === 'acked' && !isOver(facets) ? [facets.submission.orderId] : [],
  );
}

/** Tries before an account counts as busy. */
export const STABLE_TRIES = 5;

/**
 * Reads executions, positions, cash, orders and executions again, one after the other, until the two readings of executions
 * are the same. Where the venue lists neither, the orders that are `open` are read one by one instead, before and after.
 * @see docs/reliability.md, "Stable reads"
 */
export function* stableRead(
  broker: Broker,
  currency: Currency,
  open: OpenOrders,
  tries = STABLE_TRIES,
): Task<never, StableRead> {
  for (let left = tries; left > 0; left -= 1) {
    const read =
      broker.facts.listsOrders === false
        ? yield* readUnlisted(broker, currency, open())
        : yield* readListed(broker, currency);
    if (read.kind !== 'moved') return read;
  }
  return { kind: 'busy' };
}

type Try = Exclude<StableRead, { kind: 'busy' }> | { readonly kind: 'moved' };

function* readListed(broker: Broker, currency: Currency): Task<never, Try> {
  const before = yield* answerTo(broker.executionsToday());
  if (before.kind !== 'ok') return failure("today's executions", before);
  const positions = yield* answerTo(broker.positions());
  if (positions.kind !== 'ok') return failure('positions', positions);
  const balance = yield* answerTo(broker.balance(currency));
  if (balance.kind !== 'ok') return failure('balance', balance);
  const orders = yield* answerTo(broker.ordersToday());
  if (orders.kind !== 'ok') return failure("today's orders", orders);
  const executions = yield* answerTo(broker.executionsToday());
  if (executions.kind !== 'ok') return failure("today's executions", executions);
  if (!sameExecutions(before.value, executions.value)) return { kind: 'moved' };
  return {
    kind: 'stable',
    account: {
      orders: orders.value,
      executions: executions.value,
      positions: positions.value,
      balance: balance.value,
    },
  };
}

function* readUnlisted(broker: Broker, currency: Currency, ids: readonly OrderId[]): Task<never, Try> {
  const before = yield* readDetails(broker, ids);
  if (before.kind !== 'ok') return failure('orders', before);
  const positions = yield* answerTo(broker.positions());
  if (positions.kind !== 'ok') return failure('positions', positions);
  const balance = yield* answerTo(broker.balance(currency));
  if (balance.kind !== 'ok') return failure('balance', balance);
  const orders = yield* readDetails(broker, ids);
  if (orders.kind !== 'ok') return failure('orders', orders);
  const isStill = orders.value.every(
    (row, index) => before.value[index]?.executedQuantity.eq(row.executedQuantity) === true,
  );
  if (!isStill) return { kind: 'moved' };
  return {
    kind: 'stable',
    account: {
      orders: orders.value,
      executions: [],
      positions: positions.value,
      balance: balance.value,
    },
  };
}

/** Reads orders one after the other; the first failure ends it. */
function* readDetails(broker: Broker, ids: readonly OrderId[]): Task<never, Answer<readonly ListedOrder[]>> {
  const rows: ListedOrder[] = [];
  for (const orderId of ids) {
    const answer = yield* answerTo(broker.orderDetail(orderId));
    if (answer.kind !== 'ok') return answer;
    rows.push(answer.value);
  }
  return { kind: 'ok', value: rows };
}

function failure(what: string, { code, message }: Exclude<Answer<unknown>, { kind: 'ok' }>): Try {
  return { kind: 'failed', what, code, message };
}

function sameExecutions(before: readonly Execution[], after: readonly Execution[]): boolean {
  const known = new Set(before.map((row) => row.executionId));
  return before.length === after.length && after.every((row) => known.has(row.executionId));
}
