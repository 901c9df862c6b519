import { setMaxListeners } from 'node:events';
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { omitUndefined } from '../../../model/omit-undefined.ts';
import { printable } from '../../../model/printable.ts';
import type { TrialOutcome } from '../../../research/trial.ts';
import { WORK_DIR } from '../../storage/open-store.ts';
import { explained, isTransient, openQueue, openWorkersConsumer, type Queue } from './open-queue.ts';
import { readQueueAddress } from './queue-address.ts';
import { jsonIn, type TrialMessage, trialMessageSchema } from './queue-messages.ts';
import { faultSubject, HEARTBEAT_MS, RESULTS_STREAM, resultSubject, TRIALS_STREAM } from './queue-names.ts';
import { WorkerProjects } from './worker-project.ts';
import { WorkerSlots } from './worker-slots.ts';

/** Options of a worker. */
export interface WorkerOptions {
  readonly queue: string;
  /** Folder of the worker; fetched files are cached in `.sluice/worker` inside it. */
  readonly folder: string;
  /** Concurrent processes; one per core by default. */
  readonly jobs?: number | undefined;
  /** Ends the worker after this many seconds without a trial; absent: never. */
  readonly idleSeconds?: number | undefined;
}

/** Totals of a worker. */
export interface WorkerSummary {
  /** Trials computed here, including failed ones. */
  readonly trials: number;
  readonly failed: number;
  /** Redelivered trials that already had an outcome. */
  readonly repeated: number;
  readonly sweeps: readonly string[];
}

/** Callbacks of a worker, and its interruption. */
export interface WorkerHooks {
  readonly onConnected: (queue: Pick<Queue, 'shown' | 'runtime'>) => void;
  /** Called at the first trial of each sweep. */
  readonly onSweep: (name: string) => void;
  readonly onNotice: (text: string) => void;
  readonly interrupted: AbortSignal;
}

/** How long one request for a trial waits at the server. */
const PULL_MS = 5_000;
const RETRY_MS = 500;
/** A process gets a second, waiting trial if trials take less than this. */
const SHORT_MS = 250;
/** Weight of the latest trial in the average duration. */
const WEIGHT = 0.1;
/** Deliveries of a trial after which the sweep is notified that no worker can run it. */
const TRIES = 3;
const NEXT_TRY_MS = 1_000;
/** Bytes reserved for the headers of a message. */
const HEADER_BYTES = 1_024;

/**
 * Computes trials of a queue in sandboxed processes, as a local sweep does, until the signal stops it. An outcome is
 * on the server before its trial is acknowledged, so none is lost if a worker or the server is killed. Throws
 * QueueError.
 */
export async function runWorker(options: WorkerOptions, hooks: WorkerHooks): Promise<WorkerSummary> {
  const address = readQueueAddress(options.queue, process.env);
  const queue = await openQueue(address, `sluice worker on ${hostname()}`);
  try {
    const consumer = await queue.streams.consumers.get(TRIALS_STREAM, await openWorkersConsumer(queue));
    hooks.onConnected(queue);
    return await new Worker(options, hooks, queue, consumer).run();
  } catch (error) {
    throw explained(error, queue.shown);
  } finally {
    await queue.close();
  }
}

class Worker {
  readonly #options: WorkerOptions;
  readonly #hooks: WorkerHooks;
  readonly #queue: Queue;
  readonly #consumer: Consumer;
  readonly #stop = new AbortController();
  readonly #projects: WorkerProjects;
  readonly #slots: WorkerSlots;
  readonly #name = `${hostname()}-${process.pid}`;
  /** Messages whose trials are not done. */
  readonly #inHand = new Set<JsMsg>();
  /** Requests that wait at the server. */
  readonly #pulls = new Set<ConsumerMessages>();
  readonly #sweeps = new Set<string>();
  readonly #jobs: number;
  #trials = 0;
  #failed = 0;
  #repeated = 0;
  #averageMs = Number.POSITIVE_INFINITY;
  #busyAt = performance.now();
  #error: unknown;

  constructor(options: WorkerOptions, hooks: WorkerHooks, queue: Queue, consumer: Consumer) {
    this.#options = options;
    this.#jobs = options.jobs ?? availableParallelism();
    this.#hooks = hooks;
    this.#queue = queue;
    this.#consumer = consumer;
    setMaxListeners(0, this.#stop.signal);
    this.#stop.signal.addEventListener('abort', () => {
      for (const pull of this.#pulls) void pull.close();
    });
    this.#projects = new WorkerProjects(join(options.folder, WORK_DIR, 'worker'), queue);
    this.#slots = new WorkerSlots(this.#jobs, this.#stop);
  }

  async run(): Promise<WorkerSummary> {
    const { interrupted } = this.#hooks;
    const onInterrupt = (): void => this.#stop.abort();
    if (interrupted.aborted) onInterrupt();
    interrupted.addEventListener('abort', onInterrupt);
    const heartbeat = setInterval(() => {
      for (const message of this.#inHand) message.working();
    }, HEARTBEAT_MS);
    try {
      const jobs = this.#jobs;
      // Each process has a loop that fetches trials, and a second one while trials are short.
      await Promise.all(Array.from({ length: 2 * jobs }, (_, loop) => this.#loop(loop >= jobs)));
    } finally {
      clearInterval(heartbeat);
      interrupted.removeEventListener('abort', onInterrupt);
      await this.#slots.close();
    }
    if (this.#error !== undefined) throw this.#error;
    return {
      trials: this.#trials,
      failed: this.#failed,
      repeated: this.#repeated,
      sweeps: [...this.#sweeps].toSorted(),
    };
  }

  /** Requests one trial after another. */
  async #loop(isSecond: boolean): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (isSecond && this.#averageMs > SHORT_MS) {
          await this.#pause(RETRY_MS);
          continue;
        }
        const message = await this.#next();
        if (message === null) this.#endIfIdle();
        else await this.#handle(message);
      } catch (error) {
        if (!isTransient(error)) {
          this.#error ??= error;
          this.#stop.abort();
          return;
        }
        this.#hooks.onNotice(`The queue at "${this.#queue.shown}" does not answer; waiting for it`);
        await this.#pause(RETRY_MS);
      }
    }
  }

  /** Returns the next trial; null after a while without one, or when the worker stops. */
  async #next(): Promise<JsMsg | null> {
    const pull = await this.#consumer.fetch({ max_messages: 1, expires: PULL_MS });
    this.#pulls.add(pull);
    try {
      if (this.#stop.signal.aborted) return null;
      for await (const message of pull) return message;
      return null;
    } finally {
      this.#pulls.delete(pull);
    }
  }

  #endIfIdle(): void {
    const { idleSeconds } = this.#options;
    if (idleSeconds === undefined || this.#inHand.size > 0) return;
    if (performance.now() - this.#busyAt >= idleSeconds * 1_000) this.#stop.abort();
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  async #handle(message: JsMsg): Promise<void> {
    this.#inHand.add(message);
    try {
      const parsed = trialMessageSchema.safeParse(jsonIn(message.data));
      if (!parsed.success) {
        this.#hooks.onNotice(`A message on "${printable(message.subject)}" is not a trial and was removed`);
        message.term('not a trial');
        return;
      }
      await this.#compute(message, parsed.data);
    } finally {
      this.#inHand.delete(message);
      this.#busyAt = performance.now();
    }
  }

  async #compute(message: JsMsg, task: TrialMessage): Promise<void> {
    const { sweep, trial, params } = task;
    if (message.redelivered && (await this.#hasResult(task))) {
      this.#repeated += 1;
      message.ack();
      return;
    }
    if (!this.#sweeps.has(sweep)) {
      this.#sweeps.add(sweep);
      this.#hooks.onSweep(sweep);
    }
    let outcome: TrialOutcome;
    const began = performance.now();
    try {
      outcome = await this.#slots.run(await this.#projects.open(task.manifest), trial, params);
    } catch (error) {
      if (this.#stop.signal.aborted) message.nak();
      else await this.#refuse(message, task, error);
      return;
    }
    this.#count(outcome, performance.now() - began);
    const text = JSON.stringify({ trial, worker: this.#name, outcome });
    const bytesMax = this.#queue.connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
    if (Buffer.byteLength(text) + HEADER_BYTES > bytesMax) {
      const size = `its outcome has ${Buffer.byteLength(text)} bytes, and the server takes ${bytesMax}`;
      await this.#refuse(message, task, `${size}; raise "max_payload" in the configuration of the server`);
      return;
    }
    await this.#publish(resultSubject(sweep, trial), text, `${sweep}.${trial}`);
    message.ack();
  }

  #count({ kind }: TrialOutcome, ms: number): void {
    this.#trials += 1;
    if (kind === 'failed') this.#failed += 1;
    this.#averageMs = Number.isFinite(this.#averageMs)
      ? this.#averageMs + WEIGHT * (ms - this.#averageMs)
      : ms;
  }

  /** Returns a trial that cannot run here to the queue; after several tries, the sweep is notified of the reason. */
  async #refuse(message: JsMsg, { sweep, trial }: TrialMessage, error: unknown): Promise<void> {
    const text = error instanceof Error ? error.message : String(error);
    this.#hooks.onNotice(`Cannot run trial ${trial} of "${printable(sweep)}": ${printable(text, 500)}`);
    if (message.info.deliveryCount < TRIES) {
      message.nak(NEXT_TRY_MS);
      return;
    }
    await this.#publish(faultSubject(sweep), JSON.stringify({ worker: this.#name, message: text }));
    message.ack();
  }

  async #hasResult({ sweep, trial }: TrialMessage): Promise<boolean> {
    const found = await this.#queue.manager.streams.getMessage(RESULTS_STREAM, {
      last_by_subj: resultSubject(sweep, trial),
    });
    return found !== null;
  }

  /** Publishes until the server has stored the message; waits for a server that restarts. */
  async #publish(subject: string, text: string, msgID?: string): Promise<void> {
    for (;;) {
      try {
        await this.#queue.streams.publish(subject, text, omitUndefined({ msgID }));
        return;
      } catch (error) {
        if (!isTransient(error) || this.#stop.signal.aborted) throw error;
        this.#hooks.onNotice(`The queue at "${this.#queue.shown}" does not answer; waiting for it`);
        await this.#pause(RETRY_MS);
      }
    }
  }
}
