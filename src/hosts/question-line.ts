import { Observable } from 'rxjs';
import type { StrategyAnswer, StrategyQuestion } from '../ports/strategy-host.ts';

interface Asker {
  readonly question: StrategyQuestion;
  readonly hear: (answer: StrategyAnswer) => void;
  /** False once whoever asked has left. */
  listens: boolean;
}

/** Questions in a line: one is away at a time, and each is answered once, in order, whatever answers set off. */
export class QuestionLine {
  readonly #send: (question: StrategyQuestion) => void;
  /** The first is away when `#away` says so. */
  readonly #askers: Asker[] = [];
  #away = false;
  #answer: StrategyAnswer | undefined;
  #last: StrategyAnswer | undefined;
  #moving = false;

  /** `send` takes a question away; `answer` brings its answer, never from within `send`. */
  constructor(send: (question: StrategyQuestion) => void) {
    this.#send = send;
  }

  /** Whether a question is away and its answer has not come. */
  get away(): boolean {
    return this.#away && this.#answer === undefined;
  }

  /** Questions that were asked and not answered, the one that is away among them. */
  get length(): number {
    return this.#askers.length;
  }

  /** Takes a question into the line once somebody subscribes; whoever leaves loses the answer, not the others theirs. */
  ask(question: StrategyQuestion): Observable<StrategyAnswer> {
    return new Observable((subscriber) => {
      const asker: Asker = {
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
  answer(answer: StrategyAnswer): void {
    this.#answer = answer;
    this.#move();
  }

  /** Sends nothing any more: the question that is away hears `away`, all others, now and later, hear `last`. */
  end(away: StrategyAnswer, last: StrategyAnswer): void {
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
