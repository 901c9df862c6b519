import { describe, expect, it } from 'vitest';
import { bars } from '#src/signals/bars.ts';
import { either, inverse, when } from '#src/signals/combine.ts';
import { crossover, every, first, once, type TieRule, threshold } from '#src/signals/cross.ts';
import { above, constant, sub } from '#src/signals/indicators/arithmetic.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { compileSignals } from '#src/signals/program.ts';
import type { SignalNode } from '#src/signals/series.ts';
import { closes } from './some-bars.ts';

/** Signals as `3 up`, for a signal upward on bar 3. */
function said(signal: SignalNode, values: readonly number[], warmupEnd = 0): readonly string[] {
  const columns = compileSignals({ it: signal }).overColumns(closes(values), { warmupEnd });
  return [...columns].map(({ index, direction }) => `${index} ${direction}`);
}

describe('crossover', () => {
  it('emits on the bar that crosses, and not before two bars are known', () => {
    expect(said(crossover(bars.close, 10), [12, 9, 8, 11, 12, 7])).toEqual(['1 down', '3 up', '5 down']);
    expect(said(crossover(bars.close, 10), [12])).toEqual([]);
    expect(said(crossover(bars.close, sma(bars.close, 3)), [1, 2, 3, 1, 5])).toEqual(['3 down', '4 up']);
  });

  const ties: readonly (readonly [TieRule, readonly string[]])[] = [
    ['touch', ['2 up', '4 up', '6 down', '7 up']],
    ['hold', ['2 up', '6 down', '7 up']],
    ['cancel', ['7 up']],
  ];
  for (const [rule, events] of ties) {
    it(`treats equality by the rule "${rule}"`, () => {
      expect(said(crossover(bars.close, 10, { ties: rule }), [9, 10, 11, 10, 11, 10, 9, 11])).toEqual(events);
    });
  }

  it('treats values that differ by rounding only as equal', () => {
    const wobble = [10, 10 + 2e-15, 10 - 2e-15, 10, 10 + 1e-6];
    expect(said(crossover(bars.close, 10), wobble)).toEqual(['4 up']);
  });

  it('finds no cross between averages of a constant price', () => {
    for (const price of [0.1, 1.99, 97.13, 651.37]) {
      const still = Array.from({ length: 80 }, () => price);
      expect(said(crossover(sma(bars.close, 7), sma(bars.close, 30)), still)).toEqual([]);
    }
  });

  it('measures strength as the distance relative to the second, and shows both', () => {
    const columns = compileSignals({ it: crossover(bars.close, constant(8)) }).overColumns(closes([7, 10]), {
      warmupEnd: 0,
    });
    expect(columns.at(0)).toEqual({
      index: 1,
      name: 'it',
      direction: 'up',
      strength: 0.25,
      values: { close: 10, '8': 8 },
    });
  });

  it('measures strength from zero as the distance itself', () => {
    const difference = sub(bars.close, 10);
    const columns = compileSignals({ it: crossover(difference, 0) }).overColumns(closes([7, 13]), {
      warmupEnd: 0,
    });
    expect(columns.at(0).strength).toBe(3);
    expect(columns.at(0).values).toEqual({ 'sub(close,10)': 3 });
  });
});

describe('threshold', () => {
  it('emits when the source crosses a level outwards', () => {
    const levels = { above: 70, below: 30 };
    expect(said(threshold(bars.close, levels), [50, 71, 75, 69, 70, 71, 30, 29, 31, 20])).toEqual([
      '1 up',
      '5 up',
      '7 down',
      '9 down',
    ]);
  });

  it('accepts a single level', () => {
    expect(said(threshold(bars.close, { above: 5 }), [4, 6, 4, 6])).toEqual(['1 up', '3 up']);
    expect(said(threshold(bars.close, { below: 5 }), [4, 6, 4, 6])).toEqual(['2 down']);
  });

  it('refuses to have no level', () => {
    expect(() => threshold(bars.close, {})).toThrow('want a finite number for one or both');
    expect(() => threshold(bars.close, { above: Number.NaN })).toThrow('"NaN"');
  });
});

describe('other signals', () => {
  it('every emits on every decided bar, first on the first of them only', () => {
    expect(said(every(bars), [1, 2, 3], 1)).toEqual(['1 up', '2 up']);
    expect(said(first(bars), [1, 2, 3], 1)).toEqual(['1 up']);
  });

  it('once passes the first event on', () => {
    expect(said(once(crossover(bars.close, 10)), [9, 11, 9, 11], 2)).toEqual(['2 down']);
  });

  it('when passes a signal on while its condition holds', () => {
    const gated = when(crossover(bars.close, 10), above(bars.close, 12));
    expect(said(gated, [9, 11, 9, 13])).toEqual(['3 up']);
  });

  it('inverse reverses a signal, either emits both', () => {
    const cross = crossover(bars.close, 10);
    expect(said(inverse(cross), [9, 11, 9])).toEqual(['1 down', '2 up']);
    expect(said(either(cross, threshold(bars.close, { above: 12 })), [9, 11, 13])).toEqual(['1 up', '2 up']);
  });
});
