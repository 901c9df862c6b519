import { type Millis, millis, NEVER, SECOND_MS } from '../../model/time.ts';
import type { MarketReplay, SymbolMarket } from './market-replay.ts';
import { PRINTS_PER_BAR } from './prints.ts';
import { type PrintIndex, stepOf } from './tape.ts';

/** A trade between two prints of a symbol; `place` is its number since the previous print. */
interface BetweenTrade {
  readonly symbolMarket: SymbolMarket;
  readonly place: number;
  readonly at: Millis;
  readonly price: number;
}

/** Prints further apart than this have no trades between them: the market was closed. */
const GAP_MS = 60 * SECOND_MS;

/**
 * Generates trades between prints, for markets where four prints a minute are too few. They move from one print of a
 * bar to the next in equal steps of time and price, and share the volume of the print before them. After a bar's last
 * print they trade at its close until the bar ends, so bars still equal the sum of their trades.
 */
export class BetweenPrints {
  readonly #replay: MarketReplay;
  readonly #parts: number;
  readonly #roundTo: (symbolMarket: SymbolMarket, price: number) => number;

  constructor(parts: {
    readonly replay: MarketReplay;
    /** Trades between every two prints. */
    readonly trades: number;
    readonly roundTo: (symbolMarket: SymbolMarket, price: number) => number;
  }) {
    this.#replay = parts.replay;
    this.#parts = parts.trades + 1;
    this.#roundTo = parts.roundTo;
  }

  /** Returns the time of the next trade of any symbol; NEVER if there is none. */
  nextAt(): Millis {
    return this.#next()?.at ?? NEVER;
  }

  step(): BetweenTrade {
    const trade = this.#next();
    if (trade === undefined) throw new Error('Cannot step a trade between prints, none is due');
    this.#replay.moveTo(trade.at);
    this.#record(trade);
    return trade;
  }

  /** Restarts the trades of a symbol after a print. */
  restart(symbolMarket: SymbolMarket, index: PrintIndex): void {
    this.#record({
      symbolMarket,
      place: 0,
      at: symbolMarket.tape.time(index),
      price: symbolMarket.tape.price(index),
    });
  }

  #record({ symbolMarket, place, at, price }: BetweenTrade): void {
    const last = this.#replay.last(symbolMarket);
    const whole = last === undefined ? 0 : symbolMarket.tape.volume(last);
    symbolMarket.between = { place, at, price, volumeToCome: whole - this.#volumeUpTo(whole, place) };
  }

  volumeOf(symbolMarket: SymbolMarket): number {
    const last = this.#replay.last(symbolMarket);
    const place = symbolMarket.between?.place;
    if (last === undefined || place === undefined) return 0;
    const whole = symbolMarket.tape.volume(last);
    return this.#volumeUpTo(whole, place) - (place === 0 ? 0 : this.#volumeUpTo(whole, place - 1));
  }

  #volumeUpTo(whole: number, place: number): number {
    return Math.floor((whole * (place + 1)) / this.#parts);
  }

  #next(): BetweenTrade | undefined {
    let first: BetweenTrade | undefined;
    for (const symbolMarket of this.#replay.symbolMarkets) {
      const trade = this.#nextOf(symbolMarket);
      if (trade !== undefined && (first === undefined || trade.at < first.at)) first = trade;
    }
    return first;
  }

  #nextOf(symbolMarket: SymbolMarket): BetweenTrade | undefined {
    const place = (symbolMarket.between?.place ?? this.#parts) + 1;
    const last = this.#replay.last(symbolMarket);
    if (last === undefined || place >= this.#parts || symbolMarket.status !== 'normal') return undefined;
    const { tape } = symbolMarket;
    const isLast = stepOf(last) === PRINTS_PER_BAR - 1;
    const [from, until] = [tape.time(last), isLast ? tape.barClose(last) : tape.time(last + 1)];
    const step = Math.floor((until - from) / this.#parts);
    const at = from + place * step;
    if (until - from > GAP_MS || step < 1 || at < this.#replay.now()) return undefined;
    // If a print has fewer shares than trades, some trades have no volume and do not change the price.
    const whole = tape.volume(last);
    if (this.#volumeUpTo(whole, place) === this.#volumeUpTo(whole, place - 1))
      return { symbolMarket, place, at: millis(at), price: symbolMarket.between?.price ?? tape.price(last) };
    const price = tape.price(last);
    const next = isLast ? price : tape.price(last + 1);
    const between = this.#roundTo(symbolMarket, price + ((next - price) * place) / this.#parts);
    return { symbolMarket, place, at: millis(at), price: between };
  }
}
