import { type TimerQueue, timerQueues } from '../../engine/timer-batches.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { TimerEvent } from '../../strategy/strategy-event.ts';
import { dataEnd, type RunSetup } from '../setup.ts';

/** The timers of a strategy. */
export class StrategyTimers {
  /** Time of the next timer; NEVER after the last. */
  nextAt: Millis = NEVER;
  readonly #queues: readonly TimerQueue[];
  readonly #until: Millis;

  constructor(setup: RunSetup, start: Millis) {
    const { strategy, securities } = setup;
    const timers = strategy.onTimer === undefined ? {} : (strategy.timers ?? {});
    const symbols = securities.map(({ symbol }) => symbol);
    this.#queues = timerQueues(timers, symbols, start);
    this.#until = dataEnd(setup);
    this.#findNext();
  }

  /** Takes the events of the timers that are due next, in firing order. */
  takeDue(): readonly TimerEvent[] {
    const time = this.nextAt;
    const due = this.#queues.filter((queue) => queue.due === time);
    for (const queue of due) queue.due = queue.next(time);
    this.#findNext();
    return due.map(({ event }) => ({ ...event, symbols: [...event.symbols], time }));
  }

  #findNext(): void {
    const next = Math.min(NEVER, ...this.#queues.map(({ due }) => due));
    this.nextAt = next > this.#until ? NEVER : millis(next);
  }
}
