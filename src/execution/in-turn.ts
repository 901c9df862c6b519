import { concat, EMPTY, from, Observable, type OperatorFunction, type Subscriber } from 'rxjs';
import { inOrder, runNow, Steps } from '../ports/steps.ts';

/** Work that comes in pieces. */
export interface Work<T> {
  /** The next piece; undefined when there is none just now. */
  next(): Observable<T> | undefined;
  take(value: T): void;
}

/** Whoever does it. */
export interface WorkLoop {
  /** Looks for more to do. */
  goOn(): void;
  /** Hands over what comes, and is done once no more comes and nothing is left. */
  workOff<I>(items$: Observable<I>, hear: (item: I) => void): void;
}

/**
 * Does pieces of work one after the other. Those that are done on the spot follow each other in a loop, not within each
 * other, so that thousands of them cost no stack; `concatMap` dies of a few hundred, without an error.
 */
export function workLoop<T>(subscriber: Subscriber<unknown>, work: Work<T>): WorkLoop {
  let working = false;
  let looping = false;
  let isLast = false;

  function goOn(): void {
    if (looping) return;
    looping = true;
    while (!working && !subscriber.closed && begin());
    looping = false;
    if (!working && isLast && !subscriber.closed) subscriber.complete();
  }

  function workOff<I>(items$: Observable<I>, hear: (item: I) => void): void {
    const source = items$.subscribe({
      next: (item) => {
        hear(item);
        goOn();
      },
      error: (error: unknown) => subscriber.error(error),
      complete: () => {
        isLast = true;
        goOn();
      },
    });
    subscriber.add(source);
  }

  function begin(): boolean {
    const piece$ = work.next();
    if (piece$ === undefined) return false;
    working = true;
    const left$ = left(piece$);
    if (left$ === undefined) {
      working = false;
      return true;
    }
    const done = left$.subscribe({
      next: (value) => work.take(value),
      error: (error: unknown) => subscriber.error(error),
      complete: () => {
        working = false;
        goOn();
      },
    });
    subscriber.add(done);
    return true;
  }

  /** Runs what can be run; what that throws is the piece's error. */
  function left(piece$: Observable<T>): Observable<T> | undefined {
    try {
      return runNow(piece$, (value) => work.take(value));
    } catch (error) {
      subscriber.error(error);
      return undefined;
    }
  }

  return { goOn, workOff };
}

/** `inTurn` over items that may be there at once: what can be done at once is done without a subscription. */
export function eachInTurn<T, R>(items$: Observable<T>, work: (item: T) => Observable<R>): Observable<R> {
  return new Steps((take) => {
    const waiting: T[] = [];
    let rest$: Observable<R> | undefined;
    const left$ = runNow(items$, (item) => {
      if (rest$ === undefined) rest$ = runNow(work(item), take);
      else waiting.push(item);
    });
    if (left$ === undefined && waiting.length === 0) return rest$;
    const others$ = concat(from(waiting), left$ ?? EMPTY).pipe(inTurn(work));
    return rest$ === undefined ? others$ : concat(rest$, others$);
  });
}

/** Like `concatMap`: works off what comes one by one, in order, and loses nothing; however much waits. */
export function inTurn<T, R>(work: (item: T) => Observable<R>): OperatorFunction<T, R> {
  return (items$) =>
    new Observable((subscriber) => {
      const waiting: { readonly item: T }[] = [];
      const { workOff } = workLoop<R>(subscriber, {
        next: () => {
          const first = waiting.shift();
          return first === undefined ? undefined : inOrder(() => work(first.item));
        },
        take: (value) => subscriber.next(value),
      });
      workOff(items$, (item) => waiting.push({ item }));
    });
}
