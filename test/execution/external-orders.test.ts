import { describe, expect, it } from 'vitest';
import { cashDifferences, positionDifferences } from '#src/execution/reconciliation/account-differences.ts';
import { decimal } from '#src/model/decimal.ts';
import { orderId } from '#src/model/order.ts';
import { createOrderLane, type OrderLane } from '../fixtures/order-lane.ts';
import { intentOf } from '../fixtures/orders.ts';
import { balanceOf } from '../fixtures/risk.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const CHARGE = { code: 'F', name: 'Fee', category: 'broker' as const, amount: decimal('1'), currency: 'USD' };

/** An account with calls counted and one order of the bot, on which others trade. */
function sharedAccount(): OrderLane {
  const lane = createOrderLane({ counted: true, foreign: true });
  lane.send(intentOf());
  runTo(lane.clock, seconds(40));
  return lane;
}

/** So many orders of others are sent and filled at once, each with a push. */
function othersTrade(lane: OrderLane, count: number, prefix = 'THEIRS'): void {
  for (let at = 0; at < count; at += 1) {
    const id = `${prefix}-${at}`;
    lane.venue.list(id);
    lane.venue.execute(id, { id: `of-${id}`, quantity: '100', price: '10' });
    lane.venue.charge(id, [CHARGE]);
    lane.venue.push(id);
  }
}

const booked = ({ state }: OrderLane): number => state.foreign.executions.size;
/** Questions that reached the venue since. */
const callsSince = (lane: OrderLane, from: number): readonly string[] =>
  lane.happened.slice(from).filter((each) => /^(ordersToday|executions|orderDetail)/.test(each));

describe('orders of others on an account whose calls are counted', () => {
  it('are read by one list and one page of executions, however many are pushed at once (T-52, I-17)', () => {
    const lane = sharedAccount();
    const from = lane.happened.length;
    othersTrade(lane, 400);
    runTo(lane.clock, seconds(46));
    expect(booked(lane)).toBe(400);
    expect(callsSince(lane, from).length).toBeLessThanOrEqual(8);
  });

  it('never keep an order of the bot from being read (I-3)', () => {
    const lane = sharedAccount();
    othersTrade(lane, 400);
    lane.venue.execute('O-INTENT1', { id: 'own', quantity: '100', price: '10' });
    runTo(lane.clock, seconds(46));
    expect(lane.news.at(-1)).toBe('filled');
  });

  it('are booked later, and once, where no call was free when they were listed (I-13)', () => {
    const lane = sharedAccount();
    lane.venue.answers.silent.add('executionsToday');
    othersTrade(lane, 20);
    runTo(lane.clock, seconds(60));
    expect(booked(lane)).toBe(0);
    lane.venue.answers.silent.delete('executionsToday');
    runTo(lane.clock, seconds(80));
    expect(booked(lane)).toBe(20);
    expect(positionDifferences(lane.state, [])).toMatchObject([{ ours: decimal('2000') }]);
  });

  it('are read where the bot has no order of its own that polls would read', () => {
    const lane = createOrderLane({ counted: true, foreign: true });
    othersTrade(lane, 30);
    runTo(lane.clock, seconds(10));
    expect(booked(lane)).toBe(30);
  });

  it('are charged in time, each once, and until then cash may be less at the venue by what they may be charged (I-13)', () => {
    const lane = sharedAccount();
    const cash = lane.state.portfolio.cash.get('USD') ?? decimal('0');
    othersTrade(lane, 20);
    runTo(lane.clock, seconds(46));
    const venueHas = cash.minus(20 * 1_000).minus(20);
    const balance = balanceOf({ equity: decimal('0') });
    const rows = balance.cash.map((row) => ({ ...row, available: venueHas, frozen: decimal('0') }));
    const told = { ...balance, cash: rows.filter(({ currency }) => currency === 'USD') };
    expect(lane.state.foreign.uncharged.size).toBeGreaterThan(15);
    expect(cashDifferences(lane.state, told)).toEqual([]);
    runTo(lane.clock, seconds(900));
    expect(lane.state.foreign.uncharged.size).toBe(0);
    expect(lane.state.portfolio.cash.get('USD')).toEqual(venueHas);
    expect(cashDifferences(lane.state, told)).toEqual([]);
  });

  it('are listed once a minute on a day with many orders', () => {
    const lane = sharedAccount();
    othersTrade(lane, 600);
    runTo(lane.clock, seconds(60));
    const from = lane.happened.length;
    for (let wave = 0; wave < 40; wave += 1) {
      othersTrade(lane, 20, `WAVE${wave}`);
      runTo(lane.clock, seconds(61 + 3 * wave));
    }
    expect(callsSince(lane, from).filter((call) => call === 'ordersToday').length).toBeLessThanOrEqual(3);
    runTo(lane.clock, seconds(250));
    expect(booked(lane)).toBe(600 + 40 * 20);
  });

  it('are read one by one while only one moves at a time, with its charges', () => {
    const lane = sharedAccount();
    othersTrade(lane, 1);
    runTo(lane.clock, seconds(40.1));
    expect([booked(lane), lane.state.foreign.uncharged.size]).toEqual([1, 0]);
    expect(lane.state.foreign.charged.get(orderId('THEIRS-0'))).toEqual(decimal('1'));
  });
});
