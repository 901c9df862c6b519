import { unreachable } from '../../model/unreachable.ts';
import { fieldsOf, textOf } from './read-fields.ts';
import { RequestQueue } from './request-queue.ts';
import {
  SupervisedWorker,
  type WorkerEnvironment,
  type WorkerRequest,
  type WorkerStart,
} from './supervised-worker.ts';
import { STACK_CHARS_MAX } from './thrown.ts';

/** A plugin could not be loaded in its worker. */
export class WorkerStartError extends Error {
  readonly code = 'strategy-not-started';
  override readonly name = 'WorkerStartError';

  /** `stack` is that of the author's exception; empty if there was none. */
  constructor(message: string, stack = '') {
    super(message, stack === '' ? {} : { cause: stack });
  }
}

/** A message from the program in a worker. */
type WorkerMessage =
  | { readonly kind: 'ready'; readonly ready: unknown }
  /** Loading failed, or an error happened outside of an answer; the worker ends. */
  | { readonly kind: 'over'; readonly what: string; readonly stack: string }
  | { readonly kind: 'answer'; readonly number: number; readonly answer: unknown };

/** The report of a program that is ready; `what` continues a sentence that starts with the plugin's name. */
export type ReadyReading<R> =
  | { readonly kind: 'ok'; readonly ready: R }
  | { readonly kind: 'odd'; readonly what: string };

/** Fault of a worker that sends an invalid message. */
export const ODD_MESSAGE = 'sent a message that no question asked for';

/**
 * The protocol of a worker: it reports once that it is ready (`R`), then answers (`A`) requests (`Q`). After a
 * failure (`F`) it receives no further request. Its messages are untrusted.
 */
export interface RpcProtocol<R, Q, A, F extends A> extends WorkerStart {
  readonly readReady: (value: unknown) => ReadyReading<R>;
  /** Undefined if the value is not a valid answer to the request. */
  readonly readAnswer: (value: unknown, request: Q) => A | undefined;
  /** A request as plain data, and the time limit of its answer. */
  readonly request: (request: Q) => WorkerRequest & { readonly message: unknown };
  readonly isFailure: (answer: A) => answer is F;
  /** Creates a failure; `what` continues a sentence that starts with the plugin's name. */
  readonly failure: (what: string, stack: string, ready: R) => F;
  /** The answer to every request after a failure; absent: the failure itself. */
  readonly afterFailure?: (failure: F) => A;
}

/** A worker that is ready, or why it is not; `what` continues a sentence that starts with the plugin's name. */
type StartResult<R, Q, A, F extends A> =
  | { readonly kind: 'ready'; readonly ready: R; readonly thread: RpcWorker<R, Q, A, F> }
  | { readonly kind: 'fault'; readonly what: string; readonly stack: string };

/** Starts a worker and waits until it is ready. Never rejects; after a fault the worker has ended. The caller closes it. */
export function startRpcWorker<R, Q, A, F extends A>(
  protocol: RpcProtocol<R, Q, A, F>,
  world: WorkerEnvironment,
): Promise<StartResult<R, Q, A, F>> {
  return new Promise((resolve) => new RpcWorker(protocol, world, resolve));
}

type WorkerState<R, Q, A, F extends A> =
  | { readonly kind: 'starting'; readonly notify: (started: StartResult<R, Q, A, F>) => void }
  | { readonly kind: 'running'; readonly ready: R }
  | { readonly kind: 'over' };

/**
 * A worker that answers requests, one at a time, each with a time limit. The first fault ends it: the request in
 * flight is answered with the failure, all others with `afterFailure`.
 */
export class RpcWorker<R, Q, A, F extends A> {
  readonly #protocol: RpcProtocol<R, Q, A, F>;
  readonly #requestsMax: number;
  readonly #thread: SupervisedWorker;
  readonly #queue = new RequestQueue<Q, A>((request) => this.#send(request));
  #state: WorkerState<R, Q, A, F>;
  #failure: F | undefined;
  #onFailure: ((failure: F) => void) | undefined;
  /** Number of the newest request; its answer repeats it. */
  #number = 0;

  constructor(
    protocol: RpcProtocol<R, Q, A, F>,
    world: WorkerEnvironment,
    onStarted: (started: StartResult<R, Q, A, F>) => void,
  ) {
    this.#protocol = protocol;
    this.#requestsMax = world.limits.requestsMax;
    this.#state = { kind: 'starting', notify: onStarted };
    this.#thread = new SupervisedWorker(protocol, world, {
      onMessage: (value) => this.#handle(readMessage(value)),
      onFault: (what, stack) => this.#fault(what, stack),
    });
  }

  get isRunning(): boolean {
    return this.#state.kind === 'running';
  }

  /** True while it runs and has no request to answer. */
  get isIdle(): boolean {
    return this.isRunning && this.#queue.length === 0;
  }

  /** Calls `listener` with the failure that ends the worker, at once if it has already failed. */
  onFailure(listener: (failure: F) => void): void {
    if (this.#failure === undefined) this.#onFailure = listener;
    else listener(this.#failure);
  }

  /** Queues a request and calls `onAnswer` with its answer; the returned function drops it. */
  request(request: Q, onAnswer: (answer: A) => void): () => void {
    if (this.#queue.length >= this.#requestsMax)
      this.#thread.fault(`left ${this.#requestsMax} questions unanswered`);
    return this.#queue.add(request, onAnswer);
  }

  /** Sends a message that is not a request. */
  notify(message: string): void {
    this.#thread.notify(message);
  }

  /** Ends the worker. Unanswered requests are answered with a failure, which `onFailure` does not report. */
  async close(): Promise<void> {
    if (this.#state.kind === 'running') {
      const over = this.#protocol.failure('cannot be asked: its host is closed', '', this.#state.ready);
      this.#state = { kind: 'over' };
      this.#queue.end(over, over);
    }
    await this.#thread.end();
  }

  #send(request: Q): void {
    const { message, ...work } = this.#protocol.request(request);
    this.#number += 1;
    this.#thread.begin(work, { number: this.#number, request: message });
  }

  #handle(message: WorkerMessage | undefined): void {
    if (message?.kind === 'ready' && this.#state.kind === 'starting') this.#begin(message.ready, this.#state);
    else if (message?.kind === 'over') this.#thread.fault(message.what, message.stack);
    else {
      const answer = message?.kind === 'answer' ? this.#readAnswer(message) : undefined;
      if (answer === undefined) this.#thread.fault(ODD_MESSAGE);
      else this.#handleAnswer(answer);
    }
  }

  #begin(value: unknown, { notify }: Extract<WorkerState<R, Q, A, F>, { kind: 'starting' }>): void {
    const read = this.#protocol.readReady(value);
    if (read.kind === 'odd') {
      this.#thread.fault(read.what);
      return;
    }
    const { ready } = read;
    this.#thread.done();
    this.#state = { kind: 'running', ready };
    notify({ kind: 'ready', ready, thread: this });
  }

  #readAnswer({ number, answer }: Extract<WorkerMessage, { kind: 'answer' }>): A | undefined {
    const { inFlight } = this.#queue;
    if (inFlight === undefined || number !== this.#number) return undefined;
    return this.#protocol.readAnswer(answer, inFlight);
  }

  #handleAnswer(answer: A): void {
    this.#thread.done();
    if (this.#protocol.isFailure(answer)) this.#fail(answer);
    else this.#queue.answer(answer);
  }

  #fault(what: string, stack: string): void {
    const state = this.#state;
    switch (state.kind) {
      case 'starting': {
        this.#state = { kind: 'over' };
        const notify = (): void => state.notify({ kind: 'fault', what, stack });
        void this.#thread.end().then(notify, notify);
        return;
      }
      case 'running':
        this.#fail(this.#protocol.failure(what, stack, state.ready));
        return;
      case 'over':
        return;
      default:
        unreachable(state);
    }
  }

  #fail(failure: F): void {
    this.#state = { kind: 'over' };
    void this.#thread.end();
    this.#failure = failure;
    this.#onFailure?.(failure);
    this.#queue.end(failure, this.#protocol.afterFailure?.(failure) ?? failure);
  }
}

/** Reads a message of a worker that runs untrusted code; undefined if it is malformed. */
export function readMessage(value: unknown): WorkerMessage | undefined {
  const { kind, ready, what, stack, number, answer } = fieldsOf(value);
  if (kind === 'ready') return { kind, ready };
  if (kind === 'over') return { kind, what: textOf(what), stack: textOf(stack, STACK_CHARS_MAX) };
  return kind === 'answer' && typeof number === 'number' ? { kind, number, answer } : undefined;
}
