import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { CurveInput, EquityCurve, HoldingCloses } from './curve-input.ts';
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
    this.#days.follow(time, 0, count, (row) => value[row] as number);
    this.#drawdown.follow(time, value, count);
    this.#exposure.add(exposure, count);
  }

  addCash(closes: HoldingCloses): void {
    const { time, from, end, cash } = closes;
    if (this.#exposure.count === 0) this.#first = time[from] as number;
    if (!this.#days.stays(time, end, cash)) this.#days.follow(time, from, end, equityAt(closes));
    this.#drawdown.stay(cash, time[from] as number, time[end - 1] as number);
    this.#exposure.addZeros(end - from);
  }

  addOne(closes: HoldingCloses): void {
    const { time, close, from, end, cash, quantity } = closes;
    if (this.#exposure.count === 0) this.#first = time[from] as number;
    const last = cash + quantity * (close[end - 1] as number);
    if (!this.#days.stays(time, end, last)) this.#days.follow(time, from, end, equityAt(closes));
    for (let row = from; row < end; ) row = this.#followOne(closes, row);
    this.#exposure.count += end - from;
  }

  /** What `DrawdownTracker.follow` does, of equity that is worked out on the way and kept nowhere. */
  #followOne({ time, close, end, cash, quantity }: HoldingCloses, from: number): number {
    const drawdown = this.#drawdown;
    let { top, low } = drawdown;
    let { sum } = this.#exposure;
    let [topRow, lowRow] = [-1, -1];
    let row = from;
    for (; row < end; row += 1) {
      const worth = quantity * (close[row] as number);
      const equity = cash + worth;
      if (equity >= top) {
        if (low < top) break;
        top = equity;
        low = equity;
        topRow = row;
      } else if (equity < low) {
        low = equity;
        lowRow = row;
      }
      sum += equity > 0 ? Math.abs(worth) / equity : 0;
    }
    this.#exposure.sum = sum;
    if (topRow >= 0) drawdown.rise(top, time[topRow] as number);
    if (lowRow > topRow) drawdown.sink(low, time[lowRow] as number);
    if (row < end) drawdown.end(time[row] as number);
    return row;
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

/** Equity at a row of closes. Apart from the loops, as what a function shares with another is not kept in a register. */
function equityAt({ close, cash, quantity }: HoldingCloses): (row: number) => number {
  return (row) => (quantity === 0 ? cash : cash + quantity * (close[row] as number));
}
