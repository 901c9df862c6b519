import { EMPTY, Observable, type OperatorFunction } from 'rxjs';
import { workLoop } from '../execution/in-turn.ts';
import { inOrder } from '../ports/steps.ts';

/**
 * Takes turns one after the other, and each whole: what a turn brings is reacted to, event by event, then what the
 * reactions brought, and only when nothing is left the next turn begins. `react` also hears how many events of the turn
 * came before. What `urgent$` brings goes before every turn that waits. Emits every event right before its reaction.
 */
export function oneLane<E>(
  react: (event: E, before: number) => Observable<E>,
  urgent$: Observable<Observable<E>> = EMPTY,
): OperatorFunction<Observable<E>, E> {
  return (turns$) =>
    new Observable((subscriber) => {
      const turns: Observable<E>[] = [];
      const urgent: Observable<E>[] = [];
      const news: { readonly event: E }[] = [];
      let told = 0;

      function next(): Observable<E> | undefined {
        const first = news.shift();
        if (first === undefined) {
          told = 0;
          return urgent.shift() ?? turns.shift();
        }
        const before = told;
        told += 1;
        subscriber.next(first.event);
        return inOrder(() => react(first.event, before));
      }

      const { goOn, workOff } = workLoop<E>(subscriber, { next, take: (event) => news.push({ event }) });
      subscriber.add(
        urgent$.subscribe((turn$) => {
          urgent.push(turn$);
          goOn();
        }),
      );
      workOff(turns$, (turn$) => turns.push(turn$));
    });
}
