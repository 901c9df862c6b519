import type { Millis } from '../../model/time.ts';

/**
 * Entries that expire after a fixed life; the oldest are dropped above the maximum. All have the same life, so
 * insertion order is expiry order.
 */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly expiresAt: number }>();
  readonly #lifeMs: number;
  readonly #max: number;

  constructor(lifeMs: number, max: number) {
    this.#lifeMs = lifeMs;
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns undefined if the key was never set, was taken, or has expired. */
  get(key: string, now: Millis): Value | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.expiresAt <= now ? undefined : entry.value;
  }

  set(key: string, value: Value, now: Millis): void {
    this.#prune(now);
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: now + this.#lifeMs });
  }

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
