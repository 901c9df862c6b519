import TinyQueue from 'tinyqueue';
import { type Millis, NEVER } from '../../model/time.ts';

/** Something that the venue does at a time; skipped once `isDue` returns false. */
export interface Task<T> {
  readonly at: Millis;
  readonly what: T;
}

interface Entry<T> extends Task<T> {
  readonly isFirst: boolean;
  readonly sequence: number;
}

interface EventQueueOptions<T> {
  isDue(what: T): boolean;
  /** True if the task precedes all other tasks of its instant, whenever it was added: it ends the period before. */
  isFirst?(what: T): boolean;
}

/**
 * A priority queue by time, first in first out at one instant. Obsolete tasks (such as the expiry of a filled order)
 * are dropped when they reach the top.
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

  /** Returns the time of the first task still due; NEVER if there is none. */
  nextAt(): Millis {
    return this.#first()?.at ?? NEVER;
  }

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
