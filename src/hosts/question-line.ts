import { Observable } from 'rxjs';

interface Asker<Q, A> {
  readonly question: Q;
  readonly hear: (answer: A) => void;
  /** False once whoever asked has left. */
  listens: boolean;
}

/** Questions in a line: one is away at a time, and each is answered once, in order, whatever answers set off. */
export class QuestionLine<Q, A> {
  readonly #send: (question: Q) => void;
  /** The first is away when `#away` says so. */
  readonly #askers: Asker<Q, A>[] = [];
  #away = false;
  #answer: A | undefined;
  #last: A | undefined;
  #moving = false;

  /** `send` takes a question away; `answer` brings its answer, never from within `send`. */
  constructor(send: (question: Q) => void) {
    this.#send = send;
  }

  /** Whether a question is away and its answer has not come. */
  get away(): boolean {
    return this.#away && this.#answer === undefined;
  }

  /** The question that is away; undefined when none is. */
  get asked(): Q | undefined {
    return this.away ? this.#askers[0]?.question : undefined;
  }

  /** Questions that were asked and not answered, the one that is away among them. */
  get length(): number {
    return this.#askers.length;
  }

  /** Takes a question into the line once somebody subscribes; whoever leaves loses the answer, not the others theirs. */
  ask(question: Q): Observable<A> {
    return new Observable((subscriber) => {
      const asker: Asker<Q, A> = {
        question,
        listens: true,
        hear: (answer) => {
          subscriber.next(answer);
          subscriber.complete();
        },
      };
      this.#askers.push(asker);
      this.#move();
      return () => {
        asker.listens = false;
      };
    });
  }

  /** Answers the question that is away. */
  answer(answer: A): void {
    this.#answer = answer;
    this.#move();
  }

  /** Sends nothing any more: the question that is away hears `away`, all others, now and later, hear `last`. */
  end(away: A, last: A): void {
    if (this.away) this.#answer = away;
    this.#last = last;
    this.#move();
  }

  #move(): void {
    if (this.#moving) return;
    this.#moving = true;
    for (let first = this.#askers[0]; first !== undefined; first = this.#askers[0]) {
      const answer = this.#answer ?? this.#last;
      if (answer === undefined && this.#away) break;
      if (answer === undefined && first.listens) {
        this.#away = true;
        this.#send(first.question);
        break;
      }
      this.#away = false;
      this.#answer = undefined;
      this.#askers.shift();
      if (answer !== undefined) first.hear(answer);
    }
    this.#moving = false;
  }
}
