import type { Observable } from 'rxjs';
import type { Bar } from '../model/bar.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { MarketEvent } from '../strategy/strategy-event.ts';
import type { StrategyFailure } from './strategy-host.ts';

/** A bar close, for marking positions. */
export interface CloseMark {
  readonly symbol: SecuritySymbol;
  readonly close: number;
}

/**
 * What the market brought at one instant, in the order in which the strategy is called.
 * Bars that close together are all visible (`marks`) before the first event is handled.
 */
export interface MarketBatch {
  readonly time: Millis;
  /** Bars that closed now; a source that skips quiet closes leaves equity to be computed by column. */
  readonly marks: readonly CloseMark[];
  readonly events: readonly MarketEvent[];
  /** Why the strategy's own signals have ended: nothing was read from the bars that closed now, nor will be. */
  readonly failure?: StrategyFailure;
  /** Which of several strategies it is for; absent in a bot with one. */
  readonly strategy?: string;
}

/**
 * Turns market data into signals, live from quotes or in a backtest from columns: the same signals, in the same order,
 * at the same times. Warm-up happens inside; nothing is emitted while warming.
 */
export interface SignalSource {
  readonly batches$: Observable<MarketBatch>;
  /** How much market data went in so far. */
  seen(): { readonly quotes: number; readonly bars: number };
  /** Newest price of a symbol as a float64 estimate; NaN before the first. */
  lastPrice(symbol: SecuritySymbol): number;
  /** Newest close of a symbol up to an instant that is not after now nor before its market's day; NaN before the first. */
  closeBefore(symbol: SecuritySymbol, at: Millis): number;
  /** The newest closed bars of a symbol, ascending, for a person to look at; a backtest keeps none. */
  recentBars?(symbol: SecuritySymbol): readonly Bar[];
  /** Values of the strategy's own series of a symbol at its newest closed bar. */
  values(symbol: SecuritySymbol): Readonly<Record<string, number>>;
}
