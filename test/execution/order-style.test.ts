import { describe, expect, it } from 'vitest';
import { seededRandom } from '#src/backtest/seeded-random.ts';
import { intentIdMint } from '#src/execution/orders/intent-ids.ts';
import { type ExecutionPolicy, orderStyle } from '#src/execution/orders/order-style.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Side } from '#src/model/order.ts';
import { AAPL, at, security, TENCENT } from '../fixtures/market.ts';

const policy: ExecutionPolicy = { orderType: 'LO', offsetTicks: 1, cancelAfterMs: undefined };
const now = at('2024-03-05T10:00:00+08:00');

function limit(side: Side, last: string, change: Partial<ExecutionPolicy> = {}, symbol = AAPL): string {
  const style = orderStyle({ ...policy, ...change }, security(symbol), now);
  return String(style.limitPrice(side, decimal(last)));
}

describe('limit prices', () => {
  it('are this number of ticks from the other side of the book', () => {
    expect([limit('buy', '10'), limit('sell', '10')]).toEqual(['10.01', '9.99']);
    expect(limit('buy', '10', { offsetTicks: 0 })).toBe('10');
    expect(limit('sell', '10', { offsetTicks: 5 })).toBe('9.95');
  });

  it('are on a tick, rounded towards a fill', () => {
    expect([limit('buy', '10.0034'), limit('sell', '10.0034')]).toEqual(['10.02', '9.99']);
  });

  it("follow Hong Kong's ladder", () => {
    expect([limit('buy', '300', {}, TENCENT), limit('sell', '300', {}, TENCENT)]).toEqual(['300.2', '299.8']);
  });

  it('are on the ticks of the band in which they are', () => {
    expect(limit('buy', '19.98', { offsetTicks: 2 }, TENCENT)).toBe('20.05');
    expect(limit('sell', '20.05', { offsetTicks: 2 }, TENCENT)).toBe('19.94');
    expect(limit('buy', '0.9999', { offsetTicks: 2 })).toBe('1.01');
    expect(limit('sell', '1', { offsetTicks: 1 })).toBe('0.99');
  });

  it('do not exist for market orders', () => {
    expect(limit('buy', '10', { orderType: 'MO' })).toBe('undefined');
  });
});

describe('intent ids', () => {
  it('are 16 letters of 32, and the same again from the same seed (I-26)', () => {
    const mint = intentIdMint(seededRandom(1));
    const again = intentIdMint(seededRandom(1));
    const ids = Array.from({ length: 1_000 }, mint);
    expect(new Set(ids).size).toBe(1_000);
    expect(ids.every((id) => /^[A-Z2-7]{16}$/.test(id))).toBe(true);
    expect(ids).toEqual(Array.from({ length: 1_000 }, again));
    expect(new Set(ids.join(''))).toHaveProperty('size', 32);
  });
});
