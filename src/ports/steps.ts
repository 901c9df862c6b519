import { concat, concatMap, defer, EMPTY, forkJoin, ignoreElements, map, Observable, of } from 'rxjs';

/** Takes the values that are there at once. */
export type Take<T> = (value: T) => void;

/**
 * An Observable that may have its values at once. Subscribed it is like any other; run, it hands over what is there
 * without a subscription, and returns what is still to come: undefined when that was all. So what asks ports that answer
 * on the spot runs as plain code, and the same code waits where a port makes it wait.
 */
export class Steps<T> extends Observable<T> {
  /** Does all that can be done now, in order; what it throws is the stream's error. Each run begins anew. */
  declare readonly run: (take: Take<T>) => Observable<T> | undefined;

  constructor(run: (take: Take<T>) => Observable<T> | undefined) {
    super((subscriber) => {
      const rest = run((value) => subscriber.next(value));
      if (rest === undefined) {
        subscriber.complete();
        return undefined;
      }
      return rest.subscribe(subscriber);
    });
    this.run = run;
  }
}

/** One value, made when it is asked for. */
export function atOnce<T>(make: () => T): Observable<T> {
  return new Steps((take) => {
    take(make());
    return undefined;
  });
}

/** Several values that are there already, in order. */
export function allOf<T>(values: readonly T[]): Observable<T> {
  return new Steps((take) => {
    for (const value of values) take(value);
    return undefined;
  });
}

/** Does something when its turn comes, and emits nothing. */
export function act(deed: () => void): Observable<never> {
  return new Steps(() => {
    deed();
    return undefined;
  });
}

/** Runs what can be run of any Observable; returns what is left to subscribe to, undefined for nothing. */
export function runNow<T>(source$: Observable<T>, take: Take<T>): Observable<T> | undefined {
  if (source$ instanceof Steps) return source$.run(take);
  return source$ === EMPTY ? undefined : source$;
}

/** Like `map`. */
export function eachAs<T, R>(source$: Observable<T>, change: (value: T) => R): Observable<R> {
  return new Steps((take) => runNow(source$, (value) => take(change(value)))?.pipe(map(change)));
}

/** Like `concatMap`: what `use` makes of each value, in order. */
export function andThen<T, R>(source$: Observable<T>, use: (value: T) => Observable<R>): Observable<R> {
  return new Steps((take) => {
    let rest: Observable<R> | undefined;
    const left = runNow(source$, (value) => {
      const before = rest;
      if (before === undefined) rest = runNow(use(value), take);
      else
        rest = concat(
          before,
          defer(() => use(value)),
        );
    });
    if (left === undefined) return rest;
    const more = left.pipe(concatMap(use));
    return rest === undefined ? more : concat(rest, more);
  });
}

/** Like `forkJoin` of three answers, of which each source gives one: all are asked before any is waited for. */
export function together<A, B, C>(
  a$: Observable<A>,
  b$: Observable<B>,
  c$: Observable<C>,
): Observable<readonly [A, B, C]> {
  return new Steps<readonly [A, B, C]>((take) => {
    const [a, b, c] = [asked(a$), asked(b$), asked(c$)];
    if (a.said === undefined || b.said === undefined || c.said === undefined) {
      return forkJoin([a.answer$, b.answer$, c.answer$]);
    }
    take([a.said.value, b.said.value, c.said.value]);
    return undefined;
  });
}

interface Asked<T> {
  /** What was answered at once. */
  readonly said: { readonly value: T } | undefined;
  readonly answer$: Observable<T>;
}

function asked<T>(source$: Observable<T>): Asked<T> {
  let said: { readonly value: T } | undefined;
  const rest = runNow(source$, (value) => {
    said = { value };
  });
  return { said, answer$: rest ?? (said === undefined ? EMPTY : of(said.value)) };
}

/** Like `concat` of deferred streams: each part is made when the one before is done. */
export function inOrder<T>(...parts: readonly (() => Observable<T>)[]): Observable<T> {
  return new Steps((take) => {
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at];
      const rest = part === undefined ? undefined : runNow(part(), take);
      if (rest === undefined) continue;
      const later = parts.slice(at + 1);
      return later.length === 0 ? rest : concat(rest, ...later.map((each) => defer(each)));
    }
    return undefined;
  });
}

/** Like `ignoreElements`: only that it is done, or failed, is heard. */
export function silent(source$: Observable<unknown>): Observable<never> {
  return new Steps<never>(() => runNow(source$, ignore)?.pipe(ignoreElements()));
}

function ignore(): void {}
