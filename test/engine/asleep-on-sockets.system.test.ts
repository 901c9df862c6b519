import { afterEach, describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '#src/model/time.ts';
import { type OrderByHand, orderDrafts } from '#src/strategy/order-draft.ts';
import { eventually } from '../fixtures/eventually.ts';
import { at } from '../fixtures/market.ts';
import { AAPL_US, createSocketRig, type SocketRig, type SocketRigOptions } from '../fixtures/socket-rig.ts';
import { watching } from '../fixtures/watching.ts';

let rig: SocketRig;
let asleepMs = 0;
afterEach(async () => {
  await rig.faults();
  await rig.close();
});

const { kindsOf, happened, settled, judged, farBelow } = watching(() => rig);
const sleep = () => {
  asleepMs += 40 * MINUTE_MS;
};

/** A bot with default limits, at an exchange that opened an hour ago, on a machine that can be put to sleep. */
async function awake(onEvent?: SocketRigOptions['onEvent']) {
  rig = await createSocketRig({
    ...{ speed: 1, startsAt: at('2025-09-03T10:30:00-04:00') },
    limits: { maxQuoteAge: 3 * SECOND_MS, maxEstimateAge: 5 * SECOND_MS, maxBalanceAge: 10 * SECOND_MS },
    times: {
      wall: () => Date.now() + asleepMs,
      monotonic: () => performance.now(),
      uptime: () => performance.now() + asleepMs,
    },
    ...(onEvent === undefined ? {} : { onEvent }),
  });
}

/** Submits orders until one has passed the gate: on a busy machine, facts may become stale. */
async function untilSent(draft: OrderByHand): Promise<void> {
  const sent = kindsOf('submit-sending').length;
  await eventually(() => {
    const isSent = kindsOf('submit-sending').length > sent;
    const isIdle = judged() === kindsOf('intent-drafted').length && !isArmed();
    if (!isSent && isIdle) rig.want(draft);
    return isSent;
  }, 'an order to be sent');
}

/** Whether an approved order waits to be sent. */
function isArmed(): boolean {
  return [...rig.engine.state.live.values()].some(({ facets }) => facets.submission.kind === 'armed');
}

describe('a machine that sleeps for forty minutes', () => {
  it('with an open order opens nothing on its old facts, and reads the outcome of the order first (F-C04, I-5, I-21)', async () => {
    await awake();
    await untilSent(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price: farBelow() }));
    await happened('submit-acked');
    const denied = kindsOf('intent-denied').length;
    await rig.faults({ knob: 'venue.push.drop' }, { knob: 'venue.fillDuring', times: 1 });
    const before = rig.now();
    sleep();
    expect(rig.now() - before).toBeGreaterThanOrEqual(40 * MINUTE_MS);
    rig.want(orderDrafts.buy(AAPL_US, 20));
    await happened('intent-denied', denied + 1);
    await untilSent(orderDrafts.buy(AAPL_US, 20));
    const steps = rig.events.map(({ kind }) => kind);
    expect(steps.indexOf('order-filled')).toBeGreaterThan(0);
    expect(steps.indexOf('order-filled')).toBeLessThan(steps.lastIndexOf('intent-armed'));
    await settled();
    expect(rig.engine.state.gate.standing.state).toBe('active');
  });

  it('between a verdict and its bytes sends nothing: the waiting order is denied (F-C04, T-03, I-5)', async () => {
    let isDue = true;
    await awake(({ kind }) => {
      if (isDue && kind === 'intent-armed') {
        isDue = false;
        sleep();
      }
    });
    await eventually(() => {
      if (isDue && judged() === kindsOf('intent-drafted').length) rig.want(orderDrafts.buy(AAPL_US, 10));
      return !isDue;
    }, 'an order to be approved');
    const [{ intentId } = { intentId: undefined }] = kindsOf('intent-armed');
    await eventually(
      () => kindsOf('intent-denied').some((event) => event.intentId === intentId),
      'its denial',
    );
    expect(kindsOf('submit-sending')).toEqual([]);
    expect([...(await rig.ordersByTag()).keys()]).toEqual([]);
  });
});
