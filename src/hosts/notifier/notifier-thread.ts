import type { Notice } from '../../model/notice.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Isolation } from '../../plugins/isolation.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { packPlain } from '../strategy/request-codec.ts';
import { type RpcProtocol, type RpcWorker, startRpcWorker } from '../workers/rpc-worker.ts';
import { WORKER_LIMITS } from '../workers/worker-limits.ts';
import { NoticeQueue } from './notice-queue.ts';
import {
  type Delivered,
  failureText,
  type NotifierEnd,
  type NotifierFile,
  type NotifierSetup,
  type Redact,
  readDelivered,
} from './notifier-messages.ts';

export interface NotifierLimits {
  /** Time limit for loading the notifier, machine milliseconds. */
  readonly startMsMax: number;
  /** Time limit for the delivery of one notice, machine milliseconds. */
  readonly deliveryMsMax: number;
  /** Longest queue of notices; the oldest is dropped first. */
  readonly waitingMax: number;
  /** Consecutive workers that may end without a delivery before the notifier is disabled. */
  readonly threadsMax: number;
}

const NOTIFIER_LIMITS: NotifierLimits = {
  startMsMax: 10_000,
  deliveryMsMax: 10_000,
  waitingMax: 100,
  threadsMax: 3,
};

interface NotifierOptions {
  readonly notifier: NotifierFile;
  /** Machine time, for deadlines. */
  readonly clock: Clock;
  /** Removes the secrets from texts of the notifier before they are cut. */
  readonly redact: Redact;
  /** Called once each when it begins to fail, works again, or is disabled. */
  readonly onStateChange: (message: string) => void;
  /** Called after each notice that was delivered. */
  readonly onDelivered?: () => void;
  readonly limits?: Partial<NotifierLimits>;
  /** Absent: in a separate process. */
  readonly isolation?: Isolation | undefined;
}

export interface NotifierHost {
  /** Queues a notice. Never throws or blocks. */
  deliver(notice: Notice): void;
  /**
   * Waits until all queued notices are delivered, then ends the worker. Waits for one time limit of a delivery at most,
   * and for that of a start if no worker has started yet.
   */
  close(): Promise<void>;
}

/** Creates the host of a notifier, whose faults affect nothing else. The worker starts with the first notice. */
export function createNotifierHost(options: NotifierOptions): NotifierHost {
  return new ThreadedNotifier(options);
}

/** The worker ends after this multiple of the time limit, so that the notifier can handle the abort signal. */
const END_TIMEOUT_FACTOR = 1.2;

/** Times that one notice is sent again after a wait that its service requested. */
const RETRIES_MAX = 5;

type Thread = RpcWorker<undefined, Notice, Delivered, NotifierEnd>;

class ThreadedNotifier implements NotifierHost {
  readonly #options: NotifierOptions;
  readonly #limits: NotifierLimits;
  readonly #waiting: NoticeQueue;
  #thread: Thread | undefined;
  #starting: Promise<void> | undefined;
  /** True while a notice is in delivery, a worker is starting, or the service requested a wait. */
  #isBusy = false;
  /** The wait that the service requested. */
  #pause: { readonly until: Millis; readonly cancel: Cancel } | undefined;
  #retries = 0;
  #failedWorkers = 0;
  #isFailing = false;
  #isClosed = false;
  /** When a close that waits stops doing so. */
  #closesAt: Millis | undefined;
  #onDrained: (() => void) | undefined;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#limits = { ...NOTIFIER_LIMITS, ...options.limits };
    this.#waiting = new NoticeQueue(this.#limits.waitingMax);
  }

  deliver(notice: Notice): void {
    if (this.#isClosed) return;
    if (!this.#waiting.push(notice))
      this.#fail(`is too slow: more than ${this.#limits.waitingMax} notices waited, the oldest are lost`);
    this.#next();
  }

  async close(): Promise<void> {
    const { clock } = this.#options;
    const { deliveryMsMax, startMsMax } = this.#limits;
    const until = millis(clock.now() + deliveryMsMax + (this.#thread === undefined ? startMsMax : 0));
    this.#closesAt = until;
    if (!this.#isClosed && !this.#isPausedToTheEnd() && (this.#isBusy || this.#waiting.length > 0)) {
      await new Promise<void>((resolve) => {
        const cancel = clock.at(until, 'timer', resolve);
        this.#onDrained = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#isClosed = true;
    this.#pause?.cancel();
    await this.#starting;
    await this.#thread?.close();
  }

  #next(): void {
    if (this.#isClosed || this.#isBusy) return;
    const thread = this.#thread;
    const notice = thread === undefined ? undefined : this.#waiting.shift();
    if (thread !== undefined && notice !== undefined) this.#send(thread, notice);
    else if (this.#waiting.length === 0) this.#onDrained?.();
    else this.#starting = this.#start();
  }

  async #start(): Promise<void> {
    const { notifier, clock, isolation, redact } = this.#options;
    const { startMsMax } = this.#limits;
    this.#isBusy = true;
    const world = { clock, isolation, limits: { ...WORKER_LIMITS, startMsMax } };
    const started = await startRpcWorker(protocolFor(notifier, this.#limits, redact), world);
    this.#isBusy = false;
    if (started.kind === 'fault') this.#handleEnd(failureText(started.what, redact));
    else {
      this.#thread = started.thread;
      started.thread.onFailure(({ what }) => this.#handleEnd(what));
    }
    this.#next();
  }

  #send(thread: Thread, notice: Notice): void {
    const { clock } = this.#options;
    const timeIsUp = millis(clock.now() + this.#limits.deliveryMsMax);
    const cancel = clock.at(timeIsUp, 'timer', () => thread.notify('time is up'));
    this.#isBusy = true;
    thread.request(notice, (answer) => {
      cancel();
      this.#isBusy = false;
      if (answer.kind === 'carried') this.#handleDelivered();
      else if (answer.kind === 'failed') {
        this.#failedWorkers = 0;
        this.#fail(`failed: ${answer.what}`);
        if (answer.retryAfterMs !== undefined) this.#retryLater(notice, answer.retryAfterMs);
      }
      this.#next();
    });
  }

  /** Holds all notices back for a while, then sends this one again. */
  #retryLater(notice: Notice, afterMs: number): void {
    this.#retries += 1;
    if (this.#retries > RETRIES_MAX) {
      this.#retries = 0;
      return;
    }
    const { clock } = this.#options;
    this.#waiting.putBack(notice);
    this.#isBusy = true;
    const until = millis(clock.now() + afterMs);
    const cancel = clock.at(until, 'timer', () => {
      this.#pause = undefined;
      this.#isBusy = false;
      this.#next();
    });
    this.#pause = { until, cancel };
    if (this.#isPausedToTheEnd()) this.#onDrained?.();
  }

  /** Returns whether nothing more can be delivered before the close ends. */
  #isPausedToTheEnd(): boolean {
    return this.#pause !== undefined && this.#closesAt !== undefined && this.#pause.until > this.#closesAt;
  }

  #handleDelivered(): void {
    this.#failedWorkers = 0;
    this.#retries = 0;
    this.#options.onDelivered?.();
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#options.onStateChange(`Notifier "${this.#options.notifier.name}" carries notices again`);
  }

  /**
   * Handles the end of the worker, with the loss of its notice. Queued notices get another worker, up to
   * `threadsMax`.
   */
  #handleEnd(what: string): void {
    this.#thread = undefined;
    this.#failedWorkers += 1;
    const { threadsMax } = this.#limits;
    this.#fail(what);
    if (this.#failedWorkers < threadsMax) {
      this.#next();
      return;
    }
    this.#isClosed = true;
    this.#onDrained?.();
    this.#options.onStateChange(
      `Notifier "${this.#options.notifier.name}" is given up after ${threadsMax} failures in a row: nothing reaches it any more`,
    );
  }

  #fail(what: string): void {
    if (this.#isFailing || this.#isClosed) return;
    this.#isFailing = true;
    this.#options.onStateChange(`Notifier "${this.#options.notifier.name}" ${what}`);
  }
}

function protocolFor(
  notifier: NotifierFile,
  { deliveryMsMax }: NotifierLimits,
  redact: Redact,
): RpcProtocol<undefined, Notice, Delivered, NotifierEnd> {
  const setup: NotifierSetup = { ...notifier, abortMs: deliveryMsMax };
  return {
    program: 'notifier-entry',
    setup,
    readReady: () => ({ kind: 'ok', ready: undefined }),
    readAnswer: (value) => readDelivered(value, redact),
    request: (notice) => ({
      message: packPlain(notice),
      msMax: deliveryMsMax * END_TIMEOUT_FACTOR,
      timeoutMessage: `did not carry a notice within ${deliveryMsMax} ms`,
    }),
    isFailure: (answer) => answer.kind === 'over',
    failure: (what) => ({ kind: 'over', what: failureText(what, redact) }),
  };
}
