import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { intentId, orderId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { createOrderLane, type OrderLane, working } from '../fixtures/order-lane.ts';
import { intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const ORDER = 'O-INTENT1';
const DAY = 'ordersToday';
const OPEN = 'ordersToday open';

/** A day on which so many orders are over before the first reading, and one of ours works. */
function longDay(count = 600, lane: OrderLane = working()): OrderLane {
  for (let at = 0; at < count; at += 1) lane.venue.list(`DONE-${at}`, { status: 'CanceledStatus' });
  return lane;
}

/** The same where calls are counted. */
function countedDay(): OrderLane {
  const lane = createOrderLane({ counted: true });
  lane.send(intentOf());
  return longDay(600, lane);
}

/** Lists that were read from then on until `until` seconds. */
function readsUntil(lane: OrderLane, until: number): readonly string[] {
  const before = lane.happened.length;
  runTo(lane.clock, seconds(until));
  return lane.happened.slice(before).filter((call) => call.startsWith(DAY));
}

function fill(lane: OrderLane, id: string): void {
  lane.venue.execute(id, { id: `of-${id}`, quantity: '100', price: '10' });
}

describe('a reading on a day with many orders', () => {
  it('lists the whole day once a minute, and the open orders in between', () => {
    const lane = longDay(12_000);
    const reads = readsUntil(lane, 121);
    expect(reads.filter((call) => call === DAY)).toHaveLength(2);
    expect(reads.filter((call) => call === OPEN)).toHaveLength(22);
  });

  it('lists the whole day each time below 500 orders', () => {
    const lane = longDay(498);
    expect(new Set(readsUntil(lane, 60))).toEqual(new Set([DAY]));
  });

  it('books an order that was filled without a push within one reading (F-B13)', () => {
    const lane = longDay();
    runTo(lane.clock, seconds(21));
    fill(lane, ORDER);
    expect(readsUntil(lane, 26)).not.toContain(DAY);
    expect(lane.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled']);
  });

  it('books a part that was filled without a push while the order goes on working (F-B13)', () => {
    const lane = longDay();
    runTo(lane.clock, seconds(21));
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    expect(readsUntil(lane, 26)).toEqual([OPEN]);
    expect(lane.news).toEqual(['working', 'fill 40 at 10, fee 0']);
  });

  it('lists the whole day when many orders of ours ended between two readings', () => {
    const lane = longDay();
    const others = ['INTENT2', 'INTENT3', 'INTENT4', 'INTENT5'];
    for (const id of others) lane.send(intentOf(id));
    runTo(lane.clock, seconds(21));
    for (const id of ['INTENT1', ...others]) fill(lane, `O-${id}`);
    expect(readsUntil(lane, 26)).toEqual([OPEN, DAY]);
    expect(lane.news.filter((news) => news === 'filled')).toHaveLength(5);
  });

  it('books orders that end one after the other within 6 s each where calls are counted (F-B13, I-3, I-17)', () => {
    const lane = createOrderLane({ counted: true });
    const ids = Array.from({ length: 24 }, (_, at) => `INTENT${at + 1}`);
    for (const id of ids) lane.send(intentOf(id));
    longDay(600, lane);
    runTo(lane.clock, seconds(40));
    for (const [at, id] of ids.entries()) {
      fill(lane, `O-${id}`);
      runTo(lane.clock, seconds(40 + 4.5 * at + 6));
      expect(lane.state.done.has(intentId(id)), id).toBe(true);
    }
  });
});

describe('the status filter', () => {
  it('is not used again once the venue refused it, and that reading lists the whole day', () => {
    const lane = longDay();
    runTo(lane.clock, seconds(6));
    lane.venue.answers.filter = 'refused';
    fill(lane, ORDER);
    lane.send(intentOf('INTENT2'));
    expect(readsUntil(lane, 10)).toEqual([OPEN, DAY]);
    expect(lane.news.filter((news) => news === 'filled')).toHaveLength(1);
    expect(readsUntil(lane, 60)).not.toContain(OPEN);
  });

  it('is followed by a list of the whole day when it got no answer', () => {
    const lane = longDay();
    runTo(lane.clock, seconds(6));
    lane.venue.answers.filter = 'silent';
    fill(lane, ORDER);
    expect(readsUntil(lane, 15)).toEqual([OPEN, DAY]);
    expect(lane.news.at(-1)).toBe('filled');
  });

  it('may be ignored by the venue: what it lists is handled like the whole day', () => {
    const lane = longDay();
    lane.venue.answers.filter = 'ignored';
    runTo(lane.clock, seconds(21));
    fill(lane, ORDER);
    expect(readsUntil(lane, 26)).toEqual([OPEN]);
    expect(lane.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled']);
  });

  it('is not used again after it left out working orders ten times, as with a status that it does not know', () => {
    const lane = longDay();
    const ids = ['INTENT2', 'INTENT3', 'INTENT4', 'INTENT5'];
    for (const id of ids) {
      lane.send(intentOf(id));
      lane.venue.answers.filteredOut.add(`O-${id}`);
      lane.venue.list(`O-${id}`, { status: 'unrecognised' });
    }
    runTo(lane.clock, seconds(61));
    expect(readsUntil(lane, 120)).not.toContain(OPEN);
    expect(lane.state.live.size).toBe(5);
    fill(lane, 'O-INTENT3');
    runTo(lane.clock, seconds(126));
    expect(lane.state.done.has(intentId('INTENT3'))).toBe(true);
  });
});

describe('an order that open orders alone would mistake', () => {
  /** An order of ours without an answer, which the venue lists only after the search of the first 8 s. */
  function inDoubtOnLongDay(): OrderLane {
    const lane = longDay();
    lane.venue.answers.submit = ({ intentId: id, terms }) => {
      lane.venue.list('OLDER', { intentId: id, terms, status: 'FilledStatus', submittedAt: millis(1) });
      lane.venue.list('YOUNGER', { intentId: id, terms, submittedAt: millis(2) });
      for (const each of ['OLDER', 'YOUNGER']) lane.venue.answers.unlisted.add(each);
      return of({ kind: 'unknown', message: 'timed out' });
    };
    lane.send(intentOf('INTENT2'));
    runTo(lane.clock, seconds(8.5));
    return lane;
  }

  it('is bound to the older of two orders with its tag although that one is filled, and the younger is cancelled (T-16)', () => {
    const lane = inDoubtOnLongDay();
    lane.venue.answers.unlisted.clear();
    lane.venue.list('OLDER', { status: 'NewStatus' });
    lane.venue.execute('OLDER', { id: 'e1', quantity: '100', price: '10' });
    expect(readsUntil(lane, 10)).toEqual([OPEN, DAY]);
    expect(lane.state.intentOf(orderId('OLDER'))).toBe('INTENT2');
    expect(lane.state.done.has(intentId('INTENT2'))).toBe(true);
    expect(lane.happened).toContain('cancel YOUNGER');
    expect(lane.concerns).toContain('order-doubled, halt account');
  });

  it('is found doubled within one reading while the duplicate works, and the day is listed once for it (T-16)', () => {
    const lane = longDay();
    runTo(lane.clock, seconds(6));
    lane.venue.list('TWICE', { intentId: intentId('INTENT1'), submittedAt: millis(5_500) });
    expect(readsUntil(lane, 10)).toEqual([OPEN, DAY]);
    expect(lane.concerns).toEqual(['order-doubled, halt account']);
    expect(new Set(readsUntil(lane, 50))).toEqual(new Set([OPEN]));
    expect(lane.happened.filter((call) => call === 'cancel TWICE')).toHaveLength(1);
  });

  it('is found doubled at once when the duplicate is pushed, although it is filled already', () => {
    const lane = longDay();
    runTo(lane.clock, seconds(6));
    const executed = { status: 'FilledStatus', executedQuantity: decimal('100') } as const;
    lane.venue.list('TWICE', { intentId: intentId('INTENT1'), submittedAt: millis(5_500), ...executed });
    lane.venue.push('TWICE');
    expect(lane.concerns).toEqual(['order-doubled, halt account']);
  });

  it('is found doubled within a minute when the duplicate is filled and never pushed', () => {
    const lane = longDay();
    runTo(lane.clock, seconds(6));
    const executed = { status: 'FilledStatus', executedQuantity: decimal('100') } as const;
    lane.venue.list('TWICE', { intentId: intentId('INTENT1'), submittedAt: millis(5_500), ...executed });
    runTo(lane.clock, seconds(65));
    expect(lane.concerns).toEqual(['order-doubled, halt account']);
  });

  it('lists the whole day when pushes of several orders wait and one of them is over (T-29)', () => {
    const lane = countedDay();
    lane.send(intentOf('INTENT2'));
    runTo(lane.clock, seconds(6));
    fill(lane, ORDER);
    runTo(lane.clock, seconds(40));
    expect(lane.state.done.size).toBe(1);
    // Answers take a while, so that the other pushes wait behind the first.
    lane.venue.answers.delayMs = 100;
    lane.venue.list(ORDER, { status: 'PartialFilledStatus' });
    const before = lane.happened.length;
    for (const id of ['O-INTENT2', ORDER, 'O-INTENT2']) lane.venue.push(id);
    runTo(lane.clock, seconds(40.3));
    expect(lane.happened.slice(before)).not.toContain(OPEN);
  });
});
