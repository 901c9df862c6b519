import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { CurveInput, EquityCurve } from './curve-input.ts';
import { type DailyEquity, Days } from './daily-equity.ts';
import { type Drawdown, DrawdownTracker } from './drawdown-tracker.ts';
import { RunningMean } from './running-mean.ts';

/** What figures of a run need of its equity curve. */
export interface CurveFigures {
  /** How many closes there were. */
  readonly closes: number;
  /** Instants of the first and the last, the begin of the run when there was none. */
  readonly first: Millis;
  readonly last: Millis;
  /** Equity at the last close; what it began with when there was none. */
  readonly final: number;
  readonly drawdown: Drawdown;
  readonly daily: DailyEquity;
  /** Mean share of equity in the market over all closes; NaN when there was none. */
  readonly exposure: number;
}

/** The fields of a run record that its curve figures come from. */
export interface CurveSource {
  readonly from: Millis;
  readonly initialEquity: number;
  readonly equity: EquityCurve;
  readonly securities: readonly { readonly symbol: SecuritySymbol }[];
  /** Figures that the run gathered while it went; absent: they are computed from `equity`. */
  readonly curve?: CurveFigures;
}

/** Returns the figures of a run's equity curve: those that the run gathered, or figures computed from the curve. */
export function curveOf(record: CurveSource): CurveFigures {
  const { curve, from, initialEquity, securities } = record;
  // A backtest makes its equity curve when it is first read, which goes through all bars again.
  return curve ?? curveFigures(from, initialEquity, record.equity, marketsOf(securities));
}

/** The markets whose days a run over those securities has. */
export function marketsOf(securities: CurveSource['securities']): readonly Market[] {
  return securities.map(({ symbol }) => marketOf(symbol));
}

/** The figures of a curve that begins with `initial` at `from`, over trading days of markets; UTC days where there is none. */
export function curveFigures(
  from: Millis,
  initial: number,
  curve: EquityCurve,
  markets: readonly Market[],
): CurveFigures {
  const fold = new CurveFold(from, initial, markets);
  const { length } = curve.time;
  for (let row = 0; row < length; row += PIECE) {
    const end = Math.min(row + PIECE, length);
    const piece = (column: Float64Array): Float64Array => column.subarray(row, end);
    fold.add(piece(curve.time), piece(curve.value), piece(curve.exposure), end - row);
  }
  return fold.figures();
}

/** Closes per call; a function that is called often is compiled once. */
const PIECE = 4_096;

/** Gathers those figures from closes that come piece by piece; the same to the last bit however they are cut. */
export class CurveFold implements CurveInput {
  readonly #from: Millis;
  readonly #drawdown: DrawdownTracker;
  readonly #days: Days;
  readonly #exposure = new RunningMean();
  readonly #initial: number;
  #first = Number.NaN;

  constructor(from: Millis, initial: number, markets: readonly Market[]) {
    this.#from = from;
    this.#days = new Days(markets);
    this.#initial = initial;
    this.#drawdown = new DrawdownTracker(from, initial);
  }

  add(time: Float64Array, value: Float64Array, exposure: Float64Array, count: number): void {
    if (count === 0) return;
    if (this.#exposure.count === 0) this.#first = time[0] as number;
    this.#days.follow(time, value, count);
    this.#drawdown.follow(time, value, count);
    this.#exposure.add(exposure, count);
  }

  figures(): CurveFigures {
    const { count } = this.#exposure;
    const { last, lastValue } = this.#days;
    const lastAt = count === 0 ? this.#from : millis(last);
    return {
      closes: count,
      first: count === 0 ? this.#from : millis(this.#first),
      last: lastAt,
      final: count === 0 ? this.#initial : lastValue,
      drawdown: this.#drawdown.deepest(lastAt),
      daily: this.#days.finish(),
      exposure: this.#exposure.mean(),
    };
  }
}
