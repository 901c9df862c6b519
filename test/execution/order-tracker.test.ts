import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { answeredAfter } from '../fixtures/fake-venue.ts';
import { AAPL } from '../fixtures/market.ts';
import { createOrderLane, type OrderLane } from '../fixtures/order-lane.ts';
import { chargeOf, intentOf } from '../fixtures/orders.ts';
import { runTo, seconds, settle } from '../fixtures/time.ts';

const intent = intentOf();
const ORDER = 'O-INTENT1';

/** A lane with one order that the venue took, its calls so far forgotten. */
function working(
  options: { readonly pushComplete?: boolean; readonly cancelAfterMs?: number } = {},
): OrderLane {
  const { cancelAfterMs } = options;
  const lane = createOrderLane(options);
  lane.send(intentOf('INTENT1', cancelAfterMs === undefined ? {} : { cancelAfterMs }));
  lane.venue.calls.length = 0;
  return lane;
}

/** A lane with one order of which nobody knows whether the venue took it. */
function inDoubt(change: { readonly cancelAfterMs?: number } = {}): OrderLane {
  const lane = createOrderLane();
  lane.venue.answers.submit = () => of({ kind: 'unknown', message: 'timed out' });
  lane.send(intentOf('INTENT1', change));
  lane.venue.calls.length = 0;
  return lane;
}

/** When calls of one kind were made, in seconds, while time runs on to `until` seconds. */
function timesOf(lane: OrderLane, call: string, until: number): readonly number[] {
  const times: number[] = [];
  for (;;) {
    const next = lane.clock.nextAt();
    if (next > seconds(until)) return times;
    const before = lane.happened.filter((made) => made.startsWith(call)).length;
    lane.clock.fireNext();
    const made = lane.happened.filter((done) => done.startsWith(call)).length - before;
    for (let count = 0; count < made; count += 1) times.push(lane.clock.now() / 1_000);
  }
}

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

  it('that come together are charged with the last of them', () => {
    const lane = working({ pushComplete: true });
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    lane.venue.execute(ORDER, { id: 'e2', quantity: '60', price: '10' });
    lane.venue.charge(ORDER, [chargeOf('FEE', '5')]);
    lane.venue.push(ORDER);
    expect(lane.news.slice(1)).toEqual(['fill 40 at 10, fee 0', 'fill 60 at 10, fee 5', 'filled']);
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

describe('an order without an answer', () => {
  it('is looked for at 0.5, 1, 2, 4, 8, 15, 30 s and then every 30 s (T-09)', () => {
    expect(timesOf(inDoubt(), 'ordersToday', 100)).toEqual([0.5, 1, 2, 4, 8, 15, 30, 60, 90]);
  });

  it('is adopted when the listing shows its tag, and read at once (T-10, I-2, F-B09)', () => {
    const lane = inDoubt();
    runTo(lane.clock, seconds(89));
    lane.venue.list('O-LATE', { intentId: intent.id });
    lane.venue.execute('O-LATE', { id: 'e1', quantity: '100', price: '10' });
    runTo(lane.clock, seconds(90));
    expect(lane.events.find(({ kind }) => kind === 'submit-acked')).toMatchObject({
      orderId: 'O-LATE',
      by: 'listing',
    });
    expect(lane.news).toEqual(['unknown: timed out', 'fill 100 at 10, fee 0', 'filled']);
    expect(lane.happened.filter((call) => call.startsWith('submit'))).toEqual([]);
  });

  it('is not taken for an order of another intent, nor for a foreign one', () => {
    const lane = inDoubt();
    lane.venue.list('O-OTHER', { intentId: intentId('INTENT2') });
    lane.venue.list('O-FOREIGN');
    runTo(lane.clock, seconds(60));
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
  });

  it('is followed like any other once it was found', () => {
    const lane = inDoubt();
    lane.venue.list('O-LATE', { intentId: intent.id });
    runTo(lane.clock, seconds(0.5));
    expect(timesOf(lane, 'orderDetail', 30)).toEqual([1.5, 2.5, 4.5]);
  });

  it('is given up after 120 s and six reads, and its money stays reserved (T-13)', () => {
    const lane = inDoubt();
    runTo(lane.clock, seconds(119.999));
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
    runTo(lane.clock, seconds(120));
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('abandoned');
    expect(lane.news.at(-1)).toBe('unproven: not in 10 listings, never sent again, its money stays reserved');
    expect(lane.state.live.size).toBe(1);
    lane.venue.calls.length = 0;
    runTo(lane.clock, seconds(3_600));
    expect(lane.happened).toEqual([]);
  });

  it('is not given up on fewer than six reads, however long it takes (T-13)', () => {
    const lane = inDoubt();
    lane.venue.answers.silent.add('ordersToday');
    runTo(lane.clock, seconds(299));
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
    lane.venue.answers.silent.clear();
    const reads = timesOf(lane, 'ordersToday', 1_000);
    expect(reads).toEqual([300, 330, 360, 390, 420, 450]);
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('abandoned');
  });
});

describe('cancelAfter', () => {
  const cancelAfterMs = 30_000;

  it('cancels what is still open, journaled before it is sent (T-32, T-34, I-1)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    runTo(lane.clock, seconds(29.999));
    expect(lane.happened).toEqual([]);
    runTo(lane.clock, seconds(30));
    expect(lane.happened).toEqual([
      'journal cancel-sending',
      `cancel ${ORDER}`,
      'journal cancel-answered',
      `orderDetail ${ORDER}`,
    ]);
    expect(lane.state.order(intent.id)?.facets.pending).toBe('cancel-acked');
    expect(lane.state.live.size).toBe(1);
  });

  it('believes the venue, not the answer: only a read ends the order (T-34, T-38)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    lane.venue.push(ORDER);
    runTo(lane.clock, seconds(30));
    lane.venue.list(ORDER, { status: 'PartialWithdrawal' });
    lane.venue.push(ORDER);
    expect(lane.news).toEqual(['working', 'fill 40 at 10, fee 0', 'canceled']);
    expect(lane.state.done.get(intent.id)?.facets).toMatchObject({ pending: 'none' });
  });

  it('is in doubt without an answer, and the order stays live (T-35)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.answers.cancel = () => of({ kind: 'unknown', message: 'timed out' });
    runTo(lane.clock, seconds(30));
    expect(lane.state.order(intent.id)?.facets.pending).toBe('cancel-unknown');
    expect(lane.happened.at(-1)).toBe(`orderDetail ${ORDER}`);
    expect(lane.state.live.size).toBe(1);
  });

  it('lets a read decide after a refusal (T-36, F-B16)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.answers.cancel = () => {
      lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
      return of({ kind: 'refused', code: 1, message: 'already done' });
    };
    runTo(lane.clock, seconds(30));
    expect(lane.events.findLast(({ kind }) => kind === 'cancel-answered')).toMatchObject({
      answer: 'refused',
      message: 'already done',
    });
    expect(lane.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled']);
  });

  it('is forgotten once the order is done (T-37)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    lane.venue.push(ORDER);
    lane.venue.calls.length = 0;
    runTo(lane.clock, seconds(60));
    expect(lane.happened).toEqual([]);
  });

  it('books a fill that overtook the cancel (F-B14)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.answers.cancel = () => answeredAfter(lane.clock, 500, { kind: 'accepted' });
    runTo(lane.clock, seconds(30));
    lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    lane.venue.push(ORDER);
    runTo(lane.clock, seconds(31));
    expect(lane.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled']);
    expect(lane.state.done.get(intent.id)?.facets.pending).toBe('none');
  });

  it('is due from the moment an order in doubt was found (T-33)', () => {
    const lane = inDoubt({ cancelAfterMs });
    runTo(lane.clock, seconds(59));
    expect(lane.happened.filter((call) => call.startsWith('cancel'))).toEqual([]);
    lane.venue.list('O-LATE', { intentId: intent.id });
    expect(timesOf(lane, 'cancel O-LATE', 120)).toEqual([90]);
  });

  it('asks once', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    runTo(lane.clock, seconds(600));
    settle(lane.clock);
    expect(lane.happened.filter((call) => call.startsWith('cancel'))).toHaveLength(1);
  });
});
