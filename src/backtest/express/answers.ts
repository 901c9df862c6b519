import type { HookResult, Strategy } from '../../strategy/define-strategy.ts';
import type { PlainData } from '../../strategy/state.ts';

/** What a hook returned, of whatever kind. */
export type Returned = HookResult<PlainData | undefined>;

/** What a strategy answered to the first questions of a run; most answers are nothing, and take no room. */
export class Answers {
  /** Questions asked so far. */
  asked = 0;
  readonly #questions: number[] = [];
  readonly #returned: Returned[] = [];
  #thrown: { readonly question: number; readonly thrown: unknown } | undefined;

  /** Notes what the next question was answered with. */
  returned(decision: Returned): void {
    this.#questions.push(this.asked);
    this.#returned.push(decision);
    this.asked += 1;
  }

  /** Notes that the next question was answered with nothing. */
  nothing(): void {
    this.asked += 1;
  }

  /** Notes what the hook threw at the next question; no question comes after it. */
  threw(thrown: unknown): void {
    this.#thrown = { question: this.asked, thrown };
    this.asked += 1;
  }

  /** Reads the answers to the questions in turn; each throws what the hook threw. */
  reader(): () => Returned {
    let question = 0;
    let next = 0;
    return () => {
      const now = question;
      question += 1;
      if (this.#thrown?.question === now) throw this.#thrown.thrown;
      if (this.#questions[next] !== now) return undefined;
      next += 1;
      return this.#returned[next - 1];
    };
  }
}

/**
 * The same strategy, with the answers that it gave already: it is asked no question twice, so that what it remembers by
 * itself is not told twice either. Its own hooks hear of what comes after.
 */
export function withAnswers(strategy: Strategy, answers: Answers): Strategy {
  const read = answers.reader();
  let asked = 0;
  function answered<A extends readonly unknown[]>(hook: ((...args: A) => Returned) | undefined) {
    if (hook === undefined) return undefined;
    return (...args: A): Returned => {
      asked += 1;
      return asked > answers.asked ? hook(...args) : read();
    };
  }
  const onSignal = answered(strategy.onSignal?.bind(strategy));
  const onBar = answered(strategy.onBar?.bind(strategy));
  return {
    ...strategy,
    ...(onSignal === undefined ? {} : { onSignal }),
    ...(onBar === undefined ? {} : { onBar }),
  };
}
