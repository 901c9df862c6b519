import { concatMap, defer, type Observable, of } from 'rxjs';
import type { AccountBalance, Position } from '../model/account.ts';
import type { Currency } from '../model/money.ts';
import type { Execution } from '../model/order.ts';
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

/** Tries before an account counts as busy. */
export const STABLE_TRIES = 5;

/**
 * Reads executions, positions, cash, orders and executions again, one after the other, until the two readings of executions
 * are the same. Emits once.
 * @see reliability.md, section 2.5
 */
export function stableRead(broker: Broker, currency: Currency, tries = STABLE_TRIES): Observable<StableRead> {
  return defer(() => broker.executionsToday()).pipe(
    concatMap((before) => restOf(broker, currency, before)),
    concatMap((read) =>
      read.kind === 'moved'
        ? tries > 1
          ? stableRead(broker, currency, tries - 1)
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
