import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { omitUndefined } from '../../../model/omit-undefined.ts';
import { printable } from '../../../model/printable.ts';
import { ResearchError } from '../../../research/research-error.ts';
import type { TrialOutcome } from '../../../research/trial.ts';
import { runTrials, type TrialBatch } from '../trial-pool.ts';
import { explained, isQueuedAlready, isTransient, openQueue, type Queue } from './open-queue.ts';
import { type ProjectFiles, type ProjectSources, projectFiles, type SourceFile } from './project-files.ts';
import { readQueueAddress } from './queue-address.ts';
import { QueueError } from './queue-error.ts';
import { faultMessageSchema, jsonIn, readResult, type SweepManifest } from './queue-messages.ts';
import {
  aliveSubject,
  faultSubject,
  KEPT_DAYS,
  RESULTS_STREAM,
  resultsOfSweep,
  TRIALS_STREAM,
  token,
  trialSubject,
  trialsOfSweep,
  workersConsumer,
} from './queue-names.ts';

/** Trials whose outcomes workers compute. */
export interface QueuedBatch extends Omit<TrialBatch, 'jobs'> {
  readonly queue: string;
  /** Returns the name of the sweep from the hash of its data. */
  readonly nameOf: (data: string) => string;
  readonly sources: ProjectSources;
  readonly config: string;
  /** Deletes data of an earlier run of the same sweep from the queue. */
  readonly isFresh: boolean;
  readonly isKnown: (trial: number) => boolean;
  /** Receives notices for the user, such as that there is no worker. */
  readonly onNotice: (text: string) => void;
}

const PUBLISHING = 256;
/** Interval in which a sweep without messages checks that there are workers, and that its trials are still queued. */
const LOOK_MS = 5_000;
const RETRY_MS = 250;
/** A second process of the same sweep would respond within this time. */
const ALIVE_MS = 2_000;
/** Objects older than this are uploaded again, so that none expires while the sweep runs. */
const OBJECT_AGE_MS = (KEPT_DAYS / 2) * 86_400_000;

/**
 * Runs trials on the workers of a queue until all have an outcome or the signal stops it. Includes results that
 * workers computed while this process did not run. Throws QueueError, and if a local process could not start.
 */
export async function runQueuedTrials(batch: QueuedBatch): Promise<void> {
  const address = readQueueAddress(batch.queue, process.env);
  const queue = await openQueue(address, `sluice sweep on ${hostname()}`);
  try {
    const data = await dataOf(batch);
    if (data === undefined || batch.interrupted?.aborted === true) return;
    await new QueuedSweep(batch, queue, token(batch.nameOf(data))).run(data);
  } catch (error) {
    throw isOfQueue(error) ? explained(error, queue.shown) : error;
  } finally {
    await queue.close();
  }
}

function isOfQueue(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return Object.values(errors).some((kind) => error instanceof kind) || error.name.startsWith('JetStream');
}

/**
 * Returns the hash of the data as a local process reads it, which also verifies that config and data can be loaded.
 */
async function dataOf({ job, paramsOf, interrupted }: QueuedBatch): Promise<string | undefined> {
  let data: string | undefined;
  await runTrials({
    job,
    paramsOf,
    interrupted,
    jobs: 1,
    onData: (hash) => {
      data = hash;
      return [];
    },
    onOutcome: () => undefined,
  });
  return data;
}

/** One sweep on a queue, from its first trial to its last outcome. */
class QueuedSweep {
  readonly #batch: QueuedBatch;
  readonly #queue: Queue;
  readonly #name: string;
  /** Requested trials without an outcome. */
  readonly #open = new Set<number>();
  /** Outcomes of trials that were not requested yet: a resumed search requests them later. */
  readonly #early = new Map<number, TrialOutcome>();
  #manifest = '';
  #isOver = false;
  #heardAt = 0;

  constructor(batch: QueuedBatch, queue: Queue, name: string) {
    this.#batch = batch;
    this.#queue = queue;
    this.#name = name;
  }

  async run(data: string): Promise<void> {
    const { connection } = this.#queue;
    await this.#demandAlone();
    const alive = connection.subscribe(aliveSubject(this.#name), {
      callback: (_, message) => void message.respond(`${hostname()}, process ${process.pid}`),
    });
    try {
      await this.#upload(data);
      if (this.#batch.isFresh) await this.#forget();
      else await this.#purge(RESULTS_STREAM, faultSubject(this.#name));
      const first = this.#batch.onData(data);
      await this.#work(first);
      if (this.#isOver) await this.#forget();
      else await this.#withdraw();
    } finally {
      alive.unsubscribe();
    }
  }

  /** Removes queued trials; results of trials in progress are kept for the next start. */
  async #withdraw(): Promise<void> {
    try {
      await this.#purge(TRIALS_STREAM, this.#waiting());
    } catch (error) {
      if (!isTransient(error)) throw error;
      this.#batch.onNotice(
        `Trials of this sweep still wait on "${this.#queue.shown}", which does not answer`,
      );
    }
  }

  #waiting(): string {
    return trialsOfSweep(this.#queue.runtime, this.#name);
  }

  async #demandAlone(): Promise<void> {
    let other: string;
    try {
      const answer = await this.#queue.connection.request(aliveSubject(this.#name), '', {
        timeout: ALIVE_MS,
      });
      other = answer.string();
    } catch (error) {
      if (error instanceof errors.TimeoutError || isWithoutAnswer(error)) return;
      throw error;
    }
    throw new QueueError(
      `This sweep runs already: "${this.#name}" on "${this.#queue.shown}", by ${printable(other)}; wait for it, or stop it`,
    );
  }

  /** Uploads config, code and data that the object store lacks, and their manifest. */
  async #upload(data: string): Promise<void> {
    const { job, sources, config } = this.#batch;
    const { files, shipped }: ProjectFiles = await projectFiles(sources);
    const own = files.find(({ source }) => source === resolve(config));
    if (own === undefined)
      throw new ResearchError(`Cannot queue the sweep: "${config}" is outside the project`);
    for (const file of files)
      await this.#put(file.sha256, () => Readable.toWeb(createReadStream(file.source)));
    const manifest: SweepManifest = {
      sweep: this.#name,
      runtime: this.#queue.runtime,
      config: own.path,
      files: files.map(({ source: _source, ...file }: SourceFile) => file),
      shipped: [...shipped],
      data,
      changes: job.changes,
      callMsMax: job.callMsMax,
      keepDays: job.keepDays,
      ...omitUndefined({ objective: job.objective }),
    };
    const bytes = Buffer.from(JSON.stringify(manifest));
    this.#manifest = createHash('sha256').update(bytes).digest('hex');
    await this.#put(this.#manifest, () => Readable.toWeb(Readable.from([bytes])));
    await this.#claim();
  }

  async #put(name: string, content: () => ReadableStream): Promise<void> {
    const { objects } = this.#queue;
    await this.#repeated(async () => {
      const known = await objects.info(name);
      if (known !== null && !known.deleted && Date.now() - Date.parse(known.mtime) < OBJECT_AGE_MS) return;
      await objects.put({ name }, content());
    });
  }

  /**
   * Registers the manifest under the name of the sweep. Throws QueueError if the queue has the name with other files.
   */
  async #claim(): Promise<void> {
    const { objects } = this.#queue;
    const entry = `sweep-${this.#name}`;
    const before = this.#batch.isFresh ? null : await objects.getBlob(entry);
    if (before !== null && Buffer.from(before).toString() !== this.#manifest)
      throw new QueueError(
        `The queue at "${this.#queue.shown}" has another sweep with the name "${this.#name}": same config, code and data, but other files or limits; start this one with "--fresh" to replace it`,
      );
    if (before === null) await objects.putBlob({ name: entry }, Buffer.from(this.#manifest));
  }

  /** Reads the existing outcomes, publishes the trials without one, and continues until no trial is left. */
  async #work(first: readonly number[]): Promise<void> {
    const { streams } = this.#queue;
    const { interrupted } = this.#batch;
    const consumer = await streams.consumers.get(RESULTS_STREAM, {
      filter_subjects: [resultsOfSweep(this.#name)],
      deliver_policy: DeliverPolicy.All,
    });
    for (const trial of first) this.#open.add(trial);
    if (this.#open.size === 0) this.#next(() => undefined);
    if (this.#isOver) return;
    const { num_pending: known } = await consumer.info();
    const messages = await consumer.consume();
    const stop = (): void => void messages.close();
    interrupted?.addEventListener('abort', stop);
    this.#heardAt = performance.now();
    const looking = new AbortController();
    const fault: { error?: unknown } = {};
    const fail = (error: unknown): void => {
      fault.error ??= error;
      stop();
    };
    let isCaughtUp = known === 0;
    const begin = async (): Promise<void> => {
      await this.#publish([...this.#open]);
      await this.#look(looking.signal);
    };
    try {
      if (isCaughtUp) void begin().catch(fail);
      for await (const message of messages) {
        this.#take(message);
        if (!isCaughtUp && message.info.pending === 0) {
          isCaughtUp = true;
          this.#next(fail);
          if (!this.#isOver) void begin().catch(fail);
        } else if (isCaughtUp) this.#next(fail);
        if (this.#isOver) break;
      }
    } finally {
      looking.abort();
      interrupted?.removeEventListener('abort', stop);
      await messages.close();
    }
    if (fault.error !== undefined) throw fault.error;
    if (!this.#isOver && interrupted?.aborted !== true)
      throw new QueueError(
        `The queue at "${this.#queue.shown}" no longer has the results of this sweep: its stream was deleted; start the sweep again`,
      );
  }

  #take(message: JsMsg): void {
    this.#heardAt = performance.now();
    if (message.subject === faultSubject(this.#name)) {
      const fault = faultMessageSchema.safeParse(jsonIn(message.data));
      const { worker, message: text } = fault.data ?? { worker: 'unknown', message: 'no reason' };
      throw new ResearchError(`Worker "${printable(worker)}" cannot run the trials: ${printable(text, 500)}`);
    }
    const result = readResult(message.data);
    if (result === undefined) {
      this.#batch.onNotice(`A message on "${printable(message.subject)}" is not a result and was ignored`);
      return;
    }
    const { trial, outcome } = result;
    // A trial computed by two workers has two equal results: the first counts.
    if (this.#open.delete(trial)) this.#batch.onOutcome(trial, outcome);
    else if (!this.#batch.isKnown(trial)) this.#early.set(trial, outcome);
  }

  /** Requests more trials once all have an outcome, and publishes them. */
  #next(fail: (error: unknown) => void): void {
    while (this.#open.size === 0) {
      const more = this.#batch.more?.() ?? [];
      this.#isOver = more.length === 0;
      if (this.#isOver) return;
      const run: number[] = [];
      for (const trial of more) this.#open.add(trial);
      for (const trial of more) {
        const outcome = this.#early.get(trial);
        if (outcome === undefined) run.push(trial);
        else {
          this.#open.delete(trial);
          this.#early.delete(trial);
          this.#batch.onOutcome(trial, outcome);
        }
      }
      if (run.length > 0) void this.#publish(run).catch(fail);
    }
  }

  async #publish(trials: readonly number[]): Promise<void> {
    const left = [...trials].toReversed();
    const work = async (): Promise<void> => {
      for (let trial = left.pop(); trial !== undefined; trial = left.pop()) {
        if (this.#batch.interrupted?.aborted === true) return;
        if (this.#open.has(trial)) await this.#publishOne(trial);
      }
    };
    await Promise.all(Array.from({ length: Math.min(PUBLISHING, trials.length) }, work));
  }

  async #publishOne(trial: number): Promise<void> {
    const text = JSON.stringify({
      sweep: this.#name,
      manifest: this.#manifest,
      trial,
      params: this.#batch.paramsOf(trial),
    });
    await this.#repeated(async () => {
      try {
        await this.#queue.streams.publish(trialSubject(this.#queue.runtime, this.#name, trial), text);
      } catch (error) {
        if (!isQueuedAlready(error)) throw error;
      }
    });
  }

  /** While no message arrives, checks that workers request trials, and republishes trials that were lost. */
  async #look(stop: AbortSignal): Promise<void> {
    let wasEmpty = false;
    for (;;) {
      try {
        await delay(LOOK_MS, undefined, { signal: stop });
      } catch {
        return;
      }
      if (performance.now() - this.#heardAt < LOOK_MS || this.#open.size === 0) continue;
      try {
        const waiting = await this.#countWaiting();
        if (stop.aborted) return;
        if (waiting === 0 && wasEmpty) await this.#publish([...this.#open]);
        wasEmpty = waiting === 0;
        await this.#noticeWorkers();
      } catch (error) {
        if (!isTransient(error)) throw error;
        this.#batch.onNotice(`The queue at "${this.#queue.shown}" does not answer; waiting for it`);
      }
    }
  }

  /** Counts trials of this sweep that are queued or in progress. */
  async #countWaiting(): Promise<number> {
    const { manager } = this.#queue;
    const { state } = await manager.streams.info(TRIALS_STREAM, { subjects_filter: this.#waiting() });
    return Object.keys(state.subjects ?? {}).length;
  }

  async #noticeWorkers(): Promise<void> {
    const { manager, runtime, shown } = this.#queue;
    const own = workersConsumer(runtime);
    const others: string[] = [];
    for await (const { name, num_waiting, num_ack_pending } of manager.consumers.list(TRIALS_STREAM)) {
      if (num_waiting + num_ack_pending === 0) continue;
      if (name === own) return;
      others.push(name.replace(/^workers-/, ''));
    }
    const seen = others.length === 0 ? '' : `; workers of other versions are there: ${others.join(', ')}`;
    this.#batch.onNotice(
      `No worker of version "${runtime}" requests trials at "${shown}"${seen}. Start one with "sluice worker --queue ${shown}"`,
    );
  }

  /** Removes the sweep from the queue; its files remain for other sweeps. */
  async #forget(): Promise<void> {
    await this.#purge(TRIALS_STREAM, this.#waiting());
    await this.#purge(RESULTS_STREAM, resultsOfSweep(this.#name));
    if (this.#isOver) await this.#repeated(() => this.#queue.objects.delete(`sweep-${this.#name}`));
  }

  async #purge(stream: string, filter: string): Promise<void> {
    await this.#repeated(() => this.#queue.manager.streams.purge(stream, { filter }));
  }

  /** Repeats an operation until the server responds, for example after a restart. */
  async #repeated(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await work();
        return;
      } catch (error) {
        if (!isTransient(error) || this.#batch.interrupted?.aborted === true) throw error;
        this.#batch.onNotice(`The queue at "${this.#queue.shown}" does not answer; waiting for it`);
        await delay(RETRY_MS);
      }
    }
  }
}

function isWithoutAnswer(error: unknown): boolean {
  if (error instanceof errors.NoRespondersError) return true;
  return error instanceof errors.RequestError && error.isNoResponders();
}
