import { millis } from '../../model/time.ts';
import type { Isolation } from '../../plugins/isolation.ts';
import type { Clock } from '../../ports/clock.ts';
import { packPlain } from '../strategy/question-codec.ts';
import { lineOf } from '../workers/read-fields.ts';
import { type RpcProtocol, type RpcWorker, startRpcWorker } from '../workers/rpc-worker.ts';
import { WORKER_LIMITS } from '../workers/worker-limits.ts';
import {
  type Delivered,
  type Notice,
  type NotifierEnd,
  type NotifierFile,
  type NotifierSetup,
  readDelivered,
  TEXT_CHARS_MAX,
} from './notifier-messages.ts';

/** What a notifier is bound by. */
export interface NotifierLimits {
  /** Longest until the thread has loaded the notifier, machine milliseconds. */
  readonly startMsMax: number;
  /** Longest that carrying one notice may take, machine milliseconds. */
  readonly carryMsMax: number;
  /** Most notices that wait; the oldest goes first. */
  readonly waitingMax: number;
  /** Threads in a row that may end without a delivery before no other is started. */
  readonly threadsMax: number;
}

/** The default limits. */
const NOTIFIER_LIMITS: NotifierLimits = {
  startMsMax: 10_000,
  carryMsMax: 10_000,
  waitingMax: 100,
  threadsMax: 3,
};

/** A notifier's file, and what its host needs of the world. */
export interface NotifierOptions {
  readonly notifier: NotifierFile;
  /** Machine time, for deadlines. */
  readonly clock: Clock;
  /** Called when it begins to fail, when it works again, and when it is disabled: once each. */
  readonly onNews: (message: string) => void;
  readonly limits?: Partial<NotifierLimits>;
  /** Where it runs; in a separate process when absent. */
  readonly isolation?: Isolation | undefined;
}

/** A notifier in a worker thread. */
export interface NotifierHost {
  /** Takes a notice on its way; never throws and never waits. */
  deliver(notice: Notice): void;
  /** Waits until what it took is carried, or for one deadline at most, then ends the thread. */
  close(): Promise<void>;
}

/** Runs a notifier where whatever it does costs only itself. The thread is started with the first notice. */
export function createNotifierHost(options: NotifierOptions): NotifierHost {
  return new ThreadedNotifier(options);
}

/** How much longer than its time a notifier has to hear that it is up. */
const SLACK = 1.2;

type Thread = RpcWorker<undefined, Notice, Delivered, NotifierEnd>;

class ThreadedNotifier implements NotifierHost {
  readonly #options: NotifierOptions;
  readonly #limits: NotifierLimits;
  readonly #waiting: Notice[] = [];
  #thread: Thread | undefined;
  #starting: Promise<void> | undefined;
  /** A notice is under way, or a thread is being started. */
  #busy = false;
  #barren = 0;
  #failing = false;
  #over = false;
  #drained: (() => void) | undefined;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#limits = { ...NOTIFIER_LIMITS, ...options.limits };
  }

  deliver(notice: Notice): void {
    if (this.#over) return;
    const { waitingMax } = this.#limits;
    // The figures of a day stand for those of the day before, too.
    const before = notice.kind === 'day' ? this.#waiting.findIndex(({ kind }) => kind === 'day') : -1;
    if (before >= 0) this.#waiting.splice(before, 1);
    if (this.#waiting.length >= waitingMax) {
      this.#waiting.shift();
      this.#fail(`is too slow: more than ${waitingMax} notices waited, the oldest are lost`);
    }
    this.#waiting.push(notice);
    this.#move();
  }

  async close(): Promise<void> {
    if (this.#busy || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        const { clock } = this.#options;
        const cancel = clock.at(millis(clock.now() + this.#limits.carryMsMax), 'timer', resolve);
        this.#drained = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#over = true;
    await this.#starting;
    await this.#thread?.close();
  }

  #move(): void {
    if (this.#over || this.#busy) return;
    const thread = this.#thread;
    const notice = thread === undefined ? undefined : this.#waiting.shift();
    if (thread !== undefined && notice !== undefined) this.#send(thread, notice);
    else if (this.#waiting.length === 0) this.#drained?.();
    else this.#starting = this.#start();
  }

  async #start(): Promise<void> {
    const { notifier, clock, isolation } = this.#options;
    const { startMsMax } = this.#limits;
    this.#busy = true;
    const world = { clock, isolation, limits: { ...WORKER_LIMITS, startMsMax } };
    const started = await startRpcWorker(protocolFor(notifier, this.#limits), world);
    this.#busy = false;
    if (started.kind === 'fault') this.#die(lineOf(started.what, TEXT_CHARS_MAX));
    else {
      this.#thread = started.thread;
      started.thread.onFailure(({ what }) => this.#die(what));
    }
    this.#move();
  }

  #send(thread: Thread, notice: Notice): void {
    const { clock } = this.#options;
    const timeIsUp = millis(clock.now() + this.#limits.carryMsMax);
    const cancel = clock.at(timeIsUp, 'timer', () => thread.tell('time is up'));
    this.#busy = true;
    thread.ask(notice, (answer) => {
      cancel();
      this.#busy = false;
      if (answer.kind === 'carried') this.#carried();
      else if (answer.kind === 'failed') {
        this.#barren = 0;
        this.#fail(`failed: ${answer.what}`);
      }
      this.#move();
    });
  }

  #carried(): void {
    this.#barren = 0;
    if (!this.#failing) return;
    this.#failing = false;
    this.#options.onNews(`Notifier "${this.#options.notifier.name}" carries notices again`);
  }

  /** The thread is gone: what it had away is lost, what waits gets another thread, unless that was the last. */
  #die(what: string): void {
    this.#thread = undefined;
    this.#barren += 1;
    const { threadsMax } = this.#limits;
    this.#fail(what);
    if (this.#barren < threadsMax) {
      this.#move();
      return;
    }
    this.#over = true;
    this.#drained?.();
    this.#options.onNews(
      `Notifier "${this.#options.notifier.name}" is given up after ${threadsMax} failures in a row: nothing reaches it any more`,
    );
  }

  #fail(what: string): void {
    if (this.#failing || this.#over) return;
    this.#failing = true;
    this.#options.onNews(`Notifier "${this.#options.notifier.name}" ${what}`);
  }
}

function protocolFor(
  notifier: NotifierFile,
  { carryMsMax }: NotifierLimits,
): RpcProtocol<undefined, Notice, Delivered, NotifierEnd> {
  const setup: NotifierSetup = { ...notifier, abortMs: carryMsMax };
  return {
    program: 'notifier-entry',
    setup,
    readReady: () => ({ kind: 'ok', ready: undefined }),
    readAnswer: readDelivered,
    request: (notice) => ({
      message: packPlain(notice),
      msMax: carryMsMax * SLACK,
      timeoutMessage: `did not carry a notice within ${carryMsMax} ms`,
    }),
    isFailure: (answer) => answer.kind === 'over',
    failure: (what) => ({ kind: 'over', what: lineOf(what, TEXT_CHARS_MAX) }),
  };
}
