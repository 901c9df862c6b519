/** Receives the answer to a request, or the events of a task. Same shape as an RxJS observer. */
export interface Observer<T> {
  next(value: T): void;
  error(error: unknown): void;
  complete(): void;
}

/** An asynchronous call: subscribing sends it, and it is answered with one value. An Observable of one value is one. */
export interface Request<T> {
  subscribe(observer: Observer<T>): { unsubscribe(): void };
}

/**
 * A procedure that can wait for answers, written as a generator. It emits an event with `yield event`, waits with
 * `yield* awaitAnswer(request)`, and calls another task with `yield* other()`. It starts when `runTask` runs it. An
 * error that it throws is the error of the run.
 */
export type Task<E = never, T = void> = Generator<E | AwaitedRequest, T, unknown>;

/** Creates a task when it is about to run, such as when it reaches the head of the event queue. */
export type TaskFactory<E> = () => Task<E>;

/**
 * Runs tasks outside the event queue, a limited number at once. It starts with the first subscriber, and all
 * subscribers get one answer: the events of all tasks, in order of arrival. It stops after the last unsubscription.
 */
export type RunConcurrently = <E>(tasks: readonly TaskFactory<E>[]) => Request<readonly E[]>;

/** Yielded by a task that waits for an answer; `runTask` continues the task with it. */
export class AwaitedRequest {
  readonly request: Request<unknown>;
  constructor(request: Request<unknown>) {
    this.request = request;
  }
}

/** A request that is answered synchronously, so a task continues without waiting. */
export class ImmediateRequest<T> implements Request<T> {
  readonly answer: () => T;
  constructor(answer: () => T) {
    this.answer = answer;
  }
  subscribe(observer: Observer<T>): { unsubscribe(): void } {
    try {
      observer.next(this.answer());
    } catch (error) {
      observer.error(error);
      return NO_SUBSCRIPTION;
    }
    observer.complete();
    return NO_SUBSCRIPTION;
  }
}

const NO_SUBSCRIPTION = { unsubscribe: () => undefined };

/**
 * Makes a request from a function with a callback. `send` calls it once with the answer, and returns a function that
 * cancels the request.
 */
export function fromCallback<T>(send: (answer: (value: T) => void) => () => void): Request<T> {
  return {
    subscribe: (observer) => {
      const unsubscribe = send((value) => {
        observer.next(value);
        observer.complete();
      });
      return { unsubscribe };
    },
  };
}

/** Sends a request and waits for its answer. */
export function* awaitAnswer<T>(request: Request<T>): Task<never, T> {
  if (request instanceof ImmediateRequest) return request.answer();
  return (yield new AwaitedRequest(request)) as T;
}

/** Sends all requests, then waits for all answers. */
export function* awaitAnswers<T extends readonly unknown[]>(
  ...requests: { readonly [K in keyof T]: Request<T[K]> }
): Task<never, T> {
  const list: readonly Request<unknown>[] = requests;
  return (
    list.every((request) => request instanceof ImmediateRequest)
      ? list.map((request) => request.answer())
      : yield new AwaitedRequest(new CombinedRequest(list))
  ) as T;
}

class CombinedRequest implements Request<readonly unknown[]> {
  readonly #requests: readonly Request<unknown>[];
  constructor(requests: readonly Request<unknown>[]) {
    this.#requests = requests;
  }
  subscribe(observer: Observer<readonly unknown[]>): { unsubscribe(): void } {
    const answers: unknown[] = [];
    let remaining = this.#requests.length;
    const subscriptions = this.#requests.map((request, index) =>
      request.subscribe({
        next: (value) => {
          answers[index] = value;
        },
        error: (error) => observer.error(error),
        complete: () => {
          remaining -= 1;
          if (remaining > 0) return;
          observer.next(answers);
          observer.complete();
        },
      }),
    );
    return {
      unsubscribe: () => {
        for (const each of subscriptions) each.unsubscribe();
      },
    };
  }
}

/** Runs a task and passes its events to `onEvent` instead of emitting them. */
export function* forwardEvents<E, T>(task: Task<E, T>, onEvent: (event: E) => void): Task<never, T> {
  let step = task.next();
  try {
    while (step.done !== true) {
      if (!(step.value instanceof AwaitedRequest)) {
        onEvent(step.value);
        step = task.next();
        continue;
      }
      let answer: unknown;
      try {
        answer = yield step.value;
      } catch (error) {
        step = task.throw(error);
        continue;
      }
      step = task.next(answer);
    }
    return step.value;
  } finally {
    // The outer task was stopped while this one waits: run its clean-up.
    if (step.done !== true) task.return(undefined as T);
  }
}

/** Runs a task and drops its events. */
export function ignoreEvents<T>(task: Task<unknown, T>): Task<never, T> {
  return forwardEvents(task, ignore);
}

function ignore(): void {}

/**
 * Runs a task until it waits, and continues when each answer arrives. Passes its events to the observer as they are
 * emitted. Returns a handle that stops the task; undefined if it has ended.
 */
export function runTask<E>(task: Task<E, unknown>, observer: Observer<E>): { stop(): void } | undefined {
  let subscribed: { unsubscribe(): void } | undefined;
  let isOver = false;
  let isRunning = false;

  const next = (): IteratorResult<E | AwaitedRequest, unknown> => task.next();

  /** Runs the task until it waits for an answer that is not available yet. */
  function advance(step: () => IteratorResult<E | AwaitedRequest, unknown>): void {
    let nextStep = step;
    for (;;) {
      let result: IteratorResult<E | AwaitedRequest, unknown>;
      isRunning = true;
      try {
        result = nextStep();
      } catch (error) {
        isOver = true;
        observer.error(error);
        return;
      } finally {
        isRunning = false;
      }
      if (isOver) {
        // The task stopped itself.
        task.return(undefined);
        return;
      }
      if (result.done === true) {
        isOver = true;
        observer.complete();
        return;
      }
      if (!(result.value instanceof AwaitedRequest)) {
        observer.next(result.value);
        if (isOver) return;
        nextStep = next;
        continue;
      }
      const resume = send(result.value.request);
      if (resume === undefined) return;
      nextStep = resume;
    }
  }

  /** Sends a request. Returns the next step if it is answered synchronously; otherwise the answer runs that step. */
  function send(request: Request<unknown>): (() => IteratorResult<E | AwaitedRequest, unknown>) | undefined {
    let resumeNow: (() => IteratorResult<E | AwaitedRequest, unknown>) | undefined;
    let value: unknown;
    let isSubscribing = true;
    const resumeWith = (resume: () => IteratorResult<E | AwaitedRequest, unknown>): void => {
      if (isSubscribing) resumeNow = resume;
      else if (!isOver) advance(resume);
    };
    let subscription: { unsubscribe(): void } | undefined;
    try {
      subscription = request.subscribe({
        next: (answer) => {
          value = answer;
        },
        error: (error) => resumeWith(() => task.throw(error)),
        complete: () => resumeWith(() => task.next(value)),
      });
    } catch (error) {
      resumeWith(() => task.throw(error));
    }
    isSubscribing = false;
    subscribed = resumeNow === undefined ? subscription : undefined;
    return resumeNow;
  }

  advance(next);
  if (isOver) return undefined;
  return {
    stop: () => {
      if (isOver) return;
      isOver = true;
      subscribed?.unsubscribe();
      if (!isRunning) task.return(undefined);
    },
  };
}
