import TinyQueue from 'tinyqueue';
import { type Millis, NEVER } from '../../model/time.ts';

/** Something that the venue does by itself at a time; skipped once `isDue` returns false. */
export interface Task<T> {
  readonly at: Millis;
  readonly what: T;
}

interface Entry<T> extends Task<T> {
  readonly isFirst: boolean;
  readonly sequence: number;
}

/** How the queue treats its tasks. */
export interface EventQueueOptions<T> {
  isDue(what: T): boolean;
  /** Whether it comes before all else of its instant, however late it was put down: it ends what was before. */
  isFirst?(what: T): boolean;
}

/**
 * What is due when: a priority queue by time, first in first out at one instant. Tasks that lost their reason (an expiry of a
 * filled order) are dropped when they come to the top.
 */
export class EventQueue<T> {
  readonly #entries = new TinyQueue<Entry<T>>([], byTime);
  readonly #of: EventQueueOptions<T>;
  #sequence = 0;

  constructor(of: EventQueueOptions<T>) {
    this.#of = of;
  }

  add(at: Millis, what: T): void {
    if (at === NEVER) return;
    const entry: Entry<T> = {
      at,
      what,
      isFirst: this.#of.isFirst?.(what) === true,
      sequence: this.#sequence++,
    };
    this.#entries.push(entry);
  }

  /** Time of the first task that still has a reason; NEVER when there is none. */
  nextAt(): Millis {
    return this.#first()?.at ?? NEVER;
  }

  /** Takes the first task that still has a reason. */
  take(): Task<T> | undefined {
    const first = this.#first();
    if (first !== undefined) this.#entries.pop();
    return first;
  }

  #first(): Entry<T> | undefined {
    for (;;) {
      const top = this.#entries.peek();
      if (top === undefined || this.#of.isDue(top.what)) return top;
      this.#entries.pop();
    }
  }
}

function byTime(one: Entry<unknown>, other: Entry<unknown>): number {
  if (one.at !== other.at) return one.at - other.at;
  if (one.isFirst !== other.isFirst) return one.isFirst ? -1 : 1;
  return one.sequence - other.sequence;
}
