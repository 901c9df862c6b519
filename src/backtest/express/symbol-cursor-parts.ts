import type { BarRows } from '../../model/bar-rows.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { FeedColumns } from '../../signals/column-cache.ts';
import type { SignalProgram } from '../../signals/program.ts';
import type { SplitAdjustment } from '../../signals/split-adjustment.ts';
import type { FillModel } from '../../simulation/models.ts';
import type { SignalTargets } from '../../strategy/targets.ts';
import type { TradingHours } from './hours.ts';

/** Newest values of another symbol at a time; NaN before its first bar. */
interface OtherSymbol {
  closeAt(at: number): number;
  valueAt(name: string, at: number): number;
}

export interface SymbolCursorParts {
  readonly security: Security;
  readonly rows: BarRows;
  readonly program: SignalProgram;
  /** Column cache of runs over the same rows; undefined for none. */
  readonly cached: FeedColumns | undefined;
  /** Its splits, ascending; with splits all rows are one piece. */
  readonly splits: readonly SplitAdjustment[];
  readonly fills: FillModel;
  /** Bars after this time stamp without volume had no trade. */
  readonly volumesSince: Millis;
  readonly hours: TradingHours;
  /** Age at which open orders are cancelled; infinite for never. */
  readonly cancelAfterMs: number;
  /** Whether the strategy handles each bar, and not only signals. */
  readonly everyBar: boolean;
  /** Target positions by signal, if the strategy declares them. */
  readonly targets: SignalTargets | undefined;
  /** Called with the time up to which everything has been processed, before earlier bars are evicted. */
  readonly beforeEviction: (until: number) => void;
  /** Returns the cursor of another symbol at the current time; throws RangeError if the symbol is not traded. */
  readonly cursorOf: (symbol: SecuritySymbol) => OtherSymbol;
}
