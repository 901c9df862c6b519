import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { PRINT_FILLS } from '#src/simulation/models.ts';
import { bars, type Draft, detail, fills, order, runUntil, settleNow, tickWorld as world } from './world.ts';

/**
 * The last minute of a Monday, then three of Tuesday morning in New York (14:30 UTC): 100-99-102-101,
 * 101-103-100-102, then a gap to 95.
 */
const MINUTES = bars('AAPL.US', '1m', [
  ['2024-03-04T20:59:00Z', 100, 100, 100, 100],
  ['2024-03-05T14:30:00Z', 100, 102, 99, 101, 400],
  ['2024-03-05T14:31:00Z', 101, 103, 100.5, 102, 400],
  ['2024-03-05T14:32:00Z', 95, 96, 94, 95.5, 400],
]);

function fillsOf(when: string, draft: Draft, path = PRINT_FILLS.path): readonly string[] {
  const { simulation, account } = world({
    bars: [MINUTES],
    start: '2024-03-05T14:00:00Z',
    models: { fills: { ...PRINT_FILLS, path } },
  });
  runUntil(simulation, when);
  if (draft.side === 'sell') order(account, { quantity: draft.quantity ?? '100' });
  settleNow(simulation);
  const bought = fills(account).length;
  order(account, draft);
  runUntil(simulation, '2024-03-05T15:00:00Z');
  return fills(account).slice(bought);
}

describe('a market order', () => {
  it.each([
    ['fills at the current tick when it arrives between two', '2024-03-05T14:30:20Z', '14:30:20 99 x 100'],
    [
      'fills at the previous tick when one comes at the same instant',
      '2024-03-05T14:30:30Z',
      '14:30:30 99 x 100',
    ],
    [
      'fills at the next open when it arrives as the bar closes',
      '2024-03-05T14:31:00Z',
      '14:31:00 101 x 100',
    ],
    ['waits for the open when it arrives before it', '2024-03-05T14:10:00Z', '14:30:00 100 x 100'],
  ])('%s', (_fact, when, fill) => {
    expect(fillsOf(when, {})).toEqual([fill]);
  });
});

describe('a limit order to buy', () => {
  it.each([
    [
      'fills at the current tick below its limit, not at its limit',
      '2024-03-05T14:30:20Z',
      '99.50',
      ['14:30:20 99 x 100'],
    ],
    ['fills at the current tick at its limit', '2024-03-05T14:30:20Z', '99', ['14:30:20 99 x 100']],
    [
      'fills at its own price when a tick inside a bar passes it',
      '2024-03-05T14:30:00Z',
      '99.50',
      ['14:30:15 99.5 x 100'],
    ],
    [
      'fills at its own price when a tick inside a bar just reaches it',
      '2024-03-05T14:30:05Z',
      '99',
      ['14:30:15 99 x 100'],
    ],
    ['fills at the tick after a gap beyond it', '2024-03-05T14:31:20Z', '97', ['14:32:00 95 x 100']],
    [
      'fills at the first tick below it even if its bar goes lower',
      '2024-03-05T14:10:00Z',
      '100',
      ['14:30:00 100 x 100'],
    ],
    ['does not fill when nothing reaches it', '2024-03-05T14:30:20Z', '93.99', []],
  ])('%s', (_fact, when, price, expected) => {
    expect(fillsOf(when, { price })).toEqual(expected);
  });
});

describe('a limit order to sell', () => {
  it.each([
    ['fills at the current tick above its limit', '2024-03-05T14:30:35Z', '101', ['14:30:35 102 x 100']],
    [
      'fills at its own price when a tick inside a bar passes it',
      '2024-03-05T14:30:20Z',
      '101.50',
      ['14:30:30 101.5 x 100'],
    ],
    ['does not fill when nothing reaches it', '2024-03-05T14:31:40Z', '103.01', []],
  ])('%s', (_fact, when, price, expected) => {
    expect(fillsOf(when, { side: 'sell', price })).toEqual(expected);
  });

  it('fills at the tick after a gap above it', () => {
    const gap = bars('AAPL.US', '1m', [
      ['2024-03-04T20:59:00Z', 100, 100, 100, 100],
      ['2024-03-05T14:30:00Z', 100, 100, 100, 100],
      ['2024-03-05T14:31:00Z', 110, 111, 109, 110],
    ]);
    const { simulation, account } = world({ bars: [gap], start: '2024-03-05T14:29:00Z' });
    order(account);
    runUntil(simulation, '2024-03-05T14:30:30Z');
    order(account, { side: 'sell', price: '105' });
    runUntil(simulation, '2024-03-05T14:40:00Z');
    expect(fills(account)).toEqual(['14:30:00 100 x 100', '14:31:00 110 x 100']);
  });
});

describe('a touched order', () => {
  it.each<[string, string, Draft, string[]]>([
    [
      'MIT buys at its trigger when the price passes it on the way up',
      '2024-03-05T14:30:20Z',
      { type: 'MIT', triggerPrice: '101.50' },
      ['14:30:30 101.5 x 100'],
    ],
    [
      'MIT buys at its trigger when the price passes it on the way down',
      '2024-03-05T14:30:05Z',
      { type: 'MIT', triggerPrice: '99.50' },
      ['14:30:15 99.5 x 100'],
    ],
    [
      'MIT buys at once when the price is at its trigger',
      '2024-03-05T14:30:20Z',
      { type: 'MIT', triggerPrice: '99' },
      ['14:30:20 99 x 100'],
    ],
    [
      'MIT sells at the tick after a gap through its trigger',
      '2024-03-05T14:31:40Z',
      { type: 'MIT', side: 'sell', triggerPrice: '98' },
      ['14:32:00 95 x 100'],
    ],
    [
      'LIT buys at its trigger when its limit allows',
      '2024-03-05T14:30:20Z',
      { type: 'LIT', triggerPrice: '101.50', price: '102' },
      ['14:30:30 101.5 x 100'],
    ],
    [
      'LIT works at its limit when the trigger is beyond it',
      '2024-03-05T14:30:20Z',
      { type: 'LIT', triggerPrice: '101.50', price: '100.60' },
      ['14:31:15 100.6 x 100'],
    ],
    [
      'LIT passes trigger and limit in one move',
      '2024-03-05T14:30:05Z',
      { type: 'LIT', triggerPrice: '99.80', price: '99.20' },
      ['14:30:15 99.2 x 100'],
    ],
    [
      'MIT stays open if its trigger is not reached',
      '2024-03-05T14:30:20Z',
      { type: 'MIT', triggerPrice: '104' },
      [],
    ],
  ])('%s', (_fact, when, draft, expected) => {
    expect(fillsOf(when, draft)).toEqual(expected);
  });

  it('needs the configured number of hits within a minute', () => {
    const twice = fillsOf('2024-03-05T14:30:05Z', { type: 'MIT', triggerPrice: '101', triggerCount: 2 });
    expect(twice).toEqual(['14:30:45 101 x 100']);
  });
});

describe('a trailing order', () => {
  it.each<[string, string, Draft, string[]]>([
    [
      'sells an amount below the best price since it was armed',
      '2024-03-05T14:30:20Z',
      { type: 'TSLPAMT', side: 'sell', trailingAmount: '1.50', limitOffset: '0.50' },
      ['14:31:15 100.5 x 100'],
    ],
    [
      'sells a percentage below it',
      '2024-03-05T14:31:20Z',
      { type: 'TSLPPCT', side: 'sell', trailingPercent: '0.5', limitOffset: '0.10' },
      ['14:31:45 102.48 x 100'],
    ],
    [
      'buys an amount above the lowest',
      '2024-03-05T14:30:20Z',
      { type: 'TSLPAMT', trailingAmount: '2', limitOffset: '0.05' },
      ['14:30:30 101 x 100'],
    ],
    [
      'waits for its monitor price first',
      '2024-03-05T14:30:20Z',
      { type: 'TSLPAMT', side: 'sell', trailingAmount: '1', limitOffset: '5', monitorPrice: '102.50' },
      ['14:31:45 102 x 100'],
    ],
  ])('%s', (_fact, when, draft, expected) => {
    expect(fillsOf(when, draft)).toEqual(expected);
  });

  it('becomes a limit order at its offset when a gap goes beyond it', () => {
    const { simulation, account } = world({ bars: [MINUTES], start: '2024-03-05T14:31:50Z' });
    order(account);
    settleNow(simulation);
    const id = order(account, { type: 'TSLPAMT', side: 'sell', trailingAmount: '3', limitOffset: '0' });
    runUntil(simulation, '2024-03-05T14:33:00Z');
    const released = detail(account, id);
    expect(released.executedPrice?.toString()).toBe('95');
    expect(released.terms.price?.toString()).toBe('95');
    expect(released.triggerAt).toBe(Date.parse('2024-03-05T14:32:00Z'));
  });
});

describe('the path through a bar', () => {
  const draft: Draft = { type: 'MIT', side: 'sell', triggerPrice: '99.50' };
  it('decides which of two levels is reached first', () => {
    expect(fillsOf('2024-03-05T14:30:05Z', draft, 'low-first')).toEqual(['14:30:15 99.5 x 100']);
    expect(fillsOf('2024-03-05T14:30:05Z', draft, 'high-first')).toEqual(['14:30:30 99.5 x 100']);
  });
});

describe('a trigger with two hits', () => {
  type Minute = readonly [clock: string, open: number, high: number, low: number, close: number];
  const bought = (...minutes: readonly Minute[]) => {
    const rows = minutes.map(([clock, ...row]) => [`2024-03-05T${clock}:00Z`, ...row] as const);
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', rows)],
      start: '2024-03-05T15:00:05Z',
    });
    order(account, { type: 'LIT', triggerPrice: '101', price: '102', triggerCount: 2 });
    runUntil(simulation, '2024-03-05T15:10:00Z');
    return fills(account);
  };

  it('requires both within a minute', () => {
    const row = [100, 101, 100, 100] as const;
    expect(bought(['15:00', ...row], ['15:01', ...row])).toEqual(['15:01:30 101 x 100']);
    expect(bought(['15:00', ...row], ['15:02', ...row])).toEqual([]);
  });

  it('fills at the tick if the market was beyond it already, not at the level', () => {
    expect(bought(['15:00', 100, 101.5, 100, 101.2])).toEqual(['15:00:45 101.2 x 100']);
  });
});

describe('participation', () => {
  it('spreads an order over ticks, each giving its share in whole lots', () => {
    const { simulation, account } = world({
      bars: [MINUTES],
      start: '2024-03-05T14:30:05Z',
      models: { fills: { ...PRINT_FILLS, participation: 0.255 } },
    });
    const id = order(account, { quantity: '60' });
    runUntil(simulation, '2024-03-05T14:30:29Z');
    expect(detail(account, id).status).toBe('PartialFilledStatus');
    runUntil(simulation, '2024-03-05T14:31:00Z');
    expect(fills(account)).toEqual(['14:30:05 100 x 25', '14:30:15 99 x 25', '14:30:30 102 x 10']);
    expect(detail(account, id).status).toBe('FilledStatus');
  });

  it('uses each tick only once', () => {
    const { simulation, account } = world({
      bars: [MINUTES],
      start: '2024-03-05T14:30:05Z',
      models: { fills: { ...PRINT_FILLS, participation: 0.25 } },
    });
    order(account, { quantity: '20' });
    order(account, { quantity: '20' });
    runUntil(simulation, '2024-03-05T14:30:16Z');
    expect(fills(account)).toEqual(['14:30:05 100 x 20', '14:30:05 100 x 5', '14:30:15 99 x 15']);
  });

  /** Two working buys of 10 below the market, and which of them got the first ten shares of a tick at 95. */
  function first(
    limits: readonly [string, string],
    then?: { readonly quantity: string; readonly price: string },
  ) {
    const rows = [
      ['2024-03-05T14:30:00Z', 100, 100, 100, 100, 400],
      ['2024-03-05T14:31:00Z', 100, 100, 95, 100, 40],
    ] as const;
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', rows)],
      start: '2024-03-05T14:30:05Z',
      models: { fills: { ...PRINT_FILLS, participation: 1 } },
    });
    const [one, other] = limits.map((price) => order(account, { quantity: '10', price }));
    settleNow(simulation);
    if (then !== undefined && one !== undefined)
      account.replace(one, { quantity: decimal(then.quantity), price: decimal(then.price) });
    runUntil(simulation, '2024-03-05T14:31:40Z');
    const filled = [one, other].map(
      (id) => id !== undefined && detail(account, id).executedQuantity.gt(0) === true,
    );
    return filled.join();
  }

  it('goes to the better price first, then to the earlier order', () => {
    expect(first(['97', '98'])).toBe('false,true');
    expect(first(['98', '97'])).toBe('true,false');
    expect(first(['98', '98'])).toBe('true,false');
  });

  it('is lost by a new price or more shares, and kept by fewer', () => {
    expect(first(['98', '98'], { quantity: '8', price: '98' })).toBe('true,true');
    expect(first(['98', '98'], { quantity: '11', price: '98' })).toBe('false,true');
    expect(first(['97', '98'], { quantity: '10', price: '98' })).toBe('false,true');
    expect(first(['97', '98'], { quantity: '10', price: '99' })).toBe('true,false');
  });

  it('gives whole lots only, and single shares to an order below a lot', () => {
    const { simulation, account } = world({
      bars: [bars('700.HK', '1m', [['2024-03-05T01:30:00Z', 300, 300, 300, 300, 6_000]])],
      start: '2024-03-05T01:29:00Z',
      models: { fills: { ...PRINT_FILLS, participation: 0.17 } },
    });
    order(account, { symbol: '700.HK', quantity: '600', price: '300' });
    order(account, { symbol: '700.HK', quantity: '60', side: 'buy', type: 'ODD', price: '300' });
    runUntil(simulation, '2024-03-05T01:31:00Z');
    // 255 shares of each of four ticks of 1,500: two lots, and of the rest what an order for less than a lot needs.
    expect(fills(account).map((text) => text.slice(9))).toEqual([
      '300 x 200',
      '300 x 55',
      '300 x 200',
      '300 x 5',
      '300 x 200',
    ]);
  });

  it('fills no order at an untraded limit: the rest gets the worse of the two adjacent ticks', () => {
    const rows = [['2024-03-05T14:30:00Z', 100, 104, 99, 103, 400]] as const;
    const sold = (side: 'buy' | 'sell', price: string) => {
      const { simulation, account } = world({
        bars: [bars('AAPL.US', '1m', rows)],
        start: '2024-03-05T14:30:05Z',
        models: { fills: { ...PRINT_FILLS, participation: 0.1 } },
        accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('10000') }, fx: {}, short: true }],
      });
      order(account, { side, quantity: '40', price });
      runUntil(simulation, '2024-03-05T14:31:00Z');
      return fills(account).map((text) => text.slice(9));
    };
    // The ticks are 100, 99, 104, 103.
    expect(sold('sell', '98')).toEqual(['100 x 10', '99 x 10', '99 x 10', '103 x 10']);
    expect(sold('buy', '105')).toEqual(['100 x 10', '100 x 10', '104 x 10', '104 x 10']);
    // If the price passes the limit between two ticks, the limit is the price.
    expect(sold('sell', '100')).toEqual(['100 x 10', '100 x 10', '103 x 10']);
  });
});
