import { type FillColumns, UNITS } from '../../events/curve/fill-columns.ts';
import { NEVER } from '../../model/time.ts';
import { PlaceList } from './place-list.ts';
import { fromUnits } from './units.ts';

/** All that tells what is held when: cash at the begin, in units, and the fills. */
export interface Booked {
  readonly opening: number;
  readonly fills: FillColumns;
}

/** What is held at an instant, computed from the fills, with the same sums as the account; later fills may be added. */
export class Holdings {
  /** In the currency. */
  cash = Number.NaN;
  readonly list: PlaceList;
  readonly quantity: Float64Array;
  /** When it changes next: a close at or after this instant is marked with the change. NEVER after the last fill that is noted. */
  until: number = NEVER;
  readonly #fills: FillColumns;
  #units = Number.NaN;
  #fill = 0;

  constructor(places: number, { opening, fills }: Booked) {
    this.#units = opening;
    this.cash = fromUnits(opening);
    this.list = new PlaceList(places);
    this.quantity = new Float64Array(places);
    this.#fills = fills;
    this.listen();
  }

  /** Looks whether fills have been noted since. */
  listen(): void {
    const { at, length } = this.#fills;
    this.until = this.#fill < length ? changeAt(at[this.#fill] as number) : NEVER;
  }

  goTo(now: number): void {
    const { length, security, at, price, quantity, fee } = this.#fills;
    while (this.#fill < length && changeAt(at[this.#fill] as number) <= now) {
      const fill = this.#fill;
      const shares = quantity[fill] as number;
      this.#units -= Math.round((price[fill] as number) * UNITS) * shares + (fee[fill] as number);
      this.#hold(security[fill] as number, shares);
      this.#fill = fill + 1;
    }
    this.cash = fromUnits(this.#units);
    this.listen();
  }

  #hold(place: number, shares: number): void {
    const before = this.quantity[place] as number;
    const now = before + shares;
    this.quantity[place] = now;
    if (before === 0 && now !== 0) this.list.add(place);
    else if (before !== 0 && now === 0) this.list.drop(place);
  }
}

/** What is filled counts from the next close on. */
const changeAt = (at: number): number => at + 1;
