import type { Bar } from '../../model/bar.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { Isolation } from '../../plugins/isolation.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  GraphReading,
  SeriesReading,
  SignalDrive,
  SignalReadings,
  StrategyAnswer,
  StrategyFailure,
  StrategyHost,
  StrategyQuestion,
} from '../../ports/strategy-host.ts';
import { type Question, Ready, sentBy } from '../../ports/task.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import type { PluginOutput } from '../plugin-runner.ts';
import type { GraphSummary } from '../plugins/graph-summary.ts';
import { type RpcProtocol, type RpcWorker, startRpcWorker } from '../workers/rpc-worker.ts';
import { WORKER_LIMITS, type WorkerLimits } from '../workers/worker-limits.ts';
import { DRAFTS_MAX } from './in-process.ts';
import { packQuestion } from './question-codec.ts';
import type { SignalSetup } from './signal-runs.ts';
import { fits, ODD_ANSWER, quietReadings } from './worker-answers.ts';
import {
  readStrategyMessage,
  type StrategyReady,
  type ThreadAnswer,
  type ThreadQuestion,
  type ThreadSetup,
} from './worker-messages.ts';
import { WorkerStartError } from './worker-start-error.ts';

/** A strategy's file, and what its host needs of the world. */
export interface WorkerHostOptions {
  /** Absolute path of the strategy's file. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
  /** The input of its signal graph; absent: the graph is not used. */
  readonly signals?: SignalSetup;
  /** Machine time, for deadlines. */
  readonly clock: Clock;
  /** Market time that the plugin's `Date` shows until the first question. */
  readonly startsAt: Millis;
  /** Whole number that the plugin's `Math.random` follows from. */
  readonly seed: number;
  readonly limits?: Partial<WorkerLimits>;
  /** Where it runs; in a separate process when absent. */
  readonly isolation?: Isolation | undefined;
  /** Receives what the plugin writes to its console. */
  readonly onOutput?: (output: PluginOutput) => void;
}

/** A strategy in a worker thread, and its end. */
export interface WorkerHost extends StrategyHost {
  /** The metadata of the strategy. */
  readonly facts: StrategyFacts;
  /** Its signal graph, which runs in the same thread; what goes wrong in it is a fault of the strategy like any other. */
  readonly signals: SignalDrive;
  state(): 'running' | 'quarantined' | 'closed';
  /** Ends the thread. What was not answered yet is answered `failed`. */
  close(): Promise<void>;
}

type StrategyProtocol = RpcProtocol<StrategyReady, ThreadQuestion, ThreadAnswer, StrategyFailure>;

/** Bars that a thread may take as long for as for one question. */
const BARS_PER_ANSWER = 100;

/**
 * Runs a strategy in a worker thread, which isolates its faults: it gets one question at a time, each
 * with a deadline, and at the first fault its thread is ended and every further answer is `failed` at once. Rejects with
 * WorkerStartError when the file does not load in time or exports no strategy. The creator closes it.
 */
export async function createWorkerHost(options: WorkerHostOptions): Promise<WorkerHost> {
  const { file, clock, onOutput, isolation } = options;
  const limits: WorkerLimits = { ...WORKER_LIMITS, ...options.limits };
  const started = await startRpcWorker(protocolFor(options, limits), { clock, limits, onOutput, isolation });
  if (started.kind === 'ready') return new ThreadedHost(started.ready, started.thread);
  throw new WorkerStartError(`Cannot start the strategy in "${file}": it ${started.what}`, started.stack);
}

function protocolFor(
  { file, params, symbols, startsAt, seed, signals }: WorkerHostOptions,
  { heldBytesMax, answerMsMax }: WorkerLimits,
): StrategyProtocol {
  const setup: ThreadSetup = {
    file,
    params,
    symbols,
    startsAt,
    seed,
    heldBytesMax,
    draftsMax: DRAFTS_MAX,
    ...omitUndefined({ signals }),
  };
  return {
    program: 'worker-entry',
    setup,
    read: (value) => readStrategyMessage(value, DRAFTS_MAX),
    request: (threadQuestion) => toRequest(threadQuestion, answerMsMax),
    fits,
    isFailure: (answer) => answer.kind === 'failed',
    failure: (what, stack, { facts }) => ({
      kind: 'failed',
      message: `Strategy "${facts.name}" ${what}`,
      stack,
    }),
    afterFailure: (failure) => ({ ...failure, message: `Quarantined: ${failure.message}` }),
  };
}

/** No trade waits for an answer to a page, so a process that is paused for a moment is not a fault of the strategy. */
const LOOK_PATIENCE = 10;

function toRequest(
  threadQuestion: ThreadQuestion,
  answerMsMax: number,
): ReturnType<StrategyProtocol['request']> {
  if (threadQuestion.kind === 'event') {
    const { question } = threadQuestion;
    const timeoutMessage = `gave no answer to "${question.event.kind}" within ${answerMsMax} ms`;
    return {
      message: { kind: 'event', question: packQuestion(question) },
      msMax: answerMsMax,
      timeoutMessage,
    };
  }
  if (threadQuestion.kind === 'nodes' || threadQuestion.kind === 'series') {
    const msMax = answerMsMax * LOOK_PATIENCE;
    return {
      message: threadQuestion,
      msMax,
      timeoutMessage: `gave no ${threadQuestion.kind} within ${msMax} ms`,
    };
  }
  const { bars } = threadQuestion;
  const msMax = answerMsMax * (1 + Math.floor(bars.length / BARS_PER_ANSWER));
  const count = bars.length === 1 ? 'a bar' : `${bars.length} bars`;
  return { message: threadQuestion, msMax, timeoutMessage: `gave no signals of ${count} within ${msMax} ms` };
}

type Thread = RpcWorker<StrategyReady, ThreadQuestion, ThreadAnswer, StrategyFailure>;

class ThreadedHost implements WorkerHost {
  readonly facts: StrategyFacts;
  readonly signals: SignalDrive;
  readonly remembers: StrategyHost['remembers'];
  readonly #names: GraphSummary['names'];
  readonly #thread: Thread;
  #isClosed = false;

  constructor({ facts, graph, state }: StrategyReady, thread: Thread) {
    this.facts = facts;
    this.remembers = state;
    this.signals = {
      warmup: graph.warmup,
      take: (bars) => this.#take(bars),
      values: () => ({}),
      nodes: () => this.#nodes(),
      series: (symbol) => this.#series(symbol),
    };
    this.#names = graph.names;
    this.#thread = thread;
  }

  get listensTo(): StrategyHost['listensTo'] {
    return this.facts.listensTo;
  }

  state(): 'running' | 'quarantined' | 'closed' {
    if (this.#isClosed) return 'closed';
    return this.#thread.isRunning ? 'running' : 'quarantined';
  }

  ask(question: StrategyQuestion): Question<StrategyAnswer> {
    return sentBy((answer) =>
      this.#thread.ask({ kind: 'event', question }, (message) =>
        answer(message.kind === 'drafts' || message.kind === 'failed' ? message : ODD_ANSWER),
      ),
    );
  }

  #take(bars: readonly Bar[]): Question<SignalReadings | StrategyFailure> {
    if (this.#names.length === 0) return new Ready(() => quietReadings(bars));
    return sentBy((answer) =>
      this.#thread.ask({ kind: 'bars', bars }, (message) =>
        answer(message.kind === 'readings' || message.kind === 'failed' ? message : ODD_ANSWER),
      ),
    );
  }

  /** Reading the graph never delays the strategy: the thread gets the question only while it has no other. */
  #nodes(): Question<GraphReading | undefined> {
    if (this.#names.length === 0) return new Ready(() => ({ kind: 'nodes', symbols: [] }));
    if (!this.#thread.isIdle) return new Ready(() => undefined);
    return sentBy((answer) =>
      this.#thread.ask({ kind: 'nodes' }, (message) =>
        answer(message.kind === 'nodes' ? message : undefined),
      ),
    );
  }

  #series(symbol: SecuritySymbol): Question<SeriesReading | undefined> {
    if (this.#names.length === 0) return new Ready(() => ({ kind: 'series', times: [], series: [] }));
    if (!this.#thread.isIdle) return new Ready(() => undefined);
    return sentBy((answer) =>
      this.#thread.ask({ kind: 'series', symbol }, (message) =>
        answer(message.kind === 'series' ? message : undefined),
      ),
    );
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#thread.close();
  }
}
