import type { ParamRecord } from '../../../config/bot-config.ts';
import type { TrialOutcome } from '../../../research/trial.ts';
import { ChangedBarsError, startTrialProcess, type TrialProcess } from '../trial-process.ts';
import type { WorkerProject } from './worker-project.ts';

/** Trials sent to a process at once, so that it does not wait for the next. */
const IN_FLIGHT = 2;

interface Waiting {
  readonly resolve: (outcome: TrialOutcome) => void;
  readonly reject: (error: Error) => void;
  readonly params: ParamRecord;
}

/** `alone`: the trial must be the only one of its process. */
type Place = 'any' | 'alone';

interface Slot {
  /** Folder of the project whose trials the process runs. */
  readonly project: string;
  readonly process: TrialProcess;
  readonly trials: Map<number, Waiting>;
  isEnding: boolean;
}

/**
 * Processes of a worker, each with the config and data of one sweep. A trial goes to a free process of its sweep, or
 * to a new one that replaces an idle process of another sweep.
 */
export class WorkerSlots {
  readonly #count: number;
  readonly #stop: AbortController;
  readonly #slots = new Set<Slot>();
  /** Why no further trial of a project may run, by its folder. */
  readonly #refused = new Map<string, Error>();
  /** Continued when a process becomes free or ends. */
  readonly #waiting = new Set<() => void>();

  constructor(count: number, stop: AbortController) {
    this.#count = count;
    this.#stop = stop;
  }

  /** Runs a trial. Rejects if the config or its data cannot be loaded, and when the worker stops. */
  async run(
    project: WorkerProject,
    trial: number,
    params: ParamRecord,
    place: Place = 'any',
  ): Promise<TrialOutcome> {
    for (;;) {
      if (this.#stop.signal.aborted) throw new Error('The worker stops');
      const refused = this.#refused.get(project.job.project);
      if (refused !== undefined) throw refused;
      const slot = place === 'alone' ? this.#newSlot(project) : this.#freeSlot(project, trial);
      if (slot !== undefined)
        return await new Promise((resolve, reject) => {
          slot.trials.set(trial, { resolve, reject, params });
          slot.process.run(0, [{ trial, params }]);
          if (place === 'any') return;
          slot.isEnding = true;
          slot.process.finish();
        });
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Ends all processes and waits for their exit. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await Promise.all([...this.#slots].map((slot) => slot.process.ended));
  }

  #freeSlot(project: WorkerProject, trial: number): Slot | undefined {
    const of = [...this.#slots].filter((slot) => !slot.isEnding && !slot.process.isEnding());
    const own = of.filter((slot) => slot.project === project.job.project && !slot.trials.has(trial));
    const idle = own.find(({ trials }) => trials.size === 0);
    if (idle !== undefined) return idle;
    if (this.#slots.size < this.#count) return this.#start(project);
    const other = of.find((slot) => slot.project !== project.job.project && slot.trials.size === 0);
    if (other !== undefined) {
      other.isEnding = true;
      other.process.finish();
      return undefined;
    }
    return own.find(({ trials }) => trials.size < IN_FLIGHT);
  }

  /**
   * Starts a process. At the maximum number of processes it ends an idle one instead, and returns undefined until
   * that has ended.
   */
  #newSlot(project: WorkerProject): Slot | undefined {
    if (this.#slots.size < this.#count) return this.#start(project);
    const slots = [...this.#slots];
    const idle = slots.find((slot) => slot.trials.size === 0 && !slot.isEnding && !slot.process.isEnding());
    if (idle === undefined || slots.some((slot) => slot.trials.size === 0 && slot.isEnding)) return undefined;
    idle.isEnding = true;
    idle.process.finish();
    return undefined;
  }

  #start({ job, manifest }: WorkerProject): Slot {
    let fault: Error | undefined;
    const trials: Slot['trials'] = new Map();
    const failAll = (error: Error): void => {
      fault ??= error;
      slot.isEnding = true;
      for (const each of trials.values()) each.reject(fault);
      trials.clear();
      slot.process.finish();
    };
    const slot: Slot = {
      project: job.project,
      trials,
      isEnding: false,
      process: startTrialProcess(job, 1, {
        interrupted: this.#stop.signal,
        onReady: (data) => {
          if (data !== manifest.data)
            failAll(
              new Error(
                'The data that this worker reads is not that of the sweep; both need the same version',
              ),
            );
        },
        onOutcome: (trial, outcome) => {
          trials.get(trial)?.resolve(outcome);
          trials.delete(trial);
          this.#wake();
        },
        onFault: (error) => {
          if (error instanceof ChangedBarsError) this.#refused.set(job.project, error);
          failAll(error);
        },
      }),
    };
    this.#slots.add(slot);
    void slot.process.ended.then(({ reason, isReady, isFirst, running: [first] }) => {
      this.#slots.delete(slot);
      slot.isEnding = true;
      for (const [trial, each] of trials) {
        if (this.#stop.signal.aborted) each.reject(new Error('The worker stops'));
        else if (!isReady) each.reject(new Error(`Cannot run trials: ${reason}`));
        else if (trial === first && isFirst) each.resolve({ kind: 'failed', message: reason });
        // It was running in a used process, or waited behind the trial that ended the process.
        else
          void this.run({ job, manifest }, trial, each.params, trial === first ? 'alone' : 'any').then(
            each.resolve,
            each.reject,
          );
      }
      this.#wake();
    });
    return slot;
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const go of waiting) go();
  }
}
