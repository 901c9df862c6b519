import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { createPollLimiter } from '#src/execution/call-budget/poll-limiter.ts';
import { tradingDayEnd } from '#src/execution/gate/trading-time.ts';
import { createOrderListReconciler } from '#src/execution/orders/order-list-reconciler.ts';
import type { OrderTrackingContext } from '#src/execution/orders/order-tracking-context.ts';
import type { OrderUpdate } from '#src/execution/orders/order-update.ts';
import { decimal } from '#src/model/decimal.ts';
import { orderId, type ReadStatus } from '#src/model/order.ts';
import { calendarDay, HOUR_MS, millis } from '#src/model/time.ts';
import { toObservable } from '#src/ports/to-observable.ts';
import { createExecutionRig, type ExecutionRig, timesOf, working } from '../fixtures/execution-rig.ts';
import { createFakeVenue } from '../fixtures/fake-venue.ts';
import { acked, intentOf, termsOf } from '../fixtures/orders.ts';
import { emitting, newsOf } from '../fixtures/tasks.ts';
import { runTo, seconds } from '../fixtures/time.ts';
import { armed, sending, status, summaryOf, whenMoved } from '../model/some-moves.ts';

const intent = intentOf();
const sent = [armed, sending];
const ORDER = 'O-INTENT1';
/** When the day order of these tests should end, in seconds: the rig's clock begins on a holiday. */
const DAY_ENDS = Number(tradingDayEnd('US', millis(0))) / 1_000;

function lasting(terms: Parameters<typeof termsOf>[0]): ExecutionRig {
  const rig = createExecutionRig();
  rig.send(intentOf('INTENT1', { terms: termsOf(terms) }));
  rig.venue.calls.length = 0;
  return rig;
}

describe('a day order that outlives its day', () => {
  it('is read from a quarter of an hour after the end of its trading day, and after three reads the operator is notified (T-49)', () => {
    const rig = working();
    runTo(rig.clock, seconds(DAY_ENDS + 899));
    rig.venue.calls.length = 0;
    expect(timesOf(rig, 'orderDetail', DAY_ENDS + 1_200)).toEqual(
      [900, 960, 1_020].map((after) => DAY_ENDS + after),
    );
    expect(rig.concerns).toEqual(['day-order-lives']);
    expect(rig.state.live.size).toBe(1);
  });

  it('is not read if it ended in time (T-49)', () => {
    const rig = working();
    rig.venue.list(ORDER, { status: 'ExpiredStatus' });
    runTo(rig.clock, seconds(DAY_ENDS + 2_000));
    expect([rig.news.at(-1), rig.concerns]).toEqual(['expired', []]);
  });
});

describe('an order that is good till cancelled', () => {
  it('stays open when a new day’s list no longer shows it: read by its id, never considered lost (T-50, T-48)', () => {
    const rig = lasting({ timeInForce: 'gtc' });
    rig.venue.answers.unlisted.add(ORDER);
    runTo(rig.clock, seconds(DAY_ENDS + 7_200));
    expect(rig.concerns).toEqual([]);
    expect(rig.state.live.size).toBe(1);
    rig.venue.execute(ORDER, { id: 'e9', quantity: '100', price: '10' });
    runTo(rig.clock, seconds(DAY_ENDS + 7_210));
    expect(rig.news.slice(-2)).toEqual(['fill 100 at 10, fee 0', 'filled']);
  });

  it('is found in the history when its id is not known any more (T-48, T-50)', () => {
    const rig = lasting({ timeInForce: 'gtd', expireDate: calendarDay('1970-02-01') });
    rig.venue.answers.unlisted.add(ORDER);
    rig.venue.answers.forgotten.add(ORDER);
    runTo(rig.clock, seconds(5));
    expect(rig.happened.filter((call) => call === 'ordersBefore').length).toBeGreaterThan(0);
    expect(rig.state.live.size).toBe(1);
    rig.venue.list(ORDER, { status: 'ExpiredStatus' });
    runTo(rig.clock, seconds(10));
    expect([rig.news.at(-1), rig.state.live.size]).toEqual(['expired', 0]);
  });
});

describe('a replaced order that the venue lists under another id', () => {
  const venue = createFakeVenue();
  const facets = whenMoved(...sent, { kind: 'acked', orderId: orderId('O-1') }, status('NewStatus'), {
    kind: 'replace-sending',
    quantity: decimal('150'),
  });

  /** The listing's result for rows with the tag of an order whose replace is in progress. */
  function listing(
    ...rows: readonly { readonly id: string; readonly status: ReadStatus; readonly at: number }[]
  ) {
    const said: string[] = [];
    const order = {
      intentId: intent.id,
      terms: intent.terms,
      decidedAt: millis(0),
      cancelAfterMs: undefined,
      link: undefined,
      held: false,
    };
    const tracked = { ...order, facets, charged: new Map(), replacing: undefined, change: undefined };
    const clock = new VirtualClock(millis(0));
    const desk: OrderTrackingContext = {
      broker: venue.broker,
      clock,
      limiter: createPollLimiter(clock, { callsPer30s: undefined }),
      recorder: {
        state: {
          ...createFold().state,
          intentOf: (id) => (id === 'O-1' ? intent.id : undefined),
          order: () => tracked,
        },
        record: (event) => {
          said.push('orderId' in event ? `${event.kind} ${event.orderId}` : event.kind);
          return event;
        },
      },
      known: () => tracked,
      schedule: () => undefined,
      queueTask: () => undefined,
      raise: () => undefined,
      handle: (_id, wishes) => {
        said.push(...wishes.map(summaryOf));
      },
    };
    const reader = {
      ...{ applyRow: () => emitting<OrderUpdate>(), bookExecutions: () => emitting<OrderUpdate>() },
      ...{ pull: () => emitting<OrderUpdate>(), pullLive: () => emitting<OrderUpdate>() },
      recheck: () => emitting<OrderUpdate>(),
    };
    const on = { distrust: () => undefined, watch: () => undefined, deferExternal: () => undefined };
    for (const row of rows) {
      venue.list(row.id, { intentId: intent.id, status: row.status, submittedAt: millis(row.at) });
    }
    toObservable(venue.broker.ordersToday()).subscribe((answer) => {
      if (answer.kind === 'ok')
        newsOf(createOrderListReconciler(desk, reader, on).handleRows(answer.value, 'some'));
    });
    return said;
  }

  it('is the intent’s under both ids, and nothing is cancelled (T-46)', () => {
    const said = listing(
      { id: 'O-1', status: 'CanceledStatus', at: 1 },
      { id: 'O-2', status: 'NewStatus', at: 3 },
    );
    expect(said).toEqual(['submit-acked O-2', 'pull']);
    expect(venue.calls.filter((call) => call.startsWith('cancel'))).toEqual([]);
  });

  it('halts the account while both are open (T-46)', () => {
    const said = listing(
      { id: 'O-1', status: 'NewStatus', at: 1 },
      { id: 'O-2', status: 'NewStatus', at: 3 },
    );
    expect(said).toEqual(['submit-acked O-2', 'pull', 'replace-doubled, halt account']);
  });
});

describe('a manual settlement', () => {
  const settled = (outcome: 'dead' | 'filled'): SluiceEvent => ({
    kind: 'order-settled',
    at: millis(HOUR_MS),
    intentId: intent.id,
    outcome,
    quantity: decimal(outcome === 'dead' ? '0' : '60'),
    ...(outcome === 'dead' ? {} : { price: decimal('10') }),
    currency: 'USD',
    by: 'operator',
    reason: 'confirmed by the broker on the telephone',
  });

  it.each(['dead', 'filled'] as const)('releases reservations, and books fills: %s (T-55)', (outcome) => {
    const fold = createFold();
    for (const event of acked(intent).slice(0, 3)) fold.apply(event);
    expect(fold.state.live.size).toBe(1);
    fold.apply(settled(outcome));
    fold.apply(settled(outcome));
    expect(fold.state.live.size).toBe(0);
    const held = fold.state.portfolio.holdings.get(intent.terms.symbol)?.quantity.toString();
    expect(held).toBe(outcome === 'dead' ? undefined : '60');
    expect(fold.state.gate.otherFills).toHaveLength(outcome === 'dead' ? 0 : 1);
  });
});
