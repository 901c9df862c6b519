import { describe, expect, it } from 'vitest';
import { calendarDay } from '#src/model/time.ts';
import { crossValidated } from '#src/research/cross-validation.ts';
import { readExpression } from '#src/research/expression.ts';
import {
  figuresOfReturns,
  growthCurve,
  joinedReturns,
  RETURN_FIGURES,
} from '#src/research/return-figures.ts';
import { seededRandom } from '#src/research/seeded-random.ts';
import { FIGURES, type TrialFigures } from '#src/research/trial.ts';
import { readSpan, walkWindows } from '#src/research/walk-forward.ts';
import { efficiencyOf, type WalkForwardReport, walkForwardText } from '#src/research/walk-forward-report.ts';

const NO_FIGURES = Object.fromEntries(FIGURES.map((name) => [name, null])) as TrialFigures;

const span = (text: string) => {
  const read = readSpan(text);
  if (read === undefined) throw new Error(`"${text}" is no span`);
  return read;
};
const days = (from: string, to: string) => ({ from: calendarDay(from), to: calendarDay(to) });

describe('windows of a walk forward', () => {
  it('test each day after the first training once, with a shortened last test', () => {
    const plan = { train: span('2y'), test: span('6m'), anchored: false };
    expect(walkWindows(days('2015-01-02', '2018-03-31'), plan)).toEqual([
      { train: days('2015-01-02', '2017-01-01'), test: days('2017-01-02', '2017-07-01') },
      { train: days('2015-07-02', '2017-07-01'), test: days('2017-07-02', '2018-01-01') },
      { train: days('2016-01-02', '2018-01-01'), test: days('2018-01-02', '2018-03-31') },
    ]);
  });

  it('train from the first day on if they are anchored', () => {
    const plan = { train: span('52w'), test: span('90d'), anchored: true };
    const windows = walkWindows(days('2016-01-01', '2017-06-30'), plan);
    expect(windows.map(({ train }) => train.from)).toEqual(['2016-01-01', '2016-01-01', '2016-01-01']);
    expect(windows.map(({ test }) => test.from)).toEqual(['2016-12-30', '2017-03-30', '2017-06-28']);
  });

  it('skip no day and test none twice, also from the last day of a month', () => {
    const plan = { train: span('1m'), test: span('1m'), anchored: false };
    const windows = walkWindows(days('2019-08-31', '2020-12-31'), plan);
    for (const [at, { train, test }] of windows.entries()) {
      const next = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
      expect(next(train.to)).toBe(test.from);
      const follows = windows[at + 1];
      if (follows !== undefined) expect(next(test.to)).toBe(follows.test.from);
    }
    expect(windows.at(-1)?.test.to).toBe('2020-12-31');
  });

  it.each([
    ['3m', '1w', '2019-11-30', '2020-12-31'],
    ['1m', '2d', '2020-01-01', '2020-04-30'],
    ['2y', '90d', '2010-01-31', '2020-01-01'],
    ['20d', '1m', '2019-01-31', '2020-12-31'],
  ])('have the requested lengths: %s of training and %s of test', (train, test, from, to) => {
    const windows = walkWindows(days(from, to), { train: span(train), test: span(test), anchored: false });
    const length = (part: { readonly from: string; readonly to: string }): number =>
      (Date.parse(part.to) - Date.parse(part.from)) / 86_400_000 + 1;
    const bounds = (text: string): readonly [number, number] => {
      const { count, unit } = span(text);
      const exact = count * ({ d: 1, w: 7, m: 30, y: 365 } as const)[unit];
      return unit === 'm' ? [count * 28, count * 31] : [exact, unit === 'y' ? exact + count : exact];
    };
    for (const [at, window] of windows.entries()) {
      const [trainMin, trainMax] = bounds(train);
      const [testMin, testMax] = bounds(test);
      expect(length(window.train)).toBeGreaterThanOrEqual(trainMin);
      expect(length(window.train)).toBeLessThanOrEqual(trainMax + 1);
      if (at < windows.length - 1) expect(length(window.test)).toBeGreaterThanOrEqual(testMin);
      expect(length(window.test)).toBeGreaterThan(0);
      expect(length(window.test)).toBeLessThanOrEqual(testMax);
    }
  });

  it('need data that is longer than the training', () => {
    const plan = { train: span('6y'), test: span('6m'), anchored: false };
    expect(() => walkWindows(days('2015-01-02', '2019-12-31'), plan)).toThrow(
      'Cannot walk forward: training takes 6y, and the data from 2015-01-02 to 2019-12-31 ends before',
    );
  });

  it.each(['', '6', 'm', '0m', '1.5y', '6 m', '6h'])('are not of the length "%s"', (text) => {
    expect(readSpan(text)).toBeUndefined();
  });
});

describe('figures of daily returns', () => {
  it('equal a hand computation', () => {
    const found = figuresOfReturns(Float64Array.of(0.1, -0.5, 0.2));
    expect(found.totalReturn).toBeCloseTo(1.1 * 0.5 * 1.2 - 1, 12);
    expect(found.maxDrawdown).toBeCloseTo(0.5, 12);
    // Mean -1/15 of 0.1, -0.5 and 0.2; squares 0.0277.., 0.1877.., 0.0711..
    expect(found.volatility).toBeCloseTo(Math.sqrt((0.3 - 0.2 ** 2 / 3) / 2) * Math.sqrt(252), 10);
    expect(found.sharpe).toBeCloseTo((-0.2 / 3 / Math.sqrt((0.3 - 0.04 / 3) / 2)) * Math.sqrt(252), 10);
  });

  it('have a Sortino ratio over the root mean square of losses, with gains counted as 0', () => {
    const { sortino } = figuresOfReturns(Float64Array.of(0.1, -0.5, 0.2));
    expect(sortino).toBeCloseTo((-0.2 / 3 / Math.sqrt(0.5 ** 2 / 3)) * Math.sqrt(252), 10);
  });

  it('are unknown without returns, and for constant ones', () => {
    expect(new Set(Object.values(figuresOfReturns(new Float64Array())))).toEqual(new Set([null]));
    expect(figuresOfReturns(new Float64Array(50)).sharpe).toBeNull();
  });

  it('give an equity line that ends at their total', () => {
    const line = growthCurve(new Float64Array(2_000).fill(0.001), 100);
    expect(line).toHaveLength(100);
    expect(line.at(-1)).toBeCloseTo(1.001 ** 2_000, 9);
  });
});

describe('the efficiency of a walk forward', () => {
  const step = (totalReturn: number, dailyReturns: number) => ({
    chosen: {
      params: {},
      objective: 1,
      inSample: { ...NO_FIGURES, totalReturn, dailyReturns },
      outOfSample: figuresOfReturns(new Float64Array()),
    },
  });

  it('is the annual return of all tests divided by that of all trainings, by their days', () => {
    // 1.1 * 1.21 over 126 + 252 days: three halves of a year at 1.1 ** 2 a year.
    const steps = [step(0.1, 126), step(0.21, 252), { chosen: null }];
    expect(efficiencyOf(steps, 0.105)).toBeCloseTo(0.5, 12);
    expect(efficiencyOf(steps, -0.21)).toBeCloseTo(-1, 12);
  });

  it('hardly changes by a last test of a few days', () => {
    const year = new Float64Array(252).fill(0.0004);
    const whole = figuresOfReturns(year).cagr;
    const withTail = figuresOfReturns(joinedReturns([year, Float64Array.of(0.01, 0.01)])).cagr;
    const efficiency = (tested: number | null) => efficiencyOf([step(0.1, 252)], tested) ?? Number.NaN;
    expect(efficiency(withTail) - efficiency(whole)).toBeLessThan(0.25);
  });

  it('is unknown if training lost, or no window has a choice', () => {
    expect(efficiencyOf([step(-0.1, 252)], 0.1)).toBeNull();
    expect(efficiencyOf([{ chosen: null }], null)).toBeNull();
  });
});

describe('the report of a walk forward', () => {
  const chosen = {
    params: {},
    objective: 1,
    inSample: NO_FIGURES,
    outOfSample: figuresOfReturns(new Float64Array()),
  };
  const windows = {
    train: days('2019-01-01', '2019-12-31'),
    test: days('2020-01-01', '2020-06-30'),
    ...{ trials: 4, failed: 0 },
  };
  const report: WalkForwardReport = {
    ...{ config: 'bot.yaml', strategy: 'cross', symbols: ['AAPL.US'], period: '1d', from: '2019-01-01' },
    ...{
      to: '2020-06-30',
      method: 'grid',
      seed: 1,
      axes: [],
      where: undefined,
      objective: 'sharpe',
      code: '',
    },
    ...{ train: '1y', test: '6m', anchored: false, leftOut: [], probabilistic: null, efficiency: null },
    steps: [{ ...windows, chosen }],
    figures: figuresOfReturns(new Float64Array()),
    returns: new Float64Array(),
  };
  const textOf = (change: Partial<WalkForwardReport> = {}): string =>
    walkForwardText({ ...report, ...change }, { colour: false });

  it('explains a window without a choice', () => {
    const note = 'None: no trial of the training has a value of the objective, so that window is not tested.';
    expect(textOf()).not.toContain('None:');
    expect(textOf({ steps: [{ ...windows, chosen: null }] })).toContain(note);
  });
});

describe('a combinatorial purged cross-validation', () => {
  const plan = { days: 800, groups: 8, test: 2, purge: 10, embargo: 5 };
  const sharpe = readExpression('sharpe', RETURN_FIGURES, 'the objective');
  const noise = (seed: number, drift: number) => {
    const draw = seededRandom(seed);
    return Float64Array.from({ length: plan.days }, () => (draw() - 0.5) * 0.02 + drift);
  };

  it('follows the one trial that is always better through every path', async () => {
    const trials = Array.from({ length: 20 }, (_, trial) => ({
      ...{ trial, returns: noise(trial + 1, trial === 7 ? 0.002 : 0) },
    }));
    const found = await crossValidated(plan, trials, sharpe);
    expect(found?.splits.map(({ trial }) => trial)).toEqual(new Array(28).fill(7));
    expect(found?.paths).toHaveLength(7);
    for (const { returns } of found?.paths ?? []) expect(returns).toEqual(trials[7]?.returns);
    expect(found?.lossShare).toBe(0);
  });

  it('finds the best of noise much worse where it was not chosen', async () => {
    const trials = Array.from({ length: 100 }, (_, trial) => ({ trial, returns: noise(trial + 500, 0) }));
    const found = await crossValidated(plan, trials, sharpe);
    expect(found?.trainedSharpe ?? 0).toBeGreaterThan(1);
    expect(found?.sharpe?.p50 ?? 9).toBeLessThan(0.6);
  });

  it('never trains on a tested day: returns that only the tested days have choose nothing', async () => {
    // Trial 0 earns in groups 0 and 1 only, and trial 1 a little everywhere.
    const one = noise(1, 0).map((value, day) => (day < 200 ? value + 0.01 : value - 0.002));
    const other = noise(2, 0.0005);
    const found = await crossValidated(
      plan,
      [
        { trial: 0, returns: one },
        { trial: 1, returns: other },
      ],
      sharpe,
    );
    expect(found?.splits[0]).toMatchObject({ tested: [0, 1], trial: 1 });
    expect(found?.splits.at(-1)).toMatchObject({ tested: [6, 7], trial: 0 });
  });

  it('chooses the earlier of two trials that are equally good', async () => {
    const returns = noise(1, 0.001);
    const found = await crossValidated(
      plan,
      [3, 8].map((trial) => ({ trial, returns })),
      sharpe,
    );
    expect(new Set(found?.splits.map(({ trial }) => trial))).toEqual(new Set([3]));
  });

  it('chooses nothing if no trial has a value of the objective, and stops on request', async () => {
    const flat = [{ trial: 0, returns: new Float64Array(plan.days) }];
    const found = await crossValidated(plan, flat, sharpe);
    expect(found?.splits.every(({ trial }) => trial === null)).toBe(true);
    expect(found?.sharpe).toBeNull();
    for (const { returns } of found?.paths ?? []) expect(returns).toEqual(new Float64Array(plan.days));
    expect(await crossValidated(plan, flat, sharpe, (done) => done < 3)).toBeUndefined();
  });
});
