import { afterEach, describe, expect, it } from 'vitest';
import type { AnnouncedSplit } from '#src/execution/reconciliation/announced-splits.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { eventually } from '../fixtures/eventually.ts';
import { at } from '../fixtures/market.ts';
import { AAPL_US, createSocketRig, type SocketRig } from '../fixtures/socket-rig.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { watching } from '../fixtures/watching.ts';

const SPY_US = securitySymbol('SPY.US');
let rig: SocketRig;
afterEach(async () => {
  await rig.faults();
  await rig.close();
});

const { kindsOf, happened, settled } = watching(() => rig);
const gate = () => rig.engine.state.gate.standing;
const held = () => String(rig.engine.state.portfolio.holdings.get(AAPL_US)?.quantity);
const split = (ratio: string) => rig.faults({ knob: 'venue.split', symbol: 'AAPL.US', ratio, times: 1 });

const announced = (ratio: string): readonly AnnouncedSplit[] => [
  { kind: 'split', symbol: AAPL_US, exDay: calendarDay('2025-09-03'), ratio: decimal(ratio) },
];

/** Exits of AAPL.US at the venue, as their purpose and price. */
async function standing(): Promise<readonly string[]> {
  const answer = await answerOf(rig.client.broker.ordersToday());
  if (answer.kind !== 'ok') throw new Error('The venue did not list its orders');
  return answer.value
    .filter(({ status, terms }) => status === 'VarietiesNotReported' && terms.side === 'sell')
    .map(({ terms }) => `${terms.type} ${terms.quantity}`)
    .toSorted();
}

/** Working orders of the bot for this number of shares. */
const fresh = (shares: string) =>
  [...rig.engine.state.live.values()].filter(
    ({ terms, facets }) => terms.quantity.eq(shares) && facets.venue === 'VarietiesNotReported',
  );

/**
 * Holds 400 shares with a stop and a target that the venue's market does not reach, and a daily loss limit of 2 %.
 */
async function holding(splits: () => readonly AnnouncedSplit[] = () => [], speed = 30): Promise<void> {
  rig = await createSocketRig({
    speed,
    startsAt: at('2025-09-03T10:30:00-04:00'),
    limits: { maxDailyLoss: decimal('0.02') },
    announcedSplits: splits,
  });
  rig.want(
    orderDrafts.bracket(orderDrafts.buy(AAPL_US, 400), { stop: { percent: 40 }, target: { percent: 40 } }),
  );
  await happened('submit-acked', 3);
  await eventually(() => held() === '400', 'the last part of the entry');
  await eventually(async () => (await standing()).join() === 'LIT 400,MIT 400', 'stop and target to wait');
  await settled();
}

describe('a split that was not announced', () => {
  it.each(['2', '10', '0.1'])(
    'halts the account with a message what to do, kills nothing, and keeps stop and target working (%s, F-D07, F-B21, I-13)',
    async (ratio) => {
      await holding();
      await split(ratio);
      await eventually(() => gate().state === 'halted', 'the halt');
      expect(gate()).toMatchObject({ by: 'books', rule: 'books-diverged' });
      const alarm = rig.alarms.find(({ code }) => code === 'books-diverged');
      expect(alarm?.message).toContain(`write the line "2025-09-03,split,${ratio}" into its events.csv`);
      const since = rig.now();
      await eventually(() => rig.now() - since > 90_000, 'losses to be looked at for a minute and a half');
      expect(kindsOf('gate-moved').filter(({ state }) => state === 'killed')).toEqual([]);
      const shares = String(400 * Number(ratio));
      expect(await standing()).toEqual([`LIT ${shares}`, `MIT ${shares}`]);
      rig.want(orderDrafts.buy(SPY_US, 10));
      await happened('intent-denied');
      expect(kindsOf('intent-denied')).toMatchObject([{ rule: 'gate-state' }]);
    },
  );

  it('is booked once the operator adds it to events.csv, and the bot continues when it is resumed (F-D07)', async () => {
    let known: readonly AnnouncedSplit[] = [];
    await holding(() => known);
    await split('2');
    await eventually(() => gate().state === 'halted', 'the halt');
    known = announced('2');
    await happened('corporate-action');
    expect(held()).toBe('800');
    await settled();
    expect(await rig.command({ kind: 'resume' }, 'a split')).toMatchObject({ kind: 'done' });
    await eventually(() => fresh('800').length === 2, 'stop and target in new shares');
    await eventually(async () => (await standing()).join() === 'LIT 800,MIT 800', 'no others');
  });
});

describe('an announced split', () => {
  it.each(['2', '10', '0.1'])(
    'converts books, stop and target to new shares, and halts nothing (%s, F-D07, I-9, I-13)',
    async (ratio) => {
      await holding(() => announced(ratio));
      const paid = rig.engine.state.portfolio.holdings.get(AAPL_US)?.averageCost?.toNumber() ?? Number.NaN;
      rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price: Math.floor(paid / 2), timeInForce: 'gtc' }));
      await happened('submit-acked', 4);
      const before = kindsOf('gate-moved').length;
      await split(ratio);
      await happened('corporate-action');
      const shares = String(400 * Number(ratio));
      expect(held()).toBe(shares);
      expect(rig.engine.state.portfolio.holdings.get(AAPL_US)?.averageCost?.toNumber()).toBeCloseTo(
        paid / Number(ratio),
        6,
      );
      await eventually(() => fresh(shares).length === 2, 'stop and target in new shares');
      const stop = fresh(shares)
        .find(({ terms }) => terms.type === 'MIT')
        ?.terms.triggerPrice?.toNumber();
      expect(stop).toBeCloseTo((paid * 0.6) / Number(ratio), 0);
      await eventually(async () => (await standing()).join() === `LIT ${shares},MIT ${shares}`, 'no others');
      await eventually(() => rig.engine.state.live.size === 2, 'the order of before to be taken back');
      expect(rig.heard.some((each) => each.startsWith('canceled'))).toBe(true);
      await settled();
      // The trades of this day were in old shares. With them as new ones, the day would show a loss of 4 % or a gain.
      const since = rig.now();
      await eventually(() => rig.now() - since > 90_000, 'losses to be checked');
      expect(Math.abs(rig.engine.dayProfit()?.toNumber() ?? Number.NaN)).toBeLessThan(100_000);
      expect(gate().state).toBe('active');
      expect(kindsOf('gate-moved').length).toBe(before);
      expect(rig.alarms.filter(({ code }) => code === 'books-diverged')).toEqual([]);
    },
  );

  it('opens nothing, and loses nothing, while the price is new and the venue shows old shares (F-D07)', async () => {
    rig = await createSocketRig({
      startsAt: at('2025-09-03T10:30:00-04:00'),
      limits: { maxDailyLoss: decimal('0.02') },
      announcedSplits: () => announced('2'),
      knobs: [{ knob: 'venue.adjust', symbol: 'AAPL.US', quantity: '400', times: 1 }],
    });
    expect(held()).toBe('400');
    await rig.faults({ knob: 'venue.spike', symbol: 'AAPL.US', factor: '0.5' });
    const since = rig.now();
    await eventually(
      () => rig.now() - since > 90_000,
      'the books to be compared, and losses to be looked at',
    );
    expect(kindsOf('gate-moved')).toEqual([]);
    rig.want(orderDrafts.buy(SPY_US, 10));
    await happened('intent-denied');
    expect(kindsOf('intent-denied')).toMatchObject([
      { rule: 'books-agree', reason: expect.stringContaining('AAPL.US is split 2 for 1 today') },
    ]);
  });
});

describe('a flatten between a split and the next comparison of the books', () => {
  // Slow enough for two reads of the account within the wait of a flatten.
  const SPEED = 8;

  it.each(['2', '10', '0.1'])(
    'closes the new shares of an announced split, and the books agree (%s, F-D07, I-13)',
    async (ratio) => {
      await holding(() => announced(ratio), SPEED);
      await split(ratio);
      expect(await rig.command({ kind: 'kill', flatten: true, foreign: false })).toMatchObject({
        kind: 'done',
      });
      await eventually(() => rig.engine.state.flattening.size === 0, 'the flatten to end');
      expect(rig.engine.state.portfolio.holdings.get(AAPL_US)).toBeUndefined();
      expect(await positions()).toEqual([]);
      expect(kindsOf('corporate-action').length).toBe(1);
      await settled();
      expect(rig.alarms.map(({ code }) => code)).not.toContain('books-diverged');
      expect(rig.alarms.map(({ code }) => code)).not.toContain('flatten-incomplete');
    },
  );

  it.each([
    ['2', '400'],
    ['0.1', undefined],
  ])('closes what both have after a split that was not announced (%s, F-D07)', async (ratio, left) => {
    await holding(undefined, SPEED);
    await split(ratio);
    await rig.command({ kind: 'flatten' });
    await eventually(() => rig.alarms.some(({ code }) => code === 'flatten-incomplete'), 'the alarm');
    await eventually(async () => (await positions()).join() === (left ?? ''), 'the close');
    const alarm = rig.alarms.find(({ code }) => code === 'flatten-incomplete');
    expect(alarm?.message).toContain(`is 400 here and ${400 * Number(ratio)} at the venue`);
  });

  it('does not send the close of a strategy for old shares, and the position keeps its exits (F-D07)', async () => {
    await holding(() => announced('2'), SPEED);
    await split('2');
    rig.want(orderDrafts.close(AAPL_US));
    await happened('intent-denied');
    expect(kindsOf('intent-denied')).toMatchObject([
      { rule: 'books-agree', reason: expect.stringContaining('split 2 for 1') },
    ]);
    await eventually(() => held() === '800', 'the split to be booked');
    await eventually(() => fresh('800').length === 2, 'stop and target in new shares');
    rig.want(orderDrafts.close(AAPL_US));
    await eventually(async () => (await positions()).length === 0, 'the close');
    await settled();
    expect(rig.alarms.map(({ code }) => code)).not.toContain('books-diverged');
  });

  async function positions(): Promise<readonly string[]> {
    const answer = await answerOf(rig.client.broker.positions());
    if (answer.kind !== 'ok') throw new Error('The venue did not list its positions');
    return answer.value.map(({ quantity }) => String(quantity));
  }
});
