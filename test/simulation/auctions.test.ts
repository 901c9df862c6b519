import { describe, expect, it } from 'vitest';
import { PRINT_FILLS } from '#src/simulation/models.ts';
import { at, type BarRow, bars, type Draft, detail, fills, order, runUntil, world } from './world.ts';

const START = '2024-03-05T15:30:00+08:00';
const BEFORE = '2024-03-06T09:10:00+08:00';
const DURING = '2024-03-06T15:30:00+08:00';

const hk = (time: string, ...figures: readonly number[]): BarRow =>
  [`2024-03-06T${time}:00+08:00`, ...figures] as unknown as BarRow;

const OPENING = hk('09:20', 301.4, 301.4, 301.4, 301.4, 5_000);
const CONTINUOUS: readonly BarRow[] = [
  hk('09:30', 302, 303, 301, 302.4, 1_000),
  hk('15:30', 304, 304, 304, 304, 1_000),
  hk('15:59', 305, 306, 304, 305.4, 1_000),
];
const CLOSING: readonly BarRow[] = [
  hk('16:00', 305.4, 305.4, 305.4, 305.4, 0),
  hk('16:08', 305.4, 306.2, 305.4, 306.2, 90_000),
  hk('16:09', 306.2, 306.2, 306.2, 306.2, 0),
];

interface Case {
  readonly rows: readonly BarRow[];
  readonly when: string;
  readonly draft: Draft;
  readonly sessions?: 'extended';
  readonly hours?: 'bars' | 'calendar';
  readonly participation?: number;
}

/** Outcome of an order for 100 shares sent at that time of 2024-03-06, and the time of its end. */
function outcome({
  rows,
  when,
  draft,
  sessions,
  hours = 'calendar',
  participation,
}: Case): readonly string[] {
  const held = sessions === undefined ? {} : { sessions };
  const { simulation, account } = world({
    bars: [bars('700.HK', '1m', [['2024-03-05T15:59:00+08:00', 300, 300, 300, 300, 100], ...rows])],
    start: START,
    models: { fills: { ...PRINT_FILLS, ...held, hours, participation } },
  });
  runUntil(simulation, when);
  const id = order(account, { symbol: '700.HK', ...draft });
  runUntil(simulation, '2024-03-06T17:00:00+08:00');
  const { status, updatedAt } = detail(account, id);
  return [...fills(account), `${status} ${new Date(updatedAt).toISOString().slice(11, 16)}`];
}

describe('an at-auction order in Hong Kong', () => {
  it('fills in the opening auction if the data has its bar, otherwise at the first tick of trading', () => {
    const whole = [OPENING, ...CONTINUOUS];
    expect(outcome({ rows: whole, when: BEFORE, draft: { type: 'AO' }, sessions: 'extended' })).toEqual([
      '01:20:45 301.4 x 100',
      'FilledStatus 01:20',
    ]);
    expect(outcome({ rows: CONTINUOUS, when: BEFORE, draft: { type: 'AO' } })).toEqual([
      '01:30:00 302 x 100',
      'FilledStatus 01:30',
    ]);
  });

  it('fills at the first tick of the next bar in a market that never closes, sent between two bars or within one', () => {
    for (const time of ['09:30:20', '10:00:00']) {
      const when = `2024-03-06T${time}+08:00`;
      expect(outcome({ rows: CONTINUOUS, when, draft: { type: 'AO' }, hours: 'bars' })).toEqual([
        '07:30:00 304 x 100',
        'FilledStatus 07:30',
      ]);
    }
  });

  it('is cancelled at once without a trade at the opening: a later tick is no auction', () => {
    const late = CONTINUOUS.slice(1);
    expect(outcome({ rows: late, when: BEFORE, draft: { type: 'AO' } })).toEqual(['ExpiredStatus 01:30']);
    const silent = [hk('09:20', 300, 300, 300, 300, 0), ...CONTINUOUS];
    expect(outcome({ rows: silent, when: BEFORE, draft: { type: 'AO' }, sessions: 'extended' })).toEqual([
      'ExpiredStatus 01:10',
    ]);
  });

  it('continues as a limit order if its limit was not traded at the opening', () => {
    const draft: Draft = { type: 'ALO', price: '301' };
    expect(outcome({ rows: CONTINUOUS.slice(1), when: BEFORE, draft })).toEqual(['ExpiredStatus 08:00']);
    const whole = [OPENING, ...CONTINUOUS];
    expect(outcome({ rows: whole, when: BEFORE, draft, sessions: 'extended' })).toEqual([
      '01:30:15 301 x 100',
      'FilledStatus 01:30',
    ]);
  });

  it('fills in the closing auction at its one price, that of the last bar with a trade', () => {
    const rows = [...CONTINUOUS, ...CLOSING];
    const sessions = 'extended';
    const filled = ['08:08:45 306.2 x 100', 'FilledStatus 08:08'];
    expect(outcome({ rows, when: DURING, draft: { type: 'AO' }, sessions })).toEqual(filled);
    // Decided at the last close of continuous trading, before the auction.
    const atClose = '2024-03-06T16:00:00+08:00';
    expect(outcome({ rows, when: atClose, draft: { type: 'AO' }, sessions })).toEqual(filled);
    expect(outcome({ rows, when: DURING, draft: { type: 'ALO', price: '307' }, sessions })).toEqual(filled);
    expect(outcome({ rows, when: DURING, draft: { type: 'ALO', price: '306' }, sessions })).toEqual([
      'ExpiredStatus 08:10',
    ]);
  });

  it('fills at the last tick before the close if the data has no bars of the closing auction', () => {
    expect(outcome({ rows: CONTINUOUS, when: DURING, draft: { type: 'AO' } })).toEqual([
      '07:59:45 305.4 x 100',
      'FilledStatus 07:59',
    ]);
    expect(outcome({ rows: CONTINUOUS.slice(0, 2), when: DURING, draft: { type: 'AO' } })).toEqual([
      'ExpiredStatus 08:00',
    ]);
  });

  it('gets a share of the volume of the whole auction, not of one of its ticks', () => {
    const rows = [...CONTINUOUS, ...CLOSING];
    const draft: Draft = { type: 'AO', quantity: '1000' };
    const taken = outcome({ rows, when: DURING, draft, sessions: 'extended', participation: 0.01 });
    expect(taken[0]).toBe('08:08:45 306.2 x 900');
  });
});

describe('a limit order at the close of Hong Kong', () => {
  const rows = [...CONTINUOUS, ...CLOSING];

  it('is moved into the closing auction, and fills there at its price or not at all', () => {
    const buy: Draft = { type: 'LO', price: '303.8' };
    expect(outcome({ rows, when: DURING, draft: buy, sessions: 'extended' })).toEqual([
      'ExpiredStatus 08:10',
    ]);
    expect(outcome({ rows, when: DURING, draft: buy })).toEqual(['ExpiredStatus 08:00']);
    const fallen = [...CONTINUOUS, hk('16:08', 305, 305, 303, 303.6, 90_000)];
    // Its low is no trade of an auction, its close is; and a limit is filled at the auction's price.
    expect(outcome({ rows: fallen, when: DURING, draft: buy, sessions: 'extended' })).toEqual([
      '08:08:45 303.6 x 100',
      'FilledStatus 08:08',
    ]);
    expect(
      outcome({ rows: fallen, when: DURING, draft: { type: 'LO', price: '303.4' }, sessions: 'extended' }),
    ).toEqual(['ExpiredStatus 08:10']);
  });

  it('that arrives after the auction has begun is for the next day', () => {
    const { simulation, account } = world({
      bars: [bars('700.HK', '1m', [...rows, ['2024-03-07T09:30:00+08:00', 308, 308, 308, 308, 100]])],
      start: START,
      models: { fills: { ...PRINT_FILLS, sessions: 'extended' } },
    });
    runUntil(simulation, '2024-03-06T16:05:00+08:00');
    const id = order(account, { symbol: '700.HK', price: '310' });
    runUntil(simulation, '2024-03-06T18:00:00+08:00');
    expect(detail(account, id).status).toBe('NotReported');
    runUntil(simulation, '2024-03-07T10:00:00+08:00');
    expect(fills(account)).toEqual(['01:30:00 308 x 100']);
  });
});

describe('the closing auction on other days', () => {
  it('is ten minutes after noon on a half day, and did not exist before 2016-07-25', () => {
    const christmas: readonly BarRow[] = [
      ['2024-12-24T10:59:00+08:00', 300, 300, 300, 300, 100],
      ['2024-12-24T11:59:00+08:00', 300, 300, 300, 300, 100],
      ['2024-12-24T12:08:00+08:00', 301, 301, 301, 301, 100],
    ];
    const half = world({
      bars: [bars('700.HK', '1m', christmas)],
      start: '2024-12-24T11:00:00+08:00',
      models: { fills: { ...PRINT_FILLS, sessions: 'extended' } },
    });
    order(half.account, { symbol: '700.HK', type: 'AO' });
    runUntil(half.simulation, '2024-12-24T13:00:00+08:00');
    expect(fills(half.account)).toEqual(['04:08:45 301 x 100']);

    const early = world({
      bars: [
        bars(
          '700.HK',
          '1m',
          [1, 59].map(
            (minute): BarRow => [
              at('2016-07-22T15:00:00+08:00') - 120_000 + minute * 60_000,
              180,
              180,
              180,
              180,
              100,
            ],
          ),
        ),
      ],
      start: '2016-07-22T15:00:00+08:00',
    });
    const id = order(early.account, { symbol: '700.HK', type: 'AO' });
    runUntil(early.simulation, '2016-07-22T17:00:00+08:00');
    expect([...fills(early.account), detail(early.account, id).status]).toEqual(['ExpiredStatus']);
  });
});
