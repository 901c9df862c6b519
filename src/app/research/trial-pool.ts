import { setMaxListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ParamRecord } from '../../config/bot-config.ts';
import { printable } from '../../model/printable.ts';
import type { CalendarDay } from '../../model/time.ts';
import { ResearchError } from '../../research/research-error.ts';
import type { TrialOutcome } from '../../research/trial.ts';
import { withProjectPaths } from '../storage/inside-project.ts';
import { runInSandbox, type SandboxEnd } from './run-in-sandbox.ts';

/** What a process that runs trials is started with. */
export interface TrialJob {
  readonly path: string;
  readonly project: string;
  readonly changes: { readonly from?: CalendarDay; readonly to?: CalendarDay };
  readonly callMsMax: number;
  /** Whether outcomes hold daily returns. */
  readonly keepDays: boolean;
  /** Name or path of an objective plugin. */
  readonly objective?: string | undefined;
}

/** Requests to the process. */
export type TrialRequest =
  | { readonly kind: 'trial'; readonly trial: number; readonly params: ParamRecord }
  | { readonly kind: 'end' };

type TrialMessage =
  | { readonly kind: 'ready'; readonly data: string }
  | { readonly kind: 'trial'; readonly trial: number; readonly outcome: TrialOutcome }
  | { readonly kind: 'fault'; readonly name: string; readonly message: string };

/** Trials to run, and where their outcomes go. */
export interface TrialBatch {
  readonly job: TrialJob;
  /** Processes at once. */
  readonly jobs: number;
  /** Called once, as soon as the data is known by its hash: the trials that are to be run. */
  readonly onData: (data: string) => readonly number[];
  /** Trials that follow from the outcomes of all those before; asked whenever every trial has its outcome, until there is none. */
  readonly more?: (() => readonly number[]) | undefined;
  readonly paramsOf: (trial: number) => ParamRecord;
  readonly onOutcome: (trial: number, outcome: TrialOutcome) => void;
  readonly interrupted?: AbortSignal | undefined;
}

/** Requests that wait in a process while it computes, so that it never waits for the next. */
const IN_FLIGHT = 2;

/**
 * Runs trials in sandboxed processes until all have an outcome or the signal ends it. A trial whose strategy does not return in time or
 * ends its process has failed; the others of that process run in a new one. Throws what a process could not start for.
 */
export async function runTrials(batch: TrialBatch): Promise<void> {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const pool = new TrialPool(batch, stop);
  const onInterrupt = (): void => pool.stop();
  batch.interrupted?.addEventListener('abort', onInterrupt);
  if (batch.interrupted?.aborted === true) pool.stop();
  try {
    await Promise.all(Array.from({ length: batch.jobs }, () => pool.work()));
  } finally {
    batch.interrupted?.removeEventListener('abort', onInterrupt);
  }
  if (pool.fault !== undefined) throw pool.fault;
}

class TrialPool {
  readonly #batch: TrialBatch;
  readonly #stop: AbortController;
  #data: string | undefined;
  /** Trials that wait, the next one last; undefined until the data is known. */
  #pending: number[] | undefined;
  /** Trials that processes have and are not done with. */
  #running = 0;
  #isOver = false;
  /** Continued when there are new trials, or none any more. */
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

  /** Runs one process after the other until there is no trial any more. */
  async work(): Promise<void> {
    try {
      for (;;) {
        while (!this.#stop.signal.aborted && (this.#pending === undefined || this.#pending.length > 0))
          await this.#process();
        if (this.#isOver || this.#stop.signal.aborted) return;
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #process(): Promise<void> {
    const { job } = this.#batch;
    const inFlight: number[] = [];
    let isReady = false;
    let send: (message: TrialRequest) => void = () => undefined;
    const fill = (): void => {
      while (inFlight.length < IN_FLIGHT) {
        const trial = this.#take(inFlight.length);
        if (trial === undefined) break;
        inFlight.push(trial);
        send({ kind: 'trial', trial, params: this.#batch.paramsOf(trial) });
      }
      if (inFlight.length > 0) return;
      if (this.#isOver) send({ kind: 'end' });
      else this.#waiting.add(fill);
    };
    const hear = (message: TrialMessage): void => {
      switch (message.kind) {
        case 'ready':
          isReady = true;
          this.#meet(message.data);
          fill();
          return;
        case 'trial':
          inFlight.splice(inFlight.indexOf(message.trial), 1);
          this.#done(message.trial, placedIn(job.project, message.outcome));
          fill();
          return;
        case 'fault':
          this.#fail(Object.assign(new Error(message.message), { name: message.name }));
      }
    };
    const end = await runInSandbox({
      program: PROGRAM,
      project: job.project,
      job,
      interrupted: this.#stop.signal,
      // Output of a strategy is dropped in a sweep; a backtest with the same parameters shows it.
      onText: () => undefined,
      onResult: (result) => this.#guarded(() => hear(result as TrialMessage)),
      onStart: (deliver) => {
        send = deliver;
      },
    });
    this.#waiting.delete(fill);
    if (this.#stop.signal.aborted) return;
    this.#ended(end, { inFlight, isReady, callMsMax: job.callMsMax });
  }

  /** Hash of the data as the first process read it; all others must have the same. */
  #meet(data: string): void {
    if (this.#data === undefined) {
      this.#data = data;
      this.#pending = this.#batch.onData(data).toReversed();
      this.#refill();
    } else if (this.#data !== data)
      throw new ResearchError('Cannot continue: the data changed while the sweep ran; start it again');
  }

  /** A second trial waits in a process only where there are more than one for each: the last ones are shared out evenly. */
  #take(inFlight: number): number | undefined {
    const pending = this.#pending ?? [];
    if (inFlight > 0 && pending.length <= this.#batch.jobs) return undefined;
    const trial = pending.pop();
    if (trial !== undefined) this.#running += 1;
    return trial;
  }

  #done(trial: number, outcome: TrialOutcome): void {
    this.#running -= 1;
    this.#batch.onOutcome(trial, outcome);
    this.#refill();
  }

  /** Asks for more trials once all are done, and continues what waits for them. */
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

  #ended(
    end: SandboxEnd,
    {
      inFlight,
      isReady,
      callMsMax,
    }: { readonly inFlight: number[]; readonly isReady: boolean; readonly callMsMax: number },
  ): void {
    const [failed, ...others] = inFlight;
    if (failed === undefined) {
      if (!isReady) throw new ResearchError(`Cannot run trials: ${reasonOf(end, callMsMax)}`);
      return;
    }
    this.#pending?.push(...others.toReversed());
    this.#running -= others.length;
    this.#done(failed, { kind: 'failed', message: reasonOf(end, callMsMax) });
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

/** The outcome with paths from the project: a result is the same wherever the project is stored. */
function placedIn(project: string, outcome: TrialOutcome): TrialOutcome {
  return outcome.kind === 'done'
    ? outcome
    : { ...outcome, message: withProjectPaths(outcome.message, project) };
}

function reasonOf(end: SandboxEnd, callMsMax: number): string {
  switch (end.kind) {
    case 'late':
      return `${printable(end.call)} did not return within ${callMsMax / 1_000} s`;
    case 'flood':
      return `${printable(end.call)} wrote too much to its console`;
    case 'memory':
      return 'the process of the trial ran out of memory';
    case 'died':
      return end.signal === 'SIGABRT'
        ? 'the process of the trial ran out of memory'
        : `the process of the trial was ended by ${end.signal}`;
    case 'ended':
      return `the strategy ended its process, exit code ${end.code}`;
  }
}

/** Source in the repository and JavaScript in the published package. */
const ENTRY = new URL('./sweep-entry.ts', import.meta.url).href;
const PROGRAM = fileURLToPath(import.meta.url.endsWith('.ts') ? ENTRY : ENTRY.replace(/\.ts$/, '.js'));
