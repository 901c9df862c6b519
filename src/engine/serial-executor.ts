import { EMPTY, Observable, type OperatorFunction } from 'rxjs';
import { runTask, type Task, type TaskFactory } from '../ports/task.ts';

/**
 * Runs turns one at a time. The events of a turn are passed to `react` one by one, then the events of those reactions; the
 * next turn starts when none is left. `react` also receives the number of events that the turn has produced so far. Turns of
 * `urgent$` run before all queued turns. Emits every event directly before its reaction.
 */
export function serialExecutor<E>(
  react: (event: E, eventsBefore: number) => Task<E>,
  urgent$: Observable<TaskFactory<E>> = EMPTY,
): OperatorFunction<TaskFactory<E>, E> {
  return (turns$) =>
    new Observable((subscriber) => {
      const turns: TaskFactory<E>[] = [];
      const urgent: TaskFactory<E>[] = [];
      const pending: E[] = [];
      let reactionCount = 0;
      let running: { stop(): void } | undefined;
      let isLooping = false;
      let isSourceComplete = false;
      const listener = {
        next: (event: E) => {
          pending.push(event);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => {
          running = undefined;
          drain();
        },
      };

      function nextTask(): Task<E> | undefined {
        if (pending.length === 0) {
          reactionCount = 0;
          return (urgent.shift() ?? turns.shift())?.();
        }
        const event = pending.shift() as E;
        const eventsBefore = reactionCount;
        reactionCount += 1;
        subscriber.next(event);
        return react(event, eventsBefore);
      }

      function drain(): void {
        if (isLooping) return;
        isLooping = true;
        while (running === undefined && !subscriber.closed) {
          const task = nextTask();
          if (task === undefined) break;
          running = runTask(task, listener);
        }
        isLooping = false;
        if (isSourceComplete && running === undefined && !subscriber.closed) subscriber.complete();
      }

      subscriber.add(() => running?.stop());
      subscriber.add(
        urgent$.subscribe((turn) => {
          urgent.push(turn);
          drain();
        }),
      );
      subscriber.add(
        turns$.subscribe({
          next: (turn) => {
            turns.push(turn);
            drain();
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            isSourceComplete = true;
            drain();
          },
        }),
      );
    });
}
