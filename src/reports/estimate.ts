/** A statistic, or why there is none: a figure that means nothing is not shown as a number. */
export type Estimate =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'undefined'; readonly reason: string };

/** A statistic that is there; a value that is not finite becomes undefined. */
export function estimate(value: number): Estimate {
  return Number.isFinite(value) ? { kind: 'value', value } : noEstimate('not a finite number');
}

/** A statistic that cannot be had, and why. */
export function noEstimate(reason: string): Estimate {
  return { kind: 'undefined', reason };
}
