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
 * Market events of one time, in the order in which the strategy is called. All bars that close together are visible
 * (`marks`) before the first event is handled.
 */
export interface MarketBatch {
  readonly time: Millis;
  /** Bars that closed now; a source that skips closes without events leaves equity to be computed from columns. */
  readonly marks: readonly CloseMark[];
  readonly events: readonly MarketEvent[];
  /** Why the strategy's signals have ended: no more bars are evaluated. */
  readonly failure?: StrategyFailure;
  /** The strategy that it is for; absent in a bot with one. */
  readonly strategy?: string;
}

/**
 * Turns market data into signals, live from quotes or in a backtest from columns: the same signals, in the same
 * order, at the same times. Emits nothing during the warm-up.
 */
export interface SignalSource {
  readonly batches$: Observable<MarketBatch>;
  /** Amount of market data received so far. */
  received(): { readonly quotes: number; readonly bars: number };
  /** Newest price of a symbol as a float64 estimate; NaN before the first. */
  lastPrice(symbol: SecuritySymbol): number;
  /** Newest close of a symbol up to a time within its market's current day; NaN before the first. */
  closeBefore(symbol: SecuritySymbol, at: Millis): number;
  /** The newest closed bars of a symbol, ascending, for display; a backtest keeps none. */
  recentBars?(symbol: SecuritySymbol): readonly Bar[];
  /** Values of the strategy's own series of a symbol at its newest closed bar. */
  values(symbol: SecuritySymbol): Readonly<Record<string, number>>;
}
