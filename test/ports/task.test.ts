import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import {
  awaitAnswer,
  awaitAnswers,
  ImmediateRequest,
  ignoreEvents,
  type Observer,
  runTask,
  type Task,
} from '#src/ports/task.ts';
import { resultOf } from '../fixtures/tasks.ts';

/** Runs a task and records its events. */
function running<E>(task: Task<E, unknown>) {
  const heard: string[] = [];
  const run = runTask(task, {
    next: (event) => heard.push(String(event)),
    complete: () => heard.push('done'),
    error: (error) => heard.push(String(error)),
  });
  return { heard, run };
}

describe('a task', () => {
  it('emits its events in order, including those of the tasks that it calls', () => {
    function* inner(): Task<string, number> {
      yield 'b';
      return 3;
    }
    function* outer(): Task<string> {
      yield 'a';
      const given = yield* inner();
      yield `c${given}`;
    }
    const { heard, run } = running(outer());
    expect(heard).toEqual(['a', 'b', 'c3', 'done']);
    expect(run).toBeUndefined();
  });

  it('waits for an answer, and continues with it when it arrives', () => {
    const answer$ = new Subject<number>();
    function* waits(): Task<string> {
      yield 'asked';
      yield `got ${yield* awaitAnswer(answer$)}`;
    }
    const { heard } = running(waits());
    expect(heard).toEqual(['asked']);
    answer$.next(7);
    answer$.complete();
    expect(heard).toEqual(['asked', 'got 7', 'done']);
  });

  it('continues with an immediate answer without waiting, however many there are', () => {
    function* asks(): Task<never, number> {
      let sum = 0;
      for (let count = 0; count < 100_000; count += 1)
        sum += yield* awaitAnswer(new ImmediateRequest(() => 1));
      return sum;
    }
    return expect(resultOf(asks())).resolves.toBe(100_000);
  });

  it('uses no stack for immediate answers of Observables', () => {
    function* asks(): Task {
      for (let count = 0; count < 100_000; count += 1) yield* awaitAnswer(atOnce(count));
    }
    expect(running(asks()).heard).toEqual(['done']);
  });

  it('starts several requests before it waits for any', () => {
    const asked: string[] = [];
    const [a$, b$, c$] = [new Subject<number>(), new Subject<number>(), new Subject<number>()];
    const heardOf = (name: string, answer$: Subject<number>) => ({
      subscribe: (listener: Observer<number>) => {
        asked.push(name);
        return answer$.subscribe(listener);
      },
    });
    function* asks(): Task<string> {
      const answers = yield* awaitAnswers(heardOf('a', a$), heardOf('b', b$), heardOf('c', c$));
      yield answers.join();
    }
    const { heard } = running(asks());
    expect(asked).toEqual(['a', 'b', 'c']);
    for (const [answer$, value] of [
      [c$, 3],
      [a$, 1],
      [b$, 2],
    ] as const) {
      answer$.next(value);
      answer$.complete();
    }
    expect(heard).toEqual(['1,2,3', 'done']);
  });

  it('receives errors of an answer as exceptions, which it may catch', () => {
    const answer$ = new Subject<number>();
    function* careful(): Task<string> {
      try {
        yield* awaitAnswer(answer$);
      } catch (error) {
        yield `caught ${error}`;
      }
    }
    const caught = running(careful());
    const thrown = running(awaitAnswer(answer$));
    answer$.error('no line');
    expect(caught.heard).toEqual(['caught no line', 'done']);
    expect(thrown.heard).toEqual(['no line']);
  });

  it('fails with the error that a request throws when it is made', () => {
    const broken = {
      subscribe: () => {
        throw new Error('disk is full');
      },
    };
    expect(running(awaitAnswer(broken)).heard).toEqual(['Error: disk is full']);
  });

  it('sends no more requests and cleans up when it is stopped', () => {
    const answer$ = new Subject<number>();
    let isTidy = false;
    function* waits(): Task<string> {
      try {
        yield* awaitAnswer(answer$);
        yield 'never';
      } finally {
        isTidy = true;
      }
    }
    const { heard, run } = running(waits());
    expect(answer$.observed).toBe(true);
    run?.stop();
    expect([answer$.observed, isTidy, heard]).toEqual([false, true, []]);
  });

  it('may be stopped by its own action', () => {
    const answer$ = new Subject<void>();
    const heard: string[] = [];
    let run: { stop(): void } | undefined;
    function* stopsItself(): Task<string> {
      yield* awaitAnswer(answer$);
      run?.stop();
      yield 'never';
    }
    run = runTask(stopsItself(), {
      next: (event) => heard.push(event),
      complete: () => heard.push('done'),
      error: (error) => heard.push(String(error)),
    });
    answer$.complete();
    expect(heard).toEqual([]);
  });

  it('emits no events when it runs silently, and still returns its result', async () => {
    const answer$ = new Subject<number>();
    function* talks(): Task<string, number> {
      yield 'a';
      const given = yield* awaitAnswer<number>(answer$);
      yield 'b';
      return given + 1;
    }
    const result = resultOf(ignoreEvents(talks()));
    answer$.next(1);
    answer$.complete();
    expect(await result).toBe(2);
  });
});

function atOnce(value: number) {
  const answer$ = new Subject<number>();
  return {
    subscribe: (listener: Observer<number>) => {
      const asked = answer$.subscribe(listener);
      answer$.next(value);
      answer$.complete();
      return asked;
    },
  };
}
