import { afterEach, describe, expect, it } from 'vitest';
import { openQuantity } from '#src/events/records/open-orders.ts';
import { SECOND_MS } from '#src/model/time.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { eventually } from '../fixtures/eventually.ts';
import { at } from '../fixtures/market.ts';
import { AAPL_US, createSocketRig, type SocketRig } from '../fixtures/socket-rig.ts';
import { watching } from '../fixtures/watching.ts';

let rig: SocketRig;
afterEach(async () => {
  await rig.faults();
  await rig.close();
});

const { kindsOf, happened, settled, farBelow } = watching(() => rig);
/** New York is open. */
const startsAt = at('2025-09-03T10:30:00-04:00');
const reserved = () => openQuantity(rig.engine.state, AAPL_US, 'buy').toNumber();
const ids = async () => [...(await rig.ordersByTag()).values()].flat();

/** A working order of 10 shares. */
async function resting() {
  rig = await createSocketRig({ startsAt });
  const price = farBelow();
  rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price }));
  await happened('submit-acked');
  const [acked] = kindsOf('submit-acked');
  if (acked === undefined) throw new Error('No order rests');
  const { intentId, orderId } = acked;
  const live = () => {
    const order = rig.engine.state.live.get(intentId);
    const { submission, pending } = order?.facets ?? {};
    const id = submission?.kind === 'acked' ? submission.orderId : undefined;
    return { id, pending, quantity: order?.terms.quantity.toNumber() };
  };
  const replace = (quantity: number) =>
    rig.want(orderDrafts.replace({ symbol: AAPL_US, intentId }, { quantity, price: price - 1 }));
  return { orderId, live, replace };
}

describe('a replace whose answer is lost', () => {
  it.each([
    ['after the venue carried it out', 'net.dropResponse', 'new terms', 20],
    ['before the venue saw it', 'net.dropRequest', 'old terms', 10],
  ])(
    'is in doubt with both versions reserved, and the next one waits until a read shows which: %s (F-B17, T-42, I-6)',
    async (_when, knob, why, shown) => {
      const { live, replace } = await resting();
      await rig.faults({ knob, endpoint: 'replaceOrder', times: 1 });
      replace(20);
      await happened('replace-answered');
      expect(kindsOf('replace-answered')).toMatchObject([{ answer: 'unknown' }]);
      replace(30);
      const meanwhile = new Set([20]);
      await eventually(() => {
        const isRead = kindsOf('replace-read').length > 0;
        if (!isRead) meanwhile.add(reserved());
        return isRead;
      }, 'the terms to be read');
      expect([...meanwhile]).toEqual([20]);
      expect(kindsOf('replace-read')[0]?.terms.quantity.toNumber()).toBe(shown);
      await happened('replace-read', 2);
      const steps = rig.events
        .map(({ kind }) => kind)
        .filter((kind) => /^replace-(sending|read)$/.test(kind));
      expect(steps).toEqual(['replace-sending', 'replace-read', 'replace-sending', 'replace-read']);
      expect(rig.heard[1]).toBe(`working ${why}`);
      expect(live()).toMatchObject({ pending: 'none', quantity: 30 });
      expect(reserved()).toBe(30);
      expect(await ids()).toHaveLength(1);
    },
  );
});

describe('a replace after which the order', () => {
  const lostPush = { knob: 'venue.push.drop' };
  const fill = { knob: 'venue.fillDuring', times: 1 };
  /** Waits until the reads that follow every replace are over. */
  const looked = () => {
    const began = rig.now();
    return eventually(() => rig.now() - began > 10 * SECOND_MS, 'ten seconds of market time');
  };

  it('has another id is the same intent’s by the tag that was sent again, and its fills are booked (F-B18, T-46, I-2, I-3)', async () => {
    const { orderId, live, replace } = await resting();
    await rig.faults({ knob: 'venue.replaceNewId', form: 'new-id', times: 1 });
    replace(20);
    await happened('replace-read');
    const { id } = live();
    expect(id).not.toBe(orderId);
    expect(live()).toEqual({ id: (await ids())[0], pending: 'none', quantity: 20 });
    await looked();
    await rig.faults(lostPush, fill);
    await happened('order-filled');
    await settled();
    expect([...rig.engine.state.foreign.orders]).toEqual([]);
    expect(rig.engine.state.gate.standing.state).toBe('active');
  });

  it('has no remark any more is still known by its id: fills without a push are found (F-B18, I-3, I-13)', async () => {
    const { orderId, live, replace } = await resting();
    await rig.faults({ knob: 'venue.replaceNewId', form: 'blank-remark', times: 1 });
    replace(20);
    await happened('replace-read');
    expect(live()).toEqual({ id: orderId, pending: 'none', quantity: 20 });
    expect([...(await rig.ordersByTag()).keys()]).toEqual(['foreign']);
    await looked();
    await rig.faults(lostPush, fill);
    await happened('order-filled');
    await settled();
    expect([...rig.engine.state.foreign.orders]).toEqual([]);
    expect(rig.engine.state.gate.standing.state).toBe('active');
  });

  it('has neither its id nor its remark is counted twice rather than not at all, and the operator is notified (F-B18, T-48, I-6)', async () => {
    const { orderId, live, replace } = await resting();
    await rig.faults({ knob: 'venue.replaceNewId', form: 'both', times: 1 });
    replace(20);
    const missing = () => rig.alarms.filter(({ code }) => code === 'replace-missing');
    await eventually(() => missing().length > 0, 'the operator to be notified');
    expect(missing()).toMatchObject([{ facts: { orderId, symbol: 'AAPL.US' } }]);
    expect(live()).toEqual({ id: orderId, pending: 'replace-acked', quantity: 10 });
    expect(reserved()).toBe(20);
    expect([...rig.engine.state.foreign.orders.keys()]).toEqual(await ids());
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('intent-denied');
    expect(kindsOf('intent-denied')).toMatchObject([{ rule: 'symbol-halt' }]);
    await rig.faults(fill);
    await settled();
  });
});
