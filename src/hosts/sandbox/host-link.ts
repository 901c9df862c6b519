import { flushCompileCache } from 'node:module';
import { getHeapStatistics } from 'node:v8';
import { isMainThread, type MessagePort, Worker, workerData } from 'node:worker_threads';
import { loadLibraryEntry } from '../plugin-runner.ts';
import { takeDescriptors } from './descriptor-limit.ts';
import { createModuleClient, MODULE_PIPE, type ModuleClient } from './module-client.ts';

/** Messages between the program of a plugin and its host, from a thread or from a process. */
export interface HostPort {
  postMessage(message: unknown): void;
  // biome-ignore lint/suspicious/noExplicitAny: what comes is what the host of this very program sends.
  on(event: 'message', onMessage: (message: any) => void): void;
}

/** What a program starts with: the setup that its host gave, and the way to the host. */
export type HostLink<S> = S & {
  readonly port: HostPort;
  /** Modules of an author's code come from here; absent in a thread, which reads them itself. */
  readonly modules?: ModuleClient;
};

/** What is written to a process to check that it closed itself off. */
export const CLOSED_OFF = 'closed-off';

/** What the process that started this one answers, once it has taken the right to open descriptors: author code may come in. */
export const GO = 'go';

/** What a thread of a sandbox starts with. */
export interface ThreadStart {
  /** Place among the threads of its process. */
  readonly thread: number;
  readonly job: object;
  readonly port: MessagePort;
  /** Calls of an author's code, counted, for the deadline. */
  readonly cells: Int32Array;
  /** Names of calls, as JSON that ends with a zero byte. */
  readonly names: Uint8Array;
  /** Whose turn it is on the pipe of modules, which all threads share. */
  readonly pipeLock: Int32Array;
}

/** Longest text of the names of calls, bytes. */
export const NAMES_BYTES = 65_536;

/** A message with this kind goes to all other threads of the process; every other one goes to the process that started it. */
export const SHARED = 'shared';

const SCOPES = ['fs', 'child', 'worker', 'wasi', 'addon', 'inspector'] as const;

/**
 * Waits for the setup of this program. A process first drops every permission that it was started with, for ever: from then
 * on it opens no file, starts no process, thread, native code or inspector, whatever code runs in it.
 */
export async function linkToHost<S extends object>(): Promise<HostLink<S>> {
  if (!isMainThread) return workerData;
  const calls = await watchOver();
  // Strategies import it; what it takes is read while files may still be read.
  await loadLibraryEntry();
  closeOff();
  calls.boundMemory();
  const { setup, port } = await link<S>();
  return { ...setup, port, modules: createModuleClient() };
}

/** Drops every permission of this process. Throws Error on a Node.js that cannot. */
export function closeOff(): void {
  // The zone of the machine is read from a file, the first time.
  new Date(0).getTimezoneOffset();
  new Intl.DateTimeFormat().format(0);
  flushCompileCache();
  takeDescriptors();
  const { permission } = process;
  if (permission === undefined || !('drop' in permission) || typeof permission.drop !== 'function')
    throw new Error(
      `Node.js ${process.versions.node} cannot give up permissions: install the newest Node.js 24, or set "isolation: thread" for code that you wrote yourself`,
    );
  for (const scope of SCOPES) permission.drop(scope);
  const left = SCOPES.filter((scope) => permission.has(scope));
  if (left.length > 0) throw new Error(`This process could not give up ${left.join(', ')}`);
}

async function link<S>(): Promise<{ readonly setup: S; readonly port: HostPort }> {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error('This program is started by Sluice alone');
  let onMessage: (message: unknown) => void = () => undefined;
  const setup = new Promise<S>((resolve) => {
    onMessage = (message) => resolve(message as S);
  });
  process.on('message', (message) => onMessage(message));
  send({ kind: CLOSED_OFF });
  return {
    setup: await setup,
    port: {
      postMessage: (message) => void send(message),
      on: (_event, listener) => {
        onMessage = listener;
      },
    },
  };
}

/** Counters that the watchdog of a process reads: how many calls of an author's code began and ended, and which is under way. */
export interface WatchedCalls {
  /** Marks the beginning of a call into an author's code. */
  enter(call: number): void;
  leave(): void;
  /** Ends the process at once: the call that is under way writes more than it may. */
  endFlood(): void;
  /**
   * From now on, ends the process once it uses more memory than now plus what V8 may have for its heap: buffers are outside of the heap,
   * and V8 does not bound them.
   */
  boundMemory(): void;
}

/** An author's code may replace them later. */
const { store, wait } = Atomics;

/** Places of the counters: calls that began and ended, the number of the call under way, and 1 where it writes too much. */
export const CALLS = 0;
export const CALL = 1;
export const FLOOD = 2;
/** Most memory of the process, MB; 0: not bounded yet. */
const MEGABYTES_MAX = 3;
const PARENT_EVERY_MS = 250;

/**
 * Starts a thread that ends this process, whatever it does, once the one that started it is gone, or once a call takes longer than
 * `msMax`; `names` holds their names, as JSON that ends with a zero byte. It runs nothing of an author's and cannot be reached by it.
 */
export async function watchOver(watched?: {
  readonly msMax: number;
  readonly names: Uint8Array;
}): Promise<WatchedCalls> {
  const cells = new Int32Array(new SharedArrayBuffer(16));
  const thread = new Worker(WATCHDOG, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { cells, parent: process.ppid, everyMs: PARENT_EVERY_MS, pipe: MODULE_PIPE, ...watched },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
  });
  await new Promise<void>((resolve, reject) => {
    thread.once('online', resolve);
    thread.once('error', reject);
  });
  thread.unref();
  return {
    ...countedCalls(cells),
    boundMemory: () => {
      const { heap_size_limit: heap } = getHeapStatistics();
      cells[MEGABYTES_MAX] = Math.ceil(process.resourceUsage().maxRSS / 1_024 + heap / 2 ** 20);
    },
  };
}

/** Counts calls in cells that another thread reads. */
export function countedCalls(cells: Int32Array): Omit<WatchedCalls, 'boundMemory'> {
  return {
    enter: (call) => {
      cells[CALL] = call;
      cells[CALLS] = ((cells[CALLS] ?? 0) + 1) | 0;
    },
    leave: () => {
      cells[CALLS] = ((cells[CALLS] ?? 0) + 1) | 0;
    },
    endFlood: () => {
      store(cells, FLOOD, 1);
      wait(cells, FLOOD, 1);
    },
  };
}

/**
 * Odd: a call is under way. The same odd number for too long: it does not come back. What the process computed counts, so that a
 * busy machine is not its fault; one that sleeps has ten times as long.
 */
const WATCHDOG = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const { cells, parent, everyMs, pipe, msMax, names } = workerData;
let seen = -1, since = 0, used = 0;
const usedMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const stop = (why, signal) => {
  if (names !== undefined) {
    const text = Buffer.from(names.slice(0, names.indexOf(0))).toString();
    const call = String(JSON.parse(text || '[]')[Atomics.load(cells, 1)]);
    const body = Buffer.from(JSON.stringify({ op: 'stopped', why, call }));
    const head = Buffer.alloc(4);
    head.writeUInt32LE(body.length);
    writeSync(pipe, Buffer.concat([head, body]));
  }
  process.kill(process.pid, signal);
};
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  const most = Atomics.load(cells, 3);
  if (most > 0 && process.resourceUsage().maxRSS / 1024 > most) stop('memory', 'SIGABRT');
  if (Atomics.load(cells, 2) === 1) stop('flood', 'SIGKILL');
  if (msMax === undefined) return;
  const now = performance.now();
  const count = Atomics.load(cells, 0);
  if (count !== seen) { seen = count; since = now; used = usedMs(); return; }
  if ((count & 1) === 0 || (usedMs() - used < msMax && now - since < 10 * msMax)) return;
  stop('late', 'SIGKILL');
}, everyMs);
`;
