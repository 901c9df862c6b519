import { millis } from '../../model/time.ts';
import type { Isolation } from '../../plugins/isolation.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { PluginOutput, PluginRunner, RunnerProgram } from '../plugin-runner.ts';
import { CpuStarvation } from './cpu-starvation.ts';
import { PluginProcess } from './plugin-process.ts';
import { PluginThread } from './plugin-thread.ts';
import type { WorkerLimits } from './worker-limits.ts';

export interface WorkerStart {
  readonly program: RunnerProgram;
  /** Plain data for the program. */
  readonly setup: object;
}

/** Clock, limits and isolation of a worker. */
export interface WorkerEnvironment {
  /** Machine time, for deadlines. */
  readonly clock: Clock;
  readonly limits: WorkerLimits;
  /** Absent: in a separate process. */
  readonly isolation?: Isolation | undefined;
  /** Called with console output of the worker. */
  readonly onOutput?: ((output: PluginOutput) => void) | undefined;
}

interface WorkerListener {
  readonly onMessage: (value: unknown) => void;
  /** Called once with the reason for its end, which continues a sentence that starts with the plugin's name. */
  readonly onFault: (what: string, stack: string) => void;
}

/** A request to a worker, and its time limit. */
export interface WorkerRequest {
  /** Machine milliseconds; time in which the machine does not run the worker is not counted. */
  readonly msMax: number;
  /** Fault message if the limit is exceeded. */
  readonly timeoutMessage: string;
}

/** Interval of the checks of a busy worker, machine milliseconds. */
const CHECK_EVERY_MS = 25;

/** Largest multiple of the time limit for a starved worker. */
const STARVATION_FACTOR_MAX = 10;

/**
 * A worker that runs an author's code within limits of time, memory and console output. The first fault ends it. Time
 * in which a busy machine does not run it extends its time limit, up to a bound.
 */
export class SupervisedWorker {
  readonly #world: WorkerEnvironment;
  readonly #listener: WorkerListener;
  readonly #thread: PluginRunner;
  #work: WorkerRequest | undefined;
  #phase = 'while it was loaded';
  /** Characters written to the console since the newest request. */
  #written = 0;
  #unwatch: Cancel = () => undefined;
  #isOver = false;

  constructor({ program, setup }: WorkerStart, world: WorkerEnvironment, listener: WorkerListener) {
    this.#world = world;
    this.#listener = listener;
    const { startMsMax } = world.limits;
    const Runner = world.isolation === 'thread' ? PluginThread : PluginProcess;
    this.#thread = new Runner(
      setup,
      {
        onMessage: listener.onMessage,
        onOutput: (output) => this.#handleOutput(output),
        onEnd: (what, stack) => this.fault(what, stack),
      },
      program,
      () => world.clock.now(),
    );
    this.#watch({ msMax: startMsMax, timeoutMessage: `was not loaded within ${startMsMax} ms` });
  }

  begin(work: WorkerRequest, message: object): void {
    this.#phase = 'at one event';
    this.#written = 0;
    this.#watch(work);
    this.#thread.send(message);
  }

  /** Ends the time limit, because the request was answered. */
  done(): void {
    this.#work = undefined;
    this.#unwatch();
  }

  /** Sends a message that is not a request. */
  notify(message: string): void {
    if (!this.#isOver) this.#thread.send(message);
  }

  fault(what: string, stack = ''): void {
    if (this.#isOver) return;
    void this.end();
    this.#listener.onFault(what, stack);
  }

  /** Ends the worker. Resolves when it has ended; never rejects. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.done();
    await this.#thread.end();
  }

  /** Checks the worker until the request is answered or its time is over. */
  #watch(work: WorkerRequest): void {
    this.done();
    this.#work = work;
    const { clock } = this.#world;
    const delay = new CpuStarvation(this.#thread, CHECK_EVERY_MS);
    const began = clock.now();
    const dueAt = (): number =>
      began + work.msMax + Math.min(delay.ms, work.msMax * (STARVATION_FACTOR_MAX - 1));
    const arm = (): void => {
      const next = millis(Math.min(dueAt(), clock.now() + CHECK_EVERY_MS));
      this.#unwatch = clock.at(next, 'timer', () => {
        void delay.sample();
        void this.#checkMemory(work);
        if (clock.now() >= dueAt()) this.#endLate(work);
        else arm();
      });
    };
    arm();
  }

  /** Reads messages that have already arrived before it decides, because this thread may have been the slow one. */
  #endLate(work: WorkerRequest): void {
    const decide = (): void => {
      if (this.#work === work) this.fault(work.timeoutMessage);
    };
    const reading = this.#thread.readReceived();
    if (reading === undefined) decide();
    else void reading.then(decide);
  }

  async #checkMemory(work: WorkerRequest): Promise<void> {
    const bytes = await this.#thread.bytesInUse();
    const { workingBytesMax } = this.#world.limits;
    if (bytes === undefined || bytes <= workingBytesMax || this.#work !== work) return;
    this.fault(`used more than ${Math.round(workingBytesMax / 2 ** 20)} MB of memory ${this.#phase}`);
  }

  #handleOutput(output: PluginOutput): void {
    const { outputCharsMax } = this.#world.limits;
    this.#written += output.text.length;
    if (this.#written <= outputCharsMax) this.#world.onOutput?.(output);
    else this.fault(`wrote more than ${outputCharsMax} characters to its console ${this.#phase}`);
  }
}
