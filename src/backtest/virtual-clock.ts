import TinyQueue from 'tinyqueue';
import { type Millis, NEVER } from '../model/time.ts';
import { type Cancel, type Clock, PHASES, type Phase } from '../ports/clock.ts';

/** What is due next on a clock: when, and how early at that instant. */
export interface Due {
  readonly at: Millis;
  /** Index into `PHASES`. */
  readonly rank: number;
}

interface Entry extends Due {
  readonly order: number;
  action: (() => void) | undefined;
}

/**
 * A clock that moves only when its driver moves it. Entries are in a priority queue by time, then phase, then the order
 * in which they were added, so that two runs fire them alike. Cancelled entries stay in the queue until their time.
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

  /** The next entry that has not been cancelled; undefined when nothing is due. */
  next(): Due | undefined {
    const entries = this.#entries;
    let first = entries.peek();
    while (first !== undefined && first.action === undefined) {
      entries.pop();
      first = entries.peek();
    }
    return first;
  }

  /** When the next entry fires; NEVER when nothing is due. */
  nextAt(): Millis {
    return this.next()?.at ?? NEVER;
  }

  /** Moves to the next entry's time and fires that one entry; false when nothing was due. */
  fireNext(): boolean {
    const due = this.next();
    if (due === undefined) return false;
    const entry = this.#entries.pop();
    this.#now = due.at;
    entry?.action?.();
    return true;
  }

  /** Moves on without firing anything; throws when an entry is due before that. */
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
