import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runSynchronously } from '#src/app/research/cooperative-work.ts';
import { groupStarts, pathsOf, purgedSplits } from '#src/research/purged-splits.ts';
import { lagWeights, longRunVariance, testAbility } from '#src/research/reality-check.ts';

// Figures of other programs, written by bench/referees/research.py; the files state their versions.

interface AbilityCase {
  readonly seed: number;
  readonly days: number;
  readonly trials: number;
  readonly block: number;
  readonly reps: number;
  readonly drift: number;
  readonly lower: number;
  readonly consistent: number;
  readonly upper: number;
  readonly realityCheck: number;
  readonly variances: readonly number[];
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./data/${name}`, import.meta.url), 'utf8'));
}

/** The random generator of ANSI C, as in the script. */
function drawn(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = (1_103_515_245n * state + 12_345n) % 2_147_483_648n;
    return Number(state) / 2_147_483_648;
  };
}

function excessOf({ seed, days, trials, drift }: AbilityCase): readonly Float64Array[] {
  const next = drawn(seed);
  const rows = Array.from({ length: trials }, () => new Float64Array(days));
  for (let day = 0; day < days; day += 1)
    for (const [at, row] of rows.entries()) row[day] = (next() - 0.5) * 0.02 + drift * (at - trials / 2);
  return rows;
}

describe('superior predictive ability and the reality check', () => {
  it.each(read<{ readonly cases: readonly AbilityCase[] }>('arch.json').cases)(
    'of $trials trials over $days days equal those of arch on the same resamples',
    (wanted) => {
      const { seed, days, block, reps } = wanted;
      const excess = excessOf(wanted);
      const next = drawn(seed + 1);
      const found = runSynchronously(
        testAbility({
          ...{ excess, block, resamples: reps },
          nextIndices: (indices) => {
            for (let at = 0; at < days; at += 1) indices[at] = Math.floor(next() * days);
          },
        }),
      );
      for (const [one, other] of [
        [found.spaLower, wanted.lower],
        [found.spa, wanted.consistent],
        [found.spaUpper, wanted.upper],
        [found.realityCheck, wanted.realityCheck],
      ] as const)
        expect(Math.abs(one - other)).toBeLessThanOrEqual(1e-12);
      for (const [at, row] of excess.entries()) {
        const mean = row.reduce((sum, value) => sum + value, 0) / days;
        const expected = wanted.variances[at] ?? Number.NaN;
        expect(Math.abs(longRunVariance(row, mean, lagWeights(days, block)) / expected - 1)).toBeLessThan(
          1e-12,
        );
      }
    },
  );
});

describe('the sums of the reality check', () => {
  it.each([2, 3, 4, 5, 30])('of %d trials equal those of sequential additions, to the last bit', (trials) => {
    for (const days of [30, 31, 32, 33, 250]) {
      const next = drawn(days);
      const excess = Array.from({ length: trials }, () =>
        Float64Array.from({ length: days }, () => next() - 0.5),
      );
      const block = 5;
      const weights = lagWeights(days, block);
      const resamples: Int32Array[] = [];
      const found = runSynchronously(
        testAbility({
          ...{ excess, block, resamples: 50 },
          nextIndices: (indices) => {
            for (let at = 0; at < days; at += 1) indices[at] = Math.floor(next() * days);
            resamples.push(indices.slice());
          },
        }),
      );
      const means = excess.map((row) => row.reduce((sum, value) => sum + value, 0) / days);
      for (const [at, row] of excess.entries()) {
        const off = row.map((value) => value - (means[at] ?? 0));
        let variance = off.reduce((sum, value) => sum + (value * value) / days, 0);
        for (const [place, weight] of weights.entries()) {
          let product = 0;
          for (let day = place + 1; day < days; day += 1)
            product += (off[day - place - 1] ?? 0) * (off[day] ?? 0);
          variance += (2 * weight * product) / days;
        }
        expect(longRunVariance(row, means[at] ?? 0, weights)).toBe(variance);
      }
      const above = resamples.filter((indices) => {
        const counts = new Float64Array(days);
        for (const day of indices) counts[day] = (counts[day] ?? 0) + 1;
        const sums = excess.map((row) =>
          row.reduce((sum, value, day) => sum + (counts[day] ?? 0) * value, 0),
        );
        return Math.max(...sums.map((sum, at) => sum / days - (means[at] ?? 0))) > Math.max(...means);
      });
      expect(found.realityCheck).toBe(above.length / 50);
    }
  });
});

describe('combinatorial purged splits', () => {
  it('equal those of skfolio for 500 settings, with their paths', () => {
    const { rows } = read<{
      readonly rows: readonly (readonly [number, number, number, number, number, string])[];
    }>('skfolio.json');
    expect(rows).toHaveLength(500);
    for (const [days, groups, test, purge, embargo, digest] of rows) {
      const splits = purgedSplits({ days, groups, test, purge, embargo });
      const starts = groupStarts(days, groups);
      const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
      const lines = splits.map(({ tested, isTrained }) => {
        const train = range(0, days).filter((day) => isTrained[day] === 1);
        const tests = tested.map((group) => range(starts[group] ?? 0, starts[group + 1] ?? 0).join(','));
        return `${train.join(',')}|${tests.join(';')}`;
      });
      const paths = pathsOf(splits, groups)
        .map((path) => path.join(','))
        .join(';');
      const own = createHash('sha256')
        .update([...lines, paths].join('\n'))
        .digest('hex')
        .slice(0, 16);
      expect([days, groups, test, purge, embargo, own]).toEqual([days, groups, test, purge, embargo, digest]);
    }
  });

  it.each([
    [{ days: 100, groups: 2, test: 1, purge: 0, embargo: 0 }, 'found 2 groups, want at least 3'],
    [{ days: 100, groups: 8, test: 8, purge: 0, embargo: 0 }, 'found 8 tested groups of 8, want from 1 to 7'],
    [{ days: 80, groups: 8, test: 2, purge: 6, embargo: 3 }, 'a group has 10 days (80 in 8 groups)'],
    [{ days: 4_000, groups: 40, test: 20, purge: 0, embargo: 0 }, 'splits, want at most 20000'],
  ])('cannot be of %j', (plan, message) => {
    expect(() => purgedSplits(plan)).toThrow(message);
  });
});
