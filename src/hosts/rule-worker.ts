import { Observable, type Subscriber } from 'rxjs';
import { printable } from '../model/printable.ts';
import type { Millis } from '../model/time.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { RuleHost } from '../ports/rule-host.ts';
import type { RuleAnswer, RuleQuestion } from '../risk/own-rules.ts';
import { packPlain } from './question-codec.ts';
import type { RuleFile, RuleThreadSetup } from './rule-setup.ts';
import { type PluginOutput, StrategyThread } from './strategy-thread.ts';
import { watch } from './watch.ts';
import { WORKER_LIMITS, type WorkerLimits } from './worker-limits.ts';
import { WorkerStartError } from './worker-start-error.ts';

/** Files of risk rules, and what their host needs of the world. */
export interface RuleWorkerOptions {
  readonly rules: readonly RuleFile[];
  /** Machine time, for deadlines. */
  readonly clock: Clock;
  /** Market time that the rules' `Date` shows until the first question. */
  readonly startsAt: Millis;
  readonly seed: number;
  readonly limits?: Partial<WorkerLimits>;
  /** Hears once that a rule failed, and that nothing opens from then on. */
  readonly onFailure?: (message: string) => void;
  /** Hears what the rules write to their console. */
  readonly onOutput?: (output: PluginOutput) => void;
}

/** Rules in a thread of their own, and its end. */
export interface RuleWorker extends RuleHost {
  close(): Promise<void>;
}

type Failed = Extract<RuleAnswer, { kind: 'failed' }>;

/** How often a thread that works is looked at, machine milliseconds. */
const LOOK_EVERY_MS = 25;
const TEXT_CHARS_MAX = 2_500;

/**
 * Runs the risk rules of one bot in a worker thread, where a rule that loops or leaks holds up neither the gate nor a kill:
 * each question has a deadline, and at the first fault the thread is ended and every further answer is that failure, so
 * that nothing opens. Rejects with WorkerStartError when a rule does not load. Whoever creates it closes it.
 */
export function createRuleWorker(options: RuleWorkerOptions): Promise<RuleWorker> {
  return new Promise((resolve, reject) => new ThreadedRules(options, resolve, reject));
}

interface Asked {
  readonly hear: Subscriber<RuleAnswer>;
  readonly unwatch: Cancel;
}

class ThreadedRules implements RuleWorker {
  readonly #options: RuleWorkerOptions;
  readonly #limits: WorkerLimits;
  readonly #thread: StrategyThread;
  readonly #asked = new Map<number, Asked>();
  readonly #resolve: (rules: RuleWorker) => void;
  readonly #reject: (error: Error) => void;
  #state: 'starting' | 'running' | 'over' = 'starting';
  #failed: Failed | undefined;
  #closing = false;
  #number = 0;
  #written = 0;
  #unwatchStart: Cancel;

  constructor(
    options: RuleWorkerOptions,
    resolve: (rules: RuleWorker) => void,
    reject: (error: Error) => void,
  ) {
    const { rules, startsAt, seed } = options;
    this.#options = options;
    this.#limits = { ...WORKER_LIMITS, ...options.limits };
    this.#resolve = resolve;
    this.#reject = reject;
    const { heldBytesMax, startMsMax } = this.#limits;
    this.#unwatchStart = this.#watch(startMsMax, () => {
      if (this.#state === 'starting') this.#fault(`were not loaded within ${startMsMax} ms`);
    });
    const setup: Omit<RuleThreadSetup, 'port'> = { rules, startsAt, seed, heldBytesMax };
    this.#thread = new StrategyThread(
      setup,
      {
        onMessage: (value) => this.#hear(value),
        onOutput: (output) => this.#hearOutput(output),
        onDeath: (what) => this.#fault(what),
      },
      'rule-entry',
    );
  }

  ask(question: RuleQuestion): Observable<RuleAnswer> {
    return new Observable((hear) => {
      if (this.#asked.size >= this.#limits.questionsMax)
        this.#fault(`left ${this.#asked.size} questions unanswered`);
      if (this.#failed !== undefined) {
        hear.next(this.#failed);
        hear.complete();
        return undefined;
      }
      this.#send(question, hear);
      return undefined;
    });
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#end('cannot be asked: their host is closed');
    await this.#thread.end();
  }

  #send(question: RuleQuestion, hear: Subscriber<RuleAnswer>): void {
    const { answerMsMax } = this.#limits;
    this.#number += 1;
    const number = this.#number;
    this.#written = 0;
    const unwatch = this.#watch(answerMsMax, () => {
      // Our own thread may have been the slow one, and what it waits for may lie here already.
      this.#thread.readWhatCame();
      if (this.#asked.has(number)) this.#fault(`gave no answer within ${answerMsMax} ms`);
    });
    this.#asked.set(number, { hear, unwatch });
    this.#thread.send({ number, question: packPlain(question) });
  }

  #watch(msMax: number, onLate: () => void): Cancel {
    return watch({
      clock: this.#options.clock,
      ...{ msMax, everyMs: LOOK_EVERY_MS, onLate },
      onLook: () => void this.#weigh(),
    });
  }

  async #weigh(): Promise<void> {
    const bytes = await this.#thread.bytesInUse();
    const { workingBytesMax } = this.#limits;
    if (bytes === undefined || bytes <= workingBytesMax || this.#asked.size === 0) return;
    this.#fault(`used more than ${Math.round(workingBytesMax / 2 ** 20)} MB of memory at one question`);
  }

  #hear(value: unknown): void {
    const said = fieldsOf(value);
    const number = Number(said['number']);
    const asked = said['kind'] === 'answer' ? this.#asked.get(number) : undefined;
    const answer = asked === undefined ? undefined : readAnswer(said['answer']);
    if (said['kind'] === 'ready' && this.#state === 'starting') this.#begin();
    else if (said['kind'] === 'over') this.#fault(textOf(said['what']));
    else if (asked === undefined || answer === undefined) this.#fault('sent something that nobody asked for');
    else if (answer.kind === 'failed') this.#end(answer);
    else {
      this.#asked.delete(number);
      asked.unwatch();
      asked.hear.next(answer);
      asked.hear.complete();
    }
  }

  #begin(): void {
    this.#unwatchStart();
    this.#state = 'running';
    this.#resolve(this);
  }

  #hearOutput(output: PluginOutput): void {
    const { outputCharsMax } = this.#limits;
    this.#written += output.text.length;
    if (this.#written > outputCharsMax)
      this.#fault(`wrote more than ${outputCharsMax} characters to their console at one question`);
    else this.#options.onOutput?.(output);
  }

  #fault(what: string): void {
    if (this.#state !== 'starting') {
      this.#end(what);
      return;
    }
    this.#state = 'over';
    this.#unwatchStart();
    const reject = (): void => this.#reject(new WorkerStartError(`Cannot start the risk rules: ${what}`));
    void this.#thread.end().then(reject, reject);
  }

  /** Ends the thread; whoever waits, and whoever asks later, hears of the failure. */
  #end(fault: string | Failed): void {
    if (this.#state !== 'running') return;
    this.#state = 'over';
    const names = this.#options.rules.map(({ name }) => `"${name}"`).join(', ');
    const failed: Failed =
      typeof fault === 'string'
        ? {
            kind: 'failed',
            rule: this.#options.rules[0]?.name ?? '',
            message: `Risk rules (${names}) ${fault}`,
          }
        : fault;
    this.#failed = failed;
    void this.#thread.end();
    const waiting = [...this.#asked.values()];
    this.#asked.clear();
    for (const { unwatch } of waiting) unwatch();
    if (!this.#closing) this.#options.onFailure?.(failed.message);
    for (const { hear } of waiting) {
      hear.next(failed);
      hear.complete();
    }
  }
}

/** Reads what came out of a thread in which foreign code runs; undefined when it is no answer. */
function readAnswer(value: unknown): RuleAnswer | undefined {
  const said = fieldsOf(value);
  const rule = textOf(said['rule']);
  switch (said['kind']) {
    case 'pass':
      return { kind: 'pass' };
    case 'deny':
      return { kind: 'deny', rule, reason: textOf(said['reason']) };
    case 'failed':
      return { kind: 'failed', rule, message: textOf(said['message']) };
    default:
      return undefined;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? printable(value, TEXT_CHARS_MAX) : '';
}
