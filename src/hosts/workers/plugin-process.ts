import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { entryFile, type PluginRunner, type RunnerListener, type RunnerProgram } from '../plugin-runner.ts';
import { sandboxEnvironment } from '../sandbox/compile-cache.ts';
import {
  type DescriptorLimit,
  denyDescriptors,
  descriptorLimit,
  limitedNode,
} from '../sandbox/descriptor-limit.ts';
import { CLOSED_OFF } from '../sandbox/host-link.ts';
import { MODULE_PIPE } from '../sandbox/module-client.ts';
import { moduleRootsOf, serveModules } from '../sandbox/module-server.ts';
import { fieldsOf } from './read-fields.ts';

/**
 * What a sandboxed process is started with. It may read files until it has loaded its own program, and then drops every
 * permission. Node's SQLite module ignores permissions, so it is disabled.
 */
export const SANDBOX_FLAGS: readonly string[] = [
  ...['--permission', '--allow-fs-read=*', '--allow-worker', '--disable-warning=PERM0006'],
  '--disable-warning=ExperimentalWarning',
  ...['--no-experimental-sqlite', '--no-addons', '--disable-sigusr1', '--no-deprecation'],
];

/** V8's own limits in a plugin's process, MB. Where V8 meets one it ends the process, which is that of this plugin alone. */
const HEAP_FLAGS: readonly string[] = [
  '--max-old-space-size=1024',
  '--max-semi-space-size=16',
  '--stack-size=3900',
];

/** A process in which an author's code runs, without files, environment, and whatever else Node's permissions and the system can refuse. */
export class PluginProcess implements PluginRunner {
  readonly #child: ChildProcess;
  readonly #limit: DescriptorLimit;
  readonly #listener: RunnerListener;
  readonly #now: () => number;
  readonly #began: number;
  readonly #gone: Promise<void>;
  #ended = false;
  #isLinked = false;

  /** `now` is machine time, milliseconds; `setup` is plain data: its `file` or `files` say where code may be loaded from. */
  constructor(setup: object, listener: RunnerListener, program: RunnerProgram, now: () => number) {
    this.#now = now;
    this.#began = now();
    this.#listener = listener;
    const hasNetwork = program === 'notifier-entry' || isNotifier(setup);
    this.#limit = hasNetwork ? 'none' : descriptorLimit();
    const file = fileURLToPath(entryFile(program));
    this.#child = spawnSandbox({ file, flags: HEAP_FLAGS, limit: this.#limit });
    const pipe = this.#child.stdio[MODULE_PIPE];
    serveModules(pipe as Duplex, moduleRootsOf(filesIn(setup), process.cwd()));
    this.#child.on('message', (value) => this.#hear(value, setup));
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        if (!this.#ended) listener.onOutput({ stream, text });
      });
    }
    this.#child.on('error', (error) => this.#die(`could not be started: ${error.message}`));
    this.#gone = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#die(exitReason(code, signal));
        resolve();
      });
      this.#child.once('error', () => resolve());
    });
  }

  send(message: object | string): void {
    // A message that cannot be sent any more shows as the end of the process.
    if (!this.#ended && this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Received messages stay in the channel until the event loop reads them: two turns, as a message is delivered in the turn after. */
  async readWhatCame(): Promise<void> {
    await turn();
    await turn();
  }

  async bytesInUse(): Promise<number | undefined> {
    const [, resident = 0, shared = 0] = this.#figures('statm');
    return resident === 0 ? undefined : (resident - shared) * PAGE_BYTES;
  }

  aliveMs(): number {
    return this.#now() - this.#began;
  }

  /** All that went by but for what its main thread waited for a core, which Linux alone tells. */
  async ownMs(): Promise<number | undefined> {
    const [, waitedNanos = 0] = this.#figures('schedstat');
    return this.aliveMs() - waitedNanos / 1e6;
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#child.kill('SIGKILL');
    await this.#gone;
  }

  #figures(file: string): readonly number[] {
    if (process.platform !== 'linux' || this.#ended) return [];
    try {
      return readFileSync(`/proc/${this.#child.pid}/${file}`, 'utf8').trim().split(' ').map(Number);
    } catch {
      // The process is gone, which its listener detects itself.
      return [];
    }
  }

  #hear(value: unknown, setup: object): void {
    if (this.#ended) return;
    if (this.#isLinked) this.#listener.onMessage(value);
    else if (fieldsOf(value)['kind'] === CLOSED_OFF) void this.#link(setup);
  }

  /** Foreign code comes into the process with its setup, and not before it is closed off. */
  async #link(setup: object): Promise<void> {
    await denyDescriptors(this.#child.pid, this.#limit);
    this.#isLinked = true;
    this.send(setup);
  }

  #die(what: string): void {
    if (!this.#ended) this.#listener.onDeath(what, '');
  }
}

/** How a sandbox is started. */
export interface SandboxStart {
  readonly file: string;
  readonly flags: readonly string[];
  /** Folder below which it may write until it closes itself off. */
  readonly writes?: string;
  readonly args?: readonly string[];
  readonly limit: DescriptorLimit;
}

/** Starts a program that closes itself off; until then it may read any file. The descriptors of all sandboxes are the same. */
export function spawnSandbox({ file, flags, writes, args = [], limit }: SandboxStart): ChildProcess {
  const environment = sandboxEnvironment();
  // What was compiled and parsed is kept for the next start, before foreign code comes in.
  const places = [environment['NODE_COMPILE_CACHE'], writes].flatMap((dir) =>
    dir === undefined ? [] : [dir, join(dir, '*')],
  );
  const written = places.map((place) => `--allow-fs-write=${place}`);
  const { command, before, env } = limitedNode(limit);
  return spawn(command, [...before, ...SANDBOX_FLAGS, ...written, ...flags, file, ...args], {
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    serialization: 'advanced',
    windowsHide: true,
    // Ctrl-C reaches the bot, which ends its plugins in good order.
    detached: process.platform !== 'win32',
  });
}

/** One turn of this thread's loop. */
function turn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port2.once('message', () => {
      port2.close();
      resolve();
    });
    port1.postMessage(undefined);
  });
}

const PAGE_BYTES = 4_096;

/** A thread that inspects a notifier lets its top level reach the network, as the notifier itself may. */
function isNotifier(setup: object): boolean {
  return fieldsOf(setup)['kind'] === 'notifier';
}

function filesIn(setup: object): readonly string[] {
  const { file, rules } = fieldsOf(setup);
  if (typeof file === 'string') return [file];
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule: unknown) => {
    const each = fieldsOf(rule)['file'];
    return typeof each === 'string' ? [each] : [];
  });
}

function exitReason(code: number | null, signal: string | null): string {
  if (signal === 'SIGABRT' || code === ABORTED) return 'ran out of memory';
  return signal === null ? `ended its own process, exit code ${code}` : `was ended by ${signal}`;
}

/** The exit code of V8 out of memory where no signal is reported. */
const ABORTED = 134;
