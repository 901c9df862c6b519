/** Equity after each close, in the account's currency: `time` is the instant of the close. */
export interface EquityCurve {
  readonly time: Float64Array;
  readonly value: Float64Array;
  /** Share of equity in the market at each close (sum of absolute position values over equity). */
  readonly exposure: Float64Array;
}
