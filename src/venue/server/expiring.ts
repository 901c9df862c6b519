import type { Millis } from '../../model/time.ts';

/**
 * Entries that are forgotten after a while, and the oldest ones when there are too many. All live equally long, so the
 * order of arrival is the order of expiry.
 */
export class Expiring<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly expiresAt: number }>();
  readonly #lifeMs: number;
  readonly #max: number;

  /** Keeps at most `max` entries, each for `lifeMs`. */
  constructor(lifeMs: number, max: number) {
    this.#lifeMs = lifeMs;
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Undefined when the key was never set, was taken, or is too old: alive means younger than its life. */
  get(key: string, now: Millis): Value | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.expiresAt <= now ? undefined : entry.value;
  }

  set(key: string, value: Value, now: Millis): void {
    this.#prune(now);
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: now + this.#lifeMs });
  }

  /** Gives the value once and forgets it. */
  take(key: string, now: Millis): Value | undefined {
    const value = this.get(key, now);
    this.#entries.delete(key);
    return value;
  }

  clear(): void {
    this.#entries.clear();
  }

  #prune(now: Millis): void {
    for (const [key, entry] of this.#entries) {
      if (entry.expiresAt > now && this.#entries.size < this.#max) return;
      this.#entries.delete(key);
    }
  }
}
