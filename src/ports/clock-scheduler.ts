import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs';
import { millis } from '../model/time.ts';
import type { Clock } from './clock.ts';

/** An RxJS scheduler on a clock: every delay is market or machine time of that clock. */
export function schedulerOn(clock: Clock): SchedulerLike {
  return {
    now: () => clock.now(),
    schedule<T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T): Subscription {
      return new ClockAction<T>(clock, work).schedule(state, delay);
    },
  };
}

class ClockAction<T> extends Subscription {
  readonly #clock: Clock;
  readonly #work: (this: SchedulerAction<T>, state?: T) => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, work: (this: SchedulerAction<T>, state?: T) => void) {
    super(() => this.#cancel?.());
    this.#clock = clock;
    this.#work = work;
  }

  schedule(state?: T, delay = 0): Subscription {
    if (this.closed) return this;
    this.#cancel?.();
    const due = millis(this.#clock.now() + Math.max(0, delay));
    this.#cancel = this.#clock.at(due, 'timer', () => {
      if (!this.closed) this.#work.call(this, state);
    });
    return this;
  }
}
