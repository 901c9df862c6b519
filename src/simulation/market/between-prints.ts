import { type Millis, millis, NEVER, SECOND_MS } from '../../model/time.ts';
import type { Floor, Lane } from './floor.ts';
import { PRINTS_PER_BAR } from './prints.ts';
import { type PrintIndex, stepOf } from './tape.ts';

/** A trade between two prints of a lane: the how manieth since the print before, when, and at what price. */
export interface BetweenTrade {
  readonly lane: Lane;
  readonly place: number;
  readonly at: Millis;
  readonly price: number;
}

/** Prints further apart than this have nothing between them: the market was closed. */
const GAP_MS = 60 * SECOND_MS;

/**
 * Trades between the prints of a market that would be too quiet with four a minute. They go from one print of a bar to the
 * next in equal steps of time and of price, and share the volume of the print before them. After a bar's last print they
 * trade at its close until the bar is over: bars stay what their trades add up to.
 */
export class BetweenPrints {
  readonly #floor: Floor;
  readonly #parts: number;
  readonly #roundTo: (lane: Lane, price: number) => number;

  constructor(parts: {
    readonly floor: Floor;
    /** How many trades come between every two prints. */
    readonly trades: number;
    /** Puts a price on a tick. */
    readonly roundTo: (lane: Lane, price: number) => number;
  }) {
    this.#floor = parts.floor;
    this.#parts = parts.trades + 1;
    this.#roundTo = parts.roundTo;
  }

  /** Time of the next trade of all lanes; NEVER where nothing comes between. */
  nextAt(): Millis {
    return this.#next()?.at ?? NEVER;
  }

  /** Lets the next trade happen, as the latest of its lane. */
  step(): BetweenTrade {
    const trade = this.#next();
    if (trade === undefined) throw new Error('Cannot step a trade between prints, none is due');
    this.#floor.moveTo(trade.at);
    this.#enter(trade);
    return trade;
  }

  /** A print has happened: what comes between begins anew. */
  begin(lane: Lane, index: PrintIndex): void {
    this.#enter({ lane, place: 0, at: lane.tape.time(index), price: lane.tape.price(index) });
  }

  #enter({ lane, place, at, price }: BetweenTrade): void {
    const last = this.#floor.last(lane);
    const whole = last === undefined ? 0 : lane.tape.volume(last);
    lane.between = { place, at, price, untold: whole - this.#told(whole, place) };
  }

  /** Shares that the latest trade of a lane has told for itself. */
  volumeOf(lane: Lane): number {
    const last = this.#floor.last(lane);
    const place = lane.between?.place;
    if (last === undefined || place === undefined) return 0;
    const whole = lane.tape.volume(last);
    return this.#told(whole, place) - (place === 0 ? 0 : this.#told(whole, place - 1));
  }

  #told(whole: number, place: number): number {
    return Math.floor((whole * (place + 1)) / this.#parts);
  }

  #next(): BetweenTrade | undefined {
    let first: BetweenTrade | undefined;
    for (const lane of this.#floor.lanes) {
      const trade = this.#nextOf(lane);
      if (trade !== undefined && (first === undefined || trade.at < first.at)) first = trade;
    }
    return first;
  }

  #nextOf(lane: Lane): BetweenTrade | undefined {
    const place = (lane.between?.place ?? this.#parts) + 1;
    const last = this.#floor.last(lane);
    if (last === undefined || place >= this.#parts || lane.status !== 'normal') return undefined;
    const { tape } = lane;
    const isLast = stepOf(last) === PRINTS_PER_BAR - 1;
    const [from, until] = [tape.time(last), isLast ? tape.barClose(last) : tape.time(last + 1)];
    const step = Math.floor((until - from) / this.#parts);
    const at = from + place * step;
    if (until - from > GAP_MS || step < 1 || at < this.#floor.now()) return undefined;
    // Of a print that has too few shares for all of its trades, one without any is none: the price stays.
    const whole = tape.volume(last);
    if (this.#told(whole, place) === this.#told(whole, place - 1))
      return { lane, place, at: millis(at), price: lane.between?.price ?? tape.price(last) };
    const price = tape.price(last);
    const next = isLast ? price : tape.price(last + 1);
    const between = this.#roundTo(lane, price + ((next - price) * place) / this.#parts);
    return { lane, place, at: millis(at), price: between };
  }
}
