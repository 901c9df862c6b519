import { defer, type Observable, ReplaySubject } from 'rxjs';
import { unreachable } from '../../model/unreachable.ts';
import { RequestQueue } from './request-queue.ts';
import {
  SupervisedWorker,
  type WorkerEnvironment,
  type WorkerRequest,
  type WorkerStart,
} from './supervised-worker.ts';

/** What our own part of a thread says. */
export type WorkerMessage<R, A> =
  | { readonly kind: 'ready'; readonly ready: R }
  /** Did not load what it should, or met an error outside of its answers, and ends. */
  | { readonly kind: 'over'; readonly what: string; readonly stack: string }
  | { readonly kind: 'answer'; readonly number: number; readonly answer: A };

/**
 * How a thread of one kind is spoken with: it says once that it is ready (`R`), and then answers (`A`) questions (`Q`), some
 * of them with a failure (`F`) after which it is asked nothing more.
 */
export interface RpcProtocol<R, Q, A, F extends A> extends WorkerStart {
  /** Reads what came out of a thread in which foreign code runs; undefined when our own part would say no such thing. */
  readonly read: (value: unknown) => WorkerMessage<R, A> | undefined;
  /** A question as plain data, to which its number is added, and how long its answer may take. */
  readonly request: (question: Q) => WorkerRequest & { readonly message: object };
  /** Whether an answer is one to what was asked. */
  readonly fits: (question: Q, answer: A) => boolean;
  readonly isFailure: (answer: A) => answer is F;
  /** Says as an answer what went wrong, in words that follow the name of what runs in the thread. */
  readonly failure: (what: string, stack: string, ready: R) => F;
  /** What every question is answered from a failure on. */
  readonly afterFailure: (failure: F) => A;
}

/** A thread that is ready, or why it is not, in words that follow the name of what should run in it. */
export type StartResult<R, Q, A, F extends A> =
  | { readonly kind: 'ready'; readonly ready: R; readonly thread: RpcWorker<R, Q, A, F> }
  | { readonly kind: 'fault'; readonly what: string; readonly stack: string };

/** Starts a thread and waits until it is ready. Never rejects; after a fault the thread is gone. Whoever starts one closes it. */
export function startRpcWorker<R, Q, A, F extends A>(
  protocol: RpcProtocol<R, Q, A, F>,
  world: WorkerEnvironment,
): Promise<StartResult<R, Q, A, F>> {
  return new Promise((resolve) => new RpcWorker(protocol, world, resolve));
}

type WorkerState<R, Q, A, F extends A> =
  | { readonly kind: 'starting'; readonly tell: (started: StartResult<R, Q, A, F>) => void }
  | { readonly kind: 'running'; readonly ready: R }
  | { readonly kind: 'over' };

/**
 * A thread in which an author's code answers questions, one at a time and each with a deadline. At the first fault it is
 * ended: the question that is away hears of the failure, every other one what is said afterwards.
 */
export class RpcWorker<R, Q, A, F extends A> {
  /** Emits the failure that ended the thread, also to whoever comes later; completes when the thread is closed. */
  readonly failed$: Observable<F>;
  readonly #failed = new ReplaySubject<F>(1);
  readonly #protocol: RpcProtocol<R, Q, A, F>;
  readonly #questionsMax: number;
  readonly #thread: SupervisedWorker;
  readonly #queue = new RequestQueue<Q, A>((question) => this.#send(question));
  #state: WorkerState<R, Q, A, F>;
  /** Number of the newest question; its answer carries it. */
  #number = 0;

  constructor(
    protocol: RpcProtocol<R, Q, A, F>,
    world: WorkerEnvironment,
    tell: (started: StartResult<R, Q, A, F>) => void,
  ) {
    this.failed$ = this.#failed.asObservable();
    this.#protocol = protocol;
    this.#questionsMax = world.limits.questionsMax;
    this.#state = { kind: 'starting', tell };
    this.#thread = new SupervisedWorker(protocol, world, {
      onMessage: (value) => this.#handle(protocol.read(value)),
      onFault: (what, stack) => this.#fault(what, stack),
    });
  }

  get isRunning(): boolean {
    return this.#state.kind === 'running';
  }

  ask(question: Q): Observable<A> {
    return defer(() => {
      if (this.#queue.length >= this.#questionsMax)
        this.#thread.fault(`left ${this.#questionsMax} questions unanswered`);
      return this.#queue.ask(question);
    });
  }

  /** Says something aside from the questions. */
  tell(message: string): void {
    this.#thread.tell(message);
  }

  /** Ends the thread. What was not answered yet is answered with a failure, which nobody else hears of. */
  async close(): Promise<void> {
    if (this.#state.kind === 'running') {
      const over = this.#protocol.failure('cannot be asked: its host is closed', '', this.#state.ready);
      this.#state = { kind: 'over' };
      this.#queue.end(over, over);
    }
    this.#failed.complete();
    await this.#thread.end();
  }

  #send(question: Q): void {
    const { message, ...work } = this.#protocol.request(question);
    this.#number += 1;
    this.#thread.begin(work, { number: this.#number, ...message });
  }

  #handle(message: WorkerMessage<R, A> | undefined): void {
    if (message?.kind === 'ready' && this.#state.kind === 'starting') {
      const { ready } = message;
      const { tell } = this.#state;
      this.#thread.done();
      this.#state = { kind: 'running', ready };
      tell({ kind: 'ready', ready, thread: this });
    } else if (message?.kind === 'over') this.#thread.fault(message.what, message.stack);
    else if (message?.kind === 'answer' && message.number === this.#number && this.#fits(message.answer))
      this.#handleAnswer(message.answer);
    else this.#thread.fault('sent something that nobody asked for');
  }

  #fits(answer: A): boolean {
    const { inFlight } = this.#queue;
    return inFlight !== undefined && this.#protocol.fits(inFlight, answer);
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
        const tell = (): void => state.tell({ kind: 'fault', what, stack });
        void this.#thread.end().then(tell, tell);
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
    this.#failed.next(failure);
    this.#queue.end(failure, this.#protocol.afterFailure(failure));
  }
}
