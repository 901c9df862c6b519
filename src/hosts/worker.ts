import { defer, map, type Observable, ReplaySubject } from 'rxjs';
import type { Bar } from '../model/bar.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import { atOnce } from '../ports/steps.ts';
import type {
  SignalDrive,
  SignalReadings,
  StrategyAnswer,
  StrategyFailure,
  StrategyHost,
  StrategyQuestion,
} from '../ports/strategy-host.ts';
import type { ParamDeclarations, ParamValues } from '../strategy/params.ts';
import type { StrategyFacts } from '../strategy/strategy-facts.ts';
import { DRAFTS_MAX } from './in-process.ts';
import { packQuestion } from './question-codec.ts';
import { QuestionLine } from './question-line.ts';
import type { SignalSetup } from './signal-runs.ts';
import { type PluginOutput, StrategyThread } from './strategy-thread.ts';
import { NO_GRAPH, type ToldGraph } from './told-graph.ts';
import { watch } from './watch.ts';
import { fits, ODD_ANSWER, quietReadings } from './worker-answers.ts';
import { WORKER_LIMITS, type WorkerLimits } from './worker-limits.ts';
import {
  readThreadMessage,
  type StartFault,
  type ThreadAnswer,
  type ThreadMessage,
  type ThreadQuestion,
} from './worker-messages.ts';
import { type StartFailure, WorkerStartError } from './worker-start-error.ts';

/** How often a thread that works is looked at, machine milliseconds. */
const LOOK_EVERY_MS = 25;

/** A strategy's file, and what its host needs of the world. */
export interface WorkerHostOptions {
  /** Absolute path of the strategy's file. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
  /** What its signal graph is built on; absent: nobody will ask what it says. */
  readonly signals?: SignalSetup;
  /** Machine time, for deadlines. */
  readonly clock: Clock;
  /** Market time that the plugin's `Date` shows until the first question. */
  readonly startsAt: Millis;
  /** Whole number that the plugin's `Math.random` follows from. */
  readonly seed: number;
  readonly limits?: Partial<WorkerLimits>;
  /** Hears what the plugin writes to its console. */
  readonly onOutput?: (output: PluginOutput) => void;
}

/** Why a strategy is asked nothing more. */
export interface Quarantine {
  readonly message: string;
  readonly stack: string;
}

/** A strategy in a thread of its own, and its end. */
export interface WorkerHost extends StrategyHost {
  /** What the strategy says of itself. */
  readonly facts: StrategyFacts;
  /** Its signal graph, which runs in the same thread; what goes wrong in it is a fault of the strategy like any other. */
  readonly signals: SignalDrive;
  /** Emits once when the strategy is quarantined, also to whoever comes later; completes when the host is closed. */
  readonly quarantined$: Observable<Quarantine>;
  state(): 'running' | 'quarantined' | 'closed';
  /** Ends the thread. What was not answered yet is answered `failed`. */
  close(): Promise<void>;
}

/** Bars that a thread may take as long for as for one question. */
const BARS_PER_ANSWER = 100;

/**
 * Runs a strategy in a worker thread, where what it does wrong costs only itself: it is asked one question at a time, each
 * with a deadline, and at the first fault its thread is ended and every further answer is `failed` at once. Rejects with
 * WorkerStartError when the file does not load in time or exports no strategy. Whoever creates a host closes it.
 */
export function createWorkerHost(options: WorkerHostOptions): Promise<WorkerHost> {
  return new Promise((resolve, reject) => new ThreadedHost(options, resolve, reject));
}

type Failed = StrategyFailure;

class ThreadedHost implements WorkerHost {
  readonly quarantined$: Observable<Quarantine>;
  readonly #options: WorkerHostOptions;
  readonly #limits: WorkerLimits;
  readonly #thread: StrategyThread;
  readonly #line = new QuestionLine<ThreadQuestion, ThreadAnswer>((question) => this.#send(question));
  readonly #quarantine = new ReplaySubject<Quarantine>(1);
  readonly #resolve: (host: WorkerHost) => void;
  readonly #reject: (error: Error) => void;
  #facts: StrategyFacts = { name: '', params: {}, listensTo: new Set() };
  #graph: ToldGraph = NO_GRAPH;
  #remembers: StrategyHost['remembers'];
  #state: 'starting' | 'running' | 'quarantined' | 'closed' = 'starting';
  /** Number of the newest question; answers carry it. */
  #number = 0;
  /** Characters that the plugin wrote to its console since the newest question. */
  #written = 0;
  #unwatch: Cancel;

  constructor(
    options: WorkerHostOptions,
    resolve: (host: WorkerHost) => void,
    reject: (error: Error) => void,
  ) {
    const { file, params, symbols, startsAt, seed, signals } = options;
    this.#options = options;
    this.#limits = { ...WORKER_LIMITS, ...options.limits };
    this.#resolve = resolve;
    this.#reject = reject;
    this.quarantined$ = this.#quarantine.asObservable();
    const { heldBytesMax, startMsMax } = this.#limits;
    this.#unwatch = this.#watch(startMsMax, `was not loaded within ${startMsMax} ms`);
    this.#thread = new StrategyThread(
      {
        ...{ file, params, symbols, startsAt, seed, heldBytesMax, draftsMax: DRAFTS_MAX },
        ...(signals === undefined ? {} : { signals }),
      },
      {
        onMessage: (value) => this.#hear(readThreadMessage(value, DRAFTS_MAX)),
        onOutput: (output) => this.#hearOutput(output),
        onDeath: (what, stack) => this.#fault(what, stack),
      },
    );
  }

  get listensTo(): StrategyHost['listensTo'] {
    return this.#facts.listensTo;
  }

  get facts(): StrategyFacts {
    return this.#facts;
  }

  get signals(): SignalDrive {
    return { warmup: this.#graph.warmup, take: (bars) => this.#take(bars), values: () => ({}) };
  }

  get remembers(): StrategyHost['remembers'] {
    return this.#remembers;
  }

  state(): 'running' | 'quarantined' | 'closed' {
    return this.#state === 'starting' ? 'running' : this.#state;
  }

  ask(question: StrategyQuestion): Observable<StrategyAnswer> {
    return this.#inLine({ kind: 'event', question }).pipe(
      map((answer) => (answer.kind === 'readings' ? ODD_ANSWER : answer)),
    );
  }

  #take(bars: readonly Bar[]): Observable<SignalReadings | StrategyFailure> {
    if (this.#graph.names.length === 0) return atOnce(() => quietReadings(bars));
    return this.#inLine({ kind: 'bars', bars }).pipe(
      map((answer) => (answer.kind === 'drafts' ? ODD_ANSWER : answer)),
    );
  }

  #inLine(question: ThreadQuestion): Observable<ThreadAnswer> {
    return defer(() => {
      const { questionsMax } = this.#limits;
      if (this.#line.length >= questionsMax) this.#fault(`left ${questionsMax} questions unanswered`);
      return this.#line.ask(question);
    });
  }

  async close(): Promise<void> {
    if (this.#state !== 'closed') {
      const over: Failed = {
        kind: 'failed',
        message: `Strategy "${this.#facts.name}" cannot be asked: its host is closed`,
        stack: '',
      };
      this.#state = 'closed';
      this.#unwatch();
      this.#quarantine.complete();
      this.#line.end(over, over);
    }
    await this.#thread.end();
  }

  #send(asked: ThreadQuestion): void {
    const { answerMsMax } = this.#limits;
    this.#number += 1;
    this.#written = 0;
    const number = this.#number;
    if (asked.kind === 'event') {
      const late = `gave no answer to "${asked.question.event.kind}" within ${answerMsMax} ms`;
      this.#unwatch = this.#watch(answerMsMax, late);
      this.#thread.send({ number, kind: 'event', question: packQuestion(asked.question) });
    } else {
      const { bars } = asked;
      const msMax = answerMsMax * (1 + Math.floor(bars.length / BARS_PER_ANSWER));
      const count = bars.length === 1 ? 'a bar' : `${bars.length} bars`;
      this.#unwatch = this.#watch(msMax, `gave no signals of ${count} within ${msMax} ms`);
      this.#thread.send({ number, kind: 'bars', bars });
    }
  }

  #hear(message: ThreadMessage | undefined): void {
    if (message?.kind === 'ready' && this.#state === 'starting') this.#begin(message);
    else if (message?.kind === 'over') this.#fault(message.what, message.stack, message.code);
    else if (
      message?.kind === 'answer' &&
      message.number === this.#number &&
      fits(this.#line.asked, message.answer)
    )
      this.#hearAnswer(message.answer);
    else this.#fault('sent something that nobody asked for');
  }

  #begin({ facts, graph, state }: Extract<ThreadMessage, { kind: 'ready' }>): void {
    this.#unwatch();
    this.#remembers = state;
    this.#facts = facts;
    this.#graph = graph;
    this.#state = 'running';
    this.#resolve(this);
  }

  #hearAnswer(answer: ThreadAnswer): void {
    this.#unwatch();
    if (answer.kind === 'failed') this.#quarantineFor(answer);
    else this.#line.answer(answer);
  }

  #hearOutput(output: PluginOutput): void {
    const { outputCharsMax } = this.#limits;
    this.#written += output.text.length;
    if (this.#written > outputCharsMax)
      this.#fault(`wrote more than ${outputCharsMax} characters to its console at one event`);
    else this.#options.onOutput?.(output);
  }

  /** Waits for the start or for the answer to the newest question. */
  #watch(msMax: number, late: string): Cancel {
    return watch({
      clock: this.#options.clock,
      msMax,
      everyMs: LOOK_EVERY_MS,
      onLook: () => void this.#weigh(this.#number),
      onLate: () => {
        const awaited = this.#number;
        // Our own thread may have been the slow one, and what it waits for may lie here already.
        this.#thread.readWhatCame();
        if (this.#awaits(awaited)) this.#fault(late);
      },
    });
  }

  /** Whether the thread still works on the question of this number, or on its start (0). */
  #awaits(number: number): boolean {
    if (this.#state === 'starting') return number === 0;
    return this.#line.away && this.#number === number;
  }

  async #weigh(number: number): Promise<void> {
    const bytes = await this.#thread.bytesInUse();
    const { workingBytesMax } = this.#limits;
    if (bytes === undefined || bytes <= workingBytesMax || !this.#awaits(number)) return;
    const when = this.#state === 'starting' ? 'while it was loaded' : 'at one event';
    this.#fault(`used more than ${Math.round(workingBytesMax / 2 ** 20)} MB of memory ${when}`);
  }

  #fault(what: string, stack = '', fault: StartFault = 'import-failed'): void {
    if (this.#state === 'starting') this.#giveUp({ what, stack, fault });
    else this.#quarantineFor({ kind: 'failed', message: `Strategy "${this.#facts.name}" ${what}`, stack });
  }

  #giveUp(failure: StartFailure): void {
    this.#state = 'closed';
    this.#unwatch();
    const { file } = this.#options;
    const error = new WorkerStartError(`Cannot start the strategy in "${file}": it ${failure.what}`, failure);
    const reject = (): void => this.#reject(error);
    void this.#thread.end().then(reject, reject);
  }

  /** Ends the thread; the question that is away hears of the fault itself, all others of the quarantine. */
  #quarantineFor(fault: Failed): void {
    if (this.#state !== 'running') return;
    const { message, stack } = fault;
    this.#state = 'quarantined';
    this.#unwatch();
    void this.#thread.end();
    this.#quarantine.next({ message, stack });
    this.#line.end(fault, { kind: 'failed', message: `Quarantined: ${message}`, stack });
  }
}
