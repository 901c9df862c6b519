import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { entryFile, type PluginRunner, type RunnerListener, type RunnerProgram } from '../plugin-runner.ts';
import { cacheEnvironment } from '../sandbox/compile-cache.ts';
import { bytesOf } from './heap-usage.ts';
import { readThrown } from './thrown.ts';

/**
 * V8's limits. The old generation's is far above that for plugins: V8 ends the whole process if one large allocation
 * exceeds it, so we check memory and end the thread earlier.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 2_048, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** A thread that runs an author's code without the environment, arguments and console of the process. */
export class PluginThread implements PluginRunner {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #listener: RunnerListener;
  #ended = false;

  /** `setup` is plain data; the program receives its `port` for messages with it. */
  constructor(setup: object, listener: RunnerListener, program: RunnerProgram = 'worker-entry') {
    const { port1, port2 } = new MessageChannel();
    const workerData = { ...setup, port: port2 };
    this.#listener = listener;
    this.#port = port1;
    this.#worker = new Worker(entryFile(program), {
      workerData,
      transferList: [port2],
      env: cacheEnvironment(),
      argv: [],
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdout: true,
      stderr: true,
      resourceLimits: RESOURCE_LIMITS,
    });
    port1.on('message', (value) => this.#handleMessage(value));
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#worker[stream].setEncoding('utf8').on('data', (text: string) => {
        if (!this.#ended) listener.onOutput({ stream, text });
      });
    }
    this.#worker.on('error', (error) => this.#handleEnd(exitReason(error), readThrown(error).stack));
    this.#worker.on('exit', (code) => this.#handleEnd(`ended its own thread, exit code ${code}`, ''));
  }

  send(message: object | string): void {
    this.#port.postMessage(message);
  }

  readReceived(): void {
    for (;;) {
      const received = this.#ended ? undefined : receiveMessageOnPort(this.#port);
      if (received === undefined) return;
      this.#handleMessage(received.message);
    }
  }

  /** Returns the bytes in use, garbage included, also while the plugin's code runs; undefined after its end. */
  async bytesInUse(): Promise<number | undefined> {
    if (this.#ended) return undefined;
    try {
      return bytesOf(await this.#worker.getHeapStatistics());
    } catch {
      // The only possible error is that the thread has ended, which its listener is notified of separately.
      return undefined;
    }
  }

  aliveMs(): number {
    const { idle, active } = this.#worker.performance.eventLoopUtilization();
    return idle + active;
  }

  async ownMs(): Promise<number | undefined> {
    try {
      const { user, system } = await this.#worker.cpuUsage();
      return (user + system) / 1_000 + this.#worker.performance.eventLoopUtilization().idle;
    } catch {
      // The only possible error is that the thread does not exist yet or has ended.
      return undefined;
    }
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#port.close();
    await this.#worker.terminate();
  }

  #handleMessage(value: unknown): void {
    if (!this.#ended) this.#listener.onMessage(value);
  }

  #handleEnd(what: string, stack: string): void {
    this.readReceived();
    if (!this.#ended) this.#listener.onEnd(what, stack);
  }
}

function exitReason(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return 'ran out of memory';
  const { message, place } = readThrown(error);
  return `threw outside of its hooks: ${message}${place}`;
}
