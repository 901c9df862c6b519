/** A statistic, or why it cannot be computed. */
export type Estimate =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'undefined'; readonly reason: string };

/** A statistic; a value that is not finite becomes undefined. */
export function estimate(value: number): Estimate {
  return Number.isFinite(value) ? { kind: 'value', value } : noEstimate('not a finite number');
}

/** A statistic that cannot be computed, with the reason. */
export function noEstimate(reason: string): Estimate {
  return { kind: 'undefined', reason };
}
