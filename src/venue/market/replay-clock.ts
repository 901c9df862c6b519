import type { Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** The machine's time, which for a while can be a time of the past: when requests of before are gone through again. */
export class ReplayClock {
  readonly #machine: Pick<Clock, 'now'>;
  #recalled: Millis | undefined;

  constructor(machine: Pick<Clock, 'now'>) {
    this.#machine = machine;
  }

  now(): Millis {
    return this.#recalled ?? this.#machine.now();
  }

  /** Does something as if it were that time. */
  during<Result>(at: Millis, work: () => Result): Result {
    this.#recalled = at;
    try {
      return work();
    } finally {
      this.#recalled = undefined;
    }
  }
}
