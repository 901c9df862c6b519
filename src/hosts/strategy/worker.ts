import type { Bar } from '../../model/bar.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Isolation } from '../../plugins/isolation.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  BarReading,
  GraphReading,
  SeriesReading,
  SignalEvaluator,
  SignalReadings,
  StrategyAnswer,
  StrategyFailure,
  StrategyHost,
  StrategyRequest,
} from '../../ports/strategy-host.ts';
import { fromCallback, ImmediateRequest, type Request } from '../../ports/task.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import type { PluginOutput } from '../plugin-runner.ts';
import { type RpcProtocol, type RpcWorker, startRpcWorker, WorkerStartError } from '../workers/rpc-worker.ts';
import type { WorkerRequest } from '../workers/supervised-worker.ts';
import { WORKER_LIMITS, type WorkerLimits } from '../workers/worker-limits.ts';
import { DRAFTS_MAX } from './in-process.ts';
import { packRequest } from './request-codec.ts';
import type { SignalSetup } from './signal-runs.ts';
import {
  type PackedStrategyWorkerRequest,
  readStrategyAnswer,
  readStrategyReady,
  type StrategyReady,
  type StrategyWorkerRequest,
  type ThreadAnswer,
  type ThreadSetup,
} from './worker-messages.ts';

export interface WorkerHostOptions {
  /** Absolute path of the strategy's file. */
  readonly file: string;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
  /** Input of its signal graph; absent if the graph is not used. */
  readonly signals?: SignalSetup;
  /** Machine time, for deadlines. */
  readonly clock: Clock;
  /** Market time that the plugin's `Date` shows until the first request. */
  readonly startsAt: Millis;
  /** Seed of the plugin's `Math.random`, a whole number. */
  readonly seed: number;
  readonly limits?: Partial<WorkerLimits>;
  /** Absent: in a separate process. */
  readonly isolation?: Isolation | undefined;
  /** Receives what the plugin writes to its console. */
  readonly onOutput?: (output: PluginOutput) => void;
}

/** A strategy in a worker. */
export interface WorkerHost extends StrategyHost {
  readonly facts: StrategyFacts;
  /** Its signal graph, which runs in the same worker; a fault in it is a fault of the strategy. */
  readonly signals: SignalEvaluator;
  state(): 'running' | 'quarantined' | 'closed';
  /** Ends the worker. Unanswered requests are answered `failed`. */
  close(): Promise<void>;
}

type StrategyProtocol = RpcProtocol<StrategyReady, StrategyWorkerRequest, ThreadAnswer, StrategyFailure>;

/** Number of bars for which the time limit is one further answer. */
const BARS_PER_ANSWER = 100;

/**
 * Runs a strategy in a worker. It receives one request at a time, each with a time limit; the first fault ends the
 * worker, and every further answer is `failed`. Rejects with WorkerStartError if the file does not load in time or
 * exports no strategy. The caller closes it.
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
    readReady: readStrategyReady,
    readAnswer: (value, request) => readStrategyAnswer(value, request, DRAFTS_MAX),
    request: (request) => toMessage(request, answerMsMax),
    isFailure: (answer) => answer.kind === 'failed',
    failure: (what, stack, { facts }) => ({
      kind: 'failed',
      message: `Strategy "${facts.name}" ${what}`,
      stack,
    }),
    afterFailure: (failure) => ({ ...failure, message: `Quarantined: ${failure.message}` }),
  };
}

/** Factor of the time limit for requests of the dashboard, on which no trade depends. */
const DISPLAY_TIMEOUT_FACTOR = 10;

function toMessage(
  request: StrategyWorkerRequest,
  answerMsMax: number,
): WorkerRequest & { readonly message: PackedStrategyWorkerRequest } {
  const limit = (what: string, msMax: number) => ({
    msMax,
    timeoutMessage: `gave no ${what} within ${msMax} ms`,
  });
  switch (request.kind) {
    case 'event': {
      const message = { kind: request.kind, request: packRequest(request.request) };
      return { message, ...limit(`answer to "${request.request.event.kind}"`, answerMsMax) };
    }
    case 'nodes':
    case 'series':
      return { message: request, ...limit(request.kind, answerMsMax * DISPLAY_TIMEOUT_FACTOR) };
    case 'bars': {
      const { length } = request.bars;
      const what = length === 1 ? 'signals of a bar' : `signals of ${length} bars`;
      return {
        message: request,
        ...limit(what, answerMsMax * (1 + Math.floor(length / BARS_PER_ANSWER))),
      };
    }
    default:
      return unreachable(request);
  }
}

type Thread = RpcWorker<StrategyReady, StrategyWorkerRequest, ThreadAnswer, StrategyFailure>;

class ThreadedHost implements WorkerHost {
  readonly facts: StrategyFacts;
  readonly signals: SignalEvaluator;
  readonly declaredState: StrategyHost['declaredState'];
  readonly #names: readonly string[];
  readonly #thread: Thread;
  #isClosed = false;

  constructor({ facts, graph, state }: StrategyReady, thread: Thread) {
    this.facts = facts;
    this.declaredState = state;
    this.signals = {
      warmup: graph.warmup,
      evaluate: (bars) => this.#evaluate(bars),
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

  call(request: StrategyRequest): Request<StrategyAnswer> {
    return this.#send({ kind: 'event', request }, (answer) =>
      answer.kind === 'drafts' || answer.kind === 'failed' ? answer : UNEXPECTED_ANSWER,
    );
  }

  #evaluate(bars: readonly Bar[]): Request<SignalReadings | StrategyFailure> {
    if (this.#names.length === 0)
      return new ImmediateRequest(() => ({ kind: 'readings', readings: bars.map(() => NO_SIGNALS) }));
    return this.#send({ kind: 'bars', bars }, (answer) =>
      answer.kind === 'readings' || answer.kind === 'failed' ? answer : UNEXPECTED_ANSWER,
    );
  }

  /** Reads the graph only while the worker is idle, so that it does not delay the strategy. */
  #nodes(): Request<GraphReading | undefined> {
    if (this.#names.length === 0) return new ImmediateRequest(() => ({ kind: 'nodes', symbols: [] }));
    if (!this.#thread.isIdle) return new ImmediateRequest(() => undefined);
    return this.#send({ kind: 'nodes' }, (answer) => (answer.kind === 'nodes' ? answer : undefined));
  }

  #series(symbol: SecuritySymbol): Request<SeriesReading | undefined> {
    if (this.#names.length === 0)
      return new ImmediateRequest(() => ({ kind: 'series', times: [], series: [] }));
    if (!this.#thread.isIdle) return new ImmediateRequest(() => undefined);
    return this.#send({ kind: 'series', symbol }, (answer) =>
      answer.kind === 'series' ? answer : undefined,
    );
  }

  #send<T>(request: StrategyWorkerRequest, pick: (answer: ThreadAnswer) => T): Request<T> {
    return fromCallback((answer) => this.#thread.request(request, (message) => answer(pick(message))));
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#thread.close();
  }
}

const NO_SIGNALS: BarReading = { isWarmedUp: true, signals: [] };

/** Unreachable, because an invalid answer is a fault earlier. */
const UNEXPECTED_ANSWER: StrategyFailure = {
  kind: 'failed',
  message: 'The answer does not fit its question',
  stack: '',
};
