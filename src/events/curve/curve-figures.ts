import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { CurveInput, EquityCurve } from './curve-input.ts';
import { DailyCloses, type DailyEquity } from './daily-equity.ts';
import { type Drawdown, DrawdownTracker } from './drawdown-tracker.ts';
import { RunningMean } from './running-mean.ts';

/** Figures of an equity curve that reports need. */
export interface CurveFigures {
  readonly closes: number;
  /** Times of the first and the last close; the start of the run if there are none. */
  readonly first: Millis;
  readonly last: Millis;
  /** Equity at the last close; the initial equity if there are none. */
  readonly final: number;
  /** The deepest drawdown; its share is 0 if equity never declined. */
  readonly drawdown: Drawdown;
  /** The deepest drawdowns, the deepest first; at most five. */
  readonly drawdowns: readonly Drawdown[];
  readonly daily: DailyEquity;
  /** Mean share of equity in the market over all closes; NaN if there are none. */
  readonly exposure: number;
}

/** The fields of a run record that its curve figures derive from. */
interface CurveSource {
  readonly from: Millis;
  readonly initialEquity: number;
  readonly equity: EquityCurve;
  readonly securities: readonly { readonly symbol: SecuritySymbol }[];
  /** Figures that the run computed; absent if they are computed from `equity`. */
  readonly curve?: CurveFigures;
}

/** Returns the figures of a run's equity curve, computed unless the run has them. */
export function curveOf(record: CurveSource): CurveFigures {
  const { curve, from, initialEquity, securities } = record;
  // Reading the equity curve of a backtest computes it from all bars.
  return curve ?? curveFigures(from, initialEquity, record.equity, marketsOf(securities));
}

export function marketsOf(securities: CurveSource['securities']): readonly Market[] {
  return securities.map(({ symbol }) => marketOf(symbol));
}

/**
 * Computes the figures of a curve that begins with `initial` at `from`, by trading days of the markets, or UTC days
 * without markets.
 */
export function curveFigures(
  from: Millis,
  initial: number,
  curve: EquityCurve,
  markets: readonly Market[],
): CurveFigures {
  const fold = new CurveFold(from, initial, markets);
  const { length } = curve.time;
  for (let row = 0; row < length; row += BATCH_SIZE) {
    const end = Math.min(row + BATCH_SIZE, length);
    const piece = (column: Float64Array): Float64Array => column.subarray(row, end);
    fold.add(piece(curve.time), piece(curve.value), piece(curve.exposure), end - row);
  }
  return fold.figures();
}

/** Closes per call, so that V8 optimizes the functions that it calls. */
const BATCH_SIZE = 4_096;

/** Computes the figures from consecutive batches of closes; exact for any batch size. */
export class CurveFold implements CurveInput {
  readonly #from: Millis;
  readonly #drawdown: DrawdownTracker;
  readonly #days: DailyCloses;
  readonly #exposure = new RunningMean();
  readonly #initial: number;
  #first = Number.NaN;

  constructor(from: Millis, initial: number, markets: readonly Market[]) {
    this.#from = from;
    this.#days = new DailyCloses(markets);
    this.#initial = initial;
    this.#drawdown = new DrawdownTracker(from, initial);
  }

  add(time: Float64Array, value: Float64Array, exposure: Float64Array, count: number): void {
    if (count === 0) return;
    if (this.#exposure.count === 0) this.#first = time[0] as number;
    this.#days.add(time, value, count);
    this.#drawdown.add(time, value, count);
    this.#exposure.add(exposure, count);
  }

  figures(): CurveFigures {
    const { count } = this.#exposure;
    const { last, lastValue } = this.#days;
    const lastAt = count === 0 ? this.#from : millis(last);
    const drawdowns = this.#drawdown.deepest(lastAt);
    const from = this.#from;
    return {
      closes: count,
      first: count === 0 ? this.#from : millis(this.#first),
      last: lastAt,
      final: count === 0 ? this.#initial : lastValue,
      drawdown: drawdowns[0] ?? {
        ...{ share: 0, peakAt: from, troughAt: from, recoveredAt: undefined, durationMs: 0 },
      },
      drawdowns,
      daily: this.#days.finish(),
      exposure: this.#exposure.mean(),
    };
  }
}
