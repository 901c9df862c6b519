import { describe, expect, it } from 'vitest';
import { earlierChargesTexts } from '#src/backtest/assumptions.ts';
import { journaledRun } from '#src/engine/engine.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { decimal } from '#src/model/decimal.ts';
import { executionId, orderId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { exitReasonsOf } from '#src/reports/exit-reasons.ts';
import { buying } from '../execution/a-buying-bot.ts';
import { bracketRig, fill } from '../fixtures/bracket-rig.ts';
import { createEngineRig, type EngineRig } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { filled, fillOf } from '../fixtures/orders.ts';

/** Two orders, the first of them filled. */
function traded(keepsDecisions: boolean): EngineRig {
  const rig = buying({ keepsDecisions });
  rig.quote(10);
  rig.venue.execute('O-I1', { id: 'e1', quantity: '100', price: '9' });
  rig.venue.list('O-I1', { status: 'FilledStatus' });
  rig.venue.push('O-I1');
  rig.quote(10);
  return rig;
}

const noOrder = () => undefined;

describe('a bot that may run for months', () => {
  it('keeps no decisions in memory, and its report has the same ones from the journal', () => {
    const kept = traded(true);
    const flat = traded(false);
    expect(flat.engine.decisions).toEqual([]);
    const read = journaledRun(flat.journal.replay(), flat.engine.state.order).decisions;
    expect(read.map((each) => each.kind)).toContain('order-filled');
    expect(JSON.stringify(read)).toBe(JSON.stringify(kept.engine.decisions));
  });

  it('reports later charges with their fill, so that fees are the actual charges', () => {
    const events = [...traded(false).journal.replay()];
    const filled = events.find((event) => event.kind === 'order-filled');
    if (filled === undefined) throw new Error('Nothing was filled');
    const charge = { code: 'F', name: 'Fee', category: 'broker' as const, currency: 'USD' };
    const charges = [{ ...charge, amount: decimal('1.25') }];
    const late = {
      ...{ kind: 'order-charged' as const, at: filled.at, intentId: filled.intentId, currency: 'USD' },
      ...{ fee: decimal('1.25'), charges },
    };
    const theirs = {
      kind: 'foreign-filled' as const,
      at: filled.at,
      fill: { ...filled.fill, executionId: executionId('theirs'), orderId: orderId('THEIRS') },
    };
    const theirCharge = {
      ...{ kind: 'foreign-charged' as const, at: filled.at, orderId: orderId('THEIRS') },
      ...{ currency: 'USD', fee: decimal('2') },
    };
    const read = journaledRun([...events, late, theirs, theirCharge], noOrder).decisions;
    const fees = read.flatMap((each) => ('fill' in each ? [each.fill.fee.toString()] : []));
    expect(fees).toEqual(['1.25', '2']);
    expect(read.find((each) => each.kind === 'order-filled')).toMatchObject({ fill: { charges } });
  });

  it('begins with the positions of the previous run, so that a sale of one is no short', () => {
    const { journal } = traded(false);
    const lease = { epoch: 1, version: '1', configHash: '', machineAt: millis(0) };
    const next = createEngineRig({ strategy: {}, journal, lease });
    expect(next.engine.opening()).toBeUndefined();
    next.start();
    const held = next.engine.opening()?.holdings.get(AAPL);
    expect(`${held?.quantity} at ${held?.averageCost}`).toBe('100 at 9');
    expect(traded(false).engine.opening()).toBeUndefined();
  });

  it('reports a position closed by a stop that an earlier run sent as closed by that stop', () => {
    const rig = bracketRig();
    fill(rig, '100');
    const stop = [...rig.engine.state.live.values()].find(({ link }) => link?.slot === 'stop');
    if (stop === undefined) throw new Error('No stop is working');
    const { intentId, terms } = stop;
    const lease: SluiceEvent = {
      ...{ kind: 'lease-taken', at: millis(5), epoch: 2, version: '1', configHash: '', machineAt: millis(5) },
    };
    const sold = fillOf('left', 'sell', '100', '9', { intent: intentId, time: millis(6_000) });
    const next = journaledRun([...rig.journal.replay(), lease, filled(sold)], rig.engine.state.order);
    expect(next.decisions.map(({ kind }) => kind)).toEqual(['order-filled']);
    expect([...next.earlierOrders.keys()]).toEqual([intentId]);
    const record = { ...next, securities: [] };
    expect(exitReasonsOf(record)({ symbol: terms.symbol, closedAt: millis(6_000), direction: 'long' })).toBe(
      'stop',
    );
    const first = journaledRun([...rig.journal.replay(), filled(sold)], rig.engine.state.order);
    expect(first.earlierOrders.size).toBe(0);
  });

  it('reports the fill of an order that an operator settled, as in the books', () => {
    const rig = traded(false);
    const events = [...rig.journal.replay()];
    const open = [...rig.engine.state.live.keys()][0];
    if (open === undefined) throw new Error('An order is working');
    const settled = {
      ...{ kind: 'order-settled' as const, at: millis(5), intentId: open, outcome: 'filled' as const },
      ...{ quantity: decimal('40'), price: decimal('8.5'), currency: 'USD', by: 'cli', reason: 'seen' },
    };
    const { decisions } = journaledRun([...events, settled], rig.engine.state.order);
    const fills = decisions.flatMap((each) =>
      'fill' in each ? [`${each.fill.quantity} at ${each.fill.price}`] : [],
    );
    expect(fills).toEqual(['100 at 9', '40 at 8.5']);
    const dead = journaledRun([...events, { ...settled, outcome: 'dead' }], rig.engine.state.order).decisions;
    expect(dead.filter((each) => 'fill' in each)).toHaveLength(1);
  });

  it('states charges that the venue reported in a later run, because no fill of that run has them', () => {
    const events = [...traded(false).journal.replay()];
    const filled = events.find((event) => event.kind === 'order-filled');
    if (filled === undefined) throw new Error('Nothing was filled');
    const lease = { kind: 'lease-taken' as const, at: filled.at, epoch: 2, version: '1', configHash: '' };
    const late = {
      ...{ kind: 'order-charged' as const, at: filled.at, intentId: filled.intentId, currency: 'USD' },
      ...{ fee: decimal('1.25'), charges: [] },
    };
    const { decisions, earlierCharges } = journaledRun(
      [...events, { ...lease, machineAt: filled.at }, late],
      noOrder,
    );
    expect(decisions).toEqual([]);
    expect(earlierChargesTexts(earlierCharges)).toEqual([
      'The venue stated charges of 1.25 USD in this run for orders that earlier runs filled: equity has them, the fees of this report do not',
    ]);
  });
});
