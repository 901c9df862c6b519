import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { intentId } from '#src/model/order.ts';
import { every } from '#src/signals/cross.ts';
import { defineStrategy, type Strategy } from '#src/strategy/define-strategy.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { fillsOf, setupOf } from '../../fixtures/backtest.ts';
import { createEngineRig, type RigOptions } from '../../fixtures/engine-rig.ts';
import { AAPL, at, type BarRow, columnsOf } from '../../fixtures/market.ts';
import { termsOf } from '../../fixtures/orders.ts';
import { ends, fill, submits } from '../../fixtures/rebalancing.ts';
import { restarted } from '../../fixtures/restarting.ts';
import { runTo } from '../../fixtures/time.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

/** Buys 100 at the first close. From the second on an OCO of a stop at 9 and a target at 11 is at work. */
const twoWays = defineStrategy({
  name: 'two-ways',
  params: {},
  signals: ({ bars }) => ({ bar: every(bars) }),
  onSignal: ({ symbol, time }, { orders }) => {
    if (time === OPEN + 60_000) return orders.buy(symbol, 100);
    if (time !== OPEN + 120_000) return undefined;
    return orders.oco([
      orders.sell(symbol, 100, { type: 'LO', price: 11 }),
      orders.sell(symbol, 100, { type: 'MIT', triggerPrice: 9 }),
    ]);
  },
});

type Prices = readonly [open: number, high: number, low: number, close: number];

/** A backtest over minute bars, and its journal. */
function tested(strategy: Strategy, rows: readonly Prices[]) {
  const bars = columnsOf(
    AAPL,
    '1m',
    rows.map((row, index): BarRow => [OPEN + index * 60_000, ...row]),
  );
  const journal = createMemoryJournal();
  return { record: runBacktest(setupOf(strategy, [bars]), { journal }), journal };
}

function run(...rows: readonly Prices[]) {
  const { record, journal } = tested(twoWays, rows);
  const ends = [...journal.replay()].flatMap((event) =>
    event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : [],
  );
  return { fills: fillsOf(record).map((fill) => fill.slice(6, -7)), ends, flow: record.flow };
}

describe('one cancels the other', () => {
  it.each([
    ['target', [10, 12, 10, 12], 11],
    ['stop', [10, 10, 8, 8], 9],
  ] as const)(
    'sells at the %s and cancels the other leg, although both were for all shares',
    (_, bar, price) => {
      const { fills, ends, flow } = run([10, 10, 10, 10], [10, 10, 10, 10], bar, [8, 12, 8, 12]);
      expect(fills).toEqual(['14:31 buy 100 at 10', `14:32 sell 100 at ${price}`]);
      expect(ends).toEqual(['done: 100 traded on one leg']);
      expect(flow).toMatchObject({ denied: 0, orders: 3, fills: 2 });
    },
  );
});

describe('an OCO of day orders of which none traded', () => {
  it('ends at the end of the day without an alarm, as ordered', () => {
    const minutes = (day: string): readonly BarRow[] =>
      [0, 1, 2, 389].map((minute): BarRow => [at(`${day}T09:30:00-05:00`) + minute * 60_000, 10, 10, 10, 10]);
    const journal = createMemoryJournal();
    const alarms: string[] = [];
    const bars = columnsOf(AAPL, '1m', [...minutes('2024-03-04'), ...minutes('2024-03-05')]);
    runBacktest(setupOf(twoWays, [bars]), { journal, onAlarm: ({ code }) => alarms.push(code) });
    const ended = [...journal.replay()].flatMap((event) =>
      event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : [],
    );
    expect([ended, alarms]).toEqual([['failed: no leg is left: ExpiredStatus'], []]);
  });
});

describe('an OCO with a failed leg', () => {
  const below = orderDrafts.buy(AAPL, 100, { type: 'LO', price: 9 });
  const above = (shares = 100) => orderDrafts.buy(AAPL, shares, { type: 'MIT', triggerPrice: 11 });

  it.each([
    ['second', orderDrafts.oco([below, above(50_000)])],
    ['first', orderDrafts.oco([above(50_000), below])],
  ])('opens nothing by the other leg if the gate denies the %s', (_, oco) => {
    const strategy = defineStrategy({
      name: 'two-entries',
      params: {},
      signals: ({ bars }) => ({ bar: every(bars) }),
      onSignal: ({ time }) => (time === OPEN + 60_000 ? oco : undefined),
    });
    const { record, journal } = tested(strategy, [
      [10, 10, 10, 10],
      [10, 10, 10, 10],
      [10, 10, 8, 8],
      [8, 12, 8, 12],
    ]);
    expect(fillsOf(record)).toEqual([]);
    const ended = [...journal.replay()].flatMap((event) =>
      event.kind === 'algorithm-ended' ? [event.why] : [],
    );
    expect(ended).toEqual([expect.stringMatching(/^no leg is left: denied by /)]);
  });

  /** A rig whose venue rejects trigger legs, and its alarms; holds 100 first if the legs close them. */
  function refusing(holds: boolean, refused = 'MIT') {
    const alarms: Alarm[] = [];
    let quotes = 0;
    const rig = createEngineRig({
      onAlarm: (alarm) => alarms.push(alarm),
      strategy: {
        onQuote: ({ symbol }, { orders }) => {
          quotes += 1;
          if (holds && quotes === 1) return orders.buy(symbol, 100);
          if (quotes > (holds ? 2 : 1)) return undefined;
          return holds
            ? orders.oco([
                orders.sell(symbol, 100, { type: 'LO', price: 11 }),
                orders.sell(symbol, 100, { type: 'MIT', triggerPrice: 9 }),
              ])
            : orders.oco([below, above()]);
        },
      },
    });
    const submit = rig.venue.answers.submit;
    rig.venue.answers.submit = (order) =>
      order.terms.type === refused
        ? of({ kind: 'refused', code: 602_001, message: 'not allowed' })
        : submit(order);
    rig.start();
    rig.quote(10);
    if (holds) {
      fill(rig, 'I1', '100', '9000', { AAPL: '100' });
      rig.quote(10);
    }
    return { rig, alarms };
  }

  it('cancels the other leg of an entry that the venue refuses', () => {
    const { rig, alarms } = refusing(false);
    expect(rig.venue.calls).toContain('cancel O-I2');
    rig.venue.list('O-I2', { status: 'CanceledStatus' });
    rig.venue.push('O-I2');
    expect(ends(rig)).toEqual(['canceled: no leg is left: refused']);
    expect(alarms).toEqual([]);
  });

  it('keeps the other leg if it protects a position, with one alarm, until the position is gone', () => {
    const { rig, alarms } = refusing(true);
    rig.quote(10);
    runTo(rig.clock, rig.clock.now() + 60_000);
    expect(rig.venue.calls.filter((call) => call.startsWith('cancel'))).toEqual([]);
    expect(alarms).toMatchObject([
      {
        code: 'oco-leg-failed',
        message:
          'A leg of an OCO failed: sell 100 "AAPL.US" (MIT), refused. The rest of it protects the position alone: place the missing order by hand, or close the position',
      },
    ]);
    rig.venue.list('HAND', { terms: termsOf({ side: 'sell', quantity: decimal('100') }) });
    rig.venue.execute('HAND', { id: 'by-hand', quantity: '100', price: '10' });
    rig.venue.hold({}, '10000');
    rig.venue.push('HAND');
    runTo(rig.clock, rig.clock.now() + 60_000);
    expect(rig.venue.calls).toContain('cancel O-I3');
  });

  it('sends the second leg if it protects a position and the first was refused', () => {
    const { rig, alarms } = refusing(true, 'LIT');
    expect(alarms.map(({ code }) => code)).toEqual(['oco-leg-failed']);
    const open = [...rig.engine.state.live.values()].map(({ terms, link }) => [terms.type, link?.slot]);
    expect(open).toEqual([['MIT', 'leg-2']]);
    expect(rig.engine.state.algorithms.size).toBe(1);
  });

  it('cancels the other leg of an entry that the venue rejects after it accepted it, as when it triggers', () => {
    const rig = createEngineRig({
      strategy: {
        onQuote: (_, { orders }) =>
          rig.engine.state.algorithms.size > 0 ? undefined : orders.oco([below, above()]),
      },
    });
    rig.start();
    rig.quote(10);
    expect(submits(rig)).toHaveLength(2);
    rig.venue.list('O-I3', { status: 'RejectedStatus', rawStatus: 'RejectedStatus' });
    rig.venue.push('O-I3');
    expect(rig.venue.calls).toContain('cancel O-I2');
  });
});

describe('an OCO whose bot ended between its legs', () => {
  /** The bot restarts after the first record of a kind of an order. */
  function cutAfter(
    strategy: NonNullable<RigOptions['strategy']>,
    kind: SluiceEvent['kind'],
    intent: string,
    soldByHand = 0,
  ) {
    const rig = createEngineRig({ strategy });
    rig.start();
    rig.quote(10);
    if (rig.engine.state.algorithms.size === 0) {
      fill(rig, 'I1', '100', '9000', { AAPL: '100' });
      rig.quote(10);
    }
    const all = [...rig.journal.replay()];
    const left = all.slice(
      0,
      all.findIndex((event) => event.kind === kind && 'intentId' in event && event.intentId === intent) + 1,
    );
    const alarms: Alarm[] = [];
    const news: string[] = [];
    const again = restarted(
      left,
      ({ venue }) => {
        for (const event of left)
          if (event.kind === 'submit-acked') {
            const terms = rig.engine.state.order(event.intentId)?.terms;
            if (terms !== undefined) venue.list(event.orderId, { intentId: event.intentId, terms });
          }
        if (!left.some((event) => event.kind === 'order-filled')) return;
        venue.execute('O-I1', { id: 'e-I1-100', quantity: '100', price: '10' });
        venue.hold({ AAPL: String(100 - soldByHand) }, String(9000 + 10 * soldByHand));
        venue.answers.replace = ({ orderId, terms }) => {
          venue.list(orderId, { terms });
          return of({ kind: 'accepted' });
        };
        if (soldByHand === 0) return;
        venue.list('HAND', { terms: termsOf({ side: 'sell', quantity: decimal(String(soldByHand)) }) });
        venue.execute('HAND', { id: 'by-hand', quantity: String(soldByHand), price: '10' });
      },
      {
        minted: 50,
        onAlarm: (alarm) => alarms.push(alarm),
        strategy: {
          onQuote: () => undefined,
          onOrder: ({ outcome, terms, willRetry }) => {
            news.push(`${outcome} ${terms.type}${willRetry === true ? ', again' : ''}`);
          },
        },
      },
    );
    return { rig: again, alarms, news };
  }

  /** Buys 100 and then sells them by an OCO of a limit, I3, and a stop, I4. */
  function protecting(): NonNullable<RigOptions['strategy']> {
    let quotes = 0;
    return {
      onQuote: ({ symbol }, { orders }) => {
        quotes += 1;
        if (quotes === 1) return orders.buy(symbol, 100);
        return orders.oco([
          orders.sell(symbol, 100, { type: 'LO', price: 11 }),
          orders.sell(symbol, 100, { type: 'MIT', triggerPrice: 9 }),
        ]);
      },
    };
  }

  it.each([
    ['submit-acked', 'I3', ['working LIT', 'working MIT']],
    ['intent-drafted', 'I4', ['denied MIT, again', 'working MIT']],
    ['intent-armed', 'I4', ['denied MIT, again', 'working MIT']],
  ] as const)('sends the missing stop of a position after %s of %s (I-21)', (kind, intent, heard) => {
    const { rig, news, alarms } = cutAfter(protecting(), kind, intent);
    expect(submits(rig)).toEqual(['sell AAPL.US 100']);
    expect(rig.engine.state.order(intentId('I51'))?.terms).toMatchObject({ type: 'MIT', side: 'sell' });
    expect(news.filter((each) => !each.startsWith('filled'))).toEqual(heard);
    rig.quote(10);
    runTo(rig.clock, rig.clock.now() + 60_000);
    expect(submits(rig)).toHaveLength(1);
    expect(alarms).toEqual([]);
    fill(rig, 'I51', '100', '10000', {});
    expect(rig.venue.calls).toContain('cancel O-I3');
    rig.venue.list('O-I3', { status: 'CanceledStatus' });
    rig.venue.push('O-I3');
    expect(ends(rig)).toEqual(['done: 100 traded on one leg']);
  });

  it('sends the missing stop for what a sale by hand left while the bot was down, and keeps the other leg', () => {
    const { rig, alarms } = cutAfter(protecting(), 'submit-acked', 'I3', 40);
    runTo(rig.clock, rig.clock.now() + 60_000);
    const working = [...rig.engine.state.live.values()].map(({ terms }) => `${terms.type} ${terms.quantity}`);
    expect(working.toSorted()).toEqual(['LIT 60', 'MIT 60']);
    expect([alarms, ends(rig)]).toEqual([[], []]);
  });

  it.each([
    ['submit-acked', 'I2', ['working LIT', 'canceled LIT']],
    ['intent-drafted', 'I3', ['denied MIT', 'canceled LIT']],
  ] as const)('cancels what would open a position after %s of %s, with an alarm', (kind, intent, heard) => {
    const { rig, news, alarms } = cutAfter(
      {
        onQuote: ({ symbol }, { orders }) =>
          orders.oco([
            orders.buy(symbol, 100, { type: 'LO', price: 9 }),
            orders.buy(symbol, 100, { type: 'MIT', triggerPrice: 11 }),
          ]),
      },
      kind,
      intent,
    );
    expect(rig.venue.calls).toContain('cancel O-I2');
    rig.venue.list('O-I2', { status: 'CanceledStatus' });
    rig.venue.push('O-I2');
    expect(submits(rig)).toEqual([]);
    expect(news).toEqual(heard);
    const why = 'no leg is left: the bot ended before its other leg was sent';
    expect(ends(rig)).toEqual([`canceled: ${why}`]);
    expect(alarms).toMatchObject([{ code: 'oco-called-off', message: `An OCO is called off: ${why}` }]);
  });
});
