import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { createExecutionRig, timesOf, working } from '../fixtures/execution-rig.ts';
import { answeredAfter } from '../fixtures/fake-venue.ts';
import { AAPL } from '../fixtures/market.ts';
import { chargeOf, intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();
const ORDER = 'O-INTENT1';

describe('an accepted order', () => {
  it('is read at once, at 1, 2 and 4 s, and the list every 5 s, if pushes may be lost', () => {
    const rig = createExecutionRig();
    rig.send(intent);
    expect(rig.happened.filter((call) => call.startsWith('orderDetail'))).toHaveLength(1);
    expect(timesOf(rig, 'orderDetail', 30)).toEqual([1, 2, 4]);
    const again = createExecutionRig();
    again.send(intent);
    expect(timesOf(again, 'ordersToday', 21)).toEqual([5, 10, 15, 20]);
  });

  it('is not polled at all if every change is pushed', () => {
    const rig = working({ pushComplete: true });
    runTo(rig.clock, seconds(60));
    expect(rig.happened).toEqual([]);
  });

  it('shares one list with all orders', () => {
    const rig = working();
    rig.send(intentOf('INTENT2'));
    expect(timesOf(rig, 'ordersToday', 11)).toEqual([5, 10]);
  });

  it('is not listed any more once it is done', () => {
    const rig = working();
    rig.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    expect(timesOf(rig, 'ordersToday', 60)).toEqual([]);
    expect(rig.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled']);
  });

  it('is found by the list when its push was lost (F-B13, I-3)', () => {
    const rig = working();
    runTo(rig.clock, seconds(4.5));
    rig.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    runTo(rig.clock, seconds(5));
    expect(rig.news.at(-1)).toBe('filled');
  });

  it('is found by the list when further parts fill without a push (F-B13, I-3)', () => {
    const rig = working();
    for (const [id, second] of [
      ['e1', 5],
      ['e2', 10],
      ['e3', 15],
    ] as const) {
      runTo(rig.clock, seconds(second - 0.5));
      rig.venue.execute(ORDER, { id, quantity: '20', price: '10' });
      runTo(rig.clock, seconds(second));
    }
    expect(rig.state.order(intent.id)?.facets.executed.toString()).toBe('60');
  });

  it('is not read again while the list shows nothing new (T-19)', () => {
    const rig = working();
    runTo(rig.clock, seconds(4));
    rig.venue.calls.length = 0;
    runTo(rig.clock, seconds(20));
    expect(new Set(rig.happened)).toEqual(new Set(['ordersToday']));
  });

  it('stays open when a list leaves it out, and when the venue does not answer (T-48, F-B10)', () => {
    const rig = working();
    rig.venue.answers.silent.add('ordersToday').add('orderDetail');
    runTo(rig.clock, seconds(60));
    expect(rig.state.live.size).toBe(1);
    rig.venue.answers.silent.clear();
    rig.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    runTo(rig.clock, seconds(65));
    expect(rig.news.at(-1)).toBe('filled');
  });

  it('leaves foreign orders alone (T-52)', () => {
    const rig = working();
    rig.venue.list('FOREIGN', { status: 'PartialFilledStatus', executedQuantity: decimal('7') });
    rig.venue.push('FOREIGN');
    runTo(rig.clock, seconds(10));
    expect(rig.happened.filter((call) => call.includes('FOREIGN'))).toEqual([]);
    expect(rig.state.live.size).toBe(1);
  });
});

describe('a push', () => {
  it('changes nothing by itself: it causes a read (T-18)', () => {
    const rig = working({ pushComplete: true });
    rig.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    rig.venue.push(ORDER);
    expect(rig.happened).toEqual([
      `orderDetail ${ORDER}`,
      `executionsToday ${ORDER}`,
      'journal order-filled',
      'journal order-moved',
    ]);
    expect(rig.state.portfolio.holdings.get(AAPL)?.quantity.toString()).toBe('40');
  });

  it('counts once while the same order is still waiting to be read', () => {
    const rig = working({ pushComplete: true });
    rig.venue.answers.submit = ({ intentId: id, terms }) => {
      rig.venue.list(`O-${id}`, { intentId: id, terms });
      return answeredAfter(rig.clock, 1_000, { kind: 'unknown', message: '' });
    };
    rig.send(intentOf('INTENT2'));
    rig.venue.calls.length = 0;
    for (let count = 0; count < 5; count += 1) rig.venue.push(ORDER);
    runTo(rig.clock, seconds(1));
    expect(rig.happened.filter((call) => call === `orderDetail ${ORDER}`)).toHaveLength(1);
    rig.venue.push(ORDER);
    expect(rig.happened.filter((call) => call === `orderDetail ${ORDER}`)).toHaveLength(2);
  });

  it('is read again after a request without an answer, also if nothing is polled', () => {
    const rig = working({ pushComplete: true });
    rig.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    rig.venue.answers.silent.add('orderDetail');
    rig.venue.push(ORDER);
    runTo(rig.clock, seconds(0.9));
    rig.venue.answers.silent.clear();
    expect(rig.news).toEqual(['working']);
    runTo(rig.clock, seconds(1));
    expect(rig.news.at(-1)).toBe('filled');
    expect(rig.clock.next()).toBeUndefined();
  });
});

describe('executions', () => {
  it('are booked once each, with the status after them (T-22, T-23, I-7)', () => {
    const rig = working({ pushComplete: true });
    rig.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    rig.venue.push(ORDER);
    rig.venue.push(ORDER);
    rig.venue.execute(ORDER, { id: 'e2', quantity: '60', price: '11' });
    rig.venue.push(ORDER);
    rig.venue.push(ORDER);
    expect(rig.news).toEqual(['working', 'fill 40 at 10, fee 0', 'fill 60 at 11, fee 0', 'filled']);
    expect(rig.state.portfolio.cash.get('USD')?.toString()).toBe('-1060');
    expect(rig.state.done.has(intent.id)).toBe(true);
  });

  it('are not read while the executed quantity is unchanged', () => {
    const rig = working({ pushComplete: true });
    rig.venue.push(ORDER);
    expect(rig.happened).toEqual([`orderDetail ${ORDER}`]);
  });

  it('keep a finished order live until they could be read (T-26)', () => {
    const rig = working();
    rig.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    rig.venue.answers.silent.add('executionsToday');
    runTo(rig.clock, seconds(21));
    expect(rig.state.live.size).toBe(1);
    expect(rig.news).toEqual(['working']);
    rig.venue.answers.silent.clear();
    runTo(rig.clock, seconds(25));
    expect(rig.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled']);
    expect(rig.state.live.size).toBe(0);
  });

  it('are charged the difference to what was booked before', () => {
    const rig = working({ pushComplete: true });
    const charged: string[] = [];
    const part = (id: string, quantity: string, fee: string, levy: string) => {
      rig.venue.execute(ORDER, { id, quantity, price: '10' });
      rig.venue.charge(ORDER, [chargeOf('FEE', fee), chargeOf('LEVY', levy)]);
      rig.venue.push(ORDER);
      const booked = rig.events.findLast((event) => event.kind === 'order-filled');
      if (booked?.kind !== 'order-filled') return;
      const lines = booked.fill.charges.map(({ code, amount }) => `${code} ${amount}`);
      charged.push(`${booked.fill.fee}: ${lines.join(', ')}`);
    };
    part('e1', '40', '5', '0.1');
    part('e2', '30', '5', '0.25');
    part('e3', '30', '6.5', '0.25');
    expect(charged).toEqual(['5.1: FEE 5, LEVY 0.1', '0.15: LEVY 0.15', '1.5: FEE 1.5']);
    expect(rig.state.portfolio.cash.get('USD')?.toString()).toBe('-1006.75');
  });

  it("that are read together share the order's charges by quantity, and the last gets the rest", () => {
    const rig = working({ pushComplete: true });
    rig.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    rig.venue.execute(ORDER, { id: 'e2', quantity: '60', price: '10' });
    // 5.01 x 40 / 100 is 2.004.
    rig.venue.charge(ORDER, [chargeOf('FEE', '5.01')]);
    rig.venue.push(ORDER);
    expect(rig.news.slice(1)).toEqual(['fill 40 at 10, fee 2', 'fill 60 at 10, fee 3.01', 'filled']);
  });
});

describe('the event of a status', () => {
  it.each([
    ['CanceledStatus', 'canceled'],
    ['PartialWithdrawal', 'canceled'],
    ['ExpiredStatus', 'expired'],
    ['RejectedStatus', 'rejected: no funds'],
  ] as const)('%s is "%s" (T-18, F-B26)', (status, news) => {
    const rig = working({ pushComplete: true });
    rig.venue.list(ORDER, { status, message: news.split(': ')[1] ?? '' });
    rig.venue.push(ORDER);
    expect(rig.news).toEqual(['working', news]);
    expect(rig.state.live.size).toBe(0);
  });

  it('is journaled but not emitted while an order is only being sent', () => {
    const rig = working({ pushComplete: true });
    rig.venue.list(ORDER, { status: 'WaitToCancel' });
    rig.venue.push(ORDER);
    expect(rig.happened).toContain('journal order-moved');
    expect(rig.news).toEqual(['working']);
  });

  it('keeps an order with an unrecognised status open (T-53, F-B27)', () => {
    const rig = working({ pushComplete: true });
    rig.venue.list(ORDER, { status: 'unrecognised' });
    rig.venue.push(ORDER);
    expect(rig.state.live.size).toBe(1);
  });
});
