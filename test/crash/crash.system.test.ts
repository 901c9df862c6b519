import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { intentId, orderId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import type { ListedOrder } from '#src/ports/broker.ts';
import { termsOf } from '../fixtures/orders.ts';
import { killPoints, pointText, type Recovered } from './plan.ts';
import { compare, type Truth } from './truth.ts';

const HARNESS = fileURLToPath(new URL('main.ts', import.meta.url));

describe('bots that are killed', () => {
  it('neither lose nor double an order, and their books are the venue’s (F-P01, F-K10, I-1, I-2, I-21)', () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [HARNESS, '--json', '--points', '6'], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const figures = JSON.parse(stdout);
    expect(figures).toMatchObject({ lost: 0, doubled: 0, divergent: 0 });
    expect(figures.points).toBeGreaterThanOrEqual(6);
    expect(figures.compactJournal).toBeGreaterThan(0);
    expect(status).toBe(0);
  });

  it('neither lose nor double an order if only documented calls are used (F-P01, I-2, I-21)', () => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [HARNESS, '--json', '--points', '4', '--only-documented'],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ lost: 0, doubled: 0, divergent: 0 });
    expect(status).toBe(0);
  });

  it('die at every kind of point, in sessions and in recoveries', () => {
    const places = new Set(killPoints(300).map(pointText));
    expect(places.size).toBeGreaterThan(75);
    expect([...places].filter((place) => place.includes('in recovery')).length).toBeGreaterThanOrEqual(16);
    expect([...places].filter((place) => /byte|answer/.test(place)).length).toBeGreaterThanOrEqual(16);
  });
});

describe('the comparison after a recovery', () => {
  const order = (change: Partial<ListedOrder> = {}): ListedOrder => ({
    orderId: orderId('7'),
    intentId: intentId('I1'),
    terms: termsOf(),
    status: 'FilledStatus',
    rawStatus: 'FilledStatus',
    executedQuantity: decimal('100'),
    executedPrice: decimal('10'),
    currency: 'USD',
    submittedAt: millis(0),
    updatedAt: millis(0),
    triggerAt: undefined,
    message: '',
    remark: '',
    charges: undefined,
    ...change,
  });
  const venue: Truth = { orders: [order()], cash: { USD: '9000' }, positions: { 'AAPL.US': '100' } };
  const bot: Recovered = {
    cash: { USD: '9000' },
    positions: { 'AAPL.US': '100' },
    gate: 'active',
    algorithms: 0,
    orders: [{ intentId: 'I1', submission: 'acked', orderId: '7', executed: '100', live: false }],
  };
  const [first] = bot.orders;
  if (first === undefined) throw new Error('Want a bot with one order');

  it('finds nothing if there is no difference', () => {
    expect(compare(bot, venue)).toEqual({ lost: [], doubled: [], divergent: [] });
  });

  it('finds an order that the bot does not know', () => {
    expect(compare({ ...bot, orders: [] }, venue).lost).toEqual(['7 of I1: here unknown']);
    const unknown = { ...first, submission: 'unknown', orderId: undefined };
    expect(compare({ ...bot, orders: [unknown] }, venue).lost).toEqual(['7 of I1: here unknown']);
  });

  it('finds an order that the venue does not know', () => {
    expect(compare(bot, { ...venue, orders: [] }).lost).toEqual(['7 of I1: not at the venue']);
  });

  it('finds an order that was sent twice', () => {
    const twice = { ...venue, orders: [order(), order({ orderId: orderId('8') })] };
    expect(compare(bot, twice).doubled).toEqual(['I1: 7, 8']);
  });

  it('finds cash, positions and executions that differ, with both numbers', () => {
    const other = { ...bot, cash: { USD: '1' }, positions: {}, orders: [{ ...first, executed: '50' }] };
    expect(compare(other, venue).divergent).toEqual([
      '7 executed: 50 here, 100 at the venue',
      'cash USD: 1 here, 9000 at the venue',
      'position AAPL.US: 0 here, 100 at the venue',
    ]);
  });

  it('finds a gate that does not reopen by itself', () => {
    expect(compare({ ...bot, gate: 'halted' }, venue).divergent).toEqual(['gate is halted']);
  });
});
