import type { Isolation } from '../../plugins/isolation.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { PluginOutput, PluginRunner, RunnerProgram } from '../plugin-runner.ts';
import { CpuStarvation } from './cpu-starvation.ts';
import { PluginProcess } from './plugin-process.ts';
import { PluginThread } from './plugin-thread.ts';
import { watchDeadline } from './watch-deadline.ts';
import type { WorkerLimits } from './worker-limits.ts';

/** What a thread runs. */
export interface WorkerStart {
  readonly program: RunnerProgram;
  /** Plain data that the program is started with. */
  readonly setup: object;
}

/** What a thread needs of the world. */
export interface WorkerEnvironment {
  /** Machine time, for deadlines. */
  readonly clock: Pick<Clock, 'now' | 'at'>;
  readonly limits: WorkerLimits;
  /** Where the code runs; in a process of its own when absent. */
  readonly isolation?: Isolation | undefined;
  /** Hears what is written to the console in there. */
  readonly onOutput?: ((output: PluginOutput) => void) | undefined;
}

/** Who hears of a thread. */
export interface WorkerListener {
  readonly onMessage: (value: unknown) => void;
  /** Hears once why the thread was ended, in words that follow the name of what runs in it. */
  readonly onFault: (what: string, stack: string) => void;
}

/** What a thread is busy with, and how long that may take. */
export interface WorkerRequest {
  /** Machine milliseconds, in which what the machine keeps it from running does not count. */
  readonly msMax: number;
  /** What is said of a thread that takes longer. */
  readonly timeoutMessage: string;
}

/** How often a thread that works is looked at, machine milliseconds. */
const CHECK_EVERY_MS = 25;

/** A thread that the machine keeps from running has so many times its deadline, however long it is kept. */
const STARVATION_FACTOR_MAX = 10;

/**
 * A thread in which an author's code runs, held to its limits: whatever it is busy with, loading first, has a deadline, may
 * use so much memory and write so much to the console. At the first fault it is ended, and nothing more is heard of it. A machine
 * that is busy with other things is not its fault: what it is kept from running is added to its deadline, up to a bound.
 */
export class SupervisedWorker {
  readonly #world: WorkerEnvironment;
  readonly #listener: WorkerListener;
  readonly #thread: PluginRunner;
  #work: WorkerRequest | undefined;
  #phase = 'while it was loaded';
  /** Characters that came from the console since the newest work began. */
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
        onDeath: (what, stack) => this.fault(what, stack),
      },
      program,
      () => world.clock.now(),
    );
    this.#watch({ msMax: startMsMax, timeoutMessage: `was not loaded within ${startMsMax} ms` });
  }

  /** Gives it something to do. */
  begin(work: WorkerRequest, message: object): void {
    this.#phase = 'at one event';
    this.#written = 0;
    this.#watch(work);
    this.#thread.send(message);
  }

  /** Says that it has done what it was busy with. */
  done(): void {
    this.#work = undefined;
    this.#unwatch();
  }

  /** Says something aside, which gives it nothing to do. */
  tell(message: string): void {
    if (!this.#isOver) this.#thread.send(message);
  }

  /** Ends it for something that it did. */
  fault(what: string, stack = ''): void {
    if (this.#isOver) return;
    void this.end();
    this.#listener.onFault(what, stack);
  }

  /** Ends it, whatever it does. Resolves when it is gone; never rejects. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.done();
    await this.#thread.end();
  }

  #watch(work: WorkerRequest): void {
    this.done();
    this.#work = work;
    const delay = new CpuStarvation(this.#thread, CHECK_EVERY_MS);
    this.#unwatch = watchDeadline({
      clock: this.#world.clock,
      msMax: work.msMax,
      extraMs: () => Math.min(delay.ms, work.msMax * (STARVATION_FACTOR_MAX - 1)),
      everyMs: CHECK_EVERY_MS,
      onCheck: () => {
        void delay.sample();
        void this.#checkMemory(work);
      },
      onLate: () => {
        const decide = (): void => {
          if (this.#work === work) this.fault(work.timeoutMessage);
        };
        // Our own thread may have been the slow one, and what it waits for may lie here already.
        const reading = this.#thread.readWhatCame();
        if (reading === undefined) decide();
        else void reading.then(decide);
      },
    });
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
