import { Decimal } from '../../model/decimal.ts';
import type { Quote } from '../../model/quote.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { QuoteFault } from './fault-specs.ts';
import type { Faults } from './faults.ts';

export interface QuoteDistortion {
  /** Text of the last price on the wire, valid or not. */
  readonly lastDone?: string;
  readonly depth?: 'crossed' | 'locked';
  /** Jump of the sequence number; negative goes back. */
  readonly jump?: bigint;
}

export interface QuoteDelivery {
  readonly quote: Quote;
  readonly distortion: QuoteDistortion;
}

const GAP = 1_000n;
const BACK_MS = 5 * MINUTE_MS;

/**
 * Applies faults to quotes between market and subscribers: freezes, stalls, spikes, crosses, duplicates and floods.
 */
export class FaultyQuotes {
  readonly #faults: Pick<Faults, 'onQuote' | 'isFrozen'>;
  readonly #machine: Clock;
  readonly #lastDelivered = new Map<SecuritySymbol, Quote>();
  readonly #stalled: QuoteDelivery[] = [];
  #releaseAt: Millis | undefined;

  constructor(faults: Pick<Faults, 'onQuote' | 'isFrozen'>, machine: Clock) {
    this.#faults = faults;
    this.#machine = machine;
  }

  /** Delivers a quote under the active faults: not at all, unchanged, changed, or many times. */
  deliver(quote: Quote, deliver: (delivery: QuoteDelivery) => void): void {
    const faults = this.#faults.onQuote(quote.symbol);
    if (faults.some(({ knob }) => knob === 'venue.freeze')) return;
    this.#lastDelivered.set(quote.symbol, quote);
    if (faults.length === 0) {
      deliver({ quote, distortion: {} });
      return;
    }
    const deliveries = faults.reduce(distorted, [{ quote, distortion: {} }]);
    const stall = faults.find((fault) => fault.knob === 'net.stall');
    if (stall === undefined) for (const each of deliveries) deliver(each);
    else this.#stall(deliveries, stall.ms, deliver);
  }

  isFrozen(symbol: SecuritySymbol): boolean {
    return this.#faults.isFrozen(symbol);
  }

  /** Returns the quote for a pull; while frozen, the last quote before the freeze. */
  quoteForPull(symbol: SecuritySymbol, quote: Quote | undefined): Quote | undefined {
    if (quote === undefined || !this.#faults.isFrozen(symbol)) return quote;
    const frozen = this.#lastDelivered.get(symbol) ?? quote;
    this.#lastDelivered.set(symbol, frozen);
    return frozen;
  }

  /** Delays quotes and delivers them all together `ms` after the first. */
  #stall(deliveries: readonly QuoteDelivery[], ms: number, deliver: (delivery: QuoteDelivery) => void): void {
    this.#stalled.push(...deliveries);
    if (this.#releaseAt !== undefined) return;
    this.#releaseAt = millis(this.#machine.now() + ms);
    this.#machine.at(this.#releaseAt, 'venue', () => {
      this.#releaseAt = undefined;
      for (const each of this.#stalled.splice(0)) deliver(each);
    });
  }
}

function distorted(deliveries: readonly QuoteDelivery[], fault: QuoteFault): readonly QuoteDelivery[] {
  switch (fault.knob) {
    case 'venue.freeze':
    case 'net.stall':
      return deliveries;
    case 'venue.spike':
      return deliveries.map(({ quote, distortion }) =>
        fault.price === undefined
          ? { quote: { ...quote, last: quote.last.times(fault.factor) }, distortion }
          : { quote, distortion: { ...distortion, lastDone: fault.price } },
      );
    case 'venue.cross':
      return deliveries.map(({ quote, distortion }) => ({
        quote,
        distortion: { ...distortion, depth: fault.form },
      }));
    case 'venue.seq':
      return deliveries.flatMap((each) => outOfOrder(fault.form, each));
    case 'venue.flood':
      return deliveries.flatMap((each) =>
        Array.from({ length: fault.copies }, (_, copy) => jittered(each, copy)),
      );
    default:
      return unreachable(fault);
  }
}

function outOfOrder(
  form: Extract<QuoteFault, { knob: 'venue.seq' }>['form'],
  { quote, distortion }: QuoteDelivery,
): readonly QuoteDelivery[] {
  switch (form) {
    case 'duplicate':
      return [
        { quote, distortion },
        { quote, distortion: { ...distortion, jump: -1n } },
      ];
    case 'gap':
      return [{ quote, distortion: { ...distortion, jump: GAP } }];
    case 'back':
      return [
        { quote, distortion },
        {
          quote: { ...quote, time: millis(quote.time - BACK_MS) },
          distortion: { ...distortion, jump: -GAP },
        },
      ];
  }
}

/** Returns a copy whose price is 0.01 % up or down in turn; only copy 0 keeps price and volume. */
function jittered({ quote, distortion }: QuoteDelivery, copy: number): QuoteDelivery {
  if (copy === 0) return { quote, distortion };
  const share = new Decimal(1).plus(new Decimal(copy % 2 === 0 ? 1 : -1).div(10_000));
  return { quote: { ...quote, last: quote.last.times(share), volume: new Decimal(0) }, distortion };
}
