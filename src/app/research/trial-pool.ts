import { setMaxListeners } from 'node:events';
import type { ParamRecord } from '../../config/bot-config.ts';
import { ResearchError } from '../../research/research-error.ts';
import type { TrialOutcome } from '../../research/trial.ts';
import {
  startTrialProcess,
  type TrialJob,
  type TrialProcess,
  type TrialProcessEnd,
  type TrialRequest,
} from './trial-process.ts';

/** Trials to run, and the receiver of their outcomes. */
export interface TrialBatch {
  readonly job: TrialJob;
  /** Trials at once, each in a thread of one process. */
  readonly jobs: number;
  /** Called once, when the hash of the data is known; returns the trials to run. */
  readonly onData: (data: string) => readonly number[];
  /** Returns further trials when all so far have outcomes, and an empty list at the end. */
  readonly more?: (() => readonly number[]) | undefined;
  readonly paramsOf: (trial: number) => ParamRecord;
  readonly onOutcome: (trial: number, outcome: TrialOutcome) => void;
  readonly interrupted?: AbortSignal | undefined;
}

/**
 * Duration of the trials queued in a thread, estimated from its last one, so that a thread does not wait while the
 * command writes outcomes. Fewer messages cost less as well. Trials queued behind a slow one wait, so their number is
 * limited.
 */
const AHEAD_MS = 50;
const AHEAD_MIN = 2;
const AHEAD_MAX = 16;

/**
 * Runs trials in the threads of a sandboxed process until all have an outcome or the signal stops it. A trial fails
 * whose strategy does not return in time or ends its thread; the other threads finish their trials, and the rest runs
 * in a new process. After a thread ran out of memory or the process ended, each trial that was running runs again
 * alone in a new process, so that the same trials fail with any number of jobs. Throws if a process could not start.
 */
export async function runTrials(batch: TrialBatch): Promise<void> {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const pool = new TrialPool(batch, stop);
  const onInterrupt = (): void => pool.stop();
  batch.interrupted?.addEventListener('abort', onInterrupt);
  if (batch.interrupted?.aborted === true) pool.stop();
  try {
    await pool.work();
  } finally {
    batch.interrupted?.removeEventListener('abort', onInterrupt);
  }
  if (pool.fault !== undefined) throw pool.fault;
}

/** Speed at which a thread computes trials. */
class Pace {
  /** Number of trials to assign, including the one that it computes. */
  ahead = AHEAD_MIN;
  #last = Number.NaN;

  /** Records the end of a trial at an instant, in milliseconds. */
  mark(at: number): void {
    const tookMs = at - this.#last;
    this.#last = at;
    if (tookMs > 0) this.ahead = Math.min(AHEAD_MAX, Math.max(AHEAD_MIN, Math.ceil(AHEAD_MS / tookMs)));
  }
}

class TrialPool {
  readonly #batch: TrialBatch;
  readonly #stop: AbortController;
  #data: string | undefined;
  /** Waiting trials, the next one last; undefined until the data is known. */
  #pending: number[] | undefined;
  /** Trials whose process ended while they ran; each runs again alone in a process. */
  readonly #alone: number[] = [];
  /** Number of assigned trials without an outcome. */
  #running = 0;
  #isOver = false;
  /** Continued when there are new trials, or no further ones. */
  readonly #waiting = new Set<() => void>();
  #fault: Error | undefined;

  constructor(batch: TrialBatch, stop: AbortController) {
    this.#batch = batch;
    this.#stop = stop;
  }

  get fault(): Error | undefined {
    return this.#fault;
  }

  stop(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Runs one process after another until no trial is left. */
  async work(): Promise<void> {
    try {
      while (!this.#stop.signal.aborted && !this.#isOver) await this.#process();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #process(): Promise<void> {
    const isAlone = this.#alone.length > 0;
    const threads = isAlone ? 1 : this.#batch.jobs;
    const paces = Array.from({ length: threads }, () => new Pace());
    const fill = (): void => this.#fill(running, paces, isAlone, fill);
    const running: TrialProcess = startTrialProcess(this.#batch.job, threads, {
      interrupted: this.#stop.signal,
      onReady: (data) =>
        this.#guarded(() => {
          this.#meet(data);
          fill();
        }),
      onOutcome: (trial, outcome, thread) =>
        this.#guarded(() => {
          paces[thread]?.mark(performance.now());
          this.#done(trial, outcome);
          fill();
        }),
      onFault: (error) => this.#fail(error),
    });
    const end = await running.ended;
    this.#waiting.delete(fill);
    if (!this.#stop.signal.aborted) this.#ended(end);
  }

  /** Sends trials to a process; without any, the process waits for more or ends. */
  #fill(running: TrialProcess, paces: readonly Pace[], isAlone: boolean, again: () => void): void {
    if (running.isEnding()) return;
    if (isAlone) {
      const trial = this.#alone.pop();
      if (trial !== undefined) running.run(0, [this.#request(trial)]);
      running.finish();
      return;
    }
    for (const [thread, { size }] of running.inFlight.entries()) {
      const ahead = paces[thread]?.ahead ?? AHEAD_MIN;
      if (size > ahead / 2) continue;
      const requests: TrialRequest[] = [];
      while (size + requests.length < ahead) {
        const trial = this.#take(size + requests.length);
        if (trial === undefined) break;
        requests.push(this.#request(trial));
      }
      if (requests.length > 0) running.run(thread, requests);
    }
    if (running.inFlight.some(({ size }) => size > 0)) return;
    if (this.#isOver) running.finish();
    else this.#waiting.add(again);
  }

  /** Handles the hash of the data, which must be the same in all processes. */
  #meet(data: string): void {
    if (this.#data === undefined) {
      this.#data = data;
      this.#pending = this.#batch.onData(data).toReversed();
      this.#refill();
    } else if (this.#data !== data)
      throw new ResearchError('Cannot continue: the data changed while the sweep ran; start it again');
  }

  #request(trial: number): TrialRequest {
    return { trial, params: this.#batch.paramsOf(trial) };
  }

  /**
   * Takes a trial for a thread with `inFlight` trials, unless too few are left: the last ones are distributed evenly.
   */
  #take(inFlight: number): number | undefined {
    const pending = this.#pending ?? [];
    if (pending.length <= this.#batch.jobs * inFlight) return undefined;
    const trial = pending.pop();
    if (trial !== undefined) this.#running += 1;
    return trial;
  }

  #done(trial: number, outcome: TrialOutcome): void {
    this.#running -= 1;
    this.#batch.onOutcome(trial, outcome);
    this.#refill();
  }

  /** Requests more trials once all are done, and wakes waiting processes. */
  #refill(): void {
    if (this.#isOver || this.#pending === undefined) return;
    if (this.#pending.length === 0 && this.#running === 0) {
      this.#pending.push(...(this.#batch.more?.() ?? []).toReversed());
      this.#isOver = this.#pending.length === 0;
    }
    if (this.#pending.length > 0 || this.#isOver) this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const go of waiting) go();
  }

  #ended({ reason, isReady, isFirst, running, waiting }: TrialProcessEnd): void {
    if (!isReady) throw new ResearchError(`Cannot run trials: ${reason}`);
    this.#pending?.push(...waiting.toReversed());
    this.#running -= waiting.length;
    const [failed] = running;
    if (isFirst && failed !== undefined) this.#done(failed, { kind: 'failed', message: reason });
    else this.#alone.push(...running);
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    this.#stop.abort();
    this.#wake();
  }
}
