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
import { PERMISSIONS_DROPPED } from '../sandbox/host-link.ts';
import { MODULE_PIPE } from '../sandbox/module-client.ts';
import { moduleRootsOf, serveModules } from '../sandbox/module-server.ts';
import { fieldsOf } from './read-fields.ts';

/**
 * Node flags of a sandboxed process. It may read files until it drops every permission. SQLite is disabled because it
 * ignores permissions.
 */
const SANDBOX_FLAGS: readonly string[] = [
  ...['--permission', '--allow-fs-read=*', '--allow-worker', '--disable-warning=PERM0006'],
  '--disable-warning=ExperimentalWarning',
  ...['--no-experimental-sqlite', '--no-addons', '--disable-sigusr1', '--no-deprecation'],
];

/** V8 limits of a plugin's process. V8 ends the process when it exceeds one. */
const HEAP_FLAGS: readonly string[] = [
  '--max-old-space-size=1024',
  '--max-semi-space-size=16',
  '--stack-size=3900',
];

/**
 * A process that runs an author's code without files, environment, or anything else that Node and the system can
 * refuse.
 */
export class PluginProcess implements PluginRunner {
  readonly #child: ChildProcess;
  readonly #limit: DescriptorLimit;
  readonly #listener: RunnerListener;
  readonly #now: () => number;
  readonly #began: number;
  readonly #exited: Promise<void>;
  #ended = false;
  #isLinked = false;

  /**
   * `now` is machine time, milliseconds. `setup` is plain data; its `file` or `rules` determine where code may be
   * loaded from.
   */
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
    this.#child.on('message', (value) => this.#handleMessage(value, setup));
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        if (!this.#ended) listener.onOutput({ stream, text });
      });
    }
    this.#child.on('error', (error) => this.#handleEnd(`could not be started: ${error.message}`));
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#handleEnd(exitReason(code, signal));
        resolve();
      });
      this.#child.once('error', () => resolve());
    });
  }

  send(message: object | string): void {
    // A failure to send is reported as the end of the process.
    if (!this.#ended && this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Waits two turns of the event loop: one reads the channel, and the next delivers the messages. */
  async readReceived(): Promise<void> {
    await eventLoopTurn();
    await eventLoopTurn();
  }

  async bytesInUse(): Promise<number | undefined> {
    const [, resident = 0, shared = 0] = this.#figures('statm');
    return resident === 0 ? undefined : (resident - shared) * PAGE_BYTES;
  }

  aliveMs(): number {
    return this.#now() - this.#began;
  }

  /** Returns the elapsed time without the time that its main thread waited for a core, which only Linux reports. */
  async ownMs(): Promise<number | undefined> {
    const [, waitedNanos = 0] = this.#figures('schedstat');
    return this.aliveMs() - waitedNanos / 1e6;
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #figures(file: string): readonly number[] {
    if (process.platform !== 'linux' || this.#ended) return [];
    try {
      return readFileSync(`/proc/${this.#child.pid}/${file}`, 'utf8').trim().split(' ').map(Number);
    } catch {
      // The process has ended, which its listener detects itself.
      return [];
    }
  }

  #handleMessage(value: unknown, setup: object): void {
    if (this.#ended) return;
    if (this.#isLinked) this.#listener.onMessage(value);
    else if (fieldsOf(value)['kind'] === PERMISSIONS_DROPPED) void this.#link(setup);
  }

  /** Sends the setup, with which an author's code is loaded, when the process has dropped its permissions. */
  async #link(setup: object): Promise<void> {
    await denyDescriptors(this.#child.pid, this.#limit);
    this.#isLinked = true;
    this.send(setup);
  }

  #handleEnd(what: string): void {
    if (!this.#ended) this.#listener.onEnd(what, '');
  }
}

interface SandboxStart {
  readonly file: string;
  readonly flags: readonly string[];
  /** Folder that it may write to until it drops its permissions. */
  readonly writes?: string;
  readonly args?: readonly string[];
  readonly limit: DescriptorLimit;
}

/**
 * Starts a program that drops its own permissions; until then it may read any file. All sandboxes have the same
 * descriptors.
 */
export function spawnSandbox({ file, flags, writes, args = [], limit }: SandboxStart): ChildProcess {
  const environment = sandboxEnvironment();
  // The process writes its compile cache and parsed data for the next start before an author's code is loaded.
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
    // Keeps Ctrl-C from the plugins; the bot receives it and ends them in order.
    detached: process.platform !== 'win32',
  });
}

/** Resolves after one turn of the event loop. */
function eventLoopTurn(): Promise<void> {
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

/** Returns whether a setup inspects a notifier, whose top level may use the network. */
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

/** Exit code of V8 out of memory if no signal is reported. */
const ABORTED = 134;
