import { describe, expect, it } from 'vitest';
import { compareRunPages } from '../../src/reports/compare.ts';
import { compareText } from '../../src/reports/compare-text.ts';
import { aPage, manyFills } from './a-page.ts';

describe('two runs side by side', () => {
  const calm = aPage([101_000, 102_000], { fills: manyFills(40) });
  const wild = aPage(
    [90_000, 110_000],
    { fills: manyFills(40), currency: 'HKD' },
    { yaml: 'strategy: sma-cross\nsymbols: [SPX.US]\nparams: { fast: 5 }\n' },
  );

  it('print B minus A, figure by figure', () => {
    const { figures } = compareRunPages(calm, wild);
    expect(figures.find(({ name }) => name === 'Final equity')).toEqual({
      name: 'Final equity',
      kind: 'money',
      a: 102_000,
      b: 110_000,
    });
    const alike = aPage([90_000, 110_000], { fills: manyFills(40) });
    expect(compareText(compareRunPages(calm, alike), { colour: false })).toContain('+8,000.00');
  });

  it('subtract no amounts in different dollars', () => {
    const row = compareText(compareRunPages(calm, wild), { colour: false });
    expect(row).toMatch(/Final equity +│ +102,000\.00 │ +110,000\.00 │ +- │/);
  });

  it('name the differences between their inputs', () => {
    expect(compareRunPages(calm, wild).caveats).toEqual(['Currencies differ: USD / HKD']);
    expect(compareRunPages(aPage([100]), aPage([100])).caveats).toEqual([
      'Too few samples: a run with under 30 closed trades proves little either way',
    ]);
  });

  it('show which lines of the config differ, except comments', () => {
    const { onlyInA, onlyInB, sameStrategyCode } = compareRunPages(calm, wild);
    expect(onlyInA).toEqual(['params: { fast: 10 }']);
    expect(onlyInB).toEqual(['params: { fast: 5 }']);
    expect(sameStrategyCode).toBe(true);
  });

  it('fit into 80 columns', () => {
    const lines = compareText(compareRunPages(calm, wild), { colour: false }).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});
