import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRest } from '#src/model/order-state.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { eventually } from '../fixtures/eventually.ts';
import { AAPL_US, createSocketRig, type SocketRig } from '../fixtures/socket-rig.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { watching } from '../fixtures/watching.ts';

const SPY_US = securitySymbol('SPY.US');

let rig: SocketRig;
beforeEach(async () => {
  rig = await createSocketRig();
});
afterEach(async () => {
  await rig.faults();
  await rig.close();
});

const { kindsOf, happened, settled, farBelow } = watching(() => rig);
const heldNow = () => rig.engine.state.portfolio.holdings.get(AAPL_US)?.quantity.toString();

/** Market time within which the bot would have acted: several listings and comparisons of the books. */
async function aWhile(): Promise<void> {
  const since = rig.now();
  await eventually(() => rig.now() - since > 90_000, 'a minute and a half of market time');
}

describe('an account that its owner also trades in the broker’s app', () => {
  it('detects an order cancelled at the venue without a push, notifies the strategy, and does not resend it (F-O03, F-B13, I-3)', async () => {
    await rig.faults({ knob: 'venue.push.drop' });
    rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price: farBelow() }));
    await happened('submit-acked');
    await rig.faults({ knob: 'venue.push.drop' }, { knob: 'venue.foreignCancel', times: 1 });
    await eventually(() => rig.engine.state.done.size === 1, 'the cancel to be read');
    const [order] = rig.engine.state.done.values();
    expect([order?.facets.venue, order?.facets.pending]).toEqual(['CanceledStatus', 'none']);
    expect(rig.heard.some((word) => word.startsWith('canceled'))).toBe(true);
    await aWhile();
    expect([kindsOf('submit-sending').length, kindsOf('cancel-sending').length]).toEqual([1, 0]);
    expect(rig.engine.state.gate.standing.state).toBe('active');
    await settled();
  });

  it('loses a position of the bot: booked by its execution, no alarm of books, and not bought back (F-O03, I-3, I-13)', async () => {
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('order-filled');
    const sale = { symbol: 'AAPL.US', side: 'sell', quantity: '10', times: 1 };
    await rig.faults({ knob: 'venue.push.drop' }, { knob: 'venue.foreign', ...sale });
    await happened('foreign-filled');
    expect(heldNow()).toBeUndefined();
    await aWhile();
    expect(kindsOf('submit-sending')).toHaveLength(1);
    expect(rig.alarms.filter(({ code }) => code === 'books-diverged')).toEqual([]);
    expect(rig.engine.state.gate.standing.state).toBe('active');
    await settled();
  });

  it('has an order of an unknown type: nothing opens in its symbol until it can be read, other symbols trade (T-53, F-B27)', async () => {
    const order = { symbol: 'SPY.US', side: 'buy', quantity: '7', type: 'LO', price: '1', times: 1 };
    const odd = { knob: 'venue.enum', endpoint: 'todayOrders', field: 'order_type', value: 'TSMPCT' };
    await rig.faults({ knob: 'venue.push.drop' }, odd, { knob: 'venue.foreign', ...order });
    const cause = () => rig.engine.restrictionsNow().find((each) => each.cause === 'unread-order');
    await eventually(() => cause() !== undefined, 'the list of the day to be read');
    expect(cause()).toMatchObject({ symbol: 'SPY.US', state: 'reduce-only' });
    expect(cause()?.reason).toContain('"TSMPCT"');
    rig.want(orderDrafts.buy(SPY_US, 10));
    await happened('intent-denied');
    expect(kindsOf('intent-denied')[0]).toMatchObject({ rule: 'symbol-halt' });
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('order-filled');
    expect(
      rig.alarms.filter(({ code, facts }) => code === 'unread-order' && facts['symbol'] === 'SPY.US'),
    ).toHaveLength(1);
    await rig.faults({ knob: 'venue.push.drop' });
    await eventually(() => cause() === undefined, 'the order to be read');
    await eventually(() => rig.engine.state.foreign.orders.size === 1, 'it to be counted');
    expect([...rig.engine.state.foreign.orders.values()][0]?.terms.symbol).toBe('SPY.US');
    await settled();
  });

  it('ends an order of an unknown type at the status that its row states, and books what was executed (T-53, F-B27)', async () => {
    const odd = { knob: 'venue.enum', field: 'order_type', value: 'TSMPCT' };
    await rig.faults(odd);
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('order-filled');
    expect(heldNow()).toBe('10');
    rig.want(orderDrafts.sell(AAPL_US, 10, { type: 'LO', price: farBelow() * 2 }));
    await eventually(() => kindsOf('submit-acked').length === 2, 'the second order to be accepted');
    await rig.faults(odd, { knob: 'venue.foreignCancel', times: 1 });
    await eventually(() => rig.engine.state.live.size === 0, 'the cancel to be read');
    const ended = [...rig.engine.state.done.values()].map(({ facets }) => facets.venue);
    expect(ended.toSorted()).toEqual(['CanceledStatus', 'FilledStatus']);
    await rig.faults();
    await settled();
  });

  it('has its orders cancelled by a kill with --foreign, which names those that stay unreadable before its ten seconds are over (I-14, F-B27)', async () => {
    // Calls take a part of those seconds, which is small at this speed of the market.
    await rig.close();
    rig = await createSocketRig({ speed: 4 });
    rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price: farBelow() }));
    await happened('submit-acked');
    const order = { symbol: 'SPY.US', side: 'buy', quantity: '7', type: 'LO', price: '1', times: 1 };
    await rig.faults({ knob: 'venue.foreign', ...order });
    await eventually(() => rig.engine.state.foreign.orders.size === 1, 'the order of others to be read');
    await rig.faults({ knob: 'venue.enum' });
    await eventually(
      () => [...rig.engine.state.live.values()][0]?.facets.venue === 'unrecognised',
      'the status to be read',
    );
    const began = rig.now();
    const outcome = await rig.command({ kind: 'kill', flatten: false, foreign: true });
    expect(rig.now() - began).toBeLessThan(9_000);
    expect(outcome).toMatchObject({
      kind: 'done',
      open: [{ symbol: 'AAPL.US', state: 'unrecognised, cancel-acked' }, { symbol: 'SPY.US' }],
    });
    await rig.faults();
    await eventually(() => rig.engine.state.live.size === 0, 'the cancel to be read');
    const listed = await answerOf(rig.client.broker.ordersToday());
    if (listed.kind !== 'ok') throw new Error('The venue did not list its orders');
    expect(listed.value.map(({ status }) => status)).toEqual(['CanceledStatus', 'CanceledStatus']);
    await settled();
  });

  it('has a foreign order left alone by a kill without --foreign, and cancelled by one with it (I-3, I-14)', async () => {
    const order = { symbol: 'SPY.US', side: 'buy', quantity: '7', type: 'LO', price: '1', times: 1 };
    await rig.faults({ knob: 'venue.foreign', ...order });
    await eventually(() => rig.engine.state.foreign.orders.size === 1, 'the order of others to be read');
    const status = async () => {
      const listed = await answerOf(rig.client.broker.ordersToday());
      return listed.kind === 'ok' ? listed.value.map((each) => each.status) : [];
    };
    const kill = { kind: 'kill', flatten: false } as const;
    expect(await rig.command({ ...kill, foreign: false })).not.toHaveProperty('open');
    expect(await status()).toEqual(['NewStatus']);
    expect(await rig.command({ ...kill, foreign: true })).not.toHaveProperty('open');
    expect(await status()).toEqual(['CanceledStatus']);
  });

  it('detects a bracket position closed at the venue, cancels its exits, and sends none again (F-O03, I-3)', async () => {
    await bracketed();
    await rig.faults({ knob: 'venue.foreign', symbol: 'AAPL.US', side: 'sell', quantity: '10', times: 1 });
    await eventually(() => rig.engine.state.algorithms.size === 0, 'the bracket to end');
    expect([rig.engine.state.live.size, heldNow()]).toEqual([0, undefined]);
    expect(kindsOf('algorithm-withdrew')).toMatchObject([{ why: 'nothing is left to close' }]);
    expect(kindsOf('submit-sending')).toHaveLength(2);
    await settled();
  });

  it('loses a part of it: the exit stays for the rest (F-O03, I-3)', async () => {
    await bracketed();
    await rig.faults({ knob: 'venue.foreign', symbol: 'AAPL.US', side: 'sell', quantity: '4', times: 1 });
    const open = () => [...rig.engine.state.live.values()].map(({ facets }) => openRest(facets).toString());
    await eventually(() => open().join() === '6', 'the exit to be for six');
    expect(heldNow()).toBe('6');
    await settled();
  });

  it('loses a part of it while a TWAP closes it: nothing is sold beyond it (F-O03, I-13)', async () => {
    rig.want(orderDrafts.buy(AAPL_US, 100));
    await eventually(() => heldNow() === '100', 'the purchase');
    rig.want(orderDrafts.twap(orderDrafts.close(AAPL_US), { minutes: 4, parts: 4 }));
    await eventually(() => heldNow() === '75', 'the first part');
    await rig.faults({ knob: 'venue.foreign', symbol: 'AAPL.US', side: 'sell', quantity: '60', times: 1 });
    await eventually(() => rig.engine.state.algorithms.size === 0, 'the TWAP to end');
    expect(heldNow()).toBeUndefined();
    expect(kindsOf('algorithm-ended')).toMatchObject([
      { outcome: 'canceled', why: expect.stringContaining('nothing is left to close') },
    ]);
    expect(kindsOf('intent-denied')).toEqual([]);
    await settled();
  });

  it('loses a part, then all of it, while an OCO closes it: the legs follow, and are cancelled (F-O03, I-13)', async () => {
    const open = await inOco();
    await happened('submit-acked', 3);
    await rig.faults({ knob: 'venue.foreign', symbol: 'AAPL.US', side: 'sell', quantity: '4', times: 1 });
    await eventually(() => open().join() === '6,6', 'both legs to be for six');
    await rig.faults({ knob: 'venue.foreign', symbol: 'AAPL.US', side: 'sell', quantity: '6', times: 1 });
    await eventually(() => rig.engine.state.algorithms.size === 0, 'the OCO to end');
    expect([heldNow(), open()]).toEqual([undefined, []]);
    await settled();
  });

  it.each([
    ['refuses every amend', { knob: 'venue.rules', endpoint: 'replaceOrder' }, 1],
    ['leaves every amend unconfirmed, three times', { knob: 'net.dropRequest', endpoint: 'replaceOrder' }, 3],
  ])(
    'loses a part of it while an OCO closes it at a venue that %s: each leg is replaced while the other works (F-O03, T-42)',
    async (_, knob, amends) => {
      const open = await inOco();
      await happened('submit-acked', 3);
      const sale = { symbol: 'AAPL.US', side: 'sell', quantity: '4', times: 1 };
      await rig.faults(knob, { knob: 'venue.foreign', ...sale });
      await eventually(() => open().join() === '6,6', 'both legs to be for six');
      const changes = rig.events.flatMap(({ kind }) =>
        kind === 'cancel-sending' || kind === 'submit-sending' ? [kind] : [],
      );
      expect(changes.slice(3)).toEqual([
        'cancel-sending',
        'submit-sending',
        'cancel-sending',
        'submit-sending',
      ]);
      expect(kindsOf('replace-sending').length).toBe(2 * amends);
      expect(rig.alarms.filter(({ code }) => code.startsWith('oco-'))).toEqual([]);
      await settled();
    },
  );

  it('is closed by an OCO whose legs the venue takes only after a while (F-B03)', async () => {
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await eventually(() => heldNow() === '10', 'the purchase');
    await rig.faults({ knob: 'venue.limit', endpoint: 'submitOrder' });
    const open = await inOco();
    await eventually(() => rig.alarms.some(({ code }) => code === 'protection-waits'), 'the alarm');
    // A leg may be on its way again, but the venue has accepted the purchase alone.
    expect(kindsOf('submit-acked')).toHaveLength(1);
    await rig.faults();
    await eventually(() => open().join() === '10,10', 'both legs to work');
    await settled();
  });

  it.each([
    ['answers nothing', { knob: 'net.blackhole', endpoint: 'positions' }],
    ['fails', { knob: 'venue.fail', endpoint: 'positions' }],
  ])('is flattened all the same if the venue %s when its positions are read (I-14)', async (_, knob) => {
    await bracketed();
    await rig.faults(knob);
    await rig.command({ kind: 'flatten' });
    await eventually(() => rig.engine.state.flattening.size === 0, 'the flatten to end');
    expect(heldNow()).toBeUndefined();
    await rig.faults();
    await settled();
  });

  it('is smaller at the venue without an execution: a flatten sells what both have, and names the rest (F-B21)', async () => {
    await bracketed();
    await rig.faults({ knob: 'venue.adjust', symbol: 'AAPL.US', quantity: '-4', times: 1 });
    await rig.command({ kind: 'flatten' });
    await eventually(() => rig.alarms.some(({ code }) => code === 'flatten-incomplete'), 'the alarm');
    await aWhile();
    const sold = kindsOf('order-filled').flatMap(({ fill }) =>
      fill.side === 'sell' ? [fill.quantity.toNumber()] : [],
    );
    expect(sold.reduce((sum, shares) => sum + shares, 0)).toBe(6);
    const positions = await answerOf(rig.client.broker.positions());
    expect(positions).toMatchObject({ kind: 'ok', value: [] });
  });

  it('loses a part of it right before a flatten, without a push: the rest is sold, and no more (F-O03, F-N04, I-13)', async () => {
    await bracketed();
    const sale = { symbol: 'AAPL.US', side: 'sell', quantity: '4', times: 1 };
    await rig.faults({ knob: 'venue.push.drop' }, { knob: 'venue.foreign', ...sale });
    await rig.command({ kind: 'flatten' });
    await eventually(() => rig.engine.state.flattening.size === 0, 'the flatten to end');
    await aWhile();
    expect(heldNow()).toBeUndefined();
    const sold = kindsOf('order-filled').flatMap(({ fill }) =>
      fill.side === 'sell' ? [fill.quantity.toNumber()] : [],
    );
    expect(sold.reduce((sum, shares) => sum + shares, 0)).toBe(6);
    await settled();
  });

  it('loses its exit: the bracket ends, and sends no other one (F-O03, I-3)', async () => {
    await bracketed();
    await rig.faults({ knob: 'venue.foreignCancel', times: 1 });
    await eventually(() => rig.engine.state.algorithms.size === 0, 'the bracket to end');
    expect(kindsOf('algorithm-ended')).toMatchObject([{ why: 'its stop was cancelled from outside' }]);
    await aWhile();
    expect([kindsOf('submit-sending').length, heldNow()]).toEqual([2, '10']);
    await settled();
  });
});

/** Ten shares that an OCO closes. Returns the open shares of its legs. */
async function inOco(): Promise<() => readonly string[]> {
  if (heldNow() === undefined) rig.want(orderDrafts.buy(AAPL_US, 10));
  await eventually(() => heldNow() === '10', 'the purchase');
  rig.want(
    orderDrafts.oco([
      orderDrafts.sell(AAPL_US, 10, { type: 'LO', price: 2 * farBelow() }),
      orderDrafts.sell(AAPL_US, 10, { type: 'MIT', triggerPrice: farBelow() }),
    ]),
  );
  return () => [...rig.engine.state.live.values()].map(({ facets }) => openRest(facets).toString());
}

/** Ten shares with a working stop at the venue, far below. */
async function bracketed(): Promise<void> {
  rig.want(orderDrafts.bracket(orderDrafts.buy(AAPL_US, 10), { stop: farBelow() }));
  await eventually(
    () => [...rig.engine.state.live.values()].some(({ facets }) => facets.venue === 'VarietiesNotReported'),
    'the stop to stand',
  );
}
