import { afterEach, describe, expect, it } from 'vitest';
import { openQuantity } from '#src/events/records/open-orders.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { eventually } from '../fixtures/eventually.ts';
import { at } from '../fixtures/market.ts';
import { AAPL_US, createSocketRig, type SocketRig, TENCENT_HK } from '../fixtures/socket-rig.ts';
import { watching } from '../fixtures/watching.ts';

let rig: SocketRig;
afterEach(async () => {
  await rig.faults();
  await rig.close();
});

const { kindsOf, happened, settled, untilLetThrough, farBelow } = watching(() => rig);

describe('a security whose trading is suspended', () => {
  it('keeps its orders open, reserved and cancellable; nothing opens in it until it trades again (F-B35, T-54, I-10)', async () => {
    rig = await createSocketRig({ startsAt: at('2025-09-03T10:30:00-04:00') });
    rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price: farBelow() }));
    await happened('submit-acked');
    await rig.faults({ knob: 'venue.session', symbol: 'AAPL.US', status: 'suspended' });
    const isTold = () => rig.client.feed.latest(AAPL_US)?.status === 'suspended';
    await eventually(isTold, 'the feed to tell of it');
    rig.want(orderDrafts.buy(AAPL_US, 20));
    await happened('intent-denied');
    expect(kindsOf('intent-denied')).toMatchObject([
      { rule: 'known-security', reason: 'Trading of "AAPL.US" is suspended' },
    ]);
    expect([...rig.engine.state.live.values()].map(({ facets }) => facets.venue)).toEqual(['NewStatus']);
    expect(openQuantity(rig.engine.state, AAPL_US, 'buy').toNumber()).toBe(10);
    rig.want(orderDrafts.buy(TENCENT_HK, 100));
    await happened('order-filled');
    expect(await rig.command({ kind: 'cancel-all' })).toMatchObject({ kind: 'done' });
    await eventually(() => rig.engine.state.live.size === 0, 'the cancel to be read');
    await rig.faults({ knob: 'venue.session', symbol: 'AAPL.US', status: 'normal' });
    await untilLetThrough('opens in it to be let through again');
    await settled();
    expect(rig.engine.state.gate.standing.state).toBe('active');
  });
});
