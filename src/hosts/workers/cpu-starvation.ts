/** Times of a worker, also while its code runs; machine milliseconds since its start. */
export interface WorkerTimes {
  /** Elapsed time; 0 before the start. */
  readonly aliveMs: () => number;
  /** Time that it ran or idled; undefined while it does not exist. */
  readonly ownMs: () => Promise<number | undefined>;
}

/**
 * Estimates how long a busy machine has kept a worker from running, from regular samples: elapsed time without the
 * time that the worker ran or idled.
 */
export class CpuStarvation {
  readonly #times: WorkerTimes;
  readonly #everyMs: number;
  /** Until when the delay is known: when the newest answered sample was taken. */
  #knownUntil: number;
  #isSampling = false;
  /** Elapsed time outside the worker at the first sample, and the delay until then. */
  #first: { readonly outsideMs: number; readonly delayMs: number } | undefined;
  #delayMs = 0;

  /** `everyMs` is the sampling interval, machine milliseconds. */
  constructor(times: WorkerTimes, everyMs: number) {
    this.#times = times;
    this.#everyMs = everyMs;
    this.#knownUntil = times.aliveMs();
  }

  /** The delay, machine milliseconds. */
  get ms(): number {
    return this.#delayMs + (this.#isSampling ? this.#estimatedMs() : 0);
  }

  /** Takes a sample, unless one is in flight. Never rejects. */
  async sample(): Promise<void> {
    if (this.#isSampling) return;
    this.#isSampling = true;
    const sampledAt = this.#times.aliveMs();
    const ownMs = await this.#times.ownMs();
    this.#isSampling = false;
    if (ownMs !== undefined) this.#recordSample(this.#times.aliveMs() - ownMs);
    this.#knownUntil = sampledAt;
  }

  #recordSample(outsideMs: number): void {
    this.#first ??= { outsideMs, delayMs: this.#estimatedMs() };
    this.#delayMs = this.#first.delayMs + Math.max(0, outsideMs - this.#first.outsideMs);
  }

  /** Delay to assume while a sample is late or unanswered, since the sampling code is delayed as well. */
  #estimatedMs(): number {
    return Math.max(0, this.#times.aliveMs() - this.#knownUntil - this.#everyMs);
  }
}
