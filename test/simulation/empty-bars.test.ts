import { describe, expect, it } from 'vitest';
import { type FillModel, PRINT_FILLS } from '#src/simulation/models.ts';
import { type BarRow, bars, type Draft, fills, order, runUntil, world } from './world.ts';

const ny = (minute: number, price: number, volume: number): BarRow =>
  [
    `2024-01-04T10:0${minute}:00-05:00`,
    ...([price, price, price, price, volume] as const),
  ] as unknown as BarRow;

/** Time and price of the fill of an order of 10 that is sent in the first of these minutes. */
function filled(draft: Draft, rows: readonly BarRow[], model: Partial<FillModel> = {}): readonly string[] {
  const { simulation, account } = world({
    bars: [bars('AAPL.US', '1m', rows)],
    start: '2024-01-04T10:00:30-05:00',
    models: { fills: { ...PRINT_FILLS, ...model } },
  });
  order(account, { quantity: '10', ...draft });
  runUntil(simulation, '2024-01-04T10:09:00-05:00');
  return fills(account);
}

describe('a bar without volume', () => {
  const rows = [ny(0, 100, 500), ny(1, 90, 0), ny(2, 95, 0), ny(3, 97, 200)];

  it('fills nothing: orders wait for a bar with volume', () => {
    expect(filled({ type: 'LO', price: '98' }, rows)).toEqual(['15:03:00 97 x 10']);
    expect(filled({ type: 'MIT', triggerPrice: '96' }, rows)).toEqual([]);
    expect(filled({ type: 'MIT', triggerPrice: '96' }, [...rows, ny(4, 95.5, 10)])).toEqual([
      '15:04:00 95.5 x 10',
    ]);
  });

  it('is no price for an order that arrives during the bar', () => {
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', rows)],
      start: '2024-01-04T10:00:30-05:00',
    });
    runUntil(simulation, '2024-01-04T10:01:30-05:00');
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-04T10:09:00-05:00');
    expect(fills(account)).toEqual(['15:03:00 97 x 10']);
  });

  it('fills like any other if configured, and in a file without any volume', () => {
    expect(filled({ type: 'LO', price: '98' }, rows, { emptyBars: 'fill' })).toEqual(['15:01:00 90 x 10']);
    const withoutVolume = rows.map((row) => [...row.slice(0, 5), 0] as unknown as BarRow);
    expect(filled({ type: 'LO', price: '98' }, withoutVolume)).toEqual(['15:01:00 90 x 10']);
    // Later bars decide nothing: the first volume of this file is in the fourth minute.
    const late = [...withoutVolume.slice(0, 3), ny(3, 97, 200)];
    expect(filled({ type: 'LO', price: '98' }, late)).toEqual(['15:01:00 90 x 10']);
  });

  it('counts if a market is open at every bar, too', () => {
    expect(filled({ type: 'LO', price: '98' }, rows, { hours: 'bars' })).toEqual(['15:03:00 97 x 10']);
  });
});
