import { defer, type Observable, ReplaySubject } from 'rxjs';
import { unreachable } from '../model/unreachable.ts';
import { QuestionLine } from './question-line.ts';
import { type ThreadStart, type ThreadWork, type ThreadWorld, WatchedThread } from './watched-thread.ts';

/** What our own part of a thread says. */
export type ThreadWord<R, A> =
  | { readonly kind: 'ready'; readonly ready: R }
  /** Did not load what it should, or met an error outside of its answers, and ends. */
  | { readonly kind: 'over'; readonly what: string; readonly stack: string }
  | { readonly kind: 'answer'; readonly number: number; readonly answer: A };

/**
 * How a thread of one kind is spoken with: it says once that it is ready (`R`), and then answers (`A`) questions (`Q`), some
 * of them with a failure (`F`) after which it is asked nothing more.
 */
export interface ThreadTalk<R, Q, A, F extends A> extends ThreadStart {
  /** Reads what came out of a thread in which foreign code runs; undefined when our own part would say no such thing. */
  readonly read: (value: unknown) => ThreadWord<R, A> | undefined;
  /** A question as plain data, to which its number is added, and how long its answer may take. */
  readonly carry: (question: Q) => ThreadWork & { readonly message: object };
  /** Whether an answer is one to what was asked. */
  readonly fits: (question: Q, answer: A) => boolean;
  readonly isFailure: (answer: A) => answer is F;
  /** Says as an answer what went wrong, in words that follow the name of what runs in the thread. */
  readonly failure: (what: string, stack: string, ready: R) => F;
  /** What every question is answered from a failure on. */
  readonly afterwards: (failure: F) => A;
}

/** A thread that is ready, or why it is not, in words that follow the name of what should run in it. */
export type Started<R, Q, A, F extends A> =
  | { readonly kind: 'ready'; readonly ready: R; readonly thread: AskedThread<R, Q, A, F> }
  | { readonly kind: 'fault'; readonly what: string; readonly stack: string };

/** Starts a thread and waits until it is ready. Never rejects; after a fault the thread is gone. Whoever starts one closes it. */
export function startThread<R, Q, A, F extends A>(
  talk: ThreadTalk<R, Q, A, F>,
  world: ThreadWorld,
): Promise<Started<R, Q, A, F>> {
  return new Promise((resolve) => new AskedThread(talk, world, resolve));
}

type Standing<R, Q, A, F extends A> =
  | { readonly kind: 'starting'; readonly tell: (started: Started<R, Q, A, F>) => void }
  | { readonly kind: 'running'; readonly ready: R }
  | { readonly kind: 'over' };

/**
 * A thread in which an author's code answers questions, one at a time and each with a deadline. At the first fault it is
 * ended: the question that is away hears of the failure, every other one what is said afterwards.
 */
export class AskedThread<R, Q, A, F extends A> {
  /** Emits the failure that ended the thread, also to whoever comes later; completes when the thread is closed. */
  readonly failed$: Observable<F>;
  readonly #failed = new ReplaySubject<F>(1);
  readonly #talk: ThreadTalk<R, Q, A, F>;
  readonly #questionsMax: number;
  readonly #thread: WatchedThread;
  readonly #line = new QuestionLine<Q, A>((question) => this.#send(question));
  #standing: Standing<R, Q, A, F>;
  /** Number of the newest question; its answer carries it. */
  #number = 0;

  constructor(
    talk: ThreadTalk<R, Q, A, F>,
    world: ThreadWorld,
    tell: (started: Started<R, Q, A, F>) => void,
  ) {
    this.failed$ = this.#failed.asObservable();
    this.#talk = talk;
    this.#questionsMax = world.limits.questionsMax;
    this.#standing = { kind: 'starting', tell };
    this.#thread = new WatchedThread(talk, world, {
      onMessage: (value) => this.#hear(talk.read(value)),
      onFault: (what, stack) => this.#fault(what, stack),
    });
  }

  get isRunning(): boolean {
    return this.#standing.kind === 'running';
  }

  ask(question: Q): Observable<A> {
    return defer(() => {
      if (this.#line.length >= this.#questionsMax)
        this.#thread.fault(`left ${this.#questionsMax} questions unanswered`);
      return this.#line.ask(question);
    });
  }

  /** Says something aside from the questions. */
  tell(message: string): void {
    this.#thread.tell(message);
  }

  /** Ends the thread. What was not answered yet is answered with a failure, which nobody else hears of. */
  async close(): Promise<void> {
    if (this.#standing.kind === 'running') {
      const over = this.#talk.failure('cannot be asked: its host is closed', '', this.#standing.ready);
      this.#standing = { kind: 'over' };
      this.#line.end(over, over);
    }
    this.#failed.complete();
    await this.#thread.end();
  }

  #send(question: Q): void {
    const { message, ...work } = this.#talk.carry(question);
    this.#number += 1;
    this.#thread.begin(work, { number: this.#number, ...message });
  }

  #hear(word: ThreadWord<R, A> | undefined): void {
    if (word?.kind === 'ready' && this.#standing.kind === 'starting') {
      const { ready } = word;
      const { tell } = this.#standing;
      this.#thread.done();
      this.#standing = { kind: 'running', ready };
      tell({ kind: 'ready', ready, thread: this });
    } else if (word?.kind === 'over') this.#thread.fault(word.what, word.stack);
    else if (word?.kind === 'answer' && word.number === this.#number && this.#fits(word.answer))
      this.#hearAnswer(word.answer);
    else this.#thread.fault('sent something that nobody asked for');
  }

  #fits(answer: A): boolean {
    const { asked } = this.#line;
    return asked !== undefined && this.#talk.fits(asked, answer);
  }

  #hearAnswer(answer: A): void {
    this.#thread.done();
    if (this.#talk.isFailure(answer)) this.#fail(answer);
    else this.#line.answer(answer);
  }

  #fault(what: string, stack: string): void {
    const standing = this.#standing;
    switch (standing.kind) {
      case 'starting': {
        this.#standing = { kind: 'over' };
        const tell = (): void => standing.tell({ kind: 'fault', what, stack });
        void this.#thread.end().then(tell, tell);
        return;
      }
      case 'running':
        this.#fail(this.#talk.failure(what, stack, standing.ready));
        return;
      case 'over':
        return;
      default:
        unreachable(standing);
    }
  }

  #fail(failure: F): void {
    this.#standing = { kind: 'over' };
    void this.#thread.end();
    this.#failed.next(failure);
    this.#line.end(failure, this.#talk.afterwards(failure));
  }
}
