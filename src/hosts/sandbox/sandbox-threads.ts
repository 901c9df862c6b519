import { getHeapStatistics } from 'node:v8';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { cacheEnvironment } from './compile-cache.ts';
import {
  CALL,
  CALLS,
  CLOSED_OFF,
  closeOff,
  FLOOD,
  NAMES_BYTES,
  SHARED,
  type ThreadStart,
} from './host-link.ts';
import type { StopReason } from './module-messages.ts';

/** A thread that ended before its process: by a limit, or by itself. Its process starts no other in its place. */
export interface ThreadEnd {
  readonly kind: 'thread-ended';
  readonly thread: number;
  readonly end:
    | { readonly kind: StopReason; readonly call: string }
    | { readonly kind: 'ended'; readonly code: number };
}

const EVERY_MS = 250;
/** A call that sleeps, or whose processor time cannot be read, has this many times as long. */
const SLEEP_FACTOR = 10;
const CELLS_BYTES = 16;
/** Memory that each further thread may have in addition to what one may have alone, MB. */
const FURTHER_MB = 512;

/** How many threads a process is to run, and of which program. */
export interface ThreadsJob {
  readonly threads: number;
  /** Path of the program. */
  readonly threadProgram: string;
  /** Longest that a call of an author's code may take. */
  readonly callMsMax: number;
}

/** Machine time, milliseconds, for the deadlines of calls. */
export interface ThreadsClock {
  now(): number;
  every(ms: number, work: () => void): void;
}

/**
 * Runs one program in several threads of this process, which runs no code of an author itself: it passes messages on and ends a thread
 * whose call takes too long or writes too much. Each thread drops its own permissions; then this one drops those of the process.
 */
export async function runThreads(clock: ThreadsClock): Promise<void> {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error('This program is started by Sluice alone');
  const parent = process.ppid;
  const job = await new Promise<ThreadsJob>((resolve) =>
    process.once('message', (message) => resolve(message as ThreadsJob)),
  );
  const pipeLock = new Int32Array(new SharedArrayBuffer(CELLS_BYTES));
  let closed = 0;
  let memoryMbMax = Number.POSITIVE_INFINITY;
  const threads: SandboxThread[] = Array.from({ length: job.threads }, (_, thread) => {
    return new SandboxThread({ thread, job, pipeLock }, (message) => hear(thread, message));
  });

  const hear = (from: number, message: { readonly kind: string }): void => {
    switch (message.kind) {
      case CLOSED_OFF:
        closed += 1;
        if (closed < threads.length) return;
        closeOff();
        send({ kind: CLOSED_OFF });
        return;
      case SHARED:
        for (const [place, thread] of threads.entries()) if (place !== from) thread.send(message);
        return;
      case 'thread-ended': {
        // What it had asked for is still in the pipe, and no other thread can tell it from its own answer.
        const isOutOfStep = Atomics.load(pipeLock, 0) === from + 1;
        send(message, () => isOutOfStep && process.kill(process.pid, 'SIGKILL'));
        return;
      }
      default:
        send({ ...message, thread: from });
    }
  };

  process.on('message', (message: { readonly kind?: string; readonly thread?: number }) => {
    if (message.kind === 'end') process.exit(0);
    if (message.thread !== undefined) threads[message.thread]?.send(message);
    else {
      memoryMbMax =
        usedMb() + getHeapStatistics().heap_size_limit / 2 ** 20 + FURTHER_MB * (threads.length - 1);
      for (const thread of threads) thread.send(message);
    }
  });
  clock.every(EVERY_MS, () => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    // Buffers are outside of V8's heaps, which V8 does not bound. Which thread filled them is found out by running its trial alone.
    if (usedMb() > memoryMbMax) process.kill(process.pid, 'SIGABRT');
    for (const thread of threads) thread.check(job.callMsMax, clock.now());
  });
}

const usedMb = (): number => process.resourceUsage().maxRSS / 1_024;

type Heard = (message: { readonly kind: string }) => void;

class SandboxThread {
  readonly #thread: number;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #cells = new Int32Array(new SharedArrayBuffer(CELLS_BYTES));
  readonly #names = new Uint8Array(new SharedArrayBuffer(NAMES_BYTES));
  readonly #hear: Heard;
  #isOver = false;
  /** The number of calls that began and ended when this one was seen first, when that was, and the processor time until then. */
  #seen = { count: 0, at: 0, usedMs: 0 };

  constructor(start: Pick<ThreadStart, 'thread' | 'pipeLock'> & { readonly job: ThreadsJob }, hear: Heard) {
    const { port1, port2 } = new MessageChannel();
    this.#thread = start.thread;
    this.#port = port1;
    this.#hear = hear;
    const workerData: ThreadStart = { ...start, port: port2, cells: this.#cells, names: this.#names };
    this.#worker = new Worker(start.job.threadProgram, {
      workerData,
      transferList: [port2],
      env: cacheEnvironment(),
      argv: [],
      resourceLimits: {
        maxOldGenerationSizeMb: getHeapStatistics().heap_size_limit / 2 ** 20,
        stackSizeMb: 4,
      },
    });
    port1.on('message', (message) => {
      if (!this.#isOver) hear(message);
    });
    this.#worker.on('error', (error) => {
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        this.#end({ kind: 'memory', call: '' });
    });
    this.#worker.on('exit', (code) => this.#end({ kind: 'ended', code }));
  }

  send(message: object): void {
    this.#port.postMessage(message);
  }

  /**
   * Odd: a call is under way. The same odd number for too long: it does not come back. What the thread computed counts, so that a busy
   * machine is not its fault.
   */
  check(msMax: number, at: number): void {
    if (this.#isOver) return;
    if (Atomics.load(this.#cells, FLOOD) === 1) this.#stop('flood');
    const count = Atomics.load(this.#cells, CALLS);
    if (count !== this.#seen.count) {
      this.#seen = { count, at, usedMs: Number.NaN };
      if (isUnderWay(count)) void this.#usedMs().then((usedMs) => this.#sees(count, usedMs));
    } else if (isUnderWay(count) && at - this.#seen.at >= SLEEP_FACTOR * msMax) this.#stop('late');
    else if (isUnderWay(count) && at - this.#seen.at >= msMax)
      void this.#usedMs().then((usedMs) => {
        const isSame = Atomics.load(this.#cells, CALLS) === count && this.#seen.count === count;
        if (isSame && usedMs - this.#seen.usedMs >= msMax) this.#stop('late');
      });
  }

  #sees(count: number, usedMs: number): void {
    if (this.#seen.count === count) this.#seen = { ...this.#seen, usedMs };
  }

  /** Processor time of the thread; NaN once it is gone. */
  async #usedMs(): Promise<number> {
    try {
      const { user, system } = await this.#worker.cpuUsage();
      return (user + system) / 1_000;
    } catch {
      return Number.NaN;
    }
  }

  #stop(kind: StopReason): void {
    this.#end({ kind, call: this.#callUnderWay() });
    void this.#worker.terminate();
  }

  #callUnderWay(): string {
    const text = Buffer.from(this.#names.slice(0, this.#names.indexOf(0))).toString();
    try {
      return String(JSON.parse(text)[Atomics.load(this.#cells, CALL)]);
    } catch {
      // There is no room for longer names.
      return 'a call';
    }
  }

  #end(end: ThreadEnd['end']): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const message: ThreadEnd = { kind: 'thread-ended', thread: this.#thread, end };
    this.#hear(message);
  }
}

function isUnderWay(count: number): boolean {
  return (count & 1) === 1;
}
