import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import type { Alarm } from '#src/model/notice.ts';
import type { ReadStatus } from '#src/model/order.ts';
import { HOUR_MS, MINUTE_MS, millis } from '#src/model/time.ts';
import { first } from '#src/signals/cross.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { OrderDraft, OrderDrafts } from '#src/strategy/order-draft.ts';
import { fillsOf, setupOf } from '../../fixtures/backtest.ts';
import {
  createEngineRig,
  type EngineRig,
  type RigMember,
  type RigOptions,
} from '../../fixtures/engine-rig.ts';
import { AAPL, at, type BarRow, columnsOf } from '../../fixtures/market.ts';
import { ends as endsOf, submits } from '../../fixtures/rebalancing.ts';
import { restarted } from '../../fixtures/restarting.ts';
import { runTo } from '../../fixtures/time.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

/** Orders once, at the first close, in minute bars with one price each. */
function run(ask: (orders: OrderDrafts) => OrderDraft, ...prices: readonly number[]) {
  const strategy = defineStrategy({
    name: 'asks-once',
    params: {},
    signals: ({ bars }) => ({ start: first(bars) }),
    onSignal: (_signal, { orders }) => ask(orders),
  });
  const bars = columnsOf(
    AAPL,
    '1m',
    prices.map((price, index): BarRow => [OPEN + index * 60_000, price, price, price, price]),
  );
  const journal = createMemoryJournal();
  const record = runBacktest(setupOf(strategy, [bars]), { journal });
  const events = [...journal.replay()];
  return {
    fills: fillsOf(record).map((fill) => fill.slice(6, -7)),
    ends: events.flatMap((event) =>
      event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : [],
    ),
    replaced: events.flatMap((event) => (event.kind === 'replace-read' ? [`${event.terms.price}`] : [])),
    events,
  };
}

describe('a sliced order', () => {
  it('trades in equal slices over its time', () => {
    const { fills, ends } = run(
      (orders) => orders.twap(orders.buy(AAPL, 90), { minutes: 3, parts: 3 }),
      10,
      11,
      12,
      13,
      14,
    );
    expect(fills).toEqual(['14:31 buy 30 at 11', '14:32 buy 30 at 12', '14:33 buy 30 at 13']);
    expect(ends).toEqual(['done: 90 of 90 traded']);
  });

  it('trades more where the profile has more volume', () => {
    const { fills } = run(
      (orders) => orders.vwap(orders.buy(AAPL, 100), { minutes: 3, weights: [5, 1, 4] }),
      ...[10, 11, 12, 13, 14],
    );
    expect(fills).toEqual(['14:31 buy 50 at 11', '14:32 buy 10 at 12', '14:33 buy 40 at 13']);
  });

  it('shows one slice at a time, the next when the previous one was filled', () => {
    const { fills, ends } = run(
      (orders) => orders.iceberg(orders.buy(AAPL, 70, { type: 'LO', price: 12 }), { shown: 30 }),
      ...[13, 13, 12, 11, 11],
    );
    expect(fills.map((fill) => fill.replace(/^\S+ /, ''))).toEqual([
      'buy 30 at 12',
      'buy 30 at 12',
      'buy 10 at 12',
    ]);
    expect(ends).toEqual(['done: 70 of 70 traded']);
  });
});

describe('a chase', () => {
  const chase = (atEnd: 'cancel' | 'cross') => (orders: OrderDrafts) =>
    orders.chase(orders.buy(AAPL, 100), { bound: 10.5, minutes: 4, atEnd, everySeconds: 60 });

  it('moves its limit with the market, no farther than its bound, and cancels it at the end (T-40, T-41)', () => {
    const { fills, ends, replaced } = run(chase('cancel'), 10, 10.2, 10.4, 10.6, 10.8, 11, 11);
    expect(replaced).toEqual(['10.2', '10.4', '10.5']);
    expect(fills).toEqual([]);
    expect(ends).toEqual(['done: its time is over, 100 did not trade']);
  });

  it('takes what its bound permits when its time is over', () => {
    const { fills, ends } = run(chase('cross'), 10, 10.2, 10.4, 10.6, 10.8, 10.4, 10.4);
    expect(fills).toEqual(['14:35 buy 100 at 10.4']);
    expect(ends).toEqual(['done: all of it traded']);
  });

  it('does not move while the market comes towards it', () => {
    const { fills, replaced } = run(chase('cancel'), 10, 10.2, 10.1, 9.9, 9.9);
    expect(replaced).toEqual(['10.2']);
    expect(fills).toEqual(['14:32 buy 100 at 10.1']);
  });
});

describe('a chase whose order cannot be changed', () => {
  const refused = of({ kind: 'refused', code: 602_001, message: 'no' } as const);
  const notSent = of({ kind: 'not-sent', message: 'the connection is down' } as const);

  it.each<[string, (rig: EngineRig) => void, string]>([
    ['the gate is halted', (rig) => void rig.command({ kind: 'halt' }), 'replace-denied'],
    ['the balance has no answer', ({ venue }) => venue.answers.silent.add('balance'), 'replace-denied'],
    [
      'the venue refuses it',
      ({ venue }) => Object.assign(venue.answers, { replace: () => refused }),
      'replace-answered',
    ],
    [
      'no byte leaves',
      ({ venue }) => Object.assign(venue.answers, { replace: () => notSent }),
      'replace-answered',
    ],
  ])('tries again at each interval if %s', (_why, fault, kind) => {
    let asked = false;
    const rig = createEngineRig({
      strategy: {
        onQuote: ({ symbol }, { orders }) => {
          if (asked) return undefined;
          asked = true;
          const terms = { bound: 10.4, minutes: 4, atEnd: 'cancel', everySeconds: 30 } as const;
          return orders.chase(orders.buy(symbol, 100), terms);
        },
      },
    });
    rig.start();
    rig.quote(10);
    fault(rig);
    rig.quote(10.2);
    runTo(rig.clock, 2 * MINUTE_MS - 1);
    expect(rig.status()).toBe('running');
    expect(rig.kinds().filter((each) => each === kind)).toHaveLength(3);
  });
});

describe('a chase that takes what its bound permits at its end', () => {
  const MINUTES = 10;

  /**
   * A bot whose chase has its order, I2, at the venue until it is cancelled; with several strategies if one may fail.
   */
  function chasing(whenFails?: RigMember['whenFails']) {
    let fails = false;
    let asked = false;
    const strategy: NonNullable<RigOptions['strategy']> = {
      onQuote: ({ symbol }, { orders }) => {
        if (fails) throw new Error('a bug');
        if (asked) return undefined;
        asked = true;
        const entry = orders.buy(symbol, 100, { timeInForce: 'gtc' });
        return orders.chase(entry, { bound: 10.4, minutes: MINUTES, atEnd: 'cross' });
      },
    };
    const other: RigMember = { strategy: { onQuote: () => undefined } };
    const rig = createEngineRig(
      whenFails === undefined ? { strategy } : { members: { one: { strategy, whenFails }, other } },
    );
    rig.start();
    rig.quote(10);
    return {
      rig,
      fail: () => {
        fails = true;
        rig.quote(10);
      },
    };
  }

  /** The bot restarts after some hours, and the venue has its order in this state. */
  function later(hours: number, status: ReadStatus) {
    const left = [...chasing().rig.journal.replay()];
    const alarms: Alarm[] = [];
    const rig = restarted(
      left,
      ({ venue, clock }) => {
        clock.moveTo(millis(hours * HOUR_MS));
        for (const event of left)
          if (event.kind === 'intent-drafted')
            venue.list(`O-${event.intentId}`, { intentId: event.intentId, terms: event.terms, status });
      },
      { minted: 50, onAlarm: (alarm) => alarms.push(alarm), strategy: { onQuote: () => undefined } },
    );
    rig.quote(10);
    return { rig, alarms };
  }

  function confirmCancel({ venue }: EngineRig): void {
    venue.list('O-I2', { status: 'CanceledStatus' });
    venue.push('O-I2');
  }

  it.each(['ExpiredStatus', 'CanceledStatus'] as const)(
    'sends nothing after a restart if its order has %s',
    (status) => {
      const { rig } = later(18, status);
      expect(submits(rig)).toEqual([]);
      expect(endsOf(rig)).toEqual([`canceled: its order was ${status}`]);
    },
  );

  it('is dropped hours later, with an alarm, once the earlier order is cancelled', () => {
    const { rig, alarms } = later(18, 'NewStatus');
    expect(rig.venue.calls).toContain('cancel O-I2');
    confirmCancel(rig);
    expect(submits(rig)).toEqual([]);
    const why = 'its time was over more than 10 minutes ago; 100 AAPL.US did not trade';
    expect(endsOf(rig)).toEqual([`failed: ${why}`]);
    expect(alarms).toMatchObject([{ code: 'chase-late', message: `A chase ended: ${why}` }]);
  });

  it('is sent some minutes late, once the earlier order is cancelled', () => {
    const { rig, alarms } = later(0.25, 'NewStatus');
    confirmCancel(rig);
    expect(submits(rig)).toEqual(['buy AAPL.US 100']);
    expect(alarms).toEqual([]);
  });

  it.each([
    ['before its time is over', MINUTES - 1],
    ['after it, while its own cancel is not confirmed', MINUTES + 1],
  ])('sends nothing after a cancel-all %s', (_when, minutes) => {
    const { rig } = chasing();
    runTo(rig.clock, minutes * MINUTE_MS);
    rig.command({ kind: 'cancel-all' });
    runTo(rig.clock, (MINUTES + 2) * MINUTE_MS);
    confirmCancel(rig);
    expect(submits(rig)).toEqual(['buy AAPL.US 100']);
    expect(endsOf(rig)).toEqual(['canceled: cli asked for "cancel-all"']);
  });

  it.each(['cancel', 'keep'] as const)('sends nothing once its strategy failed (%s)', (whenFails) => {
    const { rig, fail } = chasing(whenFails);
    fail();
    const cancels = (): number => rig.venue.calls.filter((call) => call === 'cancel O-I2').length;
    expect(cancels()).toBe(whenFails === 'keep' ? 0 : 1);
    runTo(rig.clock, MINUTES * MINUTE_MS);
    expect(cancels()).toBeGreaterThan(0);
    confirmCancel(rig);
    expect(submits(rig)).toEqual(['buy AAPL.US 100']);
    expect(endsOf(rig)).toEqual(['canceled: the strategy failed']);
  });

  it('is ended, and its order cancelled, if the bot does not have its strategy any more', () => {
    const left = [...chasing('cancel').rig.journal.replay()];
    const rig = restarted(
      left,
      ({ venue }) => {
        for (const event of left)
          if (event.kind === 'intent-drafted')
            venue.list(`O-${event.intentId}`, { intentId: event.intentId, terms: event.terms });
      },
      { minted: 50, members: { other: { strategy: { onQuote: () => undefined } } } },
    );
    expect(rig.venue.calls).toContain('cancel O-I2');
    confirmCancel(rig);
    runTo(rig.clock, (MINUTES + 1) * MINUTE_MS);
    expect(submits(rig)).toEqual([]);
    expect(endsOf(rig)).toEqual(['canceled: the bot does not have its strategy any more']);
  });
});

describe('a replace', () => {
  it('is requested by a strategy, passes the gate and changes the order at the venue (T-40, T-41)', () => {
    const strategy = defineStrategy({
      name: 'replaces',
      params: {},
      signals: ({ bars }) => ({ start: first(bars) }),
      onSignal: ({ symbol }, { orders }) => orders.buy(symbol, 100, { type: 'LO', price: 9 }),
      onOrder: (order, { orders }) =>
        order.outcome === 'working' && order.why === ''
          ? orders.replace(order, { price: 9.5, quantity: 60 })
          : undefined,
    });
    const bars = columnsOf(AAPL, '1m', [
      [OPEN, 10, 10, 10, 10],
      [OPEN + 60_000, 10, 10, 9.4, 9.4],
    ]);
    const journal = createMemoryJournal();
    const record = runBacktest(setupOf(strategy, [bars]), { journal });
    expect(fillsOf(record).map((fill) => fill.slice(12, -7))).toEqual(['buy 60 at 9.5']);
    const kinds = [...journal.replay()].map(({ kind }) => kind).filter((kind) => kind.startsWith('replace-'));
    expect(kinds).toEqual(['replace-sending', 'replace-answered', 'replace-read']);
  });
});
