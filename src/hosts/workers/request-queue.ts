interface PendingRequest<Q, A> {
  readonly question: Q;
  /** Undefined if the answer is no longer needed. */
  onAnswer: ((answer: A) => void) | undefined;
}

/** A queue of questions with one in flight at a time. Each is answered once, in order, also if an answer adds questions. */
export class RequestQueue<Q, A> {
  readonly #send: (question: Q) => void;
  /** The first is in flight if `#isInFlight`. */
  readonly #pending: PendingRequest<Q, A>[] = [];
  #isInFlight = false;
  #answer: A | undefined;
  #last: A | undefined;
  #isDraining = false;

  /** `send` sends a question; its answer arrives through `answer`, never from within `send`. */
  constructor(send: (question: Q) => void) {
    this.#send = send;
  }

  /** True while a question is in flight and unanswered. */
  get away(): boolean {
    return this.#isInFlight && this.#answer === undefined;
  }

  /** The question in flight; undefined if there is none. */
  get inFlight(): Q | undefined {
    return this.away ? this.#pending[0]?.question : undefined;
  }

  /** Number of unanswered questions, the one in flight included. */
  get length(): number {
    return this.#pending.length;
  }

  /** Queues a question. The returned function drops its answer and affects no other question. */
  ask(question: Q, onAnswer: (answer: A) => void): () => void {
    const request: PendingRequest<Q, A> = { question, onAnswer };
    this.#pending.push(request);
    this.#drain();
    return () => {
      request.onAnswer = undefined;
    };
  }

  /** Answers the question in flight. */
  answer(answer: A): void {
    this.#answer = answer;
    this.#drain();
  }

  /** Stops sending: answers the question in flight with `away`, and all others, now and later, with `last`. */
  end(away: A, last: A): void {
    if (this.away) this.#answer = away;
    this.#last = last;
    this.#drain();
  }

  #drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    for (let first = this.#pending[0]; first !== undefined; first = this.#pending[0]) {
      const answer = this.#answer ?? this.#last;
      if (answer === undefined && this.#isInFlight) break;
      if (answer === undefined && first.onAnswer !== undefined) {
        this.#isInFlight = true;
        this.#send(first.question);
        break;
      }
      this.#isInFlight = false;
      this.#answer = undefined;
      this.#pending.shift();
      if (answer !== undefined) first.onAnswer?.(answer);
    }
    this.#isDraining = false;
  }
}
