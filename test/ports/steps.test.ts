import {
  concat,
  concatMap,
  defer,
  from,
  lastValueFrom,
  map,
  type Observable,
  of,
  throwError,
  toArray,
} from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import {
  act,
  allOf,
  andThen,
  atOnce,
  eachAs,
  inOrder,
  runNow,
  Steps,
  silent,
  together,
} from '#src/ports/steps.ts';

const marbles = () => new TestScheduler((actual, expected) => expect(actual).toEqual(expected));

/** What a stream hands over without a subscription, and whether that was all. */
function now<T>(source$: Observable<T>): { readonly values: readonly T[]; readonly isAll: boolean } {
  const values: T[] = [];
  const rest = runNow(source$, (value) => values.push(value));
  return { values, isAll: rest === undefined };
}

describe('Steps', () => {
  it('are run without a subscription where everything is there', () => {
    const doubled$ = andThen(allOf([1, 2, 3]), (value) => allOf([value, value]));
    expect(now(doubled$)).toEqual({ values: [1, 1, 2, 2, 3, 3], isAll: true });
    expect(now(eachAs(doubled$, (value) => value + 1)).values).toEqual([2, 2, 3, 3, 4, 4]);
    expect(now(silent(doubled$))).toEqual({ values: [], isAll: true });
  });

  it('begin anew with every run, and do nothing before', () => {
    let made = 0;
    const made$ = atOnce(() => {
      made += 1;
      return made;
    });
    expect(made).toBe(0);
    expect([now(made$).values, now(made$).values]).toEqual([[1], [2]]);
  });

  it('emit as concatMap, map and concat do when some of it comes later', () => {
    marbles().run(({ cold, expectObservable, flush }) => {
      for (const marble of ['a|', '-a|', '(ab)|', 'a-b|', '--(ab)-c|', '|', '-#', 'a-#']) {
        for (const work of ['x|', '--x|', '(xy)|', '|', '-#']) {
          const use = (value: string) => cold<string>(work).pipe(map((made) => value + made));
          const [ours, theirs] = [
            andThen(cold<string>(marble), use),
            cold<string>(marble).pipe(concatMap(use)),
          ];
          const parts = (first$: Observable<string>) => [
            () => atOnce(() => 'f'),
            () => first$,
            () => atOnce(() => 'l'),
          ];
          expectObservable(ours).toEqual(theirs);
          expectObservable(inOrder(...parts(ours))).toEqual(concat(of('f'), theirs, of('l')));
          expectObservable(andThen(allOf(['p', 'q']), use)).toEqual(from(['p', 'q']).pipe(concatMap(use)));
          flush();
        }
      }
    });
  });

  it('do what comes after something late only then', () => {
    const done: string[] = [];
    marbles().run(({ cold, flush, expectObservable }) => {
      const late$ = inOrder<string>(
        () => act(() => done.push('first')),
        () => cold<string>('--a|'),
        () => act(() => done.push('last')),
      );
      expectObservable(late$).toBe('--a|');
      expect(done).toEqual([]);
      flush();
    });
    expect(done).toEqual(['first', 'last']);
  });

  it('ask three at once and wait for the slowest', () => {
    marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
      const b = cold('---b|');
      const c = cold('-c|');
      expectObservable(
        together(
          atOnce(() => 'a'),
          b,
          c,
        ),
      ).toBe('----(x|)', { x: ['a', 'b', 'c'] });
      expectSubscriptions(b.subscriptions).toBe('^---!');
      expectSubscriptions(c.subscriptions).toBe('^-!');
    });
    const one$ = atOnce(() => 1);
    expect(now(together(one$, one$, one$))).toEqual({ values: [[1, 1, 1]], isAll: true });
  });

  it('tell what they throw as the error of the stream', async () => {
    const broken$ = inOrder<number>(
      () => atOnce(() => 1),
      () =>
        act(() => {
          throw new Error('broken');
        }),
    );
    expect(() => runNow(broken$, () => undefined)).toThrow('broken');
    await expect(lastValueFrom(broken$)).rejects.toThrow('broken');
    await expect(lastValueFrom(andThen(of(1), () => throwError(() => new Error('late'))))).rejects.toThrow(
      'late',
    );
  });

  it('are Observables to everybody else', async () => {
    const steps$ = new Steps<number>((take) => {
      take(1);
      return defer(() => of(2));
    });
    expect(await lastValueFrom(steps$.pipe(toArray()))).toEqual([1, 2]);
  });
});
