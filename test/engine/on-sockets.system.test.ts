import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isTerminalStatus } from '#src/model/order.ts';
import { openRest } from '#src/model/order-state.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { eventually } from '../fixtures/eventually.ts';
import { AAPL_US, createSocketRig, type SocketRig, TENCENT_HK } from '../fixtures/socket-rig.ts';
import { watching } from '../fixtures/watching.ts';

let rig: SocketRig;
beforeEach(async () => {
  rig = await createSocketRig();
});
afterEach(async () => {
  await rig.faults();
  await rig.close();
});

const { kindsOf, happened, settled, judged, farBelow } = watching(() => rig);
const gate = () => rig.engine.state.gate.standing;

describe('an account on real sockets', () => {
  it('has the venue’s books, including charges (I-13)', async () => {
    rig.want(orderDrafts.buy(AAPL_US, 10));
    rig.want(orderDrafts.buy(TENCENT_HK, 100));
    await happened('order-filled', 2);
    rig.want(orderDrafts.close(AAPL_US));
    await happened('order-filled', 3);
    await settled();
    expect(gate().state).toBe('active');
  });

  it('reads what happened while order changes were not received, and opens nothing before (F-N13, I-3, I-13)', async () => {
    rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price: farBelow() }));
    await happened('submit-acked');
    const foreign = { knob: 'venue.foreign', symbol: 'AAPL.US', side: 'buy', quantity: '7', times: 1 };
    await rig.faults({ knob: 'net.cut', side: 'trade', ms: 500, times: 1 }, foreign, {
      knob: 'venue.fillDuring',
      times: 1,
    });
    await eventually(
      () => rig.alarms.some(({ code }) => /down|lost|socket/.test(code)),
      'the cut to be noticed',
    );
    await eventually(() => {
      if (judged() === kindsOf('intent-drafted').length) rig.want(orderDrafts.buy(TENCENT_HK, 100));
      return kindsOf('intent-armed').length > 1;
    }, 'opens to be let through again');
    expect(new Set(kindsOf('intent-denied').map((event) => 'rule' in event && event.rule))).toEqual(
      new Set(['books-agree']),
    );
    const reopened = rig.events.findLastIndex(({ kind }) => kind === 'intent-armed');
    for (const kind of ['foreign-filled', 'order-filled'] as const) {
      const read = rig.events.findIndex((event) => event.kind === kind);
      expect([kind, read >= 0 && read < reopened]).toEqual([kind, true]);
    }
    await settled();
  });

  it('finds an order whose answer was lost once the listing shows it, 90 s later, and sends it once (F-B09, F-N01, I-2)', async () => {
    await rig.faults(
      { knob: 'net.dropResponse', endpoint: 'submitOrder', times: 1 },
      { knob: 'venue.listLag', ms: 90_000 },
      { knob: 'venue.push.drop' },
    );
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('submit-unknown');
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('intent-denied');
    expect(kindsOf('intent-denied')).toMatchObject([{ rule: 'unknown-order' }]);
    expect([...rig.engine.state.live.values()].map(({ facets }) => openRest(facets).toString())).toEqual([
      '10',
    ]);
    await happened('order-filled');
    expect(kindsOf('submit-sending')).toHaveLength(1);
    const [unknown, acked] = [kindsOf('submit-unknown')[0], kindsOf('submit-acked')[0]];
    expect(acked).toMatchObject({ by: 'listing' });
    expect((acked?.at ?? 0) - (unknown?.at ?? 0)).toBeGreaterThanOrEqual(80_000);
    await rig.faults();
    expect([...(await rig.ordersByTag()).values()].map((ids) => ids.length)).toEqual([1]);
    await settled();
  });

  it('books each execution once, whatever happens to the pushes (F-B12, I-7, I-8)', async () => {
    await rig.faults(
      { knob: 'venue.push.drop', chance: 0.3 },
      { knob: 'venue.push.dup', chance: 0.5 },
      { knob: 'venue.push.shuffle', chance: 0.5 },
      { knob: 'venue.push.late', chance: 0.5, ms: 400 },
    );
    for (let count = 1; count <= 6; count += 1) {
      rig.want(orderDrafts.buy(AAPL_US, 10));
      rig.want(orderDrafts.buy(TENCENT_HK, 100));
    }
    await eventually(() => rig.engine.state.done.size === 12, 'every order to be over');
    const over = rig.now();
    await eventually(() => rig.now() - over > 30_000, 'the last of the late pushes, by a second of the wall');
    await settled();
    const ends = rig.events.flatMap((event) =>
      event.kind === 'order-moved' && isTerminalStatus(event.status) ? [event.intentId] : [],
    );
    expect([ends.length, new Set(ends).size]).toEqual([12, 12]);
    const booked = rig.events.flatMap((event) =>
      event.kind === 'order-filled' ? [event.fill.executionId] : [],
    );
    expect(new Set(booked).size).toBe(booked.length);
    expect(
      [...rig.engine.state.done.values()].every(({ facets }) => facets.executed.eq(facets.ordered)),
    ).toBe(true);
  });

  it('halts when positions differ without an execution that explains it, and names both numbers (F-B21, I-13)', async () => {
    await rig.faults({ knob: 'venue.adjust', symbol: 'AAPL.US', quantity: '25', times: 1 });
    await eventually(() => gate().state === 'halted', 'the halt');
    expect(gate()).toMatchObject({ by: 'books', rule: 'books-diverged' });
    expect(rig.alarms.find(({ code }) => code === 'books-diverged')?.message).toContain(
      'AAPL.US is 0 here and 25 at the venue',
    );
    const paused = rig.events.find((event) => event.kind === 'gate-moved');
    expect(paused).toMatchObject({ state: 'reduce-only', by: 'books' });
    rig.want(orderDrafts.buy(TENCENT_HK, 100));
    await happened('intent-denied');
    expect(kindsOf('intent-denied')).toMatchObject([{ rule: 'gate-state' }]);
    expect(await rig.command({ kind: 'resume' })).toMatchObject({ kind: 'refused' });
    expect(await rig.command({ kind: 'adopt-books' }, 'a split')).toMatchObject({ kind: 'done' });
    expect(await rig.command({ kind: 'resume' }, 'a split')).toMatchObject({ kind: 'done' });
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await eventually(() => kindsOf('intent-armed').length === 1, 'the next order to pass');
    expect(kindsOf('intent-denied')).toHaveLength(1);
  });

  it('halts when cash differs without a charge that explains it, and names both numbers (F-B21, I-13)', async () => {
    const had = rig.engine.state.portfolio.cash.get('USD');
    await rig.faults({ knob: 'venue.adjust', currency: 'USD', amount: '-12.34', times: 1 });
    await eventually(() => gate().state === 'halted', 'the halt');
    expect(gate()).toMatchObject({ by: 'books', rule: 'books-diverged' });
    const words = `cash USD is ${had} here and ${had?.minus('12.34')} at the venue`;
    expect(gate().reason).toBe(words);
    expect(await rig.command({ kind: 'resume' })).toEqual({
      kind: 'refused',
      message: `Cannot resume: our books are not the venue's, settle that first: ${words}`,
    });
  });

  it('does not halt because of a fill while positions are read (F-B22, I-13)', async () => {
    rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price: farBelow() }));
    await happened('submit-acked');
    await rig.faults({ knob: 'venue.fillDuring', endpoint: 'positions', times: 1 });
    await happened('order-filled');
    await settled();
    expect(gate().state).toBe('active');
    expect(rig.alarms.filter(({ code }) => code === 'books-diverged')).toEqual([]);
  });

  it('counts an order that was placed outside the bot, and never touches it (F-B37, T-52, I-3)', async () => {
    const price = String(farBelow());
    const order = { symbol: 'AAPL.US', side: 'buy', quantity: '7', type: 'LO', price };
    await rig.faults({ knob: 'venue.foreign', ...order, times: 1 });
    await happened('foreign-moved');
    expect([...rig.engine.state.foreign.orders.values()]).toMatchObject([{ status: 'NewStatus' }]);
    expect((await rig.ordersByTag()).get('foreign')).toHaveLength(1);
  });
});

describe('an order that is filled while its cancel is in transit', () => {
  it('is filled, booked, and the strategy is notified that it was too late (F-B14, T-37, I-7)', async () => {
    await rig.close();
    rig = await createSocketRig({ cancelAfterMs: 10_000 });
    await rig.faults({ knob: 'venue.fillRace', endpoint: 'cancelOrder', times: 1 });
    rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price: farBelow() }));
    await happened('cancel-answered');
    await happened('order-filled');
    await eventually(() => rig.engine.state.done.size === 1, 'the order to be over');
    await settled();
    const [order] = rig.engine.state.done.values();
    expect([order?.facets.venue, order?.facets.pending]).toEqual(['FilledStatus', 'none']);
    await eventually(() => rig.heard.includes('filled too late to cancel'), 'the strategy to be notified');
    expect(rig.events.findIndex(({ kind }) => kind === 'cancel-sending')).toBeLessThan(
      rig.events.findIndex(({ kind }) => kind === 'order-filled'),
    );
  });
});
