import { Observable } from 'rxjs';

interface PendingRequest<Q, A> {
  readonly question: Q;
  readonly answer: (answer: A) => void;
  /** False once whoever asked has left. */
  isSubscribed: boolean;
}

/** Questions in a line: one is away at a time, and each is answered once, in order, whatever answers set off. */
export class RequestQueue<Q, A> {
  readonly #send: (question: Q) => void;
  /** The first is away when `#away` says so. */
  readonly #pending: PendingRequest<Q, A>[] = [];
  #isInFlight = false;
  #answer: A | undefined;
  #last: A | undefined;
  #isDraining = false;

  /** `send` takes a question away; `answer` brings its answer, never from within `send`. */
  constructor(send: (question: Q) => void) {
    this.#send = send;
  }

  /** Whether a question is away and its answer has not come. */
  get away(): boolean {
    return this.#isInFlight && this.#answer === undefined;
  }

  /** The question that is away; undefined when none is. */
  get inFlight(): Q | undefined {
    return this.away ? this.#pending[0]?.question : undefined;
  }

  /** Questions that were asked and not answered, the one that is away among them. */
  get length(): number {
    return this.#pending.length;
  }

  /** Takes a question into the line once somebody subscribes; whoever leaves loses the answer, not the others theirs. */
  ask(question: Q): Observable<A> {
    return new Observable((subscriber) => {
      const request: PendingRequest<Q, A> = {
        question,
        isSubscribed: true,
        answer: (answer) => {
          subscriber.next(answer);
          subscriber.complete();
        },
      };
      this.#pending.push(request);
      this.#drain();
      return () => {
        request.isSubscribed = false;
      };
    });
  }

  /** Answers the question that is away. */
  answer(answer: A): void {
    this.#answer = answer;
    this.#drain();
  }

  /** Sends nothing any more: the question that is away hears `away`, all others, now and later, hear `last`. */
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
      if (answer === undefined && first.isSubscribed) {
        this.#isInFlight = true;
        this.#send(first.question);
        break;
      }
      this.#isInFlight = false;
      this.#answer = undefined;
      this.#pending.shift();
      if (answer !== undefined) first.answer(answer);
    }
    this.#isDraining = false;
  }
}
