import { concat, defer, finalize, Observable, tap } from 'rxjs';
import type { CallBudget, CallKind, CallPlace } from './call-budget.ts';

/** A call that needs a place in the call budget. */
export interface BudgetedCall<T> {
  /**
   * The call, subscribed to when it has its place. Work between the place and the first byte, such as writing to the
   * journal, comes first; `depart` then waits until the call may be sent together with others.
   */
  readonly work: (depart: <R>(send: Observable<R>) => Observable<R>) => Observable<T>;
  /** Result if no place was free in time. */
  readonly refused: T;
  /** True for a result that proves that no byte was sent: its place is free again. */
  readonly neverLeft?: (result: T) => boolean;
}

/** Makes a call once it has a place in the budget. */
export function budgeted<T>(
  budget: Pick<CallBudget, 'enter'>,
  kind: CallKind,
  { work, refused, neverLeft = () => false }: BudgetedCall<T>,
): Observable<T> {
  return new Observable((subscriber) => {
    const go = (place: CallPlace): void => {
      const counted$ = defer(() => work((send) => departing(place, send))).pipe(
        tap((result) => neverLeft(result) && place.giveBack()),
        finalize(() => place.answered()),
      );
      subscriber.add(counted$.subscribe(subscriber));
    };
    const late = (): void => {
      subscriber.next(refused);
      subscriber.complete();
    };
    subscriber.add(budget.enter(kind, go, late));
  });
}

function departing<R>(place: CallPlace, send: Observable<R>): Observable<R> {
  place.prepare();
  const apart$ = new Observable<never>((subscriber) => place.depart(() => subscriber.complete()));
  return concat(apart$, send);
}
