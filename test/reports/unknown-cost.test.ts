import { describe, expect, it } from 'vitest';
import { consequencesOf } from '#src/dashboard/commands.ts';
import { english } from '#src/dashboard/page/words-en.ts';
import { createFold } from '#src/events/fold.ts';
import { decimal } from '#src/model/decimal.ts';
import { millis } from '#src/model/time.ts';
import { statusOf, statusText } from '#src/reports/status.ts';
import { unrealisedGain } from '#src/reports/unrealised-gain.ts';
import { AAPL } from '../fixtures/market.ts';
import { acked, fillOf, intentOf } from '../fixtures/orders.ts';

/** The status of a bot that took over 100 shares without a stated cost and bought 100 more at 10. */
function statusAfterPurchase() {
  const fold = createFold();
  const hundred = decimal('100');
  const position = { symbol: AAPL, currency: 'USD', quantity: hundred, available: hundred, initial: hundred };
  fold.apply({
    kind: 'run-started',
    at: millis(0),
    schema: 1,
    strategy: 's',
    config: 'c',
    currency: 'USD',
    cash: { USD: decimal('10000') },
    positions: [{ ...position, averageCost: undefined }],
  });
  const intent = intentOf();
  for (const event of acked(intent)) fold.apply(event);
  fold.apply({
    kind: 'order-filled',
    at: millis(1),
    intentId: intent.id,
    fill: fillOf('e', 'buy', '100', '10', { intent: intent.id }),
  });
  return statusOf(fold.state, millis(2));
}

describe('a position that the bot only partly bought, with an unknown cost of the rest', () => {
  const status = statusAfterPurchase();
  const [position] = status.positions;

  it('has no cost and no profit in a status', () => {
    expect(position).toEqual({ symbol: AAPL, quantity: '200', cost: null });
    expect(statusText(status)).toContain(`200 ${AAPL}, cost not known`);
    expect(unrealisedGain({ symbol: AAPL, quantity: '200', cost: null }, 12)).toBeUndefined();
  });

  it.each(['0', null])('is closed in the dashboard without a figure for its cost (%s)', (cost) => {
    const bot = { ...status, state: 'running', positions: [{ symbol: AAPL, quantity: '200', cost }] };
    const said = consequencesOf({ kind: 'flatten' }, bot as unknown as Parameters<typeof consequencesOf>[1]);
    expect(said).toContainEqual({ key: 'position-closed-cost-unknown', values: [AAPL, '200'] });
    expect(english['c-position-closed-cost-unknown']).toContain('not known');
  });
});
