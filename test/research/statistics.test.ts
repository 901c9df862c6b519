import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { luckOf, verdictOf } from '#src/research/luck.ts';
import { normalCdf, normalQuantile } from '#src/research/normal.ts';
import { overfittingOf } from '#src/research/overfitting.ts';
import { seededRandom } from '#src/research/seeded-random.ts';
import {
  deflatedSharpe,
  expectedMaximum,
  minimumTrackRecord,
  probabilisticSharpe,
} from '#src/research/sharpe-statistics.ts';
import { momentsOf, type ReturnMoments } from '#src/research/trial.ts';
import { acceptedShare, closesIn } from '../../bench/referees/luck-experiment-trials.ts';

// Constants without another source were computed by mpmath 1.x with 50 digits: cdf(x) = erfc(-x / sqrt(2)) / 2,
// quantile by erfinv, and the formulas of the papers that the functions name.

describe('the normal distribution', () => {
  it.each([
    [0.1, 0.539_827_837_277_029],
    [-1, 0.158_655_253_931_457_05],
    [2.9, 0.998_134_186_699_616],
    [3.1, 0.999_032_396_786_781_6],
    [-5, 2.866_515_718_791_939e-7],
    [-10, 7.619_853_024_160_53e-24],
    [-30, 4.906_713_927_148_187e-198],
  ])('has the probability of %d', (x, p) => {
    expect(Math.abs(normalCdf(x) / p - 1)).toBeLessThan(1e-13);
  });

  it.each([
    [0.975, 1.959_963_984_540_054],
    [0.001, -3.090_232_306_167_813],
    [1e-10, -6.361_340_902_404_056],
    [0.3, -0.524_400_512_708_040_8],
  ])('has the quantile of %d', (p, x) => {
    expect(normalQuantile(p)).toBeCloseTo(x, 12);
  });
});

describe('a deflated Sharpe ratio', () => {
  // Bailey and Lopez de Prado, "The Deflated Sharpe Ratio" (2014), section "A numerical example": 2.5 a year over 1,250 days of 250 a
  // year, skewness -3, kurtosis 10, variance of annual ratios 0.5. They print 0.9004 for 100 trials, 0.9505 for 46, and 0.9505 for 88 of normal returns.
  const sharpe = 2.5 / Math.sqrt(250);
  const variance = 0.5 / 250;

  it.each([
    [100, -3, 10, 0.900_396_834_449_390_4],
    [46, -3, 10, 0.950_501_706_875_578_6],
    [88, 0, 3, 0.950_490_816_676_014],
  ])('of %d trials equals the published one', (trials, skewness, kurtosis, wanted) => {
    expect(deflatedSharpe({ sharpe, count: 1_250, skewness, kurtosis }, trials, variance)).toBeCloseTo(
      wanted,
      12,
    );
  });

  it('of one trial is the probabilistic one', () => {
    const sample = { sharpe, count: 1_250, skewness: -3, kurtosis: 10 };
    expect(deflatedSharpe(sample, 1, 0)).toBe(probabilisticSharpe(sample, 0));
  });
});

describe('a probabilistic Sharpe ratio', () => {
  it.each([
    [-2.448, 10.164, 0.913_234_306_884_860_2],
    [0, 3, 0.981_591_236_083_496_7],
  ])('of two years of months equals the published one', (skewness, kurtosis, wanted) => {
    // Bailey and Lopez de Prado, "The Sharpe Ratio Efficient Frontier" (2012), section on hedge funds.
    const sample = { sharpe: 1.585 / Math.sqrt(12), count: 24, skewness, kurtosis };
    expect(probabilisticSharpe(sample, 0)).toBeCloseTo(wanted, 12);
  });

  it('is undefined if the moments allow no estimate', () => {
    expect(probabilisticSharpe({ sharpe: 1, count: 1, skewness: 0, kurtosis: 3 }, 0)).toBeNaN();
    expect(probabilisticSharpe({ sharpe: 1, count: 9, skewness: 3, kurtosis: 1 }, 0)).toBeNaN();
  });
});

describe('a minimum track record', () => {
  it.each([
    [250, 2, 1, 0, 3, 2.731_187_801_73],
    [52, 2, 1, 0, 3, 2.828_833_586_95],
    [12, 2, 1, 0, 3, 3.239_800_696_44],
    [12, 3, 2.5, -0.72, 5.78, 27.352_920_196],
  ])(
    'at %d returns a year, %d against %d, equals the published one',
    (year, own, other, skewness, kurtosis, years) => {
      const root = Math.sqrt(year);
      const returns = minimumTrackRecord({ sharpe: own / root, skewness, kurtosis }, other / root, 0.95);
      expect(returns / year).toBeCloseTo(years, 9);
    },
  );

  it('is infinite if the ratio is not above the other', () => {
    expect(minimumTrackRecord({ sharpe: 1, skewness: 0, kurtosis: 3 }, 1, 0.95)).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe('the best of trials without skill', () => {
  it.each([
    [10, 1.574_598_301_345_75],
    [45, 2.235_640_177_766_406],
    [100, 2.530_602_893_201_682],
    [1_000, 3.255_121_513_652_726],
  ])('is expected at %d trials as in the paper', (trials, wanted) => {
    expect(expectedMaximum(trials)).toBeCloseTo(wanted, 12);
  });
});

/** Returns with a different drift per trial, from the random generator of ANSI C, as in the reference below. */
function drawnTrials(): readonly Float64Array[] {
  let state = 7n;
  const next = (): number => {
    state = (1_103_515_245n * state + 12_345n) % 2_147_483_648n;
    return Number(state) / 2_147_483_648;
  };
  const trials = Array.from({ length: 6 }, () => new Float64Array(160));
  for (let day = 0; day < 160; day += 1)
    for (const [at, trial] of trials.entries()) trial[day] = (next() - 0.5) * 0.02 + 0.0002 * at;
  return trials;
}

const moments = (returns: Float64Array): ReturnMoments => {
  const made = momentsOf(returns);
  if (made === null) throw new Error('no moments');
  return made;
};

describe('moments of returns', () => {
  it('equal those of numpy', () => {
    const [first] = drawnTrials();
    // mean(), std(ddof=1), mean(d^3) / mean(d^2)^1.5 and mean(d^4) / mean(d^2)^2 of numpy 2
    const { count, mean, deviation, skewness, kurtosis } = moments(first ?? new Float64Array());
    expect(count).toBe(160);
    expect(mean).toBeCloseTo(0.000_419_985_791_668_295_9, 15);
    expect(deviation).toBeCloseTo(0.005_953_332_899_830_281, 15);
    expect(skewness).toBeCloseTo(-0.089_199_479_162_403_27, 12);
    expect(kurtosis).toBeCloseTo(1.847_427_376_365_742_7, 12);
  });

  it('do not exist for constant returns, or too few', () => {
    expect(momentsOf(new Float64Array(100))).toBeNull();
    expect(momentsOf(new Float64Array([0.1, 0.2]))).toBeNull();
  });
});

describe('the probability of backtest overfitting', () => {
  it('equals that of all 12,870 splits, computed by numpy from the returns themselves', () => {
    // 16 pieces of 10 days: in 1,854 splits the best in sample is at or below the median, and in 748 it loses.
    expect(overfittingOf(drawnTrials().map(moments))).toEqual({
      ...{ probability: 1_854 / 12_870, lossShare: 748 / 12_870, splits: 12_870, blocks: 16, trials: 6 },
    });
  });

  it('is near one half without skill, and near 0 where one trial is better all the time', () => {
    const random = seededRandom(3);
    const noise = () =>
      Float64Array.from({ length: 800 }, () => (random() + random() + random() - 1.5) * 0.01);
    const trials = Array.from({ length: 30 }, noise);
    const without = overfittingOf(trials.map(moments))?.probability ?? 0;
    expect(without).toBeGreaterThan(0.2);
    const planted = noise().map((value) => value + 0.003);
    expect(overfittingOf([...trials, planted].map(moments))?.probability).toBeLessThan(0.01);
  });

  it('needs two trials, and leaves out those with another number of days', () => {
    const [first, second] = drawnTrials().map(moments);
    if (first === undefined || second === undefined) throw new Error('too few');
    expect(overfittingOf([first])).toBeUndefined();
    expect(overfittingOf([first, second, { ...first, count: 100 }])?.trials).toBe(2);
  });
});

describe('luck', () => {
  const SEEDS = 200;
  const TRIALS = 200;
  const DAYS = 750;
  /**
   * Share of the seeds in which the best random trial, one of which may have a planted yearly Sharpe ratio, is
   * accepted as more than luck.
   */
  function accepted(planted: number): number {
    let passed = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const random = seededRandom(seed + (planted > 0 ? 1_000 : 0));
      const drift = (planted / Math.sqrt(252)) * DEVIATION;
      let [sum, squares] = [0, 0];
      let best = { sharpe: Number.NEGATIVE_INFINITY, count: DAYS, skewness: 0, kurtosis: 3 };
      for (let trial = 0; trial < TRIALS; trial += 1) {
        // The mean of this many days is normally distributed whatever the distribution of a day, and so is the error
        // of its ratio to the deviation.
        const sharpe = normalQuantile(random()) / Math.sqrt(DAYS) + (trial === 0 ? drift / DEVIATION : 0);
        sum += sharpe;
        squares += sharpe * sharpe;
        if (sharpe > best.sharpe) best = { ...best, sharpe };
      }
      const variance = (squares - (sum * sum) / TRIALS) / (TRIALS - 1);
      const names = { strategy: 's', code: 'c', data: 'd', allVersions: TRIALS };
      const luck = luckOf({ ...names, trials: TRIALS, variance, best: { sample: best, params: '{}' } });
      if ((luck?.deflated ?? 0) >= 0.95) passed += 1;
    }
    return passed / SEEDS;
  }
  const DEVIATION = 0.01;

  it('explains the best of 200 trials without skill in 95 of 100 cases', () => {
    expect(accepted(0)).toBeLessThanOrEqual(0.05);
  });

  it('does not explain a Sharpe ratio of 4 over three years among them', () => {
    expect(accepted(4)).toBeGreaterThanOrEqual(0.9);
  });

  it('explains the best of strategies that trade the real prices of an index at random, and not a planted one', () => {
    const csv = readFileSync(new URL('../../backtest-data/SPX.US/1d.csv', import.meta.url), 'utf8');
    // A part of the experiment that bench/referees/luck-experiment.ts runs with 200 seeds.
    const setting = { seeds: 20, trials: 60, days: 2_520 };
    expect(acceptedShare(closesIn(csv), { ...setting, planted: 0 }).accepted).toBeLessThanOrEqual(1);
    expect(acceptedShare(closesIn(csv), { ...setting, planted: 2.4 }).accepted).toBeGreaterThanOrEqual(18);
  });

  it('is stated in a sentence', () => {
    const count = { strategy: 's', code: 'c', data: 'd', trials: 100, allVersions: 100, variance: 0.5 / 252 };
    const sample = { sharpe: 1 / Math.sqrt(252), count: 1_250, skewness: 0, kurtosis: 3 };
    const luck = luckOf({ ...count, best: { sample, params: '{}' } });
    expect(luck && verdictOf(luck)).toBe('Luck explains it: 100 trials without skill show as much');
    expect(luckOf(count)).toBeUndefined();
  });
});
