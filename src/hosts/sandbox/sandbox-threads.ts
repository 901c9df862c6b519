import { createHash } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { readThrown } from '../workers/thrown.ts';
import { cacheEnvironment } from './compile-cache.ts';
import {
  CALL,
  CALLS,
  dropPermissions,
  FLOOD,
  NAMES_BYTES,
  PERMISSIONS_DROPPED,
  SHARED,
  type ThreadStart,
} from './host-link.ts';
import type { StopReason } from './module-messages.ts';

/** A thread that ended before its process, by a limit or by itself. The process does not replace it. */
export interface ThreadEnd {
  readonly kind: 'thread-ended';
  readonly thread: number;
  readonly end:
    | { readonly kind: StopReason; readonly call: string }
    /** `thrown` is what its code threw and did not catch, as in a promise, with the place. */
    | { readonly kind: 'ended'; readonly code: number; readonly thrown?: string };
}

/** Sent before the process ends if the memory that the threads share was modified. */
export interface SharedChanged {
  readonly kind: 'shared-changed';
}

const EVERY_MS = 250;
/** Factor of the time limit for a call that sleeps, or whose CPU time is unavailable. */
const SLEEP_FACTOR = 10;
const CELLS_BYTES = 16;
/** Additional memory limit per further thread, MB. */
const FURTHER_MB = 512;
/** Shared data exists twice while it is copied into shared memory. */
const COPIES = 2;

/** Start data of a process with threads. */
export interface ThreadsJob {
  readonly threads: number;
  /** Path of the program. */
  readonly threadProgram: string;
  /** Time limit of an author's call, in milliseconds. */
  readonly callMsMax: number;
}

/** Machine time in milliseconds, for the time limits of calls. */
interface ThreadsClock {
  now(): number;
  every(ms: number, work: () => void): void;
}

/**
 * Runs one program in several threads. The main thread runs no author's code: it forwards messages and ends a thread
 * whose call exceeds its limits. Each thread drops its own permissions, then this one those of the process. Data that
 * the first thread shares is hashed on arrival and before the process ends, because all threads can write to it.
 */
export async function runThreads(clock: ThreadsClock): Promise<void> {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error('This program is started by Sluice alone');
  const parent = process.ppid;
  const job = await new Promise<ThreadsJob>((resolve) =>
    process.once('message', (message) => resolve(message as ThreadsJob)),
  );
  const pipeLock = new Int32Array(new SharedArrayBuffer(CELLS_BYTES));
  const closed = new Set<number>();
  let sharedMb = 0;
  let shared: { readonly columns: readonly Float64Array[]; readonly hash: string } | undefined;
  let memoryMbMax = Number.POSITIVE_INFINITY;
  const threads: SandboxThread[] = Array.from({ length: job.threads }, (_, thread) => {
    return new SandboxThread(
      { thread, job, pipeLock },
      { onMessage: (message) => handleMessage(thread, message), onEnd: (end) => reportEnd(thread, end) },
    );
  });

  const handleMessage = (from: number, message: ThreadMessage): void => {
    switch (message.kind) {
      case PERMISSIONS_DROPPED:
        if (closed.has(from)) return;
        closed.add(from);
        // Only the first thread copies data, and it has not run any author's code yet.
        if (from === 0 && typeof message.sharedBytes === 'number') sharedMb = message.sharedBytes / 2 ** 20;
        if (closed.size < threads.length) return;
        dropPermissions();
        send({ kind: PERMISSIONS_DROPPED });
        return;
      case SHARED: {
        if (from !== 0 || shared !== undefined) return;
        const columns = columnsIn(message);
        shared = { columns, hash: hashOf(columns) };
        for (const thread of threads.slice(1)) thread.send(message);
        return;
      }
      case 'thread-ended':
      case 'shared-changed':
        // Only this thread may send these.
        return;
      default:
        send({ ...message, thread: from });
    }
  };

  /** Reports to the parent how a thread ended; returns what to do when it has ended. */
  const reportEnd = (thread: number, end: ThreadEnd['end']): (() => void) => {
    const message: ThreadEnd = { kind: 'thread-ended', thread, end };
    const sent = new Promise<void>((resolve) => void send(message, () => resolve()));
    return () => {
      // Another thread would take the answer to its module request, still in the pipe, for its own.
      if (Atomics.load(pipeLock, 0) === thread + 1)
        void sent.then(() => process.kill(process.pid, 'SIGKILL'));
    };
  };

  const end = (): void => {
    if (shared === undefined || hashOf(shared.columns) === shared.hash) process.exit(0);
    const message: SharedChanged = { kind: 'shared-changed' };
    send(message, () => process.exit(0));
  };

  process.on('message', (message: { readonly kind?: string; readonly thread?: number }) => {
    if (message.kind === 'end') end();
    else if (message.thread !== undefined) threads[message.thread]?.send(message);
    else {
      memoryMbMax =
        usedMb() +
        COPIES * sharedMb +
        getHeapStatistics().heap_size_limit / 2 ** 20 +
        FURTHER_MB * (threads.length - 1);
      for (const thread of threads) thread.send(message);
    }
  });
  clock.every(EVERY_MS, () => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    // V8's heap limits exclude buffers. Which thread filled them is determined by running its trial alone.
    if (usedMb() > memoryMbMax) process.kill(process.pid, 'SIGABRT');
    for (const thread of threads) thread.check(job.callMsMax, clock.now());
  });
}

const usedMb = (): number => process.resourceUsage().maxRSS / 1_024;

/** Returns the columns in a message that shares data. */
function columnsIn({ bars }: ThreadMessage): readonly Float64Array[] {
  const each = bars instanceof Map ? [...bars.values()] : [];
  return each.flatMap((columns: object) =>
    Object.values(columns).filter((column) => column instanceof Float64Array),
  );
}

function hashOf(columns: readonly Float64Array[]): string {
  const hash = createHash('sha256');
  for (const column of columns) hash.update(column);
  return hash.digest('hex');
}

interface ThreadMessage {
  readonly kind: string;
  /** Most bytes that the first thread shares. */
  readonly sharedBytes?: unknown;
  readonly bars?: unknown;
}

/** `onEnd` is called at most once and returns what to do when the thread has ended. */
interface ThreadHooks {
  readonly onMessage: (message: ThreadMessage) => void;
  readonly onEnd: (end: ThreadEnd['end']) => () => void;
}

class SandboxThread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #cells = new Int32Array(new SharedArrayBuffer(CELLS_BYTES));
  readonly #names = new Uint8Array(new SharedArrayBuffer(NAMES_BYTES));
  readonly #hooks: ThreadHooks;
  #isOver = false;
  #thrown: string | undefined;
  #afterExit: () => void = () => undefined;
  /** The newest call count, when it was first seen, and the CPU time until then. */
  #seen = { count: 0, at: 0, usedMs: 0 };

  constructor(
    start: Pick<ThreadStart, 'thread' | 'pipeLock'> & { readonly job: ThreadsJob },
    hooks: ThreadHooks,
  ) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#hooks = hooks;
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
      if (!this.#isOver) hooks.onMessage(message);
    });
    this.#worker.on('error', (error) => {
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        this.#end({ kind: 'memory', call: '' });
      else {
        const { message, place } = readThrown(error);
        this.#thrown = `${message}${place}`;
      }
    });
    this.#worker.on('exit', (code) => {
      this.#end({ kind: 'ended', code, ...omitUndefined({ thrown: this.#thrown }) });
      this.#afterExit();
    });
  }

  send(message: object): void {
    this.#port.postMessage(message);
  }

  /**
   * Checks the limits of the current call. An odd count that does not change means that a call hangs. The limit
   * applies to CPU time, so that a busy machine does not trigger it.
   */
  check(msMax: number, at: number): void {
    if (this.#isOver) return;
    if (Atomics.load(this.#cells, FLOOD) === 1) this.#stop('flood');
    const count = Atomics.load(this.#cells, CALLS);
    if (count !== this.#seen.count) {
      this.#seen = { count, at, usedMs: Number.NaN };
      if (isCalling(count)) void this.#usedMs().then((usedMs) => this.#recordUsage(count, usedMs));
    } else if (isCalling(count) && at - this.#seen.at >= SLEEP_FACTOR * msMax) this.#stop('late');
    else if (isCalling(count) && at - this.#seen.at >= msMax)
      void this.#usedMs().then((usedMs) => {
        const isSame = Atomics.load(this.#cells, CALLS) === count && this.#seen.count === count;
        if (isSame && usedMs - this.#seen.usedMs >= msMax) this.#stop('late');
      });
  }

  #recordUsage(count: number, usedMs: number): void {
    if (this.#seen.count === count) this.#seen = { ...this.#seen, usedMs };
  }

  /** Returns the CPU time of the thread; NaN after its end. */
  async #usedMs(): Promise<number> {
    try {
      const { user, system } = await this.#worker.cpuUsage();
      return (user + system) / 1_000;
    } catch {
      return Number.NaN;
    }
  }

  #stop(kind: StopReason): void {
    this.#end({ kind, call: this.#currentCall() });
    void this.#worker.terminate();
  }

  #currentCall(): string {
    const text = Buffer.from(this.#names.slice(0, this.#names.indexOf(0))).toString();
    try {
      return String(JSON.parse(text)[Atomics.load(this.#cells, CALL)]);
    } catch {
      // The names were too long and are cut.
      return 'a call';
    }
  }

  #end(end: ThreadEnd['end']): void {
    if (this.#isOver) return;
    // Messages sent before the end are valid.
    for (
      let sent = receiveMessageOnPort(this.#port);
      sent !== undefined;
      sent = receiveMessageOnPort(this.#port)
    )
      this.#hooks.onMessage(sent.message);
    this.#isOver = true;
    this.#afterExit = this.#hooks.onEnd(end);
  }
}

function isCalling(count: number): boolean {
  return (count & 1) === 1;
}
