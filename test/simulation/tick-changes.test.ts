import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { type FillModel, PRINT_FILLS } from '#src/simulation/models.ts';
import { releasedLimit } from '#src/simulation/orders/conditions.ts';
import {
  type BarRow,
  bars,
  type Draft,
  detail,
  fills,
  order,
  runUntil,
  security,
  terms,
  world,
} from './world.ts';

/** The price steps of Hong Kong between 20 and 50 dollars change from 0.05 to 0.02 on Monday, 4 August 2025. */
const ROWS: readonly BarRow[] = [
  ['2025-08-01T09:30:00+08:00', 22, 22, 22, 22],
  ['2025-08-01T13:00:00+08:00', 22, 22, 22, 22],
  ['2025-08-04T09:30:00+08:00', 21, 21, 21, 21],
  ['2025-08-04T10:00:00+08:00', 21, 23.04, 19.02, 20],
];

function market(fillModel: Partial<FillModel> = {}, facts: Parameters<typeof security>[1] = {}) {
  const made = world({
    bars: [bars('5.HK', '30m', ROWS)],
    securities: [security('5.HK', facts)],
    start: '2025-08-01T09:30:00+08:00',
    models: { fills: { ...PRINT_FILLS, ...fillModel } },
  });
  runUntil(made.simulation, '2025-08-01T09:31:00+08:00');
  return made;
}

const GTC = { symbol: '5.HK', timeInForce: 'gtc' } as const;

/** Result of an order over the weekend, with its time and message. */
function outcome(draft: Draft, made = market()): readonly string[] {
  const { simulation, account } = made;
  if (draft.side === 'sell') order(account, { symbol: '5.HK', quantity: '100' });
  runUntil(simulation, '2025-08-01T09:40:00+08:00');
  const before = fills(account).length;
  const id = order(account, { ...GTC, ...draft });
  runUntil(simulation, '2025-08-04T17:00:00+08:00');
  const { status, message, updatedAt } = detail(account, id);
  const when = new Date(updatedAt + 8 * 3_600_000).toISOString().slice(5, 16);
  return [...fills(account).slice(before), `${status} ${when}`, ...(message === '' ? [] : [message])];
}

describe('an order that outlives a change of the price steps', () => {
  it('ends at the start of the first day with new price steps, if its price is on none', () => {
    expect(outcome({ price: '20.05' })).toEqual([
      'ExpiredStatus 08-04T09:00',
      'Price 20.05 is off the ticks of 2025-08-04, want a multiple of 0.02',
    ]);
    expect(outcome({ side: 'sell', price: '22.95' })[0]).toBe('ExpiredStatus 08-04T09:00');
  });

  it('keeps working if its price is also on a new price step', () => {
    expect(outcome({ price: '20.10' })).toEqual(['02:07:30 20.1 x 100', 'FilledStatus 08-04T10:07']);
  });

  it('keeps working if price steps are not checked, and if the security has its own step', () => {
    expect(outcome({ price: '20.05' }, market({ checkTicks: false })).at(-1)).toMatch(/^FilledStatus/);
    expect(outcome({ price: '20.05' }, market({}, { tick: decimal('0.05') })).at(-1)).toMatch(
      /^FilledStatus/,
    );
    expect(outcome({ price: '20.02' }, market({}, { kind: 'etf' })).at(-1)).toMatch(/^FilledStatus/);
  });

  it('is rejected when it triggers, if its limit is on none of them', () => {
    const stop = { type: 'LIT', triggerPrice: '20.05' } as const;
    expect(outcome({ ...stop, price: '20.05' })).toEqual([
      'RejectedStatus 08-04T10:07',
      'Price 20.05 is off the ticks of 2025-08-04, want a multiple of 0.02',
    ]);
    // A trigger is never sent, so it keeps its price.
    expect(outcome({ ...stop, price: '20.10' })).toEqual([
      '02:07:30 20.04 x 100',
      'FilledStatus 08-04T10:07',
    ]);
  });

  it('is triggered and slips on the price steps of the day', () => {
    const trail = { side: 'sell', type: 'TSLPAMT', trailingAmount: '1.55', limitOffset: '0.05' } as const;
    // From 22, then at the gap of 21: its limit is 20.95 rounded down to the next 0.02.
    const { simulation, account } = market();
    order(account, { symbol: '5.HK', quantity: '100' });
    runUntil(simulation, '2025-08-01T09:40:00+08:00');
    const id = order(account, { ...GTC, ...trail, trailingAmount: '0.95' });
    runUntil(simulation, '2025-08-04T17:00:00+08:00');
    expect(detail(account, id).terms.price?.toString()).toBe('20.94');
    const slipped = market({ slippage: { kind: 'ticks', ticks: 1 } });
    expect(outcome({ type: 'MIT', triggerPrice: '22.5' }, slipped)[0]).toBe('02:15:00 22.52 x 100');
  });

  it('has a limit on the price steps of the band in which it ends up', () => {
    const release = (market: string, draft: Draft) =>
      releasedLimit(
        terms({ ...GTC, type: 'TSLPAMT', trailingAmount: '1', ...draft }),
        decimal(market),
        security('5.HK'),
        calendarDay('2025-08-01'),
      ).toString();
    expect(release('19.98', { limitOffset: '0.04' })).toBe('20.05');
    expect(release('20.05', { side: 'sell', limitOffset: '0.10' })).toBe('19.94');
    expect(release('20.05', { limitDepthLevel: -2 })).toBe('19.96');
  });

  it('sent after the close of the previous day is checked by the new ones', () => {
    const { simulation, account } = market();
    runUntil(simulation, '2025-08-01T18:00:00+08:00');
    const send = (price: string) => account.submit(terms({ ...GTC, price }), '').kind;
    expect([send('20.05'), send('20.02')]).toEqual(['refused', 'accepted']);
  });
});
