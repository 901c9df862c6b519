import type { BrokerClient } from '#src/broker/connect.ts';
import { cashOf } from '#src/execution/reconciliation/account-differences.ts';
import type { Millis } from '#src/model/time.ts';
import type { Answer, ListedOrder } from '#src/ports/broker.ts';
import type { Request } from '#src/ports/task.ts';
import { answerOf } from '../fixtures/tasks.ts';
import type { Recovered } from './plan.ts';

/** The venue's state of one account. */
export interface Truth {
  readonly orders: readonly ListedOrder[];
  readonly cash: Readonly<Record<string, string>>;
  readonly positions: Readonly<Record<string, string>>;
}

/** Differences between a bot and its venue, as text; empty lists if there are none. */
export interface Verdict {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly divergent: readonly string[];
}

/** Reads the state from the venue over a separate connection. */
export async function truthOf({ broker }: Pick<BrokerClient, 'broker'>, since: Millis): Promise<Truth> {
  const [today, before, balance, positions] = await Promise.all([
    reported(broker.ordersToday()),
    reported(broker.ordersBefore(since)),
    reported(broker.balance('HKD')),
    reported(broker.positions()),
  ]);
  const orders = [...new Map([...before, ...today].map((order) => [order.orderId, order])).values()];
  return {
    orders,
    cash: Object.fromEntries(Object.entries(cashOf(balance)).map(([key, value]) => [key, String(value)])),
    positions: Object.fromEntries(
      positions
        .filter(({ quantity }) => !quantity.isZero())
        .map(({ symbol, quantity }) => [symbol, String(quantity)]),
    ),
  };
}

async function reported<T>(question: Request<Answer<T>>): Promise<T> {
  const answer = await answerOf(question);
  if (answer.kind === 'ok') return answer.value;
  throw new Error(`The venue did not tell the truth: ${answer.code} ${answer.message}`);
}

/** Compares a bot's state after its recovery with the venue's. */
export function compare(bot: Recovered, venue: Truth): Verdict {
  const byIntent = Map.groupBy(venue.orders, (order) => order.intentId);
  const known = new Map(bot.orders.map((order) => [order.intentId, order]));
  const lost: string[] = [];
  const doubled: string[] = [];
  const divergent: string[] = [];
  for (const [intentId, orders] of byIntent) {
    if (orders.length > 1) doubled.push(`${intentId}: ${orders.map(({ orderId }) => orderId).join(', ')}`);
    for (const { orderId, executedQuantity } of orders) {
      const order = intentId === undefined ? undefined : known.get(intentId);
      if (order?.orderId !== orderId)
        lost.push(`${orderId} of ${intentId}: here ${order?.submission ?? 'unknown'}`);
      else if (order.executed !== String(executedQuantity))
        divergent.push(`${orderId} executed: ${order.executed} here, ${executedQuantity} at the venue`);
    }
  }
  const listed = new Set<string>(venue.orders.map(({ orderId }) => orderId));
  for (const { orderId, intentId } of bot.orders)
    if (orderId !== undefined && !listed.has(orderId))
      lost.push(`${orderId} of ${intentId}: not at the venue`);
  divergent.push(
    ...differing('cash', bot.cash, venue.cash),
    ...differing('position', bot.positions, venue.positions),
  );
  if (bot.gate !== 'active') divergent.push(`gate is ${bot.gate}`);
  return { lost, doubled, divergent };
}

function differing(
  what: string,
  ours: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
): readonly string[] {
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((key) =>
    (ours[key] ?? '0') === (theirs[key] ?? '0')
      ? []
      : [`${what} ${key}: ${ours[key] ?? '0'} here, ${theirs[key] ?? '0'} at the venue`],
  );
}
