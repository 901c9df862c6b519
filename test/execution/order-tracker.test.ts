import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { answeredAfter } from '../fixtures/fake-venue.ts';
import { AAPL } from '../fixtures/market.ts';
import { createOrderLane, timesOf, working } from '../fixtures/order-lane.ts';
import { chargeOf, intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();
const ORDER = 'O-INTENT1';

describe('an order that the venue took', () => {
  it('is read at once, at 1, 2 and 4 s, and the listing every 5 s, where pushes may be lost', () => {
    const lane = createOrderLane();
    lane.send(intent);
    expect(lane.happened.filter((call) => call.startsWith('orderDetail'))).toHaveLength(1);
    expect(timesOf(lane, 'orderDetail', 30)).toEqual([1, 2, 4]);
    const again = createOrderLane();
    again.send(intent);
    expect(timesOf(again, 'ordersToday', 21)).toEqual([5, 10, 15, 20]);
  });

  it('is not polled at all where every change is pushed', () => {
    const lane = working({ pushComplete: true });
    runTo(lane.clock, seconds(60));
    expect(lane.happened).toEqual([]);
  });

  it('has one listing for all orders', () => {
    const lane = working();
    lane.send(intentOf('INTENT2'));
    expect(timesOf(lane, 'ordersToday', 11)).toEqual([5, 10]);
  });

  it('is not listed any more once it is done', () => {
    const lane = working();
    lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    expect(timesOf(lane, 'ordersToday', 60)).toEqual([]);
    expect(lane.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled']);
  });

  it('is found by the listing when its push was lost (F-B13, I-3)', () => {
    const lane = working();
    runTo(lane.clock, seconds(4.5));
    lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    runTo(lane.clock, seconds(5));
    expect(lane.news.at(-1)).toBe('filled');
  });

  it('is found by the listing when it goes on being filled in part and no push says so (F-B13, I-3)', () => {
    const lane = working();
    for (const [id, second] of [
      ['e1', 5],
      ['e2', 10],
      ['e3', 15],
    ] as const) {
      runTo(lane.clock, seconds(second - 0.5));
      lane.venue.execute(ORDER, { id, quantity: '20', price: '10' });
      runTo(lane.clock, seconds(second));
    }
    expect(lane.state.order(intent.id)?.facets.executed.toString()).toBe('60');
  });

  it('is not read again while the listing says nothing new (T-19)', () => {
    const lane = working();
    runTo(lane.clock, seconds(4));
    lane.venue.calls.length = 0;
    runTo(lane.clock, seconds(20));
    expect(new Set(lane.happened)).toEqual(new Set(['ordersToday']));
  });

  it('stays live when a listing leaves it out, and when nobody answers (T-48, F-B10)', () => {
    const lane = working();
    lane.venue.answers.silent.add('ordersToday').add('orderDetail');
    runTo(lane.clock, seconds(60));
    expect(lane.state.live.size).toBe(1);
    lane.venue.answers.silent.clear();
    lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    runTo(lane.clock, seconds(65));
    expect(lane.news.at(-1)).toBe('filled');
  });

  it('leaves foreign orders alone (T-52)', () => {
    const lane = working();
    lane.venue.list('FOREIGN', { status: 'PartialFilledStatus', executedQuantity: decimal('7') });
    lane.venue.push('FOREIGN');
    runTo(lane.clock, seconds(10));
    expect(lane.happened.filter((call) => call.includes('FOREIGN'))).toEqual([]);
    expect(lane.state.live.size).toBe(1);
  });
});

describe('a push', () => {
  it('moves nothing by itself: it makes us read (T-18)', () => {
    const lane = working({ pushComplete: true });
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    lane.venue.push(ORDER);
    expect(lane.happened).toEqual([
      `orderDetail ${ORDER}`,
      `executionsToday ${ORDER}`,
      'journal order-filled',
      'journal order-moved',
    ]);
    expect(lane.state.portfolio.holdings.get(AAPL)?.quantity.toString()).toBe('40');
  });

  it('counts once while the same order is still waiting to be read', () => {
    const lane = working({ pushComplete: true });
    lane.venue.answers.submit = ({ intentId: id, terms }) => {
      lane.venue.list(`O-${id}`, { intentId: id, terms });
      return answeredAfter(lane.clock, 1_000, { kind: 'unknown', message: '' });
    };
    lane.send(intentOf('INTENT2'));
    lane.venue.calls.length = 0;
    for (let count = 0; count < 5; count += 1) lane.venue.push(ORDER);
    runTo(lane.clock, seconds(1));
    expect(lane.happened.filter((call) => call === `orderDetail ${ORDER}`)).toHaveLength(1);
    lane.venue.push(ORDER);
    expect(lane.happened.filter((call) => call === `orderDetail ${ORDER}`)).toHaveLength(2);
  });

  it('is read again when a question got no answer, also where nothing is polled', () => {
    const lane = working({ pushComplete: true });
    lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    lane.venue.answers.silent.add('orderDetail');
    lane.venue.push(ORDER);
    runTo(lane.clock, seconds(0.9));
    lane.venue.answers.silent.clear();
    expect(lane.news).toEqual(['working']);
    runTo(lane.clock, seconds(1));
    expect(lane.news.at(-1)).toBe('filled');
    expect(lane.clock.next()).toBeUndefined();
  });
});

describe('executions', () => {
  it('are booked once each, with the status after them (T-22, T-23, I-7)', () => {
    const lane = working({ pushComplete: true });
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    lane.venue.push(ORDER);
    lane.venue.push(ORDER);
    lane.venue.execute(ORDER, { id: 'e2', quantity: '60', price: '11' });
    lane.venue.push(ORDER);
    lane.venue.push(ORDER);
    expect(lane.news).toEqual(['working', 'fill 40 at 10, fee 0', 'fill 60 at 11, fee 0', 'filled']);
    expect(lane.state.portfolio.cash.get('USD')?.toString()).toBe('-1060');
    expect(lane.state.done.has(intent.id)).toBe(true);
  });

  it('are not asked for while the executed quantity stands still', () => {
    const lane = working({ pushComplete: true });
    lane.venue.push(ORDER);
    expect(lane.happened).toEqual([`orderDetail ${ORDER}`]);
  });

  it('keep a finished order live until they could be read (T-26)', () => {
    const lane = working();
    lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    lane.venue.answers.silent.add('executionsToday');
    runTo(lane.clock, seconds(21));
    expect(lane.state.live.size).toBe(1);
    expect(lane.news).toEqual(['working']);
    lane.venue.answers.silent.clear();
    runTo(lane.clock, seconds(25));
    expect(lane.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled']);
    expect(lane.state.live.size).toBe(0);
  });

  it('are charged the difference to what was booked before', () => {
    const lane = working({ pushComplete: true });
    const charged: string[] = [];
    const part = (id: string, quantity: string, fee: string, levy: string) => {
      lane.venue.execute(ORDER, { id, quantity, price: '10' });
      lane.venue.charge(ORDER, [chargeOf('FEE', fee), chargeOf('LEVY', levy)]);
      lane.venue.push(ORDER);
      const booked = lane.events.findLast((event) => event.kind === 'order-filled');
      if (booked?.kind !== 'order-filled') return;
      const lines = booked.fill.charges.map(({ code, amount }) => `${code} ${amount}`);
      charged.push(`${booked.fill.fee}: ${lines.join(', ')}`);
    };
    part('e1', '40', '5', '0.1');
    part('e2', '30', '5', '0.25');
    part('e3', '30', '6.5', '0.25');
    expect(charged).toEqual(['5.1: FEE 5, LEVY 0.1', '0.15: LEVY 0.15', '1.5: FEE 1.5']);
    expect(lane.state.portfolio.cash.get('USD')?.toString()).toBe('-1006.75');
  });

  it('that come together share what the order is charged by quantity, and the last takes what is left', () => {
    const lane = working({ pushComplete: true });
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    lane.venue.execute(ORDER, { id: 'e2', quantity: '60', price: '10' });
    // 5.01 x 40 / 100 is 2.004.
    lane.venue.charge(ORDER, [chargeOf('FEE', '5.01')]);
    lane.venue.push(ORDER);
    expect(lane.news.slice(1)).toEqual(['fill 40 at 10, fee 2', 'fill 60 at 10, fee 3.01', 'filled']);
  });
});

describe('the news of a status', () => {
  it.each([
    ['CanceledStatus', 'canceled'],
    ['PartialWithdrawal', 'canceled'],
    ['ExpiredStatus', 'expired'],
    ['RejectedStatus', 'rejected: no funds'],
  ] as const)('%s is "%s" (T-18, F-B26)', (status, told) => {
    const lane = working({ pushComplete: true });
    lane.venue.list(ORDER, { status, message: told.split(': ')[1] ?? '' });
    lane.venue.push(ORDER);
    expect(lane.news).toEqual(['working', told]);
    expect(lane.state.live.size).toBe(0);
  });

  it('is journaled but not told while an order is only on its way', () => {
    const lane = working({ pushComplete: true });
    lane.venue.list(ORDER, { status: 'WaitToCancel' });
    lane.venue.push(ORDER);
    expect(lane.happened).toContain('journal order-moved');
    expect(lane.news).toEqual(['working']);
  });

  it('keeps an order under an unrecognised status live (T-53, F-B27)', () => {
    const lane = working({ pushComplete: true });
    lane.venue.list(ORDER, { status: 'unrecognised' });
    lane.venue.push(ORDER);
    expect(lane.state.live.size).toBe(1);
  });
});
