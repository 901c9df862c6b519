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

/** What a cursor reads of another symbol: its newest values at an instant, NaN before its first bar. */
interface OtherSymbol {
  closeAt(at: number): number;
  valueAt(name: string, at: number): number;
}

/** The parts of a cursor. */
export interface SymbolCursorParts {
  readonly security: Security;
  readonly rows: BarRows;
  readonly program: SignalProgram;
  /** Columns of earlier runs over these rows; none when absent. */
  readonly kept: FeedColumns | undefined;
  /** When its shares are split, ascending; where they are, all rows are one piece. */
  readonly changes: readonly SplitAdjustment[];
  readonly fills: FillModel;
  /** Bars after this stamp that have no volume saw no trade. */
  readonly volumesSince: Millis;
  readonly hours: TradingHours;
  /** Orders are cancelled that are still open after so long; infinite: never. */
  readonly cancelAfterMs: number;
  /** Whether the strategy receives each bar, and not only signals. */
  readonly everyBar: boolean;
  /** The position per signal, where the strategy declares it once for all signals. */
  readonly targets: SignalTargets | undefined;
  /** Hears how far everything has happened before bars of until then are let go. */
  readonly passed: (until: number) => void;
  /** The cursor of another symbol, advanced to the current time; throws RangeError for one that is not traded. */
  readonly cursorOf: (symbol: SecuritySymbol) => OtherSymbol;
}
