import type { BarSeries } from '../bar-series.ts';
import type { Series, SeriesRecord } from '../series.ts';

/** Description of one indicator, for documentation and tests. */
export interface CatalogueEntry {
  /** The function that authors call. */
  readonly name: string;
  /** Its parameters in order, with defaults: `x`, `n = 14`; `bars` is the whole bar. */
  readonly parameters: readonly string[];
  /** `value`, or the names of its series. */
  readonly outputs: readonly string[];
  readonly formula: string;
  /** The program or author whose definition it follows. */
  readonly source: string;
  /** The indicator applied to a strategy's bars, with its defaults if it has any. */
  readonly example: (bars: BarSeries) => Series | SeriesRecord;
}
