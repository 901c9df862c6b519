import { afterEach, describe, expect, it } from 'vitest';
import { openQuantity } from '#src/events/records/open-orders.ts';
import { orderId } from '#src/model/order.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { eventually } from '../fixtures/eventually.ts';
import { at } from '../fixtures/market.ts';
import { AAPL_US, createSocketRig, type SocketRig, type SocketRigOptions } from '../fixtures/socket-rig.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { watching } from '../fixtures/watching.ts';

let rig: SocketRig;
const rigWith = async (options: SocketRigOptions = {}) => {
  rig = await createSocketRig(options);
};
afterEach(async () => {
  await rig.faults();
  await rig.close();
});

const { kindsOf, happened, settled, judged, untilLetThrough, farBelow } = watching(() => rig);
const reported = (code: string) => rig.alarms.filter((alarm) => alarm.code === code);
/** A working order far below the market, submitted again if its facts became stale on a slow machine. */
const rest = async () => {
  let wanted = 0;
  await eventually(() => {
    const isIdle = judged() === wanted && rig.engine.state.live.size === 0;
    if (kindsOf('submit-acked').length === 0 && isIdle) {
      wanted += 1;
      rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price: farBelow() }));
    }
    return kindsOf('submit-acked').length > 0;
  }, 'an order to rest');
};
/** New York is open: quotes age only while an exchange trades. */
const startsAt = at('2025-09-03T10:30:00-04:00');

describe('a partial network outage', () => {
  it('with both sockets down and HTTP up opens nothing, and still cancels (F-N15, I-9, I-14)', async () => {
    await rigWith({ startsAt, cancelAfterMs: 30_000 });
    await rest();
    const denied = kindsOf('intent-denied').length;
    await rig.faults({ knob: 'net.cut', ms: 4_000, times: 1 });
    await eventually(() => reported('socket-lost').length === 2, 'both sockets to be lost');
    rig.want(orderDrafts.buy(AAPL_US, 20));
    await happened('intent-denied', denied + 1);
    expect(kindsOf('intent-denied').at(-1)).toMatchObject({ rule: 'books-agree' });
    await happened('cancel-answered');
    const isCancelled = () =>
      [...rig.engine.state.done.values()].some(({ facets }) => facets.venue === 'CanceledStatus');
    await eventually(isCancelled, 'the cancel to be read');
    expect(reported('socket-back')).toEqual([]);
    await untilLetThrough('opens to be let through again');
    expect(reported('socket-unreachable').length).toBeLessThanOrEqual(4);
  });

  it('with HTTP down and both sockets up opens nothing, and sends nothing twice (F-N15, I-2, I-9)', async () => {
    await rigWith({ startsAt });
    await rig.faults({ knob: 'net.dropRequest' });
    const before = rig.client.feed.latest(AAPL_US)?.time ?? 0;
    await eventually(() => (rig.client.feed.latest(AAPL_US)?.time ?? 0) > before, 'quotes to continue');
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('intent-denied');
    expect(kindsOf('submit-sending')).toEqual([]);
    expect(reported('socket-lost')).toEqual([]);
    await rig.faults();
    await untilLetThrough('opens to be let through again');
    await settled();
  });
});

describe('an outage of some seconds', () => {
  it("is over within three seconds of the venue's return: orders that cannot be sent cost no calls (F-N15, I-17)", async () => {
    const wide = { maxOrderRate: 1_000, maxRepeats: 1_000, maxBreaches: 1_000 };
    await rigWith({ startsAt, speed: 1, counted: true, limits: wide, settings: { backoffMaxMs: 1_000 } });
    await rig.faults({ knob: 'net.refuse', ms: 6_000, times: 1 });
    const shutAt = performance.now();
    await eventually(() => reported('socket-lost').length === 2, 'both sockets to be lost');
    let wanted = 0;
    await eventually(() => {
      if (performance.now() - shutAt > 300 * (wanted + 1) && judged() === kindsOf('intent-drafted').length) {
        wanted += 1;
        rig.want(orderDrafts.buy(AAPL_US, 10));
      }
      return kindsOf('submit-acked').length > 0;
    }, 'an order to go');
    expect(performance.now() - shutAt).toBeLessThan(9_000);
    expect(wanted).toBeGreaterThan(10);
    expect(kindsOf('submit-sending')).toHaveLength(1);
  });
});

describe('twenty minutes without DNS for the venue', () => {
  it('keep open orders open and reserved, and fills in the meantime are read on return (F-N16, I-3, I-6, I-8)', async () => {
    await rigWith({ startsAt, speed: 240 });
    await rest();
    const [sent, denied] = [kindsOf('submit-sending').length, kindsOf('intent-denied').length];
    const reserved = () => openQuantity(rig.engine.state, AAPL_US, 'buy').toNumber();
    await rig.faults({ knob: 'net.refuse', ms: 5_000, times: 1 });
    await eventually(() => reported('socket-unreachable').length > 0, 'the outage to be noticed');
    await rig.faults({ knob: 'venue.fillDuring', times: 1 });
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('intent-denied', denied + 1);
    const outage: { live: number; reserved: number }[] = [];
    await eventually(() => {
      const isFilled = kindsOf('order-filled').length > 0;
      if (!isFilled) outage.push({ live: rig.engine.state.live.size, reserved: reserved() });
      return isFilled && reported('socket-back').length > 0;
    }, 'the venue to be back');
    expect(new Set(outage.map((seen) => JSON.stringify(seen)))).toEqual(
      new Set([JSON.stringify({ live: 1, reserved: 10 })]),
    );
    await settled();
    expect(kindsOf('order-filled')).toHaveLength(1);
    expect(kindsOf('submit-sending')).toHaveLength(sent);
    expect(rig.engine.state.gate.standing.state).toBe('active');
  });
});

describe('a connection of a kilobyte per second', () => {
  it('ends requests at their deadline, and sends a cancel first (F-N09, I-14)', async () => {
    await rigWith({ startsAt });
    const far = String(Math.floor((rig.client.feed.latest(AAPL_US)?.last.toNumber() ?? 0) * 0.5));
    const order = { symbol: 'AAPL.US', side: 'buy', quantity: '1', type: 'LO', price: far, times: 1 };
    const remark = 'r'.repeat(200);
    await rig.faults(...Array.from({ length: 40 }, () => ({ knob: 'venue.foreign', ...order, remark })));
    const { broker } = rig.client;
    const [victim] = (await rig.ordersByTag()).get('foreign') ?? [];
    await rig.faults({ knob: 'net.bandwidth', bytesPerS: 1_000 });
    const began = performance.now();
    const timed = async <T>(work: Promise<T>) => ({ value: await work, ms: performance.now() - began });
    const reads = Array.from({ length: 6 }, () => timed(answerOf(broker.ordersToday())));
    const cancel = await timed(answerOf(broker.cancel(orderId(victim ?? ''))));
    expect(cancel.value).toEqual({ kind: 'accepted' });
    expect(cancel.ms).toBeLessThan(3_000);
    const answers = await Promise.all(reads);
    expect(answers.map(({ value }) => value.kind)).not.toContain('ok');
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(7_000);
    expect(Math.min(...answers.map(({ ms }) => ms))).toBeGreaterThan(4_500);
  });
});
