import { describe, expect, it } from 'vitest';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import {
  AAPL,
  type BarRow,
  bars,
  type Draft,
  detail,
  fills,
  order,
  runUntil,
  security,
  world,
} from './world.ts';

const START = '2024-01-04T09:30:00-05:00';
const SENT = '2024-01-04T09:31:00-05:00';
const AFTER = '2024-01-04T09:32:00-05:00';
const NEXT_MORNING = '2024-01-05T09:31:00-05:00';
const END = '2024-01-08T16:00:00-05:00';

const FOUR_FOR_ONE: CorporateAction = {
  kind: 'split',
  symbol: AAPL,
  exDay: calendarDay('2024-01-05'),
  ratio: decimal('4'),
};

/** A first day up to `best` and back to 100, four for one overnight, then 25 until changed. */
function overNight(last: Partial<Record<'high' | 'low', number>> = {}, best = 100) {
  const { high = 25, low = 25 } = last;
  const rows: readonly BarRow[] = [
    ['2024-01-04T00:00:00-05:00', 100, best, 100, 100],
    ['2024-01-05T00:00:00-05:00', 25, 25, 25, 25],
    ['2024-01-08T00:00:00-05:00', 25, high, low, 25],
  ];
  const made = world({
    bars: [bars('AAPL.US', '1d', rows)],
    start: START,
    corporateActions: [FOUR_FOR_ONE],
  });
  runUntil(made.simulation, SENT);
  order(made.account, { quantity: '10' });
  runUntil(made.simulation, AFTER);
  return made;
}

const GTC = { quantity: '10', timeInForce: 'gtc' } as const;
const TRAILS = { ...GTC, side: 'sell', limitOffset: '1' } as const;
const BY_SHARE = { ...TRAILS, type: 'TSLPPCT' } as const;
const BY_AMOUNT = { ...TRAILS, type: 'TSLPAMT' } as const;

describe('a conditional order in a split', () => {
  it.each<[string, Draft]>([
    ['a stop above the market', { ...GTC, type: 'MIT', triggerPrice: '110' }],
    ['a stop below it', { ...GTC, side: 'sell', type: 'MIT', triggerPrice: '90' }],
    ['a stop that trails below it', { ...BY_SHARE, trailingPercent: '5' }],
    ['one that trails by an amount', { ...BY_AMOUNT, trailingAmount: '3' }],
    ['one that trails once the market is higher', { ...BY_SHARE, trailingPercent: '5', monitorPrice: '110' }],
  ])('%s continues unchanged, as the value has not changed', (_, draft) => {
    const { simulation, account } = overNight();
    const id = order(account, draft);
    runUntil(simulation, END);
    expect(detail(account, id)).toMatchObject({ status: 'VarietiesNotReported', triggerAt: undefined });
    expect(detail(account, id).terms.quantity.toString()).toBe('40');
  });

  it('reaches its trigger at the new price', () => {
    const bought = overNight({ high: 28 });
    order(bought.account, { ...GTC, type: 'MIT', triggerPrice: '110' });
    runUntil(bought.simulation, END);
    expect(fills(bought.account).at(-1)).toMatch(/ 27\.5 x 40$/);
    const sold = overNight({ low: 22 });
    order(sold.account, { ...GTC, side: 'sell', type: 'MIT', triggerPrice: '90' });
    runUntil(sold.simulation, END);
    expect(fills(sold.account).at(-1)).toMatch(/ 22\.5 x 40$/);
  });

  it('keeps the best price that it has followed', () => {
    // Its stop was 20 % below 120: at 24 after the split, and at 20 if it had lost its best price.
    const { simulation, account } = overNight({ low: 23.5 }, 120);
    const id = order(account, { ...BY_SHARE, trailingPercent: '20' });
    runUntil(simulation, NEXT_MORNING);
    expect(detail(account, id).status).toBe('VarietiesNotReported');
    runUntil(simulation, END);
    expect(fills(account).at(-1)).toMatch(/ 24 x 40$/);
  });

  it('keeps it if it happens in the middle of a day', () => {
    const rows: readonly BarRow[] = [
      ['2024-01-04T00:00:00-05:00', 100, 120, 100, 100],
      ['2024-01-05T00:00:00-05:00', 100, 100, 94, 100],
    ];
    const { simulation, account } = world({ bars: [bars('AAPL.US', '1d', rows)], start: START });
    runUntil(simulation, SENT);
    order(account, { quantity: '10' });
    runUntil(simulation, AFTER);
    order(account, { ...BY_SHARE, trailingPercent: '20' });
    runUntil(simulation, NEXT_MORNING);
    simulation.inject({ kind: 'split', symbol: AAPL, ratio: decimal('4') });
    runUntil(simulation, '2024-01-05T16:00:00-05:00');
    expect(fills(account).at(-1)).toMatch(/ 24 x 40$/);
  });
});

describe('the price of an open order in a split', () => {
  function priceAfter(price: string, facts: Parameters<typeof security>[1] = {}): string | undefined {
    const rows = [
      ['2025-08-01T00:00:00+08:00', 62, 62, 62, 62],
      ['2025-08-04T00:00:00+08:00', 31, 31, 31, 31],
    ] as const;
    const symbol = security('700.HK', facts);
    const { simulation, account } = world({
      bars: [bars('700.HK', '1d', rows)],
      securities: [symbol],
      start: '2025-08-01T09:30:00+08:00',
      corporateActions: [
        { kind: 'split', symbol: symbol.symbol, exDay: calendarDay('2025-08-04'), ratio: decimal('2') },
      ],
    });
    runUntil(simulation, '2025-08-01T09:31:00+08:00');
    const id = order(account, { symbol: '700.HK', price, timeInForce: 'gtc' });
    runUntil(simulation, '2025-08-04T10:00:00+08:00');
    return detail(account, id).terms.price?.toString();
  }

  it('uses the price steps of that day', () => {
    expect(priceAfter('60.1')).toBe('30.04');
  });

  it('uses the price step of the security', () => {
    expect(priceAfter('60.5', { tick: decimal('0.5') })).toBe('30');
  });

  it('converts fields that are no price without rounding them to a price step', () => {
    const { simulation, account } = overNight();
    const id = order(account, { ...BY_AMOUNT, trailingAmount: '4.5', limitOffset: '0.5' });
    runUntil(simulation, NEXT_MORNING);
    expect(detail(account, id).terms).toMatchObject({
      trailingAmount: decimal('1.125'),
      limitOffset: decimal('0.125'),
    });
  });
});

describe('a replace that a split precedes', () => {
  it('is rejected, as it counts old shares', () => {
    const minutes: readonly BarRow[] = [
      ['2024-01-04T15:59:00-05:00', 100, 100, 100, 100],
      ['2024-01-05T09:30:00-05:00', 25, 25, 25, 25],
      ['2024-01-05T09:31:00-05:00', 25, 25, 25, 25],
    ];
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', minutes)],
      start: '2024-01-04T15:59:00-05:00',
      corporateActions: [FOUR_FOR_ONE],
      models: { latency: { kind: 'fixed', ms: 2_000 } },
    });
    const id = order(account, { quantity: '100', price: '80', timeInForce: 'gtc' });
    runUntil(simulation, '2024-01-05T09:29:59-05:00');
    account.replace(id, { quantity: decimal('100'), price: decimal('84') });
    runUntil(simulation, '2024-01-05T09:32:00-05:00');
    const { terms, status, message } = detail(account, id);
    expect([status, String(terms.quantity), String(terms.price)]).toEqual(['NewStatus', '400', '20']);
    expect(message).toBe('Not replaced: the order was changed on the way, by a split');
    expect(fills(account)).toEqual([]);
  });
});
