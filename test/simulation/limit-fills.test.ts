import { describe, expect, it } from 'vitest';
import { type FillModel, PRINT_FILLS } from '#src/simulation/models.ts';
import { bars, type Draft, fills, order, runUntil, settleNow, world } from './world.ts';

type Row = readonly [open: number, high: number, low: number, close: number];

/** Fill price of a limit order of 10 that arrives a minute before these minute bars with a tick of 0.01. */
function filled(
  limitFills: FillModel['limitFills'] & {},
  draft: Draft,
  rows: readonly Row[],
): readonly string[] {
  const { simulation, account } = world({
    bars: [
      bars('AAPL.US', '1m', [
        ['2024-01-04T09:30:00-05:00', 100, 100, 100, 100],
        ...rows.map((row, minute) => [`2024-01-04T10:0${minute}:00-05:00`, ...row] as const),
      ]),
    ],
    start: '2024-01-04T09:59:00-05:00',
    models: { fills: { ...PRINT_FILLS, limitFills } },
  });
  order(account, { quantity: '10', ...draft });
  settleNow(simulation);
  runUntil(simulation, '2024-01-04T10:05:00-05:00');
  return fills(account);
}

describe('a working limit order', () => {
  it('fills at a touch of its limit, or only once the price trades beyond it, at its limit in both cases', () => {
    const rows: readonly Row[] = [
      [100, 101, 99.5, 100],
      [100, 101, 99.49, 100],
    ];
    expect(filled('touch', { price: '99.5' }, rows)).toEqual(['15:00:15 99.5 x 10']);
    expect(filled('through', { price: '99.5' }, rows)).toEqual(['15:01:15 99.5 x 10']);
  });

  it('is not filled if the market turns at its limit', () => {
    const rows: readonly Row[] = [[100, 100.5, 99.5, 100]];
    expect(filled('through', { price: '99.5' }, rows)).toEqual([]);
    expect(filled('touch', { price: '99.5' }, rows)).toHaveLength(1);
  });

  it('fills at the tick after a gap beyond its limit, and waits at one that opens at it', () => {
    expect(filled('through', { price: '100.5' }, [[100.2, 101, 100, 100.5]])).toEqual([
      '15:00:00 100.2 x 10',
    ]);
    expect(filled('through', { price: '100.5' }, [[100.5, 101, 100.5, 100.5]])).toEqual([]);
  });

  it('does not change marketable orders and stops', () => {
    const rows: readonly Row[] = [[100, 100.5, 99.5, 100]];
    expect(filled('through', {}, rows)).toEqual(filled('touch', {}, rows));
    const stop: Draft = { type: 'MIT', triggerPrice: '100.5' };
    expect(filled('through', stop, rows)).toEqual(['15:00:30 100.5 x 10']);
  });

  it('fills at a touch by chance, with a separate draw per touch, which is the same at each evaluation', () => {
    const touch: readonly Row[] = [[100, 100.5, 99.5, 100]];
    const filledAtOf = (chance: number, rows: readonly Row[]) =>
      Array.from({ length: 400 }, (_, seed) => filled({ chance, seed }, { price: '99.5' }, rows).length);
    const share = (counts: readonly number[]) => counts.filter((count) => count === 1).length / counts.length;
    const once = filledAtOf(0.3, touch);
    // 400 draws at 30 %: four standard deviations are 9.2 %. The seeds are fixed.
    expect(share(once)).toBeGreaterThan(0.208);
    expect(share(once)).toBeLessThan(0.392);
    expect(filledAtOf(0.3, touch)).toEqual(once);
    const twice = share(filledAtOf(0.3, [...touch, ...touch]));
    expect(twice).toBeGreaterThan(0.41);
    expect(twice).toBeLessThan(0.61);
  });

  it('fills for certain beyond its limit whatever the chance, and at every touch with chance 1', () => {
    const beyond: readonly Row[] = [[100, 101, 99.49, 100]];
    expect(filled({ chance: 0.0001, seed: 1 }, { price: '99.5' }, beyond)).toEqual(['15:00:15 99.5 x 10']);
    const touch: readonly Row[] = [[100, 100.5, 99.5, 100]];
    expect(filled({ chance: 1, seed: 1 }, { price: '99.5' }, touch)).toEqual(['15:00:15 99.5 x 10']);
  });

  it('has no queue position at an auction', () => {
    const made = world({
      bars: [bars('700.HK', '1m', [['2024-01-04T09:30:00+08:00', 300, 301, 299, 300]])],
      start: '2024-01-04T09:10:00+08:00',
      models: { fills: { ...PRINT_FILLS, limitFills: 'through' } },
    });
    order(made.account, { symbol: '700.HK', type: 'ALO', price: '300' });
    runUntil(made.simulation, '2024-01-04T09:31:00+08:00');
    expect(fills(made.account)).toEqual(['01:30:00 300 x 100']);
  });
});
