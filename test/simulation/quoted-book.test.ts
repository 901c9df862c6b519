import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import type { BookModel } from '#src/simulation/matching/quoted-book.ts';
import { bars, type Draft, detail, fills, order, runUntil, world } from './world.ts';

const EMPTY: BookModel = () => ({ asks: [], bids: [] });
const TEN: BookModel = () => ({ asks: [{ price: decimal('99.5'), quantity: decimal('10') }], bids: [] });

/**
 * Orders to buy that arrived at 10:00:20, at a price of 100. Until 10:00:30 the price falls to 96, with trades of 25
 * shares at 99, 98 and 97 at 18, 22 and 26 seconds.
 */
function falling(book: BookModel, drafts: readonly Draft[]) {
  const { simulation, account } = world({
    bars: [bars('AAPL.US', '1m', [['2024-01-04T10:00:00-05:00', 100, 100, 96, 96, 400]])],
    start: '2024-01-04T10:00:00-05:00',
    ...{ book, tradesBetween: 3, quotes: true },
  });
  runUntil(simulation, '2024-01-04T10:00:20-05:00');
  const ids = drafts.map((draft) => order(account, draft));
  runUntil(simulation, '2024-01-04T10:00:29-05:00');
  return { fills: fills(account), executed: ids.map((id) => `${detail(account, id).executedQuantity}`) };
}

describe('orders that are matched against a book', () => {
  it('fill at their limit by trades at it or beyond, each share of a trade once, the oldest order first', () => {
    const limit = { price: '98', quantity: '30' } as const;
    expect(falling(EMPTY, [limit, limit, { price: '96', quantity: '5' }])).toEqual({
      fills: ['15:00:22 98 x 25', '15:00:26 98 x 5', '15:00:26 98 x 20'],
      executed: ['30', '20', '0'],
    });
  });

  it('take each displayed quantity once per second', () => {
    const limit = { price: '99.5', quantity: '15' } as const;
    expect(falling(TEN, [limit, limit])).toEqual({
      fills: ['15:00:20 99.5 x 10', '15:00:22 99.5 x 5', '15:00:22 99.5 x 5', '15:00:22 99.5 x 10'],
      executed: ['15', '15'],
    });
  });
});
