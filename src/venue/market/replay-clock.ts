import type { Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** The machine's clock, which returns past times while requests are replayed. */
export class ReplayClock {
  readonly #machine: Pick<Clock, 'now'>;
  #recalled: Millis | undefined;

  constructor(machine: Pick<Clock, 'now'>) {
    this.#machine = machine;
  }

  now(): Millis {
    return this.#recalled ?? this.#machine.now();
  }

  during<Result>(at: Millis, work: () => Result): Result {
    this.#recalled = at;
    try {
      return work();
    } finally {
      this.#recalled = undefined;
    }
  }
}
