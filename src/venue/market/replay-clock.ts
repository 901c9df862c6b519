import type { Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** The machine's clock, which returns past times while requests are replayed. */
export class ReplayClock {
  readonly #machine: Pick<Clock, 'now'>;
  #replayedTime: Millis | undefined;

  constructor(machine: Pick<Clock, 'now'>) {
    this.#machine = machine;
  }

  now(): Millis {
    return this.#replayedTime ?? this.#machine.now();
  }

  runAt<Result>(at: Millis, work: () => Result): Result {
    this.#replayedTime = at;
    try {
      return work();
    } finally {
      this.#replayedTime = undefined;
    }
  }
}
