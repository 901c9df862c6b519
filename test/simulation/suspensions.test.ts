import { describe, expect, it } from 'vitest';
import { calendarDay } from '#src/model/time.ts';
import { type BarRow, bars, type Draft, detail, fills, order, runUntil, world } from './world.ts';

const hk = (day: string, price: number, high = price, low = price): BarRow => [
  `2024-03-${day}T00:00:00+08:00`,
  ...([price, high, low, price, 100_000] as const),
];

/** Trades until March 5, is suspended for a week, and resumes on the 13th a sixth lower. */
const ROWS: readonly BarRow[] = [hk('04', 300), hk('05', 300), hk('13', 250, 252, 248), hk('14', 260)];

/** Outcome by then of an order for 100 shares sent on the evening before the suspension, and the time of its end. */
function outcome(draft: Draft, until = '2024-03-14T20:00:00+08:00'): readonly string[] {
  const { simulation, account } = world({
    bars: [bars('700.HK', '1d', ROWS)],
    start: '2024-03-05T08:00:00+08:00',
  });
  order(account, { symbol: '700.HK', quantity: '100' });
  runUntil(simulation, '2024-03-05T18:00:00+08:00');
  const id = order(account, { symbol: '700.HK', ...draft });
  runUntil(simulation, until);
  const { status, updatedAt } = detail(account, id);
  return [...fills(account).slice(1), `${status} ${new Date(updatedAt).toISOString().slice(5, 16)}`];
}

describe('an order in a symbol that is suspended', () => {
  it.each<readonly [string, Draft, readonly string[]]>([
    ['for a day ends with the first day of it', {}, ['ExpiredStatus 03-06T08:00']],
    ['for a day ends, although its limit would have traded', { price: '310' }, ['ExpiredStatus 03-06T08:00']],
    ['for an auction ends without the auction', { type: 'AO' }, ['ExpiredStatus 03-06T01:30']],
    [
      'that buys up to a limit till cancelled fills at the first tick, which is better',
      { price: '280', timeInForce: 'gtc' },
      ['01:30:00 250 x 100', 'FilledStatus 03-13T01:30'],
    ],
    [
      'that sells at a stop fills at the first tick, far beyond it',
      { type: 'MIT', side: 'sell', triggerPrice: '290', timeInForce: 'gtc' },
      ['01:30:00 250 x 100', 'FilledStatus 03-13T01:30'],
    ],
    [
      'that trails triggers through the gap, and its limit follows that price',
      { type: 'TSLPAMT', side: 'sell', trailingAmount: '5', limitOffset: '0', timeInForce: 'gtc' },
      ['01:30:00 250 x 100', 'FilledStatus 03-13T01:30'],
    ],
    [
      'that sells at a stop with a limit triggers, and waits for its limit',
      { type: 'LIT', side: 'sell', triggerPrice: '290', price: '288', timeInForce: 'gtc' },
      ['NewStatus 03-13T01:30'],
    ],
    [
      'till a day within it ends with that day',
      { price: '280', timeInForce: 'gtd', expireDate: calendarDay('2024-03-08') },
      ['ExpiredStatus 03-08T08:00'],
    ],
  ])('%s', (_what, draft, wanted) => {
    expect(outcome(draft)).toEqual(wanted);
  });

  it('till cancelled works through a week and not through a quarter', () => {
    const long = outcome({ price: '200', timeInForce: 'gtc' }, '2024-07-01T00:00:00+08:00');
    expect(long).toEqual(['ExpiredStatus 06-04T08:00']);
  });
});

describe('a position in a suspended symbol', () => {
  it('is worth its last price until it trades again', () => {
    const { simulation, account } = world({
      bars: [bars('700.HK', '1d', ROWS)],
      start: '2024-03-05T08:00:00+08:00',
    });
    order(account, { symbol: '700.HK', quantity: '100' });
    const equity = (at: string) => {
      runUntil(simulation, at);
      return account.balance('HKD').equity.toFixed(2);
    };
    const before = equity('2024-03-05T18:00:00+08:00');
    expect(equity('2024-03-12T18:00:00+08:00')).toBe(before);
    expect(Number(before) - Number(equity('2024-03-13T10:00:00+08:00'))).toBeCloseTo(5_000, 6);
  });
});
