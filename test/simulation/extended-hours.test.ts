import { describe, expect, it } from 'vitest';
import type { TradingSessions } from '#src/model/trading-sessions.ts';
import { PRINT_FILLS } from '#src/simulation/models.ts';
import { type BarRow, bars, type Draft, detail, fills, order, runUntil, world } from './world.ts';

/** One minute bar in each session of Wednesday, 2024-03-06, and the night before, each at its own price. */
const ROWS: readonly BarRow[] = [
  ['2024-03-05T15:59:00-05:00', 100, 100, 100, 100, 500],
  ['2024-03-05T21:00:00-05:00', 97, 97, 97, 97, 500],
  ['2024-03-06T05:00:00-05:00', 98, 98, 98, 98, 500],
  ['2024-03-06T10:00:00-05:00', 99, 99, 99, 99, 500],
  ['2024-03-06T18:00:00-05:00', 96, 96, 96, 96, 500],
  ['2024-03-06T22:00:00-05:00', 95, 95, 95, 95, 500],
  ['2024-03-07T10:00:00-05:00', 94, 94, 94, 94, 500],
];

const EVENING = '2024-03-05T20:30:00-05:00';
const MORNING = '2024-03-06T04:30:00-05:00';
const AFTERNOON = '2024-03-06T17:00:00-05:00';

/** Outcome of an order for 100 shares that works until Friday, and the time of its end. */
function outcome(draft: Draft, when: string, sessions?: TradingSessions): readonly string[] {
  const held = sessions === undefined ? {} : { sessions };
  const { simulation, account } = world({
    bars: [bars('AAPL.US', '1m', ROWS)],
    start: '2024-03-05T16:30:00-05:00',
    models: { fills: { ...PRINT_FILLS, ...held } },
  });
  runUntil(simulation, when);
  const id = order(account, draft);
  runUntil(simulation, '2024-03-08T00:00:00-05:00');
  const { status, updatedAt } = detail(account, id);
  return [...fills(account), `${status} ${new Date(updatedAt).toISOString().slice(5, 16)}`];
}

const ANY: Draft = { price: '110', outsideRth: 'any-time' };
const LOW: Draft = { price: '90', outsideRth: 'any-time' };

describe('orders outside regular hours', () => {
  it.each<readonly [string, Draft, string, TradingSessions | undefined, readonly string[]]>([
    [
      'a limit for all sessions fills before the open',
      ANY,
      EVENING,
      'extended',
      ['10:00:00 98 x 100', 'FilledStatus 03-06T10:00'],
    ],
    [
      'a limit for all sessions fills after the close',
      ANY,
      AFTERNOON,
      'extended',
      ['23:00:00 96 x 100', 'FilledStatus 03-06T23:00'],
    ],
    [
      'a limit for regular hours waits for them',
      { price: '110' },
      EVENING,
      'extended',
      ['15:00:00 99 x 100', 'FilledStatus 03-06T15:00'],
    ],
    [
      'a limit for regular hours sent after them waits for the next day',
      { price: '110' },
      AFTERNOON,
      'all',
      ['15:00:00 94 x 100', 'FilledStatus 03-07T15:00'],
    ],
    [
      'a market order waits for regular hours, whatever its setting',
      { outsideRth: 'any-time' },
      EVENING,
      'extended',
      ['15:00:00 99 x 100', 'FilledStatus 03-06T15:00'],
    ],
    [
      'a stop at the market waits for regular hours',
      { type: 'MIT', triggerPrice: '98.5', outsideRth: 'any-time' },
      EVENING,
      'extended',
      ['ExpiredStatus 03-06T21:00'],
    ],
    [
      'a limit-if-touched triggers in all sessions',
      { type: 'LIT', triggerPrice: '98.5', price: '99', outsideRth: 'any-time' },
      EVENING,
      'extended',
      ['10:00:00 98 x 100', 'FilledStatus 03-06T10:00'],
    ],
    [
      'a limit for the night fills only there',
      { price: '110', outsideRth: 'overnight' },
      EVENING,
      'all',
      ['02:00:00 97 x 100', 'FilledStatus 03-06T02:00'],
    ],
    [
      'a limit for the night sent by day waits for the next night',
      { price: '110', outsideRth: 'overnight' },
      MORNING,
      'all',
      ['03:00:00 95 x 100', 'FilledStatus 03-07T03:00'],
    ],
    [
      'a limit for the night trades in regular hours at a venue without a night',
      { price: '110', outsideRth: 'overnight' },
      EVENING,
      'extended',
      ['15:00:00 99 x 100', 'FilledStatus 03-06T15:00'],
    ],
    [
      'a venue of regular hours trades in no others',
      ANY,
      EVENING,
      undefined,
      ['15:00:00 99 x 100', 'FilledStatus 03-06T15:00'],
    ],
    [
      'a day order for all sessions ends with the post-market',
      LOW,
      MORNING,
      'all',
      ['ExpiredStatus 03-07T01:00'],
    ],
    [
      'a day order for the night ends with the night',
      { price: '90', outsideRth: 'overnight' },
      EVENING,
      'all',
      ['ExpiredStatus 03-06T09:00'],
    ],
    [
      'a day order for regular hours ends at their close',
      { price: '90' },
      MORNING,
      'all',
      ['ExpiredStatus 03-06T21:00'],
    ],
    [
      'an order that is good till a date ends with the post-market of that day',
      { ...LOW, timeInForce: 'gtd', expireDate: '2024-03-06' } as Draft,
      EVENING,
      'all',
      ['ExpiredStatus 03-07T01:00'],
    ],
    [
      'a GTC order works from session to session',
      { price: '95.5', timeInForce: 'gtc', outsideRth: 'any-time' },
      MORNING,
      'all',
      ['15:00:00 94 x 100', 'FilledStatus 03-07T15:00'],
    ],
  ])('%s', (_what, draft, when, sessions, wanted) => {
    expect(outcome(draft, when, sessions)).toEqual(wanted);
  });

  it('work at the exchange in their sessions, and are queued by the venue outside', () => {
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', ROWS)],
      start: '2024-03-05T16:30:00-05:00',
      models: { fills: { ...PRINT_FILLS, sessions: 'extended' } },
    });
    const works = order(account, LOW);
    const waits = order(account, { price: '90' });
    runUntil(simulation, '2024-03-05T17:00:00-05:00');
    expect([detail(account, works).status, detail(account, waits).status]).toEqual([
      'NewStatus',
      'NotReported',
    ]);
  });

  it('end early on a half day: its post-market ends at 17:00', () => {
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1m', [['2024-11-29T12:00:00-05:00', 100, 100, 100, 100, 500]])],
      start: '2024-11-29T12:30:00-05:00',
      models: { fills: { ...PRINT_FILLS, sessions: 'extended' } },
    });
    const id = order(account, LOW);
    runUntil(simulation, '2024-11-29T23:00:00-05:00');
    expect(new Date(detail(account, id).updatedAt).toISOString()).toBe('2024-11-29T22:00:00.000Z');
  });
});
