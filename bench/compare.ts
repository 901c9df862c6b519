import type { Comparison } from './benchmark.ts';

/** Fewest rounds that a median is taken of. */
export const ROUNDS_MIN = 5;

/** One side of a comparison: a name and the work, which returns how many units it did. */
export interface Contender {
  readonly name: string;
  readonly work: () => number;
}

/** How figures are shown: seconds per unit of work, times `scale`. */
export interface Figure {
  readonly unit: string;
  readonly perSecond: (unitsPerSecond: number) => number;
}

export const BARS_PER_SECOND: Figure = { unit: 'M bars/s', perSecond: (rate) => rate / 1e6 };
export const MICROSECONDS: Figure = { unit: 'us each', perSecond: (rate) => 1e6 / rate };

/** Lets both work in turn, `rounds` times after one round of warming up; the one that begins changes every round. */
export function compare(ours: Contender, yardstick: Contender, figure: Figure, rounds: number): Comparison {
  const times: { readonly ours: number; readonly yardstick: number }[] = [];
  timed(ours);
  timed(yardstick);
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      const first = timed(ours);
      times.push({ ours: first, yardstick: timed(yardstick) });
    } else {
      const first = timed(yardstick);
      times.push({ ours: timed(ours), yardstick: first });
    }
  }
  return {
    ours: ours.name,
    yardstick: yardstick.name,
    oursMedian: figure.perSecond(1 / median(times.map((time) => time.ours))),
    yardstickMedian: figure.perSecond(1 / median(times.map((time) => time.yardstick))),
    unit: figure.unit,
    timeRatio: median(times.map((time) => time.ours / time.yardstick)),
    rounds,
  };
}

/** Seconds per unit of work. */
function timed({ work }: Contender): number {
  const began = process.hrtime.bigint();
  const units = work();
  return Number(process.hrtime.bigint() - began) / 1e9 / units;
}

/** The middle value; the mean of the two middle ones of an even count. NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  return (upper + lower) / 2;
}
