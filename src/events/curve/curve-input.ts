/** Equity after each close, in the account's currency: `time` is the instant of the close. */
export interface EquityCurve {
  readonly time: Float64Array;
  readonly value: Float64Array;
  /** Share of equity in the market at each close (sum of absolute position values over equity). */
  readonly exposure: Float64Array;
}

/** Takes the closes of a curve in turn. What it is handed is good until it returns. */
export interface CurveInput {
  /** Takes `count` closes, which the columns begin with. */
  add(time: Float64Array, value: Float64Array, exposure: Float64Array, count: number): void;
}

/** What is held as a share of equity; 0 where equity is none. */
export function exposureOf(gross: number, equity: number): number {
  return equity > 0 ? gross / equity : 0;
}
