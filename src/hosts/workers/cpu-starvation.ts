/** What is known of a thread's time, also while its code runs; in machine milliseconds since it began. */
export interface WorkerTimes {
  /** All that went by; 0 before it began. */
  readonly aliveMs: () => number;
  /** What it ran, and what it idled; undefined while there is no thread. */
  readonly ownMs: () => Promise<number | undefined>;
}

/**
 * How long a thread at work has been kept from running by whatever else the machine does: what went by, but for what the thread
 * ran, and what it waited for of its own accord. It is looked at from time to time; a thread that runs answers a look before the next.
 */
export class CpuStarvation {
  readonly #times: WorkerTimes;
  readonly #everyMs: number;
  /** Until when the delay is known: what was asked then has been answered. */
  #knownUntil: number;
  #isAsked = false;
  /** What had gone by beside the thread's own time at the first reading, and the delay until then. */
  #first: { readonly besideMs: number; readonly delayMs: number } | undefined;
  #delayMs = 0;

  /** `everyMs` is how often somebody means to look, machine milliseconds. */
  constructor(times: WorkerTimes, everyMs: number) {
    this.#times = times;
    this.#everyMs = everyMs;
    this.#knownUntil = times.aliveMs();
  }

  /** Machine milliseconds, as far as is known. */
  get ms(): number {
    return this.#delayMs + (this.#isAsked ? this.#estimatedMs() : 0);
  }

  /** Takes a reading, unless one is away. Never rejects. */
  async sample(): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const askedAt = this.#times.aliveMs();
    const ownMs = await this.#times.ownMs();
    this.#isAsked = false;
    if (ownMs !== undefined) this.#learn(this.#times.aliveMs() - ownMs);
    this.#knownUntil = askedAt;
  }

  #learn(besideMs: number): void {
    this.#first ??= { besideMs, delayMs: this.#estimatedMs() };
    this.#delayMs = this.#first.delayMs + Math.max(0, besideMs - this.#first.besideMs);
  }

  /** What a look that comes late, or is not answered, leaves open: whoever looks stands in the same line. */
  #estimatedMs(): number {
    return Math.max(0, this.#times.aliveMs() - this.#knownUntil - this.#everyMs);
  }
}
