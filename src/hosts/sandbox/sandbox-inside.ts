import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { seededRandom } from '../../model/seeded-random.ts';
import { loadLibraryEntry } from '../plugin-runner.ts';
import { WORKER_LIMITS } from '../workers/worker-limits.ts';
import { guardAuthorCalls, guardAuthorLoads } from './author-calls.ts';
import { closeProcess } from './close-process.ts';
import { removeEnvironment } from './compile-cache.ts';
import { installDeterministicGlobals } from './deterministic-globals.ts';
import {
  countedCalls,
  dropPermissions,
  NAMES_BYTES,
  PERMISSIONS_DROPPED,
  START,
  startWatchdog,
  type ThreadStart,
  type WatchedCalls,
} from './host-link.ts';
import { createModuleClient, type ModuleClient, writeAll } from './module-client.ts';
import { restrictModules } from './plugin-imports.ts';

/** The inside of a sandboxed process, for a backtest or a test of strategies. */
export interface SandboxedProgram<J> {
  readonly job: J;
  /** Machine time in milliseconds, even after `Date` shows market time. */
  readonly now: () => number;
  /** Writes a text unchanged. */
  write(stream: 'stdout' | 'stderr', text: string): void;
  /** Sends a result to the parent process. */
  sendResult(result: object): Promise<void>;
  /** Returns the next message of the parent process, in the order of sending. */
  next(): Promise<unknown>;
  /** Resets the market clock and every author's random numbers to their state after loading. */
  restart(): void;
  /**
   * Drops the permissions of this process and installs the market clock and random numbers, which follow from `seed`
   * for each author. Resolves when an author's code may be loaded. `sharedBytes` is the most that this thread will
   * share with others.
   */
  close(market: {
    readonly startsAt: number;
    readonly seed: number;
    readonly sharedBytes?: number;
  }): Promise<void>;
}

/** Most console output of one call or load, in bytes; the same as in paper trading. */
const OUTPUT_BYTES_MAX = WORKER_LIMITS.outputCharsMax;

/** Channel out of a sandbox: to the parent process, or from a thread to its process. */
interface OutsideLink<J> {
  readonly job: J;
  /** Resolves when the message was sent, which requires a turn of the event loop. */
  send(message: object): Promise<void>;
  onMessage(receive: (message: unknown) => void): void;
  readonly calls: Promise<WatchedCalls>;
  /** Names of calls, as JSON that ends with a zero byte. */
  readonly names: Uint8Array;
  modules(): ModuleClient;
}

/** Opens the inside of a process sandbox; the job is the parent's first message. */
export async function openProcess<J extends { readonly callMsMax: number }>(): Promise<SandboxedProgram<J>> {
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error('This program is started by Sluice alone');
  const job = await new Promise<J>((resolve) => process.once('message', (message) => resolve(message as J)));
  const names = new Uint8Array(new SharedArrayBuffer(NAMES_BYTES));
  return createProgram({
    job,
    names,
    calls: startWatchdog({ msMax: job.callMsMax, names }),
    send: (message) => new Promise((resolve) => void send(message, () => resolve())),
    onMessage: (receive) => void process.on('message', receive),
    modules: () => createModuleClient(),
  });
}

/**
 * Opens the inside of a sandbox that is one of several threads, with its index. `turn` waits for one turn of the
 * event loop.
 */
export function openThread<J extends object>(
  turn: () => Promise<void>,
): SandboxedProgram<J> & { readonly thread: number } {
  const { job, port, cells, names, pipeLock, thread } = workerData as ThreadStart;
  const post: MessagePort['postMessage'] = port.postMessage.bind(port);
  removeEnvironment();
  parentPort?.close();
  const link: OutsideLink<J> = {
    job: job as J,
    names,
    // The limit is that of the whole process, which its main thread checks.
    calls: Promise.resolve({ ...countedCalls(cells), limitMemory: () => undefined }),
    send: async (message) => {
      await turn();
      post(message);
    },
    onMessage: (receive) => void port.on('message', receive),
    modules: () => createModuleClient({ lock: pipeLock, place: thread + 1 }),
  };
  return { ...createProgram(link), thread };
}

function createProgram<J>(link: OutsideLink<J>): SandboxedProgram<J> {
  const { job, names } = link;
  const waiters: ((message: unknown) => void)[] = [];
  const received: unknown[] = [];
  link.onMessage((message) => {
    const waiter = waiters.shift();
    if (waiter === undefined) received.push(message);
    else waiter(message);
  });
  const next = (): Promise<unknown> =>
    received.length > 0 ? Promise.resolve(received.shift()) : new Promise((resolve) => waiters.push(resolve));
  const { now } = Date;
  let restart = (): void => undefined;
  /** Watches promises of authors during a wait for the event loop; returns a function that stops it. */
  let watchPromises = (): (() => void) => () => undefined;
  return {
    job,
    now,
    next,
    restart: () => restart(),
    write: (stream, text) => writeAll(stream === 'stdout' ? 1 : 2, Buffer.from(text)),
    // An endless chain of an author's promises would keep the event loop from sending.
    sendResult: async (result) => {
      const sent = link.send(result);
      const end = watchPromises();
      await sent;
      end();
    },
    close: async ({ startsAt, seed, sharedBytes = 0 }) => {
      const calls = await link.calls;
      await loadLibraryEntry();
      dropPermissions();
      await link.send({ kind: PERMISSIONS_DROPPED, sharedBytes });
      const answer = await next();
      if (answer !== START) throw new Error('This process was sent work before it gave up its rights');
      let marketNow = startsAt;
      const randoms = new Map<string, CountedRandom>();
      /** Calls by owner and name; a run repeats the same ones thousands of times. */
      const entries = new Map<string, Map<string, CallEntry>>();
      const drawnOnLoad = new Map<string, number>();
      let isLoaded = false;
      const randomOf = (drawn: number): CountedRandom => {
        const counted = new CountedRandom(seed);
        while (counted.drawn < drawn) counted.next();
        return counted;
      };
      let random = randomOf(0);
      restart = () => {
        if (!isLoaded) for (const [owner, { drawn }] of randoms) drawnOnLoad.set(owner, drawn);
        isLoaded = true;
        marketNow = startsAt;
        randoms.clear();
        entries.clear();
        random = randomOf(0);
      };
      installDeterministicGlobals({ now: () => marketNow, startsAt, random: () => random.next() }, 'plugin');
      calls.limitMemory();
      let written = 0;
      const onText = (bytes: number): void => {
        written += bytes;
        if (written > OUTPUT_BYTES_MAX) calls.endFlood();
      };
      closeProcess('plugin', { network: false, onText });
      restrictModules('plugin', undefined, link.modules());
      const numbers = new Map<string, number>();
      const numberOf = (name: string): number => {
        let number = numbers.get(name);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(name, number);
          names.set(Buffer.from(`${JSON.stringify([...numbers.keys()])}\0`).subarray(0, NAMES_BYTES));
        }
        return number;
      };
      const owners = new Set<string>();
      let endWait: (() => void) | undefined;
      const entryOf = (owner: string, what: string): CallEntry => {
        owners.add(owner);
        let own = randoms.get(owner);
        if (own === undefined) {
          own = randomOf(drawnOnLoad.get(owner) ?? 0);
          randoms.set(owner, own);
        }
        const entry = { number: numberOf(`${what} of "${owner}"`), random: own };
        const ofOwner = entries.get(owner) ?? new Map<string, CallEntry>();
        entries.set(owner, ofOwner.set(what, entry));
        return entry;
      };
      const enter = (owner: string, what: string): void => {
        endWait?.();
        written = 0;
        const entry = entries.get(owner)?.get(what) ?? entryOf(owner, what);
        random = entry.random;
        calls.enter(entry.number);
      };
      watchPromises = () => {
        if (owners.size === 0 || endWait !== undefined) return () => undefined;
        const quoted = [...owners].map((owner) => `"${owner}"`);
        calls.enter(numberOf(`a chain of promises of ${quoted.join(' or ')}`));
        const end = (): void => {
          if (endWait !== end) return;
          endWait = undefined;
          calls.leave();
        };
        endWait = end;
        return end;
      };
      guardAuthorLoads((owner) => {
        enter(owner, 'the file');
        return calls.leave;
      });
      guardAuthorCalls((owner, what, at, work) => {
        if (at !== undefined) marketNow = at;
        enter(owner, what);
        try {
          return work();
        } finally {
          calls.leave();
        }
      });
    },
  };
}

/** A call of an author's code: its number for the watchdog, and the random numbers of its author. */
interface CallEntry {
  readonly number: number;
  readonly random: CountedRandom;
}

/** Random numbers that counts its draws. */
class CountedRandom {
  readonly #next: () => number;
  drawn = 0;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  next(): number {
    this.drawn += 1;
    return this.#next();
  }
}
