import TinyQueue from 'tinyqueue';
import { type Millis, NEVER } from '../model/time.ts';
import { type Cancel, type Clock, PHASES, type Phase } from '../ports/clock.ts';

/** The next entry of a clock. */
interface Due {
  readonly at: Millis;
  /** Index into `PHASES`. */
  readonly rank: number;
}

interface Entry extends Due {
  readonly order: number;
  action: (() => void) | undefined;
}

/**
 * A clock that only its driver advances. Entries are ordered by time, phase, and order of insertion, so that runs are
 * repeatable. Cancelled entries remain in the queue until their time.
 */
export class VirtualClock implements Clock {
  readonly #entries = new TinyQueue<Entry>([], byTime);
  #now: Millis;
  #order = 0;

  constructor(start: Millis) {
    this.#now = start;
  }

  now(): Millis {
    return this.#now;
  }

  at(at: Millis, phase: Phase, action: () => void): Cancel {
    const due = at < this.#now ? this.#now : at;
    const entry: Entry = { at: due, rank: PHASES.indexOf(phase), order: this.#order++, action };
    this.#entries.push(entry);
    return () => {
      entry.action = undefined;
    };
  }

  /** Returns the next active entry; undefined if there is none. */
  next(): Due | undefined {
    const entries = this.#entries;
    let first = entries.peek();
    while (first !== undefined && first.action === undefined) {
      entries.pop();
      first = entries.peek();
    }
    return first;
  }

  /** Returns the time of the next entry; NEVER if there is none. */
  nextAt(): Millis {
    return this.next()?.at ?? NEVER;
  }

  /** Moves to the next entry's time and fires that entry only; returns false if there is none. */
  fireNext(): boolean {
    const due = this.next();
    if (due === undefined) return false;
    const entry = this.#entries.pop();
    this.#now = due.at;
    entry?.action?.();
    return true;
  }

  /** Moves forward without firing; throws if an entry is due earlier. */
  moveTo(at: Millis): void {
    if (at < this.#now) throw new RangeError(`Clock cannot go back from ${this.#now} to ${at}`);
    if (this.nextAt() < at)
      throw new RangeError(`Clock cannot skip an entry due at ${this.nextAt()} on its way to ${at}`);
    this.#now = at;
  }
}

function byTime(a: Entry, b: Entry): number {
  return a.at - b.at || a.rank - b.rank || a.order - b.order;
}
