/** Equity after each close, in the account's currency; `time` is when the bar closes, epoch milliseconds. */
export interface EquityCurve {
  readonly time: Float64Array;
  readonly value: Float64Array;
  /** Share of equity in the market at each close (sum of absolute position values over equity). */
  readonly exposure: Float64Array;
}

/** Receives the closes of a curve in order. The arguments are valid only during the call. */
export interface CurveInput {
  /** Takes the first `count` rows of the columns. */
  add(time: Float64Array, value: Float64Array, exposure: Float64Array, count: number): void;
}

/** Returns gross position value as a share of equity; 0 if equity is not positive. */
export function exposureOf(gross: number, equity: number): number {
  return equity > 0 ? gross / equity : 0;
}
