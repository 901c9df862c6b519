import { normalCdf, normalQuantile } from './normal.ts';

/** A Sharpe ratio per observation (not per year), with the inputs of its error. */
export interface SharpeSample {
  readonly sharpe: number;
  /** Number of returns. */
  readonly count: number;
  readonly skewness: number;
  /** Fourth standardized moment, not the excess; 3 of normal returns. */
  readonly kurtosis: number;
}

const EULER = 0.577_215_664_901_532_9;

/**
 * Probability that the true Sharpe ratio is above `benchmark`, given the sample; NaN if the sample is too short or
 * its moments allow no estimate.
 * @see Bailey and Lopez de Prado, "The Sharpe Ratio Efficient Frontier", Journal of Risk 15, 2012
 */
export function probabilisticSharpe(sample: SharpeSample, benchmark: number): number {
  const spread = estimateVariance(sample);
  if (!(spread > 0) || sample.count < 2) return Number.NaN;
  return normalCdf(((sample.sharpe - benchmark) * Math.sqrt(sample.count - 1)) / Math.sqrt(spread));
}

/** Variance of the estimated Sharpe ratio, times the number of observations less one. */
function estimateVariance({ sharpe, skewness, kurtosis }: SharpeSample): number {
  return 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe;
}

/**
 * Expected Sharpe ratio of the best of a number of independent trials without skill, given the variance of Sharpe
 * ratios over trials; 0 for one trial.
 * @see Bailey and Lopez de Prado, "The Deflated Sharpe Ratio", Journal of Portfolio Management 40, 2014, equation 1
 */
export function expectedBestSharpe(trials: number, variance: number): number {
  if (trials <= 1) return 0;
  return Math.sqrt(variance) * expectedMaximum(trials);
}

/** Expected maximum of a number of standard normal variables, in the approximation of that paper. */
export function expectedMaximum(trials: number): number {
  return (1 - EULER) * normalQuantile(1 - 1 / trials) + EULER * normalQuantile(1 - 1 / (trials * Math.E));
}

/** Probability that the true Sharpe ratio is above 0, given that the sample is the best of a number of trials. */
export function deflatedSharpe(sample: SharpeSample, trials: number, variance: number): number {
  return probabilisticSharpe(sample, expectedBestSharpe(trials, variance));
}

/**
 * Number of observations required for a Sharpe ratio like that of the sample to be above `benchmark` with the given
 * confidence; Infinity if it is not above it.
 */
export function minimumTrackRecord(
  sample: Omit<SharpeSample, 'count'>,
  benchmark: number,
  confidence: number,
): number {
  if (!(sample.sharpe > benchmark)) return Number.POSITIVE_INFINITY;
  const spread = estimateVariance({ ...sample, count: 0 });
  return 1 + spread * (normalQuantile(confidence) / (sample.sharpe - benchmark)) ** 2;
}
