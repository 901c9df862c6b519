import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import type { IntentId } from '#src/model/order.ts';
import type { StrategyLimits } from '#src/risk/strategy-limits.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import type { RigMember } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { fill, rigOf, trader } from '../fixtures/several-traders.ts';

describe('two strategies of one bot', () => {
  it.each([
    [
      'order notional',
      { maxOrderNotional: { amount: decimal('150'), currency: 'USD' } },
      'Order is worth 200.00 USD, limit is 150.00 USD',
    ],
    [
      'weight',
      { maxPositionWeight: decimal('0.015') },
      '"AAPL.US" would make up 2% of equity, limit is 1.5%',
    ],
    [
      'gross exposure',
      { maxGrossExposure: decimal('0.015') },
      'gross exposure could become 2% of equity, limit is 1.5%',
    ],
    ['open orders', { maxOpenOrders: 0 }, 'Would be open order number 1, limit is 0'],
  ])('have a limit of their %s, which does not apply to the other', (_name, limits, words) => {
    const [bound, free]: [string[], string[]] = [[], []];
    const rig = rigOf({ small: trader(20, bound, { limits }), free: trader(20, free) });
    rig.quote(10);
    expect(bound.at(-1)).toContain(`Own limit of "small": ${words}`);
    expect(free.some((line) => line.startsWith('denied'))).toBe(false);
    const sent = [...rig.journal.replay()].filter((event) => event.kind === 'submit-sending');
    expect(sent.map((event) => event.kind === 'submit-sending' && event.intentId)).toEqual(['I2']);
  });

  it("have a limit on the day's loss, which does not count the other's losses", () => {
    const limits = { maxDailyLoss: decimal('0.002') };
    const buys = (at: number, shares: number, seen: string[]): RigMember => {
      let quotes = 0;
      return {
        limits,
        strategy: {
          onQuote: () => {
            quotes += 1;
            return quotes === 1 || quotes === at ? orderDrafts.buy(AAPL, shares) : undefined;
          },
          onOrder: ({ outcome, why }) => {
            seen.push(`${outcome} ${why}`.trim());
          },
        },
      };
    };
    const [loser, other]: [string[], string[]] = [[], []];
    const rig = rigOf({ loser: buys(2, 30, loser), other: buys(2, 1, other) });
    rig.quote(10);
    fill(rig, 'I1', 'buy', '30');
    fill(rig, 'I2', 'buy', '1');
    rig.quote(9);
    expect(loser.at(-1)).toMatch(/Own limit of "loser": The day has cost 0\.3\d*% of equity, limit is 0\.2%/);
    expect(other.some((line) => line.startsWith('denied'))).toBe(false);
  });

  it.each<[string, StrategyLimits, number, string]>([
    [
      'deny new terms beyond them',
      { maxPositionQuantity: decimal('15') },
      20,
      'Own limit of "changes": Position of "AAPL.US" could become 20 shares, limit is 15 shares',
    ],
    ['let new terms within them through', { maxPositionQuantity: decimal('15') }, 15, 'sent'],
    ['count an order and its new terms once', { maxOpenOrders: 1 }, 20, 'sent'],
  ])('have limits that %s', (_name, limits, quantity, message) => {
    const asked: IntentId[] = [];
    let quotes = 0;
    const changes: RigMember = {
      limits,
      strategy: {
        onQuote: () => {
          quotes += 1;
          const [order] = asked;
          if (quotes === 1) return orderDrafts.buy(AAPL, 10, { type: 'LO', price: 9 });
          return order && orderDrafts.replace({ symbol: AAPL, intentId: order }, { quantity });
        },
        onOrder: ({ intentId }) => {
          asked.push(intentId);
        },
      },
    };
    const rig = rigOf({ changes, other: trader(20) });
    rig.quote(10);
    rig.venue.push('O-I1');
    rig.quote(10);
    const about = [...rig.journal.replay()].flatMap((event) => {
      if (event.kind === 'replace-denied') return [event.reason];
      return event.kind === 'replace-sending' ? ['sent'] : [];
    });
    expect(about).toEqual([message]);
  });
});
