interface PendingRequest<Q, A> {
  readonly request: Q;
  /** Undefined if the answer is no longer needed. */
  onAnswer: ((answer: A) => void) | undefined;
}

/** A queue of requests with one in flight at a time. Each is answered once, in order, also if an answer adds requests. */
export class RequestQueue<Q, A> {
  readonly #send: (request: Q) => void;
  /** The first is in flight if `#isInFlight`. */
  readonly #pending: PendingRequest<Q, A>[] = [];
  #isInFlight = false;
  #answer: A | undefined;
  #last: A | undefined;
  #isDraining = false;

  /** `send` sends a request; its answer arrives through `answer`, never from within `send`. */
  constructor(send: (request: Q) => void) {
    this.#send = send;
  }

  /** True while a request is in flight and unanswered. */
  get isWaiting(): boolean {
    return this.#isInFlight && this.#answer === undefined;
  }

  /** The request in flight; undefined if there is none. */
  get inFlight(): Q | undefined {
    return this.isWaiting ? this.#pending[0]?.request : undefined;
  }

  /** Number of unanswered requests, the one in flight included. */
  get length(): number {
    return this.#pending.length;
  }

  /** Queues a request. The returned function drops its answer and affects no other request. */
  add(request: Q, onAnswer: (answer: A) => void): () => void {
    const entry: PendingRequest<Q, A> = { request, onAnswer };
    this.#pending.push(entry);
    this.#drain();
    return () => {
      entry.onAnswer = undefined;
    };
  }

  /** Answers the request in flight. */
  answer(answer: A): void {
    this.#answer = answer;
    this.#drain();
  }

  /** Stops sending: answers the request in flight with `first`, and all others, now and later, with `last`. */
  end(first: A, last: A): void {
    if (this.isWaiting) this.#answer = first;
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
        this.#send(first.request);
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
