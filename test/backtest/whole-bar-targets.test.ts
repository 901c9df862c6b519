import { expect, it } from 'vitest';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { AAPL, columnsOf } from '../fixtures/market.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const DAYS = { from: calendarDay('2023-01-03'), to: calendarDay('2024-03-08') };

const bracketed = defineStrategy({
  name: 'bracketed',
  params: {},
  exits: () => ({ stop: { percent: 2 }, target: { percent: 2 } }),
  onBar: ({ symbol }, { orders, position }) =>
    position(symbol).quantity === 0 ? orders.targetQuantity(symbol, 10) : [],
});

/** Days that rise and fall by one percent, within a range of three. */
const closes = stampsOf(AAPL, '1d', DAYS).map((stamp, day) => [stamp, 100 + Math.sin(day / 3) * 4] as const);
const BARS = columnsOf(
  AAPL,
  '1d',
  closes.map(([stamp, price], day) => {
    const open = Number((closes[Math.max(0, day - 1)]?.[1] ?? price).toFixed(2));
    const close = Number(price.toFixed(2));
    return [stamp, open, Math.max(open, close) + 0.5, Math.min(open, close) - 0.5, close];
  }),
);

it.each(['entry-bar', 'next-bar'] as const)(
  'a target that is matched against whole bars is sent once for each position, and fills (exits: %s)',
  (exits) => {
    const matching = { kind: 'whole-bars', queue: 'submitted', positions: 'net', exits } as const;
    const record = runInFull(
      setupOf(bracketed, [BARS], {
        ...DAYS,
        cash: { USD: decimal('100000') },
        rules: {
          ...DEFAULT_RULES,
          fills: {
            ...DEFAULT_RULES.fills,
            hours: 'bars',
            matching: { ...matching, stopLimit: 'close-tells', openingSpread: decimal('0'), billing: 'part' },
          },
        },
      }),
    );
    const drafted = record.decisions.flatMap((each) => (each.kind === 'intent-drafted' ? [each] : []));
    const entries = drafted.filter(({ terms }) => terms.side === 'buy');
    const targets = drafted.filter(({ link }) => link?.slot === 'target');
    const filled = record.decisions.filter(
      (each) =>
        each.kind === 'order-filled' && targets.some(({ intentId }) => intentId === each.fill.intentId),
    );
    expect(entries.length).toBeGreaterThan(20);
    expect(targets.length).toBeLessThanOrEqual(entries.length);
    expect(targets.every(({ terms }) => terms.type === 'LO')).toBe(true);
    expect(filled.length).toBeGreaterThan(10);
    expect(record.decisions.filter(({ kind }) => kind === 'intent-denied')).toEqual([]);
  },
);
