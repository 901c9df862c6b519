import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';

/** Direction of a signal. */
export type Direction = 'up' | 'down';

/** The output of a signal graph at one bar, before symbol and time are added. */
export interface RawSignal {
  /** The strategy's name for it: its key in `signals`. */
  readonly name: string;
  readonly direction: Direction;
  /** Strength, 0 or more; its meaning depends on the signal (crossover: relative distance of the two lines). */
  readonly strength: number;
  /** The series behind it at that bar, by label: `{ "sma(close,10)": 101.2, "sma(close,30)": 100.9 }`. */
  readonly values: Readonly<Record<string, number>>;
}

/** Direction and strength from the indicators at the close of a bar; not an order. */
export interface Signal extends RawSignal {
  readonly kind: 'signal';
  readonly symbol: SecuritySymbol;
  /** Market time at which it is known: the bar's close. */
  readonly time: Millis;
  /** Open time of its bar. */
  readonly barTime: Millis;
  /** The bar's close, in the security's currency. */
  readonly close: number;
  /** The strategy that receives it; absent in a bot with one strategy. */
  readonly strategy?: string;
}
