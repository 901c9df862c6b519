import { describe, expect, it } from 'vitest';
import { PRINT_FILLS } from '#src/simulation/models.ts';
import { AAPL, type BarRow, bars, type Draft, detail, fills, order, runUntil, world } from './world.ts';

const minute = (clock: string, open: number, high = open, close = open): BarRow => [
  `2024-01-04T${clock}:00-05:00`,
  ...([open, high, open, close, 4_000] as const),
];

/** Trades at 100, then up to 104 and back to 102, is halted from 9:32 to 9:34, and goes on at `after`; what printed at `unseen` nobody saw. */
function fillsOver(draft: Draft, { unseen, after }: { unseen: number; after: number }) {
  const rows = [
    minute('09:30', 100),
    minute('09:31', 100, 104, 102),
    minute('09:33', unseen),
    minute('09:35', after),
  ];
  const { simulation, account } = world({
    bars: [bars('AAPL.US', '1m', rows)],
    start: '2024-01-04T09:30:00-05:00',
    models: { fills: PRINT_FILLS },
  });
  runUntil(simulation, '2024-01-04T09:30:05-05:00');
  order(account, { quantity: '10' });
  runUntil(simulation, '2024-01-04T09:30:10-05:00');
  const id = order(account, { quantity: '10', ...draft });
  runUntil(simulation, '2024-01-04T09:32:30-05:00');
  simulation.interfere({ kind: 'status', symbol: AAPL, status: 'halted' });
  runUntil(simulation, '2024-01-04T09:34:30-05:00');
  simulation.interfere({ kind: 'status', symbol: AAPL, status: 'normal' });
  runUntil(simulation, '2024-01-04T09:40:00-05:00');
  return [detail(account, id).status, ...fills(account).slice(1)];
}

describe('a conditional order over a halt', () => {
  it('waits on from the side from which it came', () => {
    const stop = { type: 'MIT', triggerPrice: '110' } as const;
    expect(fillsOver(stop, { unseen: 115, after: 116 })).toEqual(['FilledStatus', '14:35:00 116 x 10']);
    expect(fillsOver(stop, { unseen: 115, after: 105 })).toEqual(['VarietiesNotReported']);
  });

  it('trails behind the best price from before it, and saw none within it', () => {
    const trail = { side: 'sell', type: 'TSLPAMT', trailingAmount: '3', limitOffset: '1' } as const;
    expect(fillsOver(trail, { unseen: 102, after: 100.5 })).toEqual(['FilledStatus', '14:35:00 100.5 x 10']);
    expect(fillsOver(trail, { unseen: 120, after: 102 })).toEqual(['VarietiesNotReported']);
    expect(fillsOver(trail, { unseen: 90, after: 102 })).toEqual(['VarietiesNotReported']);
  });
});
