import { defer, Observable, type OperatorFunction, type Subscriber } from 'rxjs';

/** Whoever does one piece of work after the other. */
export interface WorkLoop<T> {
  /** The next piece; undefined when there is none just now. */
  next(): Observable<T> | undefined;
  take(value: T): void;
  /** Called whenever nothing is under way and nothing waits. */
  rest(): void;
}

/**
 * Does the pieces of a loop one after the other and returns how to make it look for more. Pieces that are done on the spot
 * follow each other in a loop, not within each other, so that thousands of them cost no stack; `concatMap` dies of a few
 * hundred, without an error.
 */
export function workLoop<T>(subscriber: Subscriber<unknown>, loop: WorkLoop<T>): () => void {
  let working = false;
  let looping = false;

  function goOn(): void {
    if (looping) return;
    looping = true;
    while (!working && !subscriber.closed && begin());
    looping = false;
    if (!working && !subscriber.closed) loop.rest();
  }

  function begin(): boolean {
    const piece$ = loop.next();
    if (piece$ === undefined) return false;
    working = true;
    const done = piece$.subscribe({
      next: (value) => loop.take(value),
      error: (error: unknown) => subscriber.error(error),
      complete: () => {
        working = false;
        goOn();
      },
    });
    subscriber.add(done);
    return true;
  }

  return goOn;
}

/** Like `concatMap`: works off what comes one by one, in order, and loses nothing; however much waits. */
export function inTurn<T, R>(work: (item: T) => Observable<R>): OperatorFunction<T, R> {
  return (items$) =>
    new Observable((subscriber) => {
      const waiting: { readonly item: T }[] = [];
      let over = false;
      const goOn = workLoop<R>(subscriber, {
        next: () => {
          const first = waiting.shift();
          return first === undefined ? undefined : defer(() => work(first.item));
        },
        take: (value) => subscriber.next(value),
        rest: () => {
          if (over) subscriber.complete();
        },
      });
      const source = items$.subscribe({
        next: (item) => {
          waiting.push({ item });
          goOn();
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => {
          over = true;
          goOn();
        },
      });
      subscriber.add(source);
    });
}
