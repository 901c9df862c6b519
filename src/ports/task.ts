/** Receives the answer to a question, or the events of a task. */
export interface Listener<T> {
  next(value: T): void;
  error(error: unknown): void;
  complete(): void;
}

/** A request that is sent by subscribing and answered with one value. An Observable of one value is a question. */
export interface Question<T> {
  subscribe(listener: Listener<T>): { unsubscribe(): void };
}

/**
 * A procedure that can wait for answers, written as a generator. It emits an event with `yield event`, waits with
 * `yield* answerTo(question)`, and calls another task with `yield* other()`. It starts when `runTask` runs it. An
 * error that it throws is the error of the run.
 */
export type Task<E = never, T = void> = Generator<E | Waiting, T, unknown>;

/** Creates a task when its turn in the event queue comes. */
export type Turn<E> = () => Task<E>;

/**
 * Runs tasks outside the event queue, a limited number at once. It starts with the first subscriber, and all
 * subscribers get one answer: the events of all tasks, in order of arrival. It stops when the last subscriber leaves.
 */
export type SideBySide = <E>(turns: readonly Turn<E>[]) => Question<readonly E[]>;

/** Yielded by a task that waits for an answer; `runTask` continues the task with it. */
export class Waiting {
  readonly question: Question<unknown>;
  constructor(question: Question<unknown>) {
    this.question = question;
  }
}

/** A question that is answered immediately; a task continues without waiting. */
export class Ready<T> implements Question<T> {
  readonly answer: () => T;
  constructor(answer: () => T) {
    this.answer = answer;
  }
  subscribe(listener: Listener<T>): { unsubscribe(): void } {
    try {
      listener.next(this.answer());
    } catch (error) {
      listener.error(error);
      return NOTHING_TO_STOP;
    }
    listener.complete();
    return NOTHING_TO_STOP;
  }
}

const NOTHING_TO_STOP = { unsubscribe: () => undefined };

/** A question that is sent by a call. `send` passes the answer on once, and returns a function that drops it. */
export function sentBy<T>(send: (answer: (value: T) => void) => () => void): Question<T> {
  return {
    subscribe: (listener) => {
      const unsubscribe = send((value) => {
        listener.next(value);
        listener.complete();
      });
      return { unsubscribe };
    },
  };
}

/** Sends a question and waits for its answer. */
export function* answerTo<T>(question: Question<T>): Task<never, T> {
  if (question instanceof Ready) return question.answer();
  return (yield new Waiting(question)) as T;
}

/** Sends all questions, then waits for all answers. */
export function* answersTo<T extends readonly unknown[]>(
  ...questions: { readonly [K in keyof T]: Question<T[K]> }
): Task<never, T> {
  const known: readonly Question<unknown>[] = questions;
  return (
    known.every((question) => question instanceof Ready)
      ? known.map((question) => question.answer())
      : yield new Waiting(new Together(known))
  ) as T;
}

class Together implements Question<readonly unknown[]> {
  readonly #questions: readonly Question<unknown>[];
  constructor(questions: readonly Question<unknown>[]) {
    this.#questions = questions;
  }
  subscribe(listener: Listener<readonly unknown[]>): { unsubscribe(): void } {
    const answers: unknown[] = [];
    let missing = this.#questions.length;
    const asked = this.#questions.map((question, place) =>
      question.subscribe({
        next: (value) => {
          answers[place] = value;
        },
        error: (error) => listener.error(error),
        complete: () => {
          missing -= 1;
          if (missing > 0) return;
          listener.next(answers);
          listener.complete();
        },
      }),
    );
    return {
      unsubscribe: () => {
        for (const each of asked) each.unsubscribe();
      },
    };
  }
}

/** Runs a task and passes its events to `hear` instead of emitting them. */
export function* hearing<E, T>(task: Task<E, T>, hear: (event: E) => void): Task<never, T> {
  let step = task.next();
  try {
    while (step.done !== true) {
      if (!(step.value instanceof Waiting)) {
        hear(step.value);
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
    // Stopped while it waits, after its clean-up.
    if (step.done !== true) task.return(undefined as T);
  }
}

/** Runs a task and drops its events. */
export function silently<T>(task: Task<unknown, T>): Task<never, T> {
  return hearing(task, ignore);
}

function ignore(): void {}

/**
 * Runs a task as far as answers are available, and continues with each that arrives. Calls `next` with its events
 * immediately. Returns a function that stops it; undefined if it has ended.
 */
export function runTask<E>(task: Task<E, unknown>, listener: Listener<E>): { stop(): void } | undefined {
  let subscribed: { unsubscribe(): void } | undefined;
  let isOver = false;
  let isRunning = false;

  const next = (): IteratorResult<E | Waiting, unknown> => task.next();

  /** Continues until an answer is not available yet. */
  function advance(step: () => IteratorResult<E | Waiting, unknown>): void {
    let go = step;
    for (;;) {
      let result: IteratorResult<E | Waiting, unknown>;
      isRunning = true;
      try {
        result = go();
      } catch (error) {
        isOver = true;
        listener.error(error);
        return;
      } finally {
        isRunning = false;
      }
      if (isOver) {
        // It was stopped by its own action.
        task.return(undefined);
        return;
      }
      if (result.done === true) {
        isOver = true;
        listener.complete();
        return;
      }
      if (!(result.value instanceof Waiting)) {
        listener.next(result.value);
        if (isOver) return;
        go = next;
        continue;
      }
      const resume = ask(result.value.question);
      if (resume === undefined) return;
      go = resume;
    }
  }

  /**
   * Returns how to continue if the answer is available immediately; otherwise the task continues when the answer
   * arrives.
   */
  function ask(question: Question<unknown>): (() => IteratorResult<E | Waiting, unknown>) | undefined {
    let resumeNow: (() => IteratorResult<E | Waiting, unknown>) | undefined;
    let value: unknown;
    let isAsking = true;
    const resumeWith = (resume: () => IteratorResult<E | Waiting, unknown>): void => {
      if (isAsking) resumeNow = resume;
      else if (!isOver) advance(resume);
    };
    let subscription: { unsubscribe(): void } | undefined;
    try {
      subscription = question.subscribe({
        next: (answer) => {
          value = answer;
        },
        error: (error) => resumeWith(() => task.throw(error)),
        complete: () => resumeWith(() => task.next(value)),
      });
    } catch (error) {
      resumeWith(() => task.throw(error));
    }
    isAsking = false;
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
