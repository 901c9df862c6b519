import { type Observable, of, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { createFold } from '#src/events/fold.ts';
import { LiveOrders } from '#src/events/records/live-orders.ts';
import { fillUpdate, type OrderUpdate } from '#src/execution/orders/order-update.ts';
import type { AnnouncedSplit } from '#src/execution/reconciliation/announced-splits.ts';
import { createReconciler } from '#src/execution/reconciliation/reconciler.ts';
import { stableRead } from '#src/execution/reconciliation/stable-read.ts';
import { createRecorder } from '#src/execution/recorder.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { type Execution, executionId } from '#src/model/order.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import type { Answer, Broker, ListedOrder } from '#src/ports/broker.ts';
import type { GateTransition } from '#src/risk/gate-state.ts';
import { createFakeVenue } from '../fixtures/fake-venue.ts';
import { AAPL } from '../fixtures/market.ts';
import { acked, filled, fillOf, intentOf } from '../fixtures/orders.ts';
import { balanceOf } from '../fixtures/risk.ts';
import { events$, only } from '../fixtures/tasks.ts';
import { runTo, seconds } from '../fixtures/time.ts';

/** A reconciler over books that open with 10,000 USD, at a venue that a test changes; its tasks run in sequence. */
function rigOf(
  change: Partial<Broker> = {},
  handle: () => readonly OrderUpdate[] = () => [],
  splits: readonly AnnouncedSplit[] = [],
) {
  const clock = new VirtualClock(millis(0));
  const venue = createFakeVenue(false, clock);
  const fold = createFold();
  const recorder = createRecorder(createMemoryJournal(), fold, () => undefined);
  const link$ = new Subject<'up' | 'down'>();
  const transitions: GateTransition[] = [];
  const alarms: string[] = [];
  fold.apply({
    ...{ kind: 'run-started', at: millis(0), schema: 1, strategy: 's', config: 'c', currency: 'USD' },
    ...{ cash: { USD: decimal('10000') }, positions: [] },
  });
  let leads = 0;
  const reconciler = createReconciler({
    ...{ recorder, clock, currency: 'USD' },
    queueTask: () => {
      leads += 1;
    },
    handle: function* heeded() {
      yield* handle();
    },
    broker: { ...venue.broker, pushes$: link$, ...change },
    splits: { announced: () => splits, quote: () => undefined, after: function* after() {} },
    alarms: { raise: ({ code }) => alarms.push(code) },
    move: (transition) => {
      transitions.push(transition);
      const { to: state, ...rest } = transition;
      fold.apply({ kind: 'gate-moved', at: clock.now(), state, ...rest });
    },
  });
  link$.subscribe(reconciler.handlePushState);
  return {
    ...{ clock, venue, fold, link$, alarms, reconciler },
    follow: () => void events$(reconciler.run).subscribe(),
    leads: () => leads,
    said: () => transitions.map(({ to, rule }) => `${to} by ${rule}`),
    against: () => reconciler.books()?.value,
  };
}

const executed = (id: string): Execution => ({
  ...{ executionId: executionId(id), orderId: 'O-1' as Execution['orderId'], symbol: AAPL, side: 'buy' },
  ...{ quantity: decimal('10'), price: decimal('10'), time: millis(0) },
});
const reported = <T>(value: T): Observable<Answer<T>> => of({ kind: 'ok', value });
/** Returns the values in sequence, then the last one. */
const inTurn = <T>(...values: readonly T[]) => {
  let asked = 0;
  return (): Observable<Answer<T>> => {
    const value = values[Math.min(asked, values.length - 1)] as T;
    asked += 1;
    return reported(value);
  };
};

describe('an account with a margin call', () => {
  it('is reported once, and again only after the call was met', () => {
    const calls = ['0', '350', '400', '0', '0.01'].map((marginCall) =>
      balanceOf({ marginCall: decimal(marginCall) }),
    );
    const rig = rigOf({ balance: inTurn(...calls) });
    const reported = calls.map(() => {
      rig.follow();
      return rig.alarms.filter((code) => code === 'margin-call').length;
    });
    expect(reported).toEqual([0, 1, 1, 1, 2]);
  });
});

describe('books that differ from the venue', () => {
  it('pause what opens at first, and halt it at a second read a second later, not sooner (I-13, F-B21)', () => {
    const rig = rigOf();
    rig.venue.hold({}, '9000');
    rig.follow();
    rig.follow();
    expect(rig.said()).toEqual(['reduce-only by books-differ', 'reduce-only by books-differ']);
    runTo(rig.clock, millis(999));
    rig.follow();
    expect(rig.alarms).toEqual([]);
    runTo(rig.clock, seconds(1));
    rig.follow();
    rig.follow();
    expect(rig.said().at(-1)).toBe('halted by books-diverged');
    expect(rig.alarms).toEqual(['books-diverged']);
    expect(rig.against()).toEqual(['cash USD is 10000 here and 9000 at the venue']);
  });

  it('count cash that is reserved for orders, and no unsettled trade twice (I-13)', () => {
    const [row] = balanceOf().cash;
    if (row === undefined) throw new Error('no cash');
    const parts = { available: decimal('9300'), frozen: decimal('700'), settling: decimal('300') };
    const rig = rigOf({ balance: () => reported(balanceOf({ cash: [{ ...row, ...parts }] })) });
    rig.follow();
    expect([rig.against(), rig.said()]).toEqual([[], []]);
  });

  it('halt nothing when the second read differs (F-B22)', () => {
    const rig = rigOf();
    rig.venue.hold({}, '9000');
    rig.follow();
    runTo(rig.clock, seconds(2));
    rig.venue.hold({}, '9001');
    rig.follow();
    expect(rig.alarms).toEqual([]);
  });

  it('that agree again end their own pause, and no other (I-13, I-15)', () => {
    const rig = rigOf();
    rig.venue.hold({}, '9000');
    rig.follow();
    rig.venue.hold({}, '10000');
    rig.follow();
    expect(rig.said().at(-1)).toBe('active by books-agree');
    rig.fold.apply({
      ...{
        kind: 'gate-moved',
        at: millis(0),
        state: 'reduce-only',
        by: 'gate',
        rule: 'drawdown',
        reason: '',
      },
    });
    const before = rig.said().length;
    rig.follow();
    expect(rig.said()).toHaveLength(before);
  });

  it('by executions after the read are read once more (F-B22, I-13)', () => {
    const fill = fillOf('e1', 'buy', '10', '10');
    let heeded = 0;
    const rig = rigOf({ executionsToday: inTurn<readonly Execution[]>([], [], [executed('e1')]) }, () => {
      heeded += 1;
      if (heeded > 1) return [];
      for (const event of [...acked(intentOf()), filled(fill)]) rig.fold.apply(event);
      rig.venue.hold({ AAPL: '10' }, '9900');
      return [fillUpdate(fill, millis(0))];
    });
    rig.follow();
    expect([heeded, rig.said(), rig.against()]).toEqual([2, [], []]);
  });
});

describe('an announced split', () => {
  const TOLD: readonly AnnouncedSplit[] = [
    { kind: 'split', symbol: AAPL, exDay: calendarDay('1969-12-31'), ratio: decimal('2') },
  ];
  /** Holds 10 AAPL.US, bought at 10. */
  function holding() {
    const rig = rigOf({}, undefined, TOLD);
    for (const event of [...acked(intentOf()), filled(fillOf('e1', 'buy', '10', '10'))])
      rig.fold.apply(event);
    const held = () => {
      const { quantity, averageCost } = rig.fold.state.portfolio.holdings.get(AAPL) ?? {};
      return `${quantity} at ${averageCost}`;
    };
    return { ...rig, held };
  }

  it('is booked when it was read twice, a second apart, and opens nothing before (F-D07, F-B22)', () => {
    const rig = holding();
    rig.venue.hold({ AAPL: '20' }, '9900');
    rig.follow();
    rig.follow();
    expect(rig.held()).toBe('10 at 10');
    expect(rig.against()).toEqual(['AAPL.US is 10 here and 20 at the venue']);
    const leads = rig.leads();
    runTo(rig.clock, seconds(1));
    expect(rig.leads()).toBeGreaterThan(leads);
    rig.follow();
    expect([rig.held(), rig.against(), rig.said()]).toEqual(['20 at 5', [], []]);
  });

  it('is not assumed if a purchase doubled the position, and its execution is reported later (F-D07, F-B22)', () => {
    const rig = holding();
    rig.venue.hold({ AAPL: '20' }, '9800');
    rig.follow();
    rig.fold.apply(filled(fillOf('e2', 'buy', '10', '10')));
    runTo(rig.clock, seconds(1));
    rig.follow();
    expect([rig.held(), rig.against(), rig.said()]).toEqual(['20 at 10', [], []]);
  });
});

describe('the stream of order changes', () => {
  const UNREAD = 'what happened while the connection was down has not been read yet';
  const DOWN = 'order changes are not heard, the connection is down';

  it('that is down stops opening orders until the missed events are read (F-N13, I-3)', () => {
    const rig = rigOf();
    rig.follow();
    expect(rig.against()).toEqual([]);
    rig.link$.next('down');
    expect(rig.against()).toEqual([DOWN]);
    rig.follow();
    expect(rig.against()).toEqual([DOWN]);
    const before = rig.leads();
    rig.link$.next('up');
    expect([rig.against(), rig.leads()]).toEqual([[UNREAD], before + 1]);
    rig.follow();
    expect(rig.against()).toEqual([]);
  });

  it('that reconnects during a read makes the bot read again (F-N13, I-3)', () => {
    const orders$ = new Subject<Answer<readonly ListedOrder[]>>();
    const rig = rigOf({ ordersToday: () => orders$ });
    rig.link$.next('down');
    rig.follow();
    rig.link$.next('up');
    orders$.next({ kind: 'ok', value: [] });
    orders$.complete();
    expect(rig.against()).toEqual([UNREAD]);
  });

  it('is read again every five seconds if the venue does not answer, with one alarm after a minute (F-N13)', () => {
    const rig = rigOf();
    rig.venue.answers.silent.add('positions');
    rig.link$.next('down');
    rig.link$.next('up');
    rig.follow();
    const before = rig.leads();
    runTo(rig.clock, millis(rig.clock.now() + 5_000));
    expect(rig.leads()).toBeGreaterThan(before);
    runTo(rig.clock, millis(rig.clock.now() + 54_000));
    rig.follow();
    expect([rig.alarms, rig.against()]).toEqual([[], [UNREAD]]);
    runTo(rig.clock, millis(rig.clock.now() + 1_000));
    rig.follow();
    rig.follow();
    expect([rig.alarms, rig.against()]).toEqual([['books-unread'], [UNREAD]]);
    rig.venue.answers.silent.delete('positions');
    rig.follow();
    rig.venue.answers.silent.add('positions');
    rig.follow();
    expect(rig.alarms).toEqual(['books-unread']);
  });
});

describe('a stable read', () => {
  const read = (broker: Partial<Broker>) => {
    const venue = createFakeVenue();
    const { kind } = only(stableRead({ ...venue.broker, ...broker }, 'USD', { live: new LiveOrders() }));
    return { kind, positions: venue.calls.filter((call) => call === 'positions').length };
  };

  it('has the same executions before and after it, by their ids (F-B22)', () => {
    const [one, other] = [executed('e1'), executed('e2')];
    const same = inTurn<readonly Execution[]>([one, other], [other, one]);
    expect(read({ executionsToday: same })).toEqual({ kind: 'stable', positions: 1 });
    const swapped = inTurn<readonly Execution[]>([one], [other], [one, other]);
    expect(read({ executionsToday: swapped })).toEqual({ kind: 'stable', positions: 2 });
  });

  it('ends as busy after five tries, which is no divergence (F-B22, I-13)', () => {
    let count = 0;
    const executionsToday = () => {
      count += 1;
      return reported(Array.from({ length: count }, (_, id) => executed(`e${id}`)));
    };
    expect(read({ executionsToday })).toEqual({ kind: 'busy', positions: 5 });
  });
});
