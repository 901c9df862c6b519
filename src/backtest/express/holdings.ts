import { NEVER } from '../../model/time.ts';
import type { HeldRows } from './held-log.ts';
import { PlaceList } from './place-list.ts';

/** What is held at an instant, told anew from the notes of what changed; notes may go on being added. */
export class Holdings {
  cash = Number.NaN;
  readonly list: PlaceList;
  readonly quantity: Float64Array;
  /** When it changes next; NEVER after the last change that is noted. */
  until: number = NEVER;
  readonly #held: HeldRows;
  #change = 0;

  constructor(places: number, held: HeldRows) {
    this.cash = held.cash[0] as number;
    this.list = new PlaceList(places);
    this.quantity = new Float64Array(places);
    this.#held = held;
    this.listen();
  }

  /** Looks whether changes have been noted since. */
  listen(): void {
    const { from, length } = this.#held;
    this.until = this.#change < length ? (from[this.#change] as number) : NEVER;
  }

  goTo(at: number): void {
    const { from, cash, place, quantity, length } = this.#held;
    while (this.#change < length && (from[this.#change] as number) <= at) {
      this.cash = cash[this.#change] as number;
      this.#hold(place[this.#change] as number, quantity[this.#change] as number);
      this.#change += 1;
    }
    this.listen();
  }

  #hold(place: number, now: number): void {
    const before = this.quantity[place] as number;
    this.quantity[place] = now;
    if (before === 0 && now !== 0) this.list.add(place);
    else if (before !== 0 && now === 0) this.list.drop(place);
  }
}
