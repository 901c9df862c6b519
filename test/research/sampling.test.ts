import { describe, expect, it } from 'vitest';
import type { Axis } from '#src/research/axes.ts';
import { readExpression } from '#src/research/expression.ts';
import { trialsOf } from '#src/research/sampling.ts';
import { sobolPoints } from '#src/research/sobol.ts';

const FAST: Axis = { kind: 'listed', name: 'fast', values: [5, 10, 15] };
const SLOW: Axis = { kind: 'listed', name: 'slow', values: [10, 20] };
const WEIGHT: Axis = { kind: 'continuous', name: 'weight', from: 0.1, to: 0.9 };
const where = (text: string) => readExpression(text, ['fast', 'slow', 'weight'], 'the condition');
const plan = { trials: 100, seed: 1 };

describe('a grid', () => {
  it('has every combination for which the condition holds, the last axis fastest', () => {
    const trials = trialsOf({ ...plan, axes: [FAST, SLOW], method: 'grid', where: where('fast < slow') });
    expect(Array.from(trials, ({ fast, slow }) => [fast, slow])).toEqual([
      [5, 10],
      [5, 20],
      [10, 20],
      [15, 20],
    ]);
  });

  it('is refused without a step, without a trial, and with more trials than a sweep may have', () => {
    expect(() => trialsOf({ ...plan, axes: [WEIGHT], method: 'grid' })).toThrow(
      'Cannot make a grid of "weight" without a step',
    );
    expect(() => trialsOf({ ...plan, axes: [FAST], method: 'grid', where: where('fast > 99') })).toThrow(
      '"fast > 99" holds for no combination of the axes',
    );
    const long: Axis = { kind: 'listed', name: 'a', values: Array.from({ length: 1_001 }, (_, at) => at) };
    const axes = [long, { ...long, name: 'b' }];
    expect(() => trialsOf({ ...plan, axes, method: 'grid' })).toThrow('Cannot run a grid of 1002001 trials');
  });
});

describe.each(['random', 'sobol'] as const)('%s trials', (method) => {
  it('are all different, within their axes, under the condition, and the same each time', () => {
    const made = () =>
      trialsOf({ axes: [FAST, WEIGHT], method, trials: 200, seed: 7, where: where('weight * 20 > fast') });
    const trials = made();
    expect(trials).toHaveLength(200);
    expect(new Set(Array.from(trials, (each) => JSON.stringify(each))).size).toBe(200);
    for (const { fast, weight } of trials) {
      expect([5, 10, 15]).toContain(fast);
      expect(Number(weight)).toBeGreaterThanOrEqual(0.1);
      expect(Number(weight)).toBeLessThanOrEqual(0.9);
      expect(Number(weight) * 20).toBeGreaterThan(Number(fast));
    }
    expect([...made()]).toEqual([...trials]);
  });

  it('end with the last existing combination', () => {
    expect(trialsOf({ axes: [FAST, SLOW], method, trials: 100, seed: 1 })).toHaveLength(6);
  });
});

describe('random trials', () => {
  it('depend on their seed', () => {
    const of = (seed: number) => [...trialsOf({ axes: [WEIGHT], method: 'random', trials: 5, seed })];
    expect(of(1)).not.toEqual(of(2));
  });
});

describe('a Sobol sequence', () => {
  it('has the points that Joe and Kuo publish, and scipy 1.x computes from the same direction numbers', () => {
    const points = sobolPoints(21);
    const first = Array.from({ length: 1_001 }, () => points.next().value);
    expect(first.slice(0, 8).map((point) => point.slice(0, 5))).toEqual([
      [0, 0, 0, 0, 0],
      [0.5, 0.5, 0.5, 0.5, 0.5],
      [0.75, 0.25, 0.25, 0.25, 0.75],
      [0.25, 0.75, 0.75, 0.75, 0.25],
      [0.375, 0.375, 0.625, 0.875, 0.375],
      [0.875, 0.875, 0.125, 0.375, 0.875],
      [0.625, 0.125, 0.875, 0.625, 0.625],
      [0.125, 0.625, 0.375, 0.125, 0.125],
    ]);
    // scipy.stats.qmc.Sobol(d=21, scramble=False, bits=32).random(1024)[[513, 1000]]
    expect(first[513]).toEqual([
      0.5029296875, 0.7509765625, 0.4541015625, 0.4912109375, 0.9580078125, 0.0654296875, 0.1142578125,
      0.4091796875, 0.8779296875, 0.4150390625, 0.4775390625, 0.3662109375, 0.6826171875, 0.8583984375,
      0.7587890625, 0.3251953125, 0.3740234375, 0.1318359375, 0.9462890625, 0.9384765625, 0.9541015625,
    ]);
    expect(first[1_000]).toEqual([
      0.2197265625, 0.0966796875, 0.5185546875, 0.6767578125, 0.2802734375, 0.9072265625, 0.0458984375,
      0.8994140625, 0.5009765625, 0.0693359375, 0.0849609375, 0.2548828125, 0.1611328125, 0.3837890625,
      0.1435546875, 0.3701171875, 0.7197265625, 0.3447265625, 0.9912109375, 0.7255859375, 0.5224609375,
    ]);
  });

  it('puts one point in each of 2^k equal intervals of every dimension', () => {
    const points = sobolPoints(21);
    const first = Array.from({ length: 256 }, () => points.next().value);
    for (let at = 0; at < 21; at += 1)
      expect(new Set(first.map((point) => Math.floor((point[at] ?? 0) * 256))).size).toBe(256);
  });
});
