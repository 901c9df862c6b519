import type { TickLadder } from '../../markets/market-record.ts';
import { type TickFacts, tickLadder } from '../../markets/ticks.ts';
import type { CalendarDay } from '../../model/time.ts';
import { unitsOfDecimal } from './units.ts';

/** The tick sizes of one security in whole units; caches the ladder, which rarely changes. */
export class TickSteps {
  readonly #facts: TickFacts;
  #ladder: TickLadder | undefined;
  #from: readonly number[] = [];
  #ticks: readonly number[] = [];

  constructor(facts: TickFacts) {
    this.#facts = facts;
  }

  /** Returns whether a price in units is a whole number of ticks on a day; equals `isOnTick` of its `tickSize`. */
  isOn(price: number, day: CalendarDay): boolean {
    const ladder = tickLadder(this.#facts, day);
    if (ladder !== this.#ladder) this.#read(ladder);
    let band = this.#from.length - 1;
    while (band > 0 && price < (this.#from[band] as number)) band -= 1;
    const tick = this.#ticks[band] as number;
    return Math.round(price / tick) * tick === price;
  }

  #read(ladder: TickLadder): void {
    this.#ladder = ladder;
    this.#from = ladder.map(({ from }) => unitsOfDecimal(from));
    this.#ticks = ladder.map(({ tick }) => unitsOfDecimal(tick));
  }
}
