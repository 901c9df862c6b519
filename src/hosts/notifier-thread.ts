import { printable } from '../model/printable.ts';
import { millis } from '../model/time.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { Notice, NotifierFile, NotifierThreadSetup } from './notifier-setup.ts';
import { packPlain } from './question-codec.ts';
import { StrategyThread } from './strategy-thread.ts';

/** What a notifier is bound by. */
export interface NotifierLimits {
  /** Longest until the thread has loaded the notifier, machine milliseconds. */
  readonly startMsMax: number;
  /** Longest that carrying one notice may take, machine milliseconds. */
  readonly carryMsMax: number;
  /** Most notices that wait; the oldest goes first. */
  readonly waitingMax: number;
  /** Threads in a row that may end without having carried anything, before nobody starts another. */
  readonly threadsMax: number;
}

/** The limits that hold unless somebody says otherwise. */
export const NOTIFIER_LIMITS: NotifierLimits = {
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
  /** Hears when it begins to fail, when it carries again, and when it is given up: once each. */
  readonly onNews: (message: string) => void;
  readonly limits?: Partial<NotifierLimits>;
}

/** A notifier in a thread of its own. */
export interface NotifierHost {
  /** Takes a notice on its way; never throws and never waits. */
  carry(notice: Notice): void;
  /** Waits until what it took is carried, or for one deadline at most, then ends the thread. */
  close(): Promise<void>;
}

/** Runs a notifier where whatever it does costs only itself. The thread is started with the first notice. */
export function createNotifierHost(options: NotifierOptions): NotifierHost {
  return new ThreadedNotifier(options);
}

/** How much longer than its time a notifier has to hear that it is up. */
const SLACK = 1.2;
const TEXT_CHARS_MAX = 500;

class ThreadedNotifier implements NotifierHost {
  readonly #options: NotifierOptions;
  readonly #limits: NotifierLimits;
  readonly #waiting: Notice[] = [];
  #thread: StrategyThread | undefined;
  #ready = false;
  #away = false;
  #number = 0;
  #barren = 0;
  #failing = false;
  #over = false;
  #unwatch: Cancel = () => undefined;
  #drained: (() => void) | undefined;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#limits = { ...NOTIFIER_LIMITS, ...options.limits };
  }

  carry(notice: Notice): void {
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
    if (this.#away || this.#waiting.length > 0) {
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
    this.#unwatch();
    await this.#thread?.end();
  }

  #move(): void {
    if (this.#over) return;
    if (this.#waiting.length === 0) {
      if (!this.#away) this.#drained?.();
      return;
    }
    if (this.#thread === undefined) this.#start();
    else if (this.#ready && !this.#away) this.#send(this.#thread);
  }

  #start(): void {
    const { notifier } = this.#options;
    const { carryMsMax } = this.#limits;
    const setup: Omit<NotifierThreadSetup, 'port'> = { ...notifier, abortMs: carryMsMax };
    const thread: StrategyThread = new StrategyThread(
      setup,
      {
        onMessage: (value) => {
          if (this.#thread === thread) this.#hear(value);
        },
        onOutput: () => undefined,
        onDeath: (what) => {
          if (this.#thread === thread) this.#die(what);
        },
      },
      'notifier-entry',
    );
    this.#thread = thread;
    this.#watch('was not loaded', this.#limits.startMsMax);
  }

  #send(thread: StrategyThread): void {
    const notice = this.#waiting.shift();
    this.#number += 1;
    this.#away = true;
    const { clock } = this.#options;
    const { carryMsMax } = this.#limits;
    this.#watch('did not carry a notice', carryMsMax, SLACK);
    const die = this.#unwatch;
    const abort = clock.at(millis(clock.now() + carryMsMax), 'timer', () => thread.send('time is up'));
    this.#unwatch = () => {
      die();
      abort();
    };
    thread.send({ number: this.#number, notice: packPlain(notice) });
  }

  #watch(late: string, msMax: number, slack = 1): void {
    const { clock } = this.#options;
    this.#unwatch();
    const due = millis(clock.now() + msMax * slack);
    this.#unwatch = clock.at(due, 'timer', () => this.#die(`${late} within ${msMax} ms`));
  }

  #hear(value: unknown): void {
    const said =
      typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
    const isAnswer = this.#away && said['number'] === this.#number;
    if (said['kind'] === 'ready' && !this.#ready) {
      this.#ready = true;
      this.#unwatch();
    } else if (said['kind'] === 'carried' && isAnswer) this.#carried();
    else if (said['kind'] === 'failed' && isAnswer) {
      this.#settle();
      this.#barren = 0;
      this.#fail(`failed: ${textOf(said['what'])}`);
    } else this.#die(said['kind'] === 'over' ? textOf(said['what']) : 'sent something that nobody asked for');
    this.#move();
  }

  #carried(): void {
    this.#settle();
    this.#barren = 0;
    if (!this.#failing) return;
    this.#failing = false;
    this.#options.onNews(`Notifier "${this.#options.notifier.name}" carries notices again`);
  }

  #settle(): void {
    this.#away = false;
    this.#unwatch();
  }

  /** Ends the thread; what it had away is lost, what waits gets another thread, unless that was the last. */
  #die(what: string): void {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#ready = false;
    this.#settle();
    void thread?.end();
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? printable(value, TEXT_CHARS_MAX) : '';
}
