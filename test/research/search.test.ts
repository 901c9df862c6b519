import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Axis, AxisValue } from '#src/research/axes.ts';
import { readExpression } from '#src/research/expression.ts';
import type { TrialParams } from '#src/research/param-table.ts';
import { CmaEs } from '#src/research/search/cma-es.ts';
import { Search, type SearchPlan } from '#src/research/search/search.ts';
import { symmetricEigen } from '#src/research/search/symmetric-eigen.ts';

const WEIGHT: Axis = { kind: 'continuous', name: 'weight', from: -2, to: 6 };
const FAST: Axis = { kind: 'listed', name: 'fast', values: Array.from({ length: 60 }, (_, at) => at + 1) };
const SLOW: Axis = {
  kind: 'listed',
  name: 'slow',
  values: Array.from({ length: 60 }, (_, at) => 5 * at + 5),
};
const MODE: Axis = { kind: 'listed', name: 'mode', values: ['open', 'close', 'middle'] };
const LONG: Axis = { kind: 'listed', name: 'long', values: [false, true] };
const AXES = [WEIGHT, FAST, SLOW, MODE, LONG];
const where = readExpression(
  "fast < slow and (long or mode != 'open')",
  AXES.map(({ name }) => name),
  'the condition',
);
const PLAN = { axes: AXES, trials: 120, seed: 3, where };
const METHODS = ['tpe', 'cma-es'] as const;

/** Maximum 0 at weight 2.5, fast 20, slow 150, mode middle, long. */
function score({ weight, fast, slow, mode, long }: TrialParams): number {
  const off = [(Number(weight) - 2.5) / 8, (Number(fast) - 20) / 60, (Number(slow) - 150) / 300];
  return -off.reduce((sum, each) => sum + each * each, 0) - (mode === 'middle' ? 0 : 0.3) - (long ? 0 : 0.3);
}

function run(plan: SearchPlan, of: (params: TrialParams) => number | null = score): readonly TrialParams[] {
  const search = new Search(plan);
  const all: TrialParams[] = [];
  for (let trials = search.next(); trials.length > 0; trials = search.next(trials.map(of)))
    all.push(...trials);
  return all;
}

const best = (trials: readonly TrialParams[]): number => Math.max(...trials.map(score));
const medianBest = (plan: (seed: number) => SearchPlan): number =>
  Array.from({ length: 9 }, (_, at) => best(run(plan(at + 1)))).toSorted(
    (one, other) => one - other,
  )[4] as number;

describe.each(METHODS)('a search by %s', (method) => {
  it('tries different combinations for which the condition holds, as many as requested, and the same each time', () => {
    const trials = run({ ...PLAN, method });
    expect(trials).toHaveLength(120);
    expect(new Set(trials.map((each) => JSON.stringify(each))).size).toBe(120);
    for (const params of trials) {
      expect(where.valueOf((name) => params[name] ?? null)).toBe(true);
      for (const axis of AXES) {
        const value = params[axis.name] as AxisValue;
        if (axis.kind === 'listed') expect(axis.values).toContain(value);
        else expect(Number(value) >= axis.from && Number(value) <= axis.to).toBe(true);
      }
    }
    expect(run({ ...PLAN, method })).toEqual(trials);
    expect(run({ ...PLAN, method, seed: 4 })).not.toEqual(trials);
  });

  it('begins with the same trials however many there are', () => {
    expect(run({ ...PLAN, method, trials: 61 })).toEqual(run({ ...PLAN, method }).slice(0, 61));
  });

  it('finds numbers, whole numbers, texts and booleans better than uniform draws', () => {
    const even = medianBest((seed) => ({ ...PLAN, method, seed, axes: AXES, trials: 10 }));
    const found = medianBest((seed) => ({ ...PLAN, method, seed }));
    expect(found).toBeGreaterThan(even / 4);
    expect(found).toBeGreaterThan(-0.03);
  });

  it('tries everything if there are few combinations, and ends', () => {
    const axes = [{ ...FAST, values: [1, 2, 3, 4, 5] }, MODE, LONG];
    expect(run({ axes, method, trials: 1_000, seed: 1 })).toHaveLength(30);
    const few = readExpression('fast < 3 and long', ['fast', 'mode', 'long'], 'the condition');
    expect(run({ axes, method, trials: 1_000, seed: 1, where: few })).toHaveLength(6);
  });

  it('continues if trials fail, all or some of them', () => {
    expect(run({ ...PLAN, method }, () => null)).toHaveLength(120);
    const found = run({ ...PLAN, method }, (params) => (params['fast'] === 20 ? null : score(params)));
    expect(best(found)).toBeGreaterThan(-0.1);
  });

  it('names a condition that never holds', () => {
    const never = readExpression('fast > 99', ['fast'], 'the condition');
    expect(() => new Search({ axes: [FAST], method, trials: 5, seed: 1, where: never }).next()).toThrow(
      '"fast > 99" holds for no combination',
    );
  });
});

describe('a generation', () => {
  it('has 10 trials and then 4 by tpe, and by cma-es as many as its dimensions require', () => {
    const sizes = (method: 'tpe' | 'cma-es') => {
      const search = new Search({
        axes: [WEIGHT, { ...WEIGHT, name: 'other' }],
        method,
        trials: 22,
        seed: 1,
      });
      const found: number[] = [];
      for (let trials = search.next(); trials.length > 0; trials = search.next(trials.map((_, at) => at)))
        found.push(trials.length);
      return found;
    };
    expect(sizes('tpe')).toEqual([10, 4, 4, 4]);
    expect(sizes('cma-es')).toEqual([6, 6, 6, 4]);
  });
});

describe('CMA-ES', () => {
  it('follows the package cmaes 0.13, number for number', () => {
    // Points and step of `cmaes.CMA(mean=[0.3, 0.6, 0.5], sigma=0.2)` with the same normal numbers, on 100 (b - a²)² + (1 - a)² + 3 c².
    const search = new CmaEs([0.3, 0.6, 0.5], 0.2);
    let state = 1;
    const normal = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return (state / 2_147_483_647 - 0.5) * 3;
    };
    for (let generation = 0; generation < 40; generation += 1) {
      const points = Array.from({ length: search.population }, () =>
        search.sample([normal(), normal(), normal()]),
      );
      const value = ([a = 0, b = 0, c = 0]: readonly number[]) =>
        100 * (b - a * a) ** 2 + (1 - a) ** 2 + 3 * c * c;
      search.learn(points.toSorted((one, other) => value(one) - value(other)));
    }
    const [a, b, c] = CMAES_MEAN;
    expect(search.mean[0]).toBeCloseTo(a, 9);
    expect(search.mean[1]).toBeCloseTo(b, 9);
    expect(search.mean[2]).toBeCloseTo(c, 9);
    expect(search.step).toBeCloseTo(CMAES_STEP, 9);
  });
});

const CMAES_MEAN = [0.9069554421591467, 0.8248312051968213, 0.005370760045040708] as const;
const CMAES_STEP = 0.07959711147553936;

describe('eigenvalues of a symmetric matrix', () => {
  it('restore the matrix with their vectors', () => {
    const numbers = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 36, maxLength: 36 });
    fc.assert(
      fc.property(numbers, (entries) => {
        const size = 6;
        const at = (row: number, column: number): number =>
          entries[Math.min(row, column) * size + Math.max(row, column)] as number;
        const matrix = Float64Array.from({ length: 36 }, (_, index) =>
          at(Math.floor(index / size), index % size),
        );
        const { values, vectors } = symmetricEigen(matrix, size);
        for (let row = 0; row < size; row += 1)
          for (let column = 0; column < size; column += 1) {
            let [entry, product] = [0, 0];
            for (let each = 0; each < size; each += 1) {
              const [left, right] = [
                vectors[row * size + each] as number,
                vectors[column * size + each] as number,
              ];
              entry += left * (values[each] as number) * right;
              product += left * right;
            }
            expect(entry).toBeCloseTo(at(row, column), 9);
            expect(product).toBeCloseTo(row === column ? 1 : 0, 9);
          }
      }),
    );
  });
});
