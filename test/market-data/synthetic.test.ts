import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demoRecipe } from '../../src/market-data/generate-demo.ts';
import { randomFrom, seededRandom } from '../../src/market-data/seeded-random.ts';
import { syntheticBars } from '../../src/market-data/synthetic.ts';
import type { Millis } from '../../src/model/time.ts';

describe('seededRandom', () => {
  it('is xoshiro128**, by the values of the reference implementation (1.1) for the state 1, 2, 3, 4', () => {
    const random = randomFrom([1, 2, 3, 4]);
    const drawn = Array.from({ length: 8 }, () => random.uint32());
    expect(drawn).toEqual([11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849]);
  });

  it('is the same for one seed and different for another', () => {
    const draw = (seed: number): number[] => {
      const random = seededRandom(seed);
      return Array.from({ length: 8 }, () => random.uint32());
    };
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        expect(draw(one)).toEqual(draw(one));
        if (one !== other) expect(draw(one)).not.toEqual(draw(other));
      }),
    );
  });

  it('adds twelve draws for a normal one, to the last bit', () => {
    const [bells, draws] = [seededRandom(7), seededRandom(7)];
    for (let count = 0; count < 1_000; count += 1) {
      const sum = Array.from({ length: 12 }, () => draws.uniform()).reduce((all, each) => all + each, -6);
      expect(bells.normal()).toBe(sum);
      expect(bells.uint32()).toBe(draws.uint32());
    }
  });

  it('draws uniform figures within 0 and 1 and normal ones around 0', () => {
    const random = seededRandom(7);
    const uniform = Array.from({ length: 20_000 }, () => random.uniform());
    const bell = Array.from({ length: 20_000 }, () => random.normal());
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.min(...uniform)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...uniform)).toBeLessThan(1);
    expect(mean(uniform)).toBeCloseTo(0.5, 1);
    expect(mean(bell)).toBeCloseTo(0, 1);
    expect(mean(bell.map((value) => value * value))).toBeCloseTo(1, 1);
  });
});

describe('syntheticBars', () => {
  const days = [0, 1].map((day) =>
    Array.from({ length: 60 }, (_, minute) => (day * 86_400_000 + minute * 60_000) as Millis),
  );

  it('generates valid bars on price steps and in whole lots from any seed', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const bars = syntheticBars({ ...demoRecipe(), seed, days });
        expect(bars).toEqual(syntheticBars({ ...demoRecipe(), seed, days }));
        for (let row = 0; row < bars.length; row++) {
          const [open = 0, high = 0, low = 0, close = 0] = [bars.open, bars.high, bars.low, bars.close].map(
            (c) => c[row],
          );
          expect(low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close)).toBe(true);
          for (const price of [open, high, low, close]) expect(Math.round(price * 20) / 20).toBe(price);
          expect((bars.volume[row] ?? 0) % 500).toBe(0);
          expect(bars.volume[row]).toBeGreaterThan(0);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('never falls to zero, even from one price step', () => {
    const bars = syntheticBars({ ...demoRecipe(), days, levelTicks: 1 });
    expect(Math.min(...bars.low)).toBe(0.05);
  });
});
