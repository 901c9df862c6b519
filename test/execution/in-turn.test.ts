import { concat, defer, EMPTY, NEVER, of, Subject, throwError } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { inTurn } from '#src/execution/in-turn.ts';

const marbles = () => new TestScheduler((actual, expected) => expect(actual).toEqual(expected));

describe('inTurn', () => {
  it('begins a piece of work when the one before is done', () => {
    marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
      const items = cold(' abc---|');
      const a = cold('     --x-y|');
      const b = cold('          |');
      const c = cold('          --z|');
      const works: Record<string, typeof a> = { a, b, c };
      expectObservable(items.pipe(inTurn((item) => works[item] ?? EMPTY))).toBe('--x-y--z|');
      expectSubscriptions(a.subscriptions).toBe('^----!');
      expectSubscriptions(b.subscriptions).toBe('-----(^!)');
      expectSubscriptions(c.subscriptions).toBe('-----^--!');
    });
  });

  it('stops all work when nobody listens any more', () => {
    marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
      const items = cold('abc---');
      const work = cold(' ---x--|');
      expectObservable(items.pipe(inTurn(() => work)), '^---!').toBe('---x-');
      expectSubscriptions(work.subscriptions).toBe('^---!');
      expectSubscriptions(items.subscriptions).toBe('^---!');
    });
  });

  it('ends with the first error, of the source, of the work, or thrown', () => {
    marbles().run(({ cold, expectObservable }) => {
      expectObservable(cold('a-#').pipe(inTurn(() => NEVER))).toBe('--#');
      expectObservable(cold('ab').pipe(inTurn((item) => (item === 'a' ? cold('-#') : of(item))))).toBe('-#');
      const thrown = inTurn(() => {
        throw 'error';
      });
      expectObservable(cold('-a').pipe(thrown)).toBe('-#');
    });
  });

  it('works off any number of things that waited, without losing one or running out of stack (I-23)', () => {
    const items$ = new Subject<number>();
    const gate$ = new Subject<number>();
    const done: number[] = [];
    let completed = false;
    items$.pipe(inTurn((item) => (item === 0 ? gate$ : of(item)))).subscribe({
      next: (item) => done.push(item),
      complete: () => {
        completed = true;
      },
    });
    for (let item = 0; item < 10_000; item += 1) items$.next(item);
    items$.complete();
    expect(done).toEqual([]);
    gate$.complete();
    expect(done).toHaveLength(9_999);
    expect(done.every((item, index) => item === index + 1)).toBe(true);
    expect(completed).toBe(true);
  });

  it('takes what comes in while it is being worked, in its turn', () => {
    const items$ = new Subject<string>();
    const log: string[] = [];
    const work = (item: string) =>
      concat(
        of(`${item} begins`),
        defer(() => {
          if (item === 'a') items$.next('b');
          return of(`${item} ends`);
        }),
      );
    items$.pipe(inTurn(work)).subscribe((said) => log.push(said));
    items$.next('a');
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('hands an error on only once, and does nothing after it', () => {
    const errors: unknown[] = [];
    let begun = 0;
    of(1, 2, 3)
      .pipe(
        inTurn(() => {
          begun += 1;
          return throwError(() => new Error('broken'));
        }),
      )
      .subscribe({ error: (error) => errors.push(error) });
    expect([begun, errors.length]).toEqual([1, 1]);
  });
});
