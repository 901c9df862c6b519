import type { BotState } from '../../events/bot-state.ts';
import { ordersAtVenue } from '../../events/records/open-orders.ts';
import type { AccountBalance, Position } from '../../model/account.ts';
import type { Currency } from '../../model/money.ts';
import type { Execution, OrderId } from '../../model/order.ts';
import type { Answer, Broker, ListedOrder } from '../../ports/broker.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';

/** An account as read by separate calls, with no execution between them. */
export interface AccountRead {
  readonly orders: readonly ListedOrder[];
  readonly executions: readonly Execution[];
  readonly positions: readonly Position[];
  readonly balance: AccountBalance;
}

/** Result of a stable read; `busy`: something executed during each try, which is not a divergence. */
export type StableRead =
  | { readonly kind: 'stable'; readonly account: AccountRead }
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed'; readonly what: string; readonly code: number; readonly message: string };

/** Tries before an account counts as busy. */
export const STABLE_TRIES = 5;

/**
 * Reads executions, positions, balance, orders and executions again, until both lists of executions are equal. If the
 * venue does not list orders, reads our open orders one by one before and after instead.
 * @see docs/reliability.md, "Stable reads"
 */
export function* stableRead(
  broker: Broker,
  currency: Currency,
  state: Pick<BotState, 'live'>,
): Task<never, StableRead> {
  for (let tries = 0; tries < STABLE_TRIES; tries += 1) {
    const ids =
      broker.facts.listsOrders === false ? ordersAtVenue(state).map(({ orderId }) => orderId) : undefined;
    const before = yield* readActivity(broker, ids, false);
    if (before.kind === 'failed') return before;
    const positions = yield* awaitAnswer(broker.positions());
    if (positions.kind !== 'ok') return failure('positions', positions);
    const balance = yield* awaitAnswer(broker.balance(currency));
    if (balance.kind !== 'ok') return failure('balance', balance);
    const after = yield* readActivity(broker, ids, true);
    if (after.kind === 'failed') return after;
    if (before.progress !== after.progress) continue;
    const { orders, executions } = after;
    return {
      kind: 'stable',
      account: { orders, executions, positions: positions.value, balance: balance.value },
    };
  }
  return { kind: 'busy' };
}

interface Activity extends Pick<AccountRead, 'orders' | 'executions'> {
  readonly kind: 'read';
  /** Changes with every execution. */
  readonly progress: string;
}

/** Reads executions from the day's lists, or from the orders with these ids. */
function* readActivity(
  broker: Broker,
  ids: readonly OrderId[] | undefined,
  withOrders: boolean,
): Task<never, Activity | Failure> {
  if (ids !== undefined) {
    const details = yield* readDetails(broker, ids);
    if (details.kind !== 'ok') return failure('orders', details);
    const progress = details.value.map(({ executedQuantity }) => executedQuantity).join(' ');
    return { kind: 'read', orders: details.value, executions: [], progress };
  }
  let orders: readonly ListedOrder[] = [];
  if (withOrders) {
    const listed = yield* awaitAnswer(broker.ordersToday());
    if (listed.kind !== 'ok') return failure("today's orders", listed);
    orders = listed.value;
  }
  const executions = yield* awaitAnswer(broker.executionsToday());
  if (executions.kind !== 'ok') return failure("today's executions", executions);
  const progress = executions.value
    .map(({ executionId }) => executionId)
    .toSorted()
    .join(' ');
  return { kind: 'read', orders, executions: executions.value, progress };
}

/** Reads orders one by one; stops at the first failure. */
function* readDetails(broker: Broker, ids: readonly OrderId[]): Task<never, Answer<readonly ListedOrder[]>> {
  const rows: ListedOrder[] = [];
  for (const orderId of ids) {
    const answer = yield* awaitAnswer(broker.orderDetail(orderId));
    if (answer.kind !== 'ok') return answer;
    rows.push(answer.value);
  }
  return { kind: 'ok', value: rows };
}

type Failure = Extract<StableRead, { kind: 'failed' }>;

function failure(what: string, { code, message }: Exclude<Answer<unknown>, { kind: 'ok' }>): Failure {
  return { kind: 'failed', what, code, message };
}
