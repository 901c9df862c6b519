import { Decimal } from '../../model/decimal.ts';
import type { Quote } from '../../model/quote.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { QuoteFault } from './fault-specs.ts';
import type { Faults } from './faults.ts';

/** How the frames of a quote differ from what is true. */
export interface QuoteDistortion {
  /** Text of the last price on the wire, whatever it is. */
  readonly lastDone?: string;
  readonly depth?: 'crossed' | 'locked';
  /** By how much the running number jumps; below zero it falls behind. */
  readonly jump?: bigint;
}

/** Deliveries of a quote: usually one, the quote itself. */
export interface QuoteDelivery {
  readonly quote: Quote;
  readonly distortion: QuoteDistortion;
}

const GAP = 1_000n;
const BACK_MS = 5 * MINUTE_MS;

/** Sits between the market's quotes and their subscribers: freezes, stalls, spikes, crosses, doubles and floods them. */
export class FaultyQuotes {
  readonly #faults: Pick<Faults, 'onQuote' | 'isFrozen'>;
  readonly #machine: Clock;
  readonly #shown = new Map<SecuritySymbol, Quote>();
  readonly #stalled: QuoteDelivery[] = [];
  #bursts: Millis | undefined;

  constructor(faults: Pick<Faults, 'onQuote' | 'isFrozen'>, machine: Clock) {
    this.#faults = faults;
    this.#machine = machine;
  }

  /** Delivers a quote as the faults of this moment have it: not at all, as it is, differently, or many times. */
  deliver(quote: Quote, deliver: (delivery: QuoteDelivery) => void): void {
    const faults = this.#faults.onQuote(quote.symbol);
    if (faults.some(({ knob }) => knob === 'venue.freeze')) return;
    this.#shown.set(quote.symbol, quote);
    if (faults.length === 0) {
      deliver({ quote, distortion: {} });
      return;
    }
    const deliveries = faults.reduce(distorted, [{ quote, distortion: {} }]);
    const stall = faults.find((fault) => fault.knob === 'net.stall');
    if (stall === undefined) for (const each of deliveries) deliver(each);
    else this.#stall(deliveries, stall.ms, deliver);
  }

  /** True while nothing new is shown of that symbol. */
  isFrozen(symbol: SecuritySymbol): boolean {
    return this.#faults.isFrozen(symbol);
  }

  /** The quote that a pull is answered with: the one before the freeze while there is one. */
  shown(symbol: SecuritySymbol, quote: Quote | undefined): Quote | undefined {
    if (quote === undefined || !this.#faults.isFrozen(symbol)) return quote;
    const frozen = this.#shown.get(symbol) ?? quote;
    this.#shown.set(symbol, frozen);
    return frozen;
  }

  /** Keeps quotes back and delivers them all at once when the first has waited so long. */
  #stall(deliveries: readonly QuoteDelivery[], ms: number, deliver: (delivery: QuoteDelivery) => void): void {
    this.#stalled.push(...deliveries);
    if (this.#bursts !== undefined) return;
    this.#bursts = millis(this.#machine.now() + ms);
    this.#machine.at(this.#bursts, 'venue', () => {
      this.#bursts = undefined;
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

/** One of many copies: a hundredth of a percent off, up or down in turn, and without volume but for the first. */
function jittered({ quote, distortion }: QuoteDelivery, copy: number): QuoteDelivery {
  if (copy === 0) return { quote, distortion };
  const share = new Decimal(1).plus(new Decimal(copy % 2 === 0 ? 1 : -1).div(10_000));
  return { quote: { ...quote, last: quote.last.times(share), volume: new Decimal(0) }, distortion };
}
