import { type Millis, NEVER } from '../../model/time.ts';

/** Something that the venue does by itself at a time; skipped without a trace once `isDue` says no. */
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
 * What is due when: a binary heap by time, first in first out at one instant. Tasks that lost their reason (an expiry of a
 * filled order) are dropped when they come to the top.
 */
export class EventQueue<T> {
  readonly #heap: Entry<T>[] = [];
  readonly #of: EventQueueOptions<T>;
  #sequence = 0;

  constructor(of: EventQueueOptions<T>) {
    this.#of = of;
  }

  add(at: Millis, what: T): void {
    if (at === NEVER) return;
    const heap = this.#heap;
    const entry: Entry<T> = {
      at,
      what,
      isFirst: this.#of.isFirst?.(what) === true,
      sequence: this.#sequence++,
    };
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      const above = heap[parent] as Entry<T>;
      if (!isBefore(entry, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  /** Time of the first task that still has a reason; NEVER when there is none. */
  nextAt(): Millis {
    return this.#first()?.at ?? NEVER;
  }

  /** Takes the first task that still has a reason. */
  take(): Task<T> | undefined {
    const first = this.#first();
    if (first !== undefined) this.#removeTop();
    return first;
  }

  #first(): Entry<T> | undefined {
    for (;;) {
      const top = this.#heap[0];
      if (top === undefined || this.#of.isDue(top.what)) return top;
      this.#removeTop();
    }
  }

  #removeTop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Entry<T>)) child += 1;
      const below = heap[child] as Entry<T>;
      if (!isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore<T>(one: Entry<T>, other: Entry<T>): boolean {
  if (one.at !== other.at) return one.at < other.at;
  return one.isFirst === other.isFirst ? one.sequence < other.sequence : one.isFirst;
}
