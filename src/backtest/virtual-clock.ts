import { type Millis, NEVER } from '../model/time.ts';
import { type Cancel, type Clock, PHASES, type Phase } from '../ports/clock.ts';
import { schedulerOn } from '../ports/clock-scheduler.ts';

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
 * A clock that stands still until it is told to go on. Entries lie on a binary heap, by time, then phase, then the order
 * in which they were asked for, so that two runs fire them alike. Cancelled entries stay in the heap until they come up.
 */
export class VirtualClock implements Clock {
  readonly scheduler = schedulerOn(this);
  readonly #heap: Entry[] = [];
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
    this.#push(entry);
    return () => {
      entry.action = undefined;
    };
  }

  /** The next entry that has not been cancelled; undefined when nothing is due. */
  next(): Due | undefined {
    while (this.#heap[0] !== undefined && this.#heap[0].action === undefined) this.#pop();
    return this.#heap[0];
  }

  /** When the next entry fires; NEVER when nothing is due. */
  nextAt(): Millis {
    return this.next()?.at ?? NEVER;
  }

  /** Moves to the next entry's time and fires that one entry; false when nothing was due. */
  fireNext(): boolean {
    const due = this.next();
    if (due === undefined) return false;
    const entry = this.#pop();
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

  #push(entry: Entry): void {
    const heap = this.#heap;
    heap.push(entry);
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!before(entry, heap[parent] as Entry)) break;
      heap[child] = heap[parent] as Entry;
      child = parent;
    }
    heap[child] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Entry, heap[child] as Entry)) child += 1;
      if (!before(heap[child] as Entry, last)) break;
      heap[parent] = heap[child] as Entry;
      parent = child;
    }
    heap[parent] = last;
    return top;
  }
}

function before(a: Entry, b: Entry): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.rank !== b.rank) return a.rank < b.rank;
  return a.order < b.order;
}
