import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { intentId, orderId, type ReadStatus } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { createEngineRig } from '../fixtures/engine-rig.ts';
import { createExecutionRig, type ExecutionRig, working } from '../fixtures/execution-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const ORDER = 'O-INTENT1';
const DAY = 'ordersToday';
const OPEN = 'ordersToday open';

/** A day on which this number of orders ended before the first reading, and one of the bot's is working. */
function longDay(count = 600, rig: ExecutionRig = working()): ExecutionRig {
  for (let at = 0; at < count; at += 1) rig.venue.list(`DONE-${at}`, { status: 'CanceledStatus' });
  return rig;
}

/** The same with counted calls. */
function countedDay(): ExecutionRig {
  const rig = createExecutionRig({ counted: true });
  rig.send(intentOf());
  return longDay(600, rig);
}

/** Lists read from now until `until` seconds. */
function readsUntil(rig: ExecutionRig, until: number): readonly string[] {
  const before = rig.happened.length;
  runTo(rig.clock, seconds(until));
  return rig.happened.slice(before).filter((call) => call.startsWith(DAY));
}

function fill(rig: ExecutionRig, id: string): void {
  rig.venue.execute(id, { id: `of-${id}`, quantity: '100', price: '10' });
}

describe('a reading on a day with many orders', () => {
  it('lists the whole day once a minute, and the open orders in between', () => {
    const rig = longDay(12_000);
    const reads = readsUntil(rig, 121);
    expect(reads.filter((call) => call === DAY)).toHaveLength(2);
    expect(reads.filter((call) => call === OPEN)).toHaveLength(22);
  });

  it('lists the whole day each time below 500 orders', () => {
    const rig = longDay(498);
    expect(new Set(readsUntil(rig, 60))).toEqual(new Set([DAY]));
  });

  it('books an order that was filled without a push within one reading (F-B13)', () => {
    const rig = longDay();
    runTo(rig.clock, seconds(21));
    fill(rig, ORDER);
    expect(readsUntil(rig, 26)).not.toContain(DAY);
    expect(rig.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled']);
  });

  it('books a part that was filled without a push while the order keeps working (F-B13)', () => {
    const rig = longDay();
    runTo(rig.clock, seconds(21));
    rig.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    expect(readsUntil(rig, 26)).toEqual([OPEN]);
    expect(rig.news).toEqual(['working', 'fill 40 at 10, fee 0']);
  });

  it('lists the whole day when many orders of the bot ended between two readings', () => {
    const rig = longDay();
    const others = ['INTENT2', 'INTENT3', 'INTENT4', 'INTENT5'];
    for (const id of others) rig.send(intentOf(id));
    runTo(rig.clock, seconds(21));
    for (const id of ['INTENT1', ...others]) fill(rig, `O-${id}`);
    expect(readsUntil(rig, 26)).toEqual([OPEN, DAY]);
    expect(rig.news.filter((news) => news === 'filled')).toHaveLength(5);
  });

  it('books orders that end one after the other within 6 s each with counted calls (F-B13, I-3, I-17)', () => {
    const rig = createExecutionRig({ counted: true });
    const ids = Array.from({ length: 24 }, (_, at) => `INTENT${at + 1}`);
    for (const id of ids) rig.send(intentOf(id));
    longDay(600, rig);
    runTo(rig.clock, seconds(40));
    for (const [at, id] of ids.entries()) {
      fill(rig, `O-${id}`);
      runTo(rig.clock, seconds(40 + 4.5 * at + 6));
      expect(rig.state.done.has(intentId(id)), id).toBe(true);
    }
  });
});

describe('the status filter', () => {
  it('is not used again once the venue refused it, and that reading lists the whole day', () => {
    const rig = longDay();
    runTo(rig.clock, seconds(6));
    rig.venue.answers.filter = 'refused';
    fill(rig, ORDER);
    rig.send(intentOf('INTENT2'));
    expect(readsUntil(rig, 10)).toEqual([OPEN, DAY]);
    expect(rig.news.filter((news) => news === 'filled')).toHaveLength(1);
    expect(readsUntil(rig, 60)).not.toContain(OPEN);
  });

  it('is followed by a list of the whole day when it got no answer', () => {
    const rig = longDay();
    runTo(rig.clock, seconds(6));
    rig.venue.answers.filter = 'silent';
    fill(rig, ORDER);
    expect(readsUntil(rig, 15)).toEqual([OPEN, DAY]);
    expect(rig.news.at(-1)).toBe('filled');
  });

  it('may be ignored by the venue: its list is handled like the whole day', () => {
    const rig = longDay();
    rig.venue.answers.filter = 'ignored';
    runTo(rig.clock, seconds(21));
    fill(rig, ORDER);
    expect(readsUntil(rig, 26)).toEqual([OPEN]);
    expect(rig.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled']);
  });

  it('is not used again after it left out working orders ten times, as with an unknown status', () => {
    const rig = longDay();
    const ids = ['INTENT2', 'INTENT3', 'INTENT4', 'INTENT5'];
    for (const id of ids) {
      rig.send(intentOf(id));
      rig.venue.answers.filteredOut.add(`O-${id}`);
      rig.venue.list(`O-${id}`, { status: 'unrecognised' });
    }
    runTo(rig.clock, seconds(61));
    expect(readsUntil(rig, 120)).not.toContain(OPEN);
    expect(rig.state.live.size).toBe(5);
    fill(rig, 'O-INTENT3');
    runTo(rig.clock, seconds(126));
    expect(rig.state.done.has(intentId('INTENT3'))).toBe(true);
  });
});

describe('an order that a list of open orders would misrepresent', () => {
  /** An unanswered order of the bot, which the venue lists only after the search of the first 8 s. */
  function inDoubtOnLongDay(): ExecutionRig {
    const rig = longDay();
    rig.venue.answers.submit = ({ intentId: id, terms }) => {
      rig.venue.list('OLDER', { intentId: id, terms, status: 'FilledStatus', submittedAt: millis(1) });
      rig.venue.list('YOUNGER', { intentId: id, terms, submittedAt: millis(2) });
      for (const each of ['OLDER', 'YOUNGER']) rig.venue.answers.unlisted.add(each);
      return of({ kind: 'unknown', message: 'timed out' });
    };
    rig.send(intentOf('INTENT2'));
    runTo(rig.clock, seconds(8.5));
    return rig;
  }

  it('is bound to the older of two orders with its tag although that one is filled, and the younger is cancelled (T-16)', () => {
    const rig = inDoubtOnLongDay();
    rig.venue.answers.unlisted.clear();
    rig.venue.list('OLDER', { status: 'NewStatus' });
    rig.venue.execute('OLDER', { id: 'e1', quantity: '100', price: '10' });
    expect(readsUntil(rig, 10)).toEqual([OPEN, DAY]);
    expect(rig.state.intentOf(orderId('OLDER'))).toBe('INTENT2');
    expect(rig.state.done.has(intentId('INTENT2'))).toBe(true);
    expect(rig.happened).toContain('cancel YOUNGER');
    expect(rig.concerns).toContain('order-doubled, halt account');
  });

  it('is detected as doubled within one reading while the duplicate works, and the day is listed once for it (T-16)', () => {
    const rig = longDay();
    runTo(rig.clock, seconds(6));
    rig.venue.list('TWICE', { intentId: intentId('INTENT1'), submittedAt: millis(5_500) });
    expect(readsUntil(rig, 10)).toEqual([OPEN, DAY]);
    expect(rig.concerns).toEqual(['order-doubled, halt account']);
    expect(new Set(readsUntil(rig, 50))).toEqual(new Set([OPEN]));
    expect(rig.happened.filter((call) => call === 'cancel TWICE')).toHaveLength(1);
  });

  it('is detected as doubled at once when the duplicate is pushed, although it is filled already', () => {
    const rig = longDay();
    runTo(rig.clock, seconds(6));
    const executed = { status: 'FilledStatus', executedQuantity: decimal('100') } as const;
    rig.venue.list('TWICE', { intentId: intentId('INTENT1'), submittedAt: millis(5_500), ...executed });
    rig.venue.push('TWICE');
    expect(rig.concerns).toEqual(['order-doubled, halt account']);
  });

  it('is detected as doubled within a minute when the duplicate is filled and never pushed', () => {
    const rig = longDay();
    runTo(rig.clock, seconds(6));
    const executed = { status: 'FilledStatus', executedQuantity: decimal('100') } as const;
    rig.venue.list('TWICE', { intentId: intentId('INTENT1'), submittedAt: millis(5_500), ...executed });
    runTo(rig.clock, seconds(65));
    expect(rig.concerns).toEqual(['order-doubled, halt account']);
  });

  it('lists the whole day when pushes of several orders wait and one of them is over (T-29)', () => {
    const rig = countedDay();
    rig.send(intentOf('INTENT2'));
    runTo(rig.clock, seconds(6));
    fill(rig, ORDER);
    runTo(rig.clock, seconds(40));
    expect(rig.state.done.size).toBe(1);
    // Answers take a while, so that the other pushes wait behind the first.
    rig.venue.answers.delayMs = 100;
    rig.venue.list(ORDER, { status: 'PartialFilledStatus' });
    const before = rig.happened.length;
    for (const id of ['O-INTENT2', ORDER, 'O-INTENT2']) rig.venue.push(id);
    runTo(rig.clock, seconds(40.3));
    expect(rig.happened.slice(before)).not.toContain(OPEN);
  });
});

describe('an order that ended, and whose row cannot be read completely', () => {
  function ended(status: ReadStatus, executedQuantity: string | undefined, executed: string) {
    let quotes = 0;
    const rig = createEngineRig({
      pushComplete: false,
      strategy: {
        onQuote: (_, { orders }) => {
          quotes += 1;
          return quotes === 1 ? orders.buy(AAPL, 100, { type: 'LO', price: 9 }) : undefined;
        },
      },
    });
    const { venue, clock, engine } = rig;
    rig.start();
    rig.quote(10);
    runTo(clock, clock.now() + 1_000);
    const stated = executedQuantity === undefined ? undefined : decimal(executedQuantity);
    const row = { orderId: orderId('O-I1'), symbol: AAPL, intentId: intentId('I1'), why: 'its type' };
    Object.assign(venue.broker, {
      unread: () => [{ ...row, status, rawStatus: status, since: undefined, executedQuantity: stated }],
    });
    if (executed !== '0') venue.execute('O-I1', { id: 'e-1', quantity: executed, price: '9' });
    venue.answers.unlisted.add('O-I1');
    venue.answers.forgotten.add('O-I1');
    venue.answers.silent.add('ordersBefore');
    const result = () => {
      const order = engine.state.order(intentId('I1'));
      const { live, portfolio } = engine.state;
      const held = portfolio.holdings.get(AAPL)?.quantity ?? 0;
      return [live.size, order?.facets.venue, `${order?.facets.executed}`, `${held}`];
    };
    return { venue, clock, result };
  }

  it.each([
    ['CanceledStatus', undefined, '40'],
    ['CanceledStatus', '0', '40'],
    ['CanceledStatus', '40', '40'],
    ['CanceledStatus', undefined, '0'],
    ['ExpiredStatus', undefined, '40'],
    ['FilledStatus', undefined, '100'],
    ['FilledStatus', '0', '100'],
  ] as const)(
    'has its executions booked, and ends (%s, states %s, executed %s)',
    (status, stated, executed) => {
      const { clock, result } = ended(status, stated, executed);
      runTo(clock, clock.now() + 20_000);
      expect(result()).toEqual([0, status, executed, executed]);
    },
  );

  it('stays open until its executions were read', () => {
    const { venue, clock, result } = ended('CanceledStatus', undefined, '40');
    venue.answers.silent.add('executionsToday');
    runTo(clock, clock.now() + 20_000);
    expect(result()).toEqual([1, 'NewStatus', '0', '0']);
    venue.answers.silent.delete('executionsToday');
    runTo(clock, clock.now() + 20_000);
    expect(result()).toEqual([0, 'CanceledStatus', '40', '40']);
  });

  it('stays open while its executions lack a part of a filled order', () => {
    const { clock, result } = ended('FilledStatus', undefined, '40');
    runTo(clock, clock.now() + 20_000);
    expect(result()[2]).toBe('40');
    expect(result()[0]).toBe(1);
  });
});
