import { describe, expect, it } from 'vitest';
import { cashDifferences, positionDifferences } from '#src/execution/reconciliation/account-differences.ts';
import { decimal } from '#src/model/decimal.ts';
import { orderId } from '#src/model/order.ts';
import { createExecutionRig, type ExecutionRig } from '../fixtures/execution-rig.ts';
import { intentOf } from '../fixtures/orders.ts';
import { balanceOf } from '../fixtures/risk.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const CHARGE = { code: 'F', name: 'Fee', category: 'broker' as const, amount: decimal('1'), currency: 'USD' };

/** An account with counted calls and one order of the bot, on which others trade. */
function sharedAccount(): ExecutionRig {
  const rig = createExecutionRig({ counted: true, foreign: true });
  rig.send(intentOf());
  runTo(rig.clock, seconds(40));
  return rig;
}

/** Other parties send this number of orders, which are filled at once, each with a push. */
function othersTrade(rig: ExecutionRig, count: number, prefix = 'THEIRS'): void {
  for (let at = 0; at < count; at += 1) {
    const id = `${prefix}-${at}`;
    rig.venue.list(id);
    rig.venue.execute(id, { id: `of-${id}`, quantity: '100', price: '10' });
    rig.venue.charge(id, [CHARGE]);
    rig.venue.push(id);
  }
}

const booked = ({ state }: ExecutionRig): number => state.foreign.executions.size;
/** Requests that reached the venue since. */
const callsSince = (rig: ExecutionRig, from: number): readonly string[] =>
  rig.happened.slice(from).filter((each) => /^(ordersToday|executions|orderDetail)/.test(each));

describe('orders of others on an account with counted calls', () => {
  it('are read by one list and one page of executions, however many are pushed at once (T-52, I-17)', () => {
    const rig = sharedAccount();
    const from = rig.happened.length;
    othersTrade(rig, 400);
    runTo(rig.clock, seconds(46));
    expect(booked(rig)).toBe(400);
    expect(callsSince(rig, from).length).toBeLessThanOrEqual(8);
  });

  it('never keep an order of the bot from being read (I-3)', () => {
    const rig = sharedAccount();
    othersTrade(rig, 400);
    rig.venue.execute('O-INTENT1', { id: 'own', quantity: '100', price: '10' });
    runTo(rig.clock, seconds(46));
    expect(rig.news.at(-1)).toBe('filled');
  });

  it('are booked later, and once, if no call was free when they were listed (I-13)', () => {
    const rig = sharedAccount();
    rig.venue.answers.silent.add('executionsToday');
    othersTrade(rig, 20);
    runTo(rig.clock, seconds(60));
    expect(booked(rig)).toBe(0);
    rig.venue.answers.silent.delete('executionsToday');
    runTo(rig.clock, seconds(80));
    expect(booked(rig)).toBe(20);
    expect(positionDifferences(rig.state, [])).toMatchObject([{ ours: decimal('2000') }]);
  });

  it('are read if the bot has no own orders to poll', () => {
    const rig = createExecutionRig({ counted: true, foreign: true });
    othersTrade(rig, 30);
    runTo(rig.clock, seconds(10));
    expect(booked(rig)).toBe(30);
  });

  it("are charged in time, each once, and until then the venue's cash may be lower by their possible charges (I-13)", () => {
    const rig = sharedAccount();
    const cash = rig.state.portfolio.cash.get('USD') ?? decimal('0');
    othersTrade(rig, 20);
    runTo(rig.clock, seconds(46));
    const venueHas = cash.minus(20 * 1_000).minus(20);
    const balance = balanceOf({ equity: decimal('0') });
    const rows = balance.cash.map((row) => ({ ...row, available: venueHas, frozen: decimal('0') }));
    const newest = { ...balance, cash: rows.filter(({ currency }) => currency === 'USD') };
    expect(rig.state.foreign.uncharged.size).toBeGreaterThan(15);
    expect(cashDifferences(rig.state, newest)).toEqual([]);
    runTo(rig.clock, seconds(900));
    expect(rig.state.foreign.uncharged.size).toBe(0);
    expect(rig.state.portfolio.cash.get('USD')).toEqual(venueHas);
    expect(cashDifferences(rig.state, newest)).toEqual([]);
  });

  it('are listed once a minute on a day with many orders', () => {
    const rig = sharedAccount();
    othersTrade(rig, 600);
    runTo(rig.clock, seconds(60));
    const from = rig.happened.length;
    for (let wave = 0; wave < 40; wave += 1) {
      othersTrade(rig, 20, `WAVE${wave}`);
      runTo(rig.clock, seconds(61 + 3 * wave));
    }
    expect(callsSince(rig, from).filter((call) => call === 'ordersToday').length).toBeLessThanOrEqual(3);
    runTo(rig.clock, seconds(250));
    expect(booked(rig)).toBe(600 + 40 * 20);
  });

  it('are read one by one while only one changes at a time, with its charges', () => {
    const rig = sharedAccount();
    othersTrade(rig, 1);
    runTo(rig.clock, seconds(40.1));
    expect([booked(rig), rig.state.foreign.uncharged.size]).toEqual([1, 0]);
    expect(rig.state.foreign.charged.get(orderId('THEIRS-0'))).toEqual(decimal('1'));
  });
});
