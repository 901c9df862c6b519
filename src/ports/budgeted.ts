import { concat, defer, finalize, Observable, tap } from 'rxjs';
import type { CallBudget, CallKind, CallPermit } from './call-budget.ts';

/** A call that needs a permit of the call budget. */
export interface BudgetedCall<T> {
  /**
   * The call, subscribed to when it has its permit. It may first do other work, such as writing to the journal, and then
   * passes the sending to `whenReady`, which waits until the call may be sent in addition to the others.
   */
  readonly work: (whenReady: <R>(send: Observable<R>) => Observable<R>) => Observable<T>;
  /** Result if no permit was free in time. */
  readonly refused: T;
  /** True for a result that proves that no byte was sent: its permit is then free again. */
  readonly wasNotSent?: (result: T) => boolean;
}

/** Makes a call once it has a permit of the budget. */
export function budgeted<T>(
  budget: Pick<CallBudget, 'acquire'>,
  kind: CallKind,
  { work, refused, wasNotSent = () => false }: BudgetedCall<T>,
): Observable<T> {
  return new Observable((subscriber) => {
    const onGranted = (permit: CallPermit): void => {
      const counted$ = defer(() => work((send) => sendWhenReady(permit, send))).pipe(
        tap((result) => wasNotSent(result) && permit.refund()),
        finalize(() => permit.answered()),
      );
      subscriber.add(counted$.subscribe(subscriber));
    };
    const onTimeout = (): void => {
      subscriber.next(refused);
      subscriber.complete();
    };
    subscriber.add(budget.acquire(kind, onGranted, onTimeout));
  });
}

function sendWhenReady<R>(permit: CallPermit, send: Observable<R>): Observable<R> {
  permit.prepare();
  const ready$ = new Observable<never>((subscriber) => permit.whenReady(() => subscriber.complete()));
  return concat(ready$, send);
}
