/** Who hears the answer to a question, or the events of a task. */
export interface Listener<T> {
  next(value: T): void;
  error(error: unknown): void;
  complete(): void;
}

/** Something that is asked by subscribing to it, and answers with one value. Observables of one value are questions. */
export interface Question<T> {
  subscribe(listener: Listener<T>): { unsubscribe(): void };
}

/**
 * A procedure that may wait for answers. It emits events by `yield event`, waits by `yield* answerTo(question)`, and calls other
 * procedures by `yield* other()`. Nothing of it runs before somebody runs it; what it throws is the error of the whole run.
 */
export type Task<E = never, T = void> = Generator<E | Waiting, T, unknown>;

/** A task that begins when its turn comes. */
export type Turn<E> = () => Task<E>;

/** What a task hands to whoever runs it, to be continued with the answer. */
export class Waiting {
  readonly question: Question<unknown>;
  constructor(question: Question<unknown>) {
    this.question = question;
  }
}

/** A question whose answer is there as soon as it is asked; a task takes it without waiting. */
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

/** Asks, and waits until the answer is there. */
export function* answerTo<T>(question: Question<T>): Task<never, T> {
  if (question instanceof Ready) return question.answer();
  return (yield new Waiting(question)) as T;
}

/** Asks all before it waits for any. */
export function* answersTo<A, B, C>(
  a: Question<A>,
  b: Question<B>,
  c: Question<C>,
): Task<never, readonly [A, B, C]> {
  if (a instanceof Ready && b instanceof Ready && c instanceof Ready)
    return [a.answer(), b.answer(), c.answer()];
  return (yield new Waiting(new Together([a, b, c]))) as readonly [A, B, C];
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

/** Carries out a task, and hands its events to `hear` instead of emitting them. */
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
    // Stopped while it waits: what it has to tidy up is done.
    if (step.done !== true) task.return(undefined as T);
  }
}

/** Carries out a task and lets nobody hear of its events. */
export function silently<T>(task: Task<unknown, T>): Task<never, T> {
  return hearing(task, ignore);
}

function ignore(): void {}

/**
 * Runs a task as far as its answers are there, and goes on by itself with each that comes. `next` hears its events at once.
 * Returns what stops it; undefined when it is over already.
 */
export function runTask<E>(task: Task<E, unknown>, listener: Listener<E>): { stop(): void } | undefined {
  let asked: { unsubscribe(): void } | undefined;
  let isOver = false;
  let isRunning = false;

  const next = (): IteratorResult<E | Waiting, unknown> => task.next();

  /** Goes on until something is not there yet. */
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
        // It was stopped by what it did itself.
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
      const said = ask(result.value.question);
      if (said === undefined) return;
      go = said;
    }
  }

  /** What to go on with when the answer is there at once; else it goes on when the answer comes. */
  function ask(question: Question<unknown>): (() => IteratorResult<E | Waiting, unknown>) | undefined {
    let said: (() => IteratorResult<E | Waiting, unknown>) | undefined;
    let value: unknown;
    let isAsking = true;
    const hear = (goOn: () => IteratorResult<E | Waiting, unknown>): void => {
      if (isAsking) said = goOn;
      else if (!isOver) advance(goOn);
    };
    let subscription: { unsubscribe(): void } | undefined;
    try {
      subscription = question.subscribe({
        next: (answer) => {
          value = answer;
        },
        error: (error) => hear(() => task.throw(error)),
        complete: () => hear(() => task.next(value)),
      });
    } catch (error) {
      hear(() => task.throw(error));
    }
    isAsking = false;
    asked = said === undefined ? subscription : undefined;
    return said;
  }

  advance(next);
  if (isOver) return undefined;
  return {
    stop: () => {
      if (isOver) return;
      isOver = true;
      asked?.unsubscribe();
      if (!isRunning) task.return(undefined);
    },
  };
}
