/** Measured pairs of rounds, unless the work takes longer than `PATIENCE_MS`. */
const ROUNDS = 5;
/** Rounds of each that are not measured. */
const WARM_UPS = 1;
/** No further pair starts after this time. */
const PATIENCE_MS = 40_000;

/** Medians over pairs of rounds, in milliseconds. */
export interface Compared {
  readonly oursMs: number;
  readonly yardstickMs: number;
  /** Median over the pairs of ours / yardstick: 1 is equally fast, 2 takes twice as long. */
  readonly timeRatio: number;
  readonly pairs: number;
}

/** Measures both in alternation after some warm-up rounds. The one that starts changes every round. */
export function compare(
  ours: () => unknown,
  yardstick: () => unknown,
  rounds = ROUNDS,
  warmUps = WARM_UPS,
): Compared {
  const began = performance.now();
  const times: { readonly ours: number; readonly yardstick: number }[] = [];
  let warm = { ours: timed(ours), yardstick: timed(yardstick) };
  for (let more = 1; more < warmUps; more += 1) warm = { ours: timed(ours), yardstick: timed(yardstick) };
  for (let round = 0; round < rounds && performance.now() - began < PATIENCE_MS; round += 1) {
    if (round % 2 === 0) {
      const first = timed(ours);
      times.push({ ours: first, yardstick: timed(yardstick) });
    } else {
      const first = timed(yardstick);
      times.push({ ours: timed(ours), yardstick: first });
    }
  }
  const counted = times.length > 0 ? times : [warm];
  return {
    oursMs: median(counted.map((time) => time.ours)),
    yardstickMs: median(counted.map((time) => time.yardstick)),
    timeRatio: median(counted.map((time) => time.ours / time.yardstick)),
    pairs: counted.length,
  };
}

export function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** The median: the mean of the two middle values for an even count, NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  return (upper + lower) / 2;
}
