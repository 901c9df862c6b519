import { describe, expect, it } from 'vitest';
import { type MonteCarloPlan, type ResampledRun, simulateRuns, spreadOf } from '#src/research/monte-carlo.ts';
import { monteCarloText } from '#src/research/monte-carlo-report.ts';
import { blockIndices, stationaryIndices } from '#src/research/resampling.ts';
import { seededRandom } from '#src/research/seeded-random.ts';

const PLAN: MonteCarloPlan = { bootstrap: 'stationary', runs: 400, seed: 1, block: 5, ruin: 0.5 };

/** A market that alternately rises and falls for ten days, and a strategy that holds it only while it rises. */
function timed(): ResampledRun {
  const days = 400;
  const market = Float64Array.from({ length: days }, (_, day) =>
    Math.floor(day / 10) % 2 === 0 ? 0.01 : -0.01,
  );
  const hold = new Float64Array(days + 1).fill(1);
  for (const [day, move] of market.entries()) hold[day + 1] = (hold[day] as number) * (1 + move);
  const held = Array.from({ length: 20 }, (_, at) => ({ from: at * 20, to: at * 20 + 10, side: 1 as const }));
  return {
    initialEquity: 1_000,
    returns: market.map((move) => Math.max(0, move)),
    trades: new Float64Array(20).fill(1.01 ** 10 - 1),
    ...{ held, hold },
  };
}

describe('simulated runs', () => {
  it('are the same for the same seed, and different for another', async () => {
    const one = await simulateRuns(timed(), PLAN);
    expect(await simulateRuns(timed(), PLAN)).toEqual(one);
    expect((await simulateRuns(timed(), { ...PLAN, seed: 2 })).totalReturn).not.toEqual(one.totalReturn);
  });

  it('of equal trades end alike, at the end of the run', async () => {
    const { totalReturn, actual, bands, lossShare } = await simulateRuns(timed(), {
      ...PLAN,
      bootstrap: 'trades',
    });
    expect(totalReturn.p5).toBeCloseTo(actual.totalReturn, 10);
    expect(totalReturn.p95).toBeCloseTo(1.01 ** 200 - 1, 10);
    expect(bands.at(-1)).toMatchObject({ row: 20 });
    expect(lossShare).toBe(0);
  });

  it('of trades are compared with those trades, and not with the run, which includes open and simultaneous ones', async () => {
    const named = { run: 'r', strategy: 's', currency: 'USD', from: '2024-01-01', to: '2024-12-31' };
    const textOf = async (bootstrap: MonteCarloPlan['bootstrap']) =>
      monteCarloText(
        { ...named, ...(await simulateRuns(timed(), { ...PLAN, bootstrap })) },
        { colour: false },
      );
    expect(await textOf('trades')).toMatch(/95% │ +Its trades │/);
    expect(await textOf('stationary')).toMatch(/95% │ +The run │/);
  });

  it('have the spread of independent days by the central limit theorem', async () => {
    const draw = seededRandom(4);
    const returns = Float64Array.from({ length: 1_000 }, () => (draw() - 0.5) * 0.02);
    const run = { ...timed(), returns };
    const { totalReturn } = await simulateRuns(run, { ...PLAN, bootstrap: 'block', block: 1, runs: 4_000 });
    const logs = returns.map(Math.log1p);
    const mean = logs.reduce((sum, value) => sum + value, 0) / 1_000;
    const deviation = Math.sqrt(logs.reduce((sum, value) => sum + (value - mean) ** 2, 0));
    const at = (z: number) => Math.expm1(1_000 * mean + z * deviation);
    expect(totalReturn.p5).toBeCloseTo(at(-1.645), 1);
    expect(totalReturn.p95).toBeCloseTo(at(1.645), 1);
    expect(totalReturn.p50).toBeCloseTo(at(0), 1);
  });

  it('are ruined as often as a gambler', async () => {
    // All-or-nothing bets on a coin: ruined unless all 3 are won.
    const run = { ...timed(), trades: Float64Array.of(1, -1, 1, -1) };
    const { ruinShare } = await simulateRuns(run, { ...PLAN, bootstrap: 'trades', runs: 20_000, ruin: 1 });
    expect(ruinShare).toBeCloseTo(1 - 1 / 16, 2);
  });

  it('are ruined by a drawdown from which they recover', async () => {
    // Blocks of both days: 0.4 and then 1.2, or 3 and then 1.2.
    const run = { ...timed(), returns: Float64Array.of(-0.6, 2) };
    const plan = { ...PLAN, bootstrap: 'block', block: 2, runs: 20_000 } as const;
    const { ruinShare, lossShare } = await simulateRuns(run, plan);
    expect(ruinShare).toBeCloseTo(0.5, 1);
    expect(lossShare).toBe(0);
  });

  it('stop early on request, with the figures of the finished runs', async () => {
    const { plan, totalReturn } = await simulateRuns(timed(), PLAN, (done) => done < 200);
    expect(plan.runs).toBe(200);
    expect(totalReturn).toEqual((await simulateRuns(timed(), { ...PLAN, runs: 200 })).totalReturn);
  });

  it('show that entries which know the turning points are not random, and those at random times are', async () => {
    const entry = (run: ResampledRun) =>
      simulateRuns(run, PLAN).then(({ nulls }) => nulls.find(({ name }) => name === 'random-entry'));
    expect((await entry(timed()))?.p).toBeLessThan(0.01);
    const draw = seededRandom(9);
    const held = Array.from({ length: 20 }, () => {
      const from = Math.floor(draw() * 390);
      return { from, to: from + 10, side: 1 as const };
    });
    expect((await entry({ ...timed(), held }))?.p).toBeGreaterThan(0.05);
  });

  it('show that a drawdown comes from the order of days', async () => {
    // All losses in sequence: hardly any other order has as deep a drawdown.
    const returns = Float64Array.from({ length: 100 }, (_, day) => (day < 50 ? 0.01 : -0.01));
    const { nulls } = await simulateRuns({ ...timed(), returns }, PLAN);
    const shuffled = nulls.find(({ name }) => name === 'shuffled-returns');
    expect(shuffled?.actual).toBeCloseTo(1 - 0.99 ** 50, 10);
    expect(shuffled?.p).toBeGreaterThan(0.99);
  });
});

describe('resampled rows', () => {
  it('have blocks of the mean length', () => {
    const rows = new Int32Array(100_000);
    const breaks = () =>
      rows.reduce(
        (count, row, at) => (at > 0 && row !== ((rows[at - 1] ?? 0) + 1) % 500 ? count + 1 : count),
        1,
      );
    stationaryIndices(rows, 500, 20, seededRandom(1));
    expect(rows.length / breaks()).toBeGreaterThan(19);
    expect(rows.length / breaks()).toBeLessThan(21);
    blockIndices(rows, 500, 20, seededRandom(1));
    expect(Math.abs(rows.length / breaks() - 20)).toBeLessThan(0.1);
  });
});

describe('a spread', () => {
  it('has percentiles between neighbours', () => {
    expect(spreadOf(Float64Array.of(4, 0, 1, 3, 2))).toEqual({ p5: 0.2, p25: 1, p50: 2, p75: 3, p95: 3.8 });
  });
});
