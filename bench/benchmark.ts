/** How much work a benchmark does: `smoke` only shows that it runs and that its gates hold. */
export type Scale = 'full' | 'smoke';

/** One comparison: ours beside a yardstick that does the same by hand, in turn, in one run. */
export interface Comparison {
  readonly ours: string;
  readonly yardstick: string;
  /** Median of all rounds, in `unit`. */
  readonly oursMedian: number;
  readonly yardstickMedian: number;
  readonly unit: string;
  /** Median over the rounds of ours / yardstick, in time: 1 is as fast, 2 takes twice as long. */
  readonly timeRatio: number;
  readonly rounds: number;
}

/** Something that must hold, or no figure of the benchmark means anything. */
export interface Gate {
  readonly what: string;
  readonly holds: boolean;
  readonly saw: string;
}

/** What a benchmark found. */
export interface BenchmarkResult {
  readonly comparisons: readonly Comparison[];
  readonly gates: readonly Gate[];
  /** What the figures leave out. */
  readonly notes: readonly string[];
}

/** One benchmark, run alone or with the others. */
export interface Benchmark {
  readonly name: string;
  readonly about: string;
  readonly run: (scale: Scale) => BenchmarkResult;
}
