import { concatMap, defer, from, type Observable, of, reduce, takeWhile } from 'rxjs';
import type { BotState } from '../events/fold.ts';
import type { AccountBalance, Position } from '../model/account.ts';
import type { Currency } from '../model/money.ts';
import type { Execution, OrderId } from '../model/order.ts';
import { isOver } from '../model/order-facets.ts';
import type { Answer, Broker, ListedOrder } from '../ports/broker.ts';

/** An account as separate calls tell it, with nothing executed in between. */
export interface AccountRead {
  readonly orders: readonly ListedOrder[];
  readonly executions: readonly Execution[];
  readonly positions: readonly Position[];
  readonly balance: AccountBalance;
}

/** What came of a stable read: `busy` says that something was executed during each try, which is no divergence. */
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
 * are the same. Where the venue lists neither, the orders that are `open` are read one by one instead, before and after. Emits once.
 * @see docs/reliability.md, "Stable reads"
 */
export function stableRead(
  broker: Broker,
  currency: Currency,
  open: OpenOrders,
  tries = STABLE_TRIES,
): Observable<StableRead> {
  const read$ =
    broker.facts.listsOrders === false
      ? defer(() => unlisted(broker, currency, open()))
      : defer(() => broker.executionsToday()).pipe(concatMap((before) => restOf(broker, currency, before)));
  return read$.pipe(
    concatMap((read) =>
      read.kind === 'moved'
        ? tries > 1
          ? stableRead(broker, currency, open, tries - 1)
          : of({ kind: 'busy' as const })
        : of(read),
    ),
  );
}

type Try = Exclude<StableRead, { kind: 'busy' }> | { readonly kind: 'moved' };

function restOf(broker: Broker, currency: Currency, before: Answer<readonly Execution[]>): Observable<Try> {
  if (before.kind !== 'ok') return of(failure("today's executions", before));
  return then(broker.positions(), 'positions', (positions) =>
    then(broker.balance(currency), 'balance', (balance) =>
      then(broker.ordersToday(), "today's orders", (orders) =>
        then(broker.executionsToday(), "today's executions", (executions) =>
          of<Try>(
            sameExecutions(before.value, executions)
              ? { kind: 'stable', account: { orders, executions, positions, balance } }
              : { kind: 'moved' },
          ),
        ),
      ),
    ),
  );
}

function unlisted(broker: Broker, currency: Currency, ids: readonly OrderId[]): Observable<Try> {
  return then(details(broker, ids), 'orders', (before) =>
    then(broker.positions(), 'positions', (positions) =>
      then(broker.balance(currency), 'balance', (balance) =>
        then(details(broker, ids), 'orders', (orders) =>
          of<Try>(
            orders.every((row, index) => before[index]?.executedQuantity.eq(row.executedQuantity) === true)
              ? { kind: 'stable', account: { orders, executions: [], positions, balance } }
              : { kind: 'moved' },
          ),
        ),
      ),
    ),
  );
}

/** Orders one after the other; the first that is not told ends it. */
function details(broker: Broker, ids: readonly OrderId[]): Observable<Answer<readonly ListedOrder[]>> {
  return from(ids).pipe(
    concatMap((orderId) => broker.orderDetail(orderId)),
    takeWhile(({ kind }) => kind === 'ok', true),
    reduce<Answer<ListedOrder>, Answer<readonly ListedOrder[]>>(
      (rows, answer) =>
        rows.kind === 'ok' && answer.kind === 'ok'
          ? { kind: 'ok', value: [...rows.value, answer.value] }
          : answer.kind === 'ok'
            ? rows
            : answer,
      { kind: 'ok', value: [] },
    ),
  );
}

function then<T>(
  question: Observable<Answer<T>>,
  what: string,
  next: (value: T) => Observable<Try>,
): Observable<Try> {
  return question.pipe(
    concatMap((answer) => (answer.kind === 'ok' ? next(answer.value) : of<Try>(failure(what, answer)))),
  );
}

function failure(what: string, { code, message }: Exclude<Answer<unknown>, { kind: 'ok' }>): Try {
  return { kind: 'failed', what, code, message };
}

function sameExecutions(before: readonly Execution[], after: readonly Execution[]): boolean {
  const known = new Set(before.map((row) => row.executionId));
  return before.length === after.length && after.every((row) => known.has(row.executionId));
}
