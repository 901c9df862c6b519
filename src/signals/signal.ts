import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';

/** Which way a signal points. */
export type Direction = 'up' | 'down';

/** The output of a signal graph at one bar, before symbol and time are added. */
export interface RawSignal {
  /** The strategy's name for it: its key in `signals`. */
  readonly name: string;
  readonly direction: Direction;
  /** How strong, 0 and up; what it measures is the signal's own (crossover: relative distance of the two lines). */
  readonly strength: number;
  /** The series behind it at that bar, by label: `{ "sma(close,10)": 101.2, "sma(close,30)": 100.9 }`. */
  readonly values: Readonly<Record<string, number>>;
}

/** What the indicators say at the close of a bar: direction and strength; not an order. */
export interface Signal extends RawSignal {
  readonly kind: 'signal';
  readonly symbol: SecuritySymbol;
  /** Market time at which it is known: the bar's close. */
  readonly time: Millis;
  /** Open of the bar it was seen on. */
  readonly barTime: Millis;
  /** The bar's close, in the security's currency. */
  readonly close: number;
  /** Which of the bot's strategies it is for; absent in a bot with one. */
  readonly strategy?: string;
}
