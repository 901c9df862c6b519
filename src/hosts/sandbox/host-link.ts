import { flushCompileCache } from 'node:module';
import { getHeapStatistics } from 'node:v8';
import { isMainThread, type MessagePort, Worker, workerData } from 'node:worker_threads';
import { loadLibraryEntry } from '../plugin-runner.ts';
import { exhaustDescriptors } from './descriptor-limit.ts';
import { createModuleClient, MODULE_PIPE, type ModuleClient } from './module-client.ts';

/** Channel between a plugin's program and its host, from a thread or a process. */
export interface HostPort {
  postMessage(message: unknown): void;
  // biome-ignore lint/suspicious/noExplicitAny: what comes is what the host of this very program sends.
  on(event: 'message', onMessage: (message: any) => void): void;
}

/** Start data of a program: its setup and the channel to the host. */
type HostLink<S> = S & {
  readonly port: HostPort;
  /** Client for modules of an author's code; absent in a thread, which reads them itself. */
  readonly modules?: ModuleClient;
};

/** Message of a process that has dropped its permissions. */
export const PERMISSIONS_DROPPED = 'closed-off';

/** Reply of the parent when it has limited descriptors; an author's code may be loaded now. */
export const START = 'go';

/** Start data of a thread in a sandbox. */
export interface ThreadStart {
  /** Index among the threads of its process. */
  readonly thread: number;
  readonly job: object;
  readonly port: MessagePort;
  /** Counters of an author's calls, for the time limit. */
  readonly cells: Int32Array;
  /** Names of the calls, as JSON that ends with a zero byte. */
  readonly names: Uint8Array;
  /** Lock of the module pipe, which all threads share. */
  readonly pipeLock: Int32Array;
}

/** Longest JSON of the call names, bytes. */
export const NAMES_BYTES = 65_536;

/** Messages of this kind go to all other threads of the process, others to its parent. */
export const SHARED = 'shared';

const SCOPES = ['fs', 'child', 'worker', 'wasi', 'addon', 'inspector'] as const;

/**
 * Waits for the setup of this program. A process first drops all its permissions: no code in it can open a file or
 * start a process, thread, native code or inspector after that.
 */
export async function linkToHost<S extends object>(): Promise<HostLink<S>> {
  if (!isMainThread) return workerData;
  const calls = await startWatchdog();
  // Strategies import it, so it is loaded while files are still readable.
  await loadLibraryEntry();
  dropPermissions();
  calls.limitMemory();
  const { setup, port } = await link<S>();
  return { ...setup, port, modules: createModuleClient() };
}

/** Drops every permission of this process. Throws Error if this Node.js cannot. */
export function dropPermissions(): void {
  // Caches the machine's time zone, which ICU reads from a file.
  new Date(0).getTimezoneOffset();
  new Intl.DateTimeFormat().format(0);
  flushCompileCache();
  exhaustDescriptors();
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
  send({ kind: PERMISSIONS_DROPPED });
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

/** Counts calls of an author's code for the watchdog of a process. */
export interface WatchedCalls {
  /** Marks the start of an author's call. */
  enter(call: number): void;
  leave(): void;
  /** Ends the process at once, because the current call writes more than allowed. */
  endFlood(): void;
  /** Limits memory to the present use plus V8's heap limit, because V8 does not limit buffers. */
  limitMemory(): void;
}

/** Captured early, because an author's code may replace them. */
const { store, wait } = Atomics;

/** Indices of the counters: calls begun and ended, number of the current call, and 1 if it writes too much. */
export const CALLS = 0;
export const CALL = 1;
export const FLOOD = 2;
/** Index of the process' memory limit, MB; 0 while there is none. */
const MEGABYTES_MAX = 3;
const PARENT_EVERY_MS = 250;

/**
 * Starts a watchdog thread that ends this process when its parent has ended, or when a call exceeds `msMax`. `names`
 * holds the call names, as JSON that ends with a zero byte. Author's code cannot reach the thread.
 */
export async function startWatchdog(watched?: {
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
    limitMemory: () => {
      const { heap_size_limit: heap } = getHeapStatistics();
      cells[MEGABYTES_MAX] = Math.ceil(process.resourceUsage().maxRSS / 1_024 + heap / 2 ** 20);
    },
  };
}

/** Counts calls in cells that another thread reads. */
export function countedCalls(cells: Int32Array): Omit<WatchedCalls, 'limitMemory'> {
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
 * An odd count that does not change means that a call hangs. The limit applies to CPU time, so that a busy machine
 * does not trigger it; a call that sleeps has ten times as long.
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
