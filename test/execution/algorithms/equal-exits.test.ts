import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { createFold } from '#src/events/fold.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { algorithmId, type OrderLink } from '#src/model/algorithm.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { calendarDay } from '#src/model/time.ts';
import { judge } from '#src/risk/risk-gate.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import { fillsOf, setupOf } from '../../fixtures/backtest.ts';
import { AAPL, type BarRow, columnsOf } from '../../fixtures/market.ts';
import { acked, intentOf, termsOf } from '../../fixtures/orders.ts';
import { factsOf, limitsOf } from '../../fixtures/risk.ts';
import { stampsOf } from '../../fixtures/some-bars.ts';
import { seconds } from '../../fixtures/time.ts';
import { CLOSING } from '../../risk/judging.ts';

const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-05') };

/**
 * Six purchases of 50 at six limits, which the sixth bar all fills at one tick; part of the position may be sold at
 * its close.
 */
function ladder(exits: ExitTerms, period: '1m' | '30m' = '30m', sells = 0): RunSetup {
  const rows = stampsOf(AAPL, period, DAYS).map(
    (stamp, bar): BarRow => (bar === 5 ? [stamp, 10, 10, 9.2, 9.5, 4_000] : [stamp, 10, 10, 10, 10, 4_000]),
  );
  let bar = 0;
  const strategy = defineStrategy({
    name: 'ladder',
    params: {},
    exits: () => exits,
    onBar: (_event, { orders }) => {
      bar += 1;
      if (bar === 6 && sells > 0) return orders.sell(AAPL, sells);
      const limits = bar === 1 ? [9.9, 9.8, 9.7, 9.6, 9.5, 9.4] : [];
      return limits.map((price) => orders.buy(AAPL, 50, { type: 'LO', price }));
    },
  });
  return setupOf(strategy, [columnsOf(AAPL, period, rows)], {
    ...DAYS,
    cash: { USD: decimal('10000') },
    limits: limitsOf({ maxRepeats: 3, maxOrderRate: 10 }),
  });
}

describe('exits of several entries that are filled within a minute', () => {
  it.each<readonly [string, ExitTerms]>([
    ['stops', { stop: { amount: 1 } }],
    ['trailing stops with targets', { trail: { amount: 1 }, target: { percent: 20 } }],
  ])('are neither duplicates nor too many closing orders: %s', (_what, exits) => {
    const journal = createMemoryJournal();
    const alarms: Alarm[] = [];
    const record = runInFull(ladder(exits), { journal, onAlarm: (alarm) => alarms.push(alarm) });
    const events = [...journal.replay()];
    expect(events.filter(({ kind }) => kind === 'intent-denied')).toEqual([]);
    expect(alarms).toEqual([]);
    // Nothing was sold at the market.
    expect(fillsOf(record)).toHaveLength(6);
    const exitsSent = events.filter((event) => event.kind === 'intent-drafted' && event.link?.exit === true);
    expect(exitsSent).toHaveLength(6 * Object.keys(exits).length);
    expect(fillsOf(runBacktest(ladder(exits)))).toEqual(fillsOf(record));
  });
});

it('a sale of the strategy passes right after stops of the same size were sent, in both engines', () => {
  const journal = createMemoryJournal();
  const limits = limitsOf({ maxRepeats: 3, maxOrderRate: 30 });
  const setup = (): RunSetup => ({ ...ladder({ stop: { amount: 1 } }, '1m', 50), limits });
  const record = runInFull(setup(), { journal });
  expect([...journal.replay()].filter(({ kind }) => kind === 'intent-denied')).toEqual([]);
  expect(fillsOf(record)).toHaveLength(7);
  const express = runExpress(setup());
  expect(express.kind === 'bailed-out' ? express.why : express.fills.length).toBe(7);
  expect(fillsOf(runBacktest(setup()))).toEqual(fillsOf(record));
});

const STOP = termsOf({ side: 'sell', type: 'MIT', triggerPrice: decimal('9') });

describe('an exit', () => {
  const stopOf = (bracket: string, slot = 'stop'): OrderLink => ({
    ...{ algorithm: algorithmId(bracket), slot },
    ...{ exclusive: true, exit: true },
  });
  /** The gate's verdict on another sale of 100 after three of each of these exits within a minute. */
  function verdictAfter(
    before: readonly (OrderLink | undefined)[],
    link: OrderLink | undefined,
    limits = {},
    next = STOP,
  ) {
    const fold = createFold();
    const terms = STOP;
    for (const [place, each] of before.entries()) {
      const [draft] = acked(intentOf(`I${place}`, { terms }));
      if (draft?.kind !== 'intent-drafted') throw new Error('An order does not begin with its draft');
      const at = seconds(50 + place);
      fold.apply({ ...draft, at, ...(each === undefined ? {} : { link: each }) });
      fold.apply({ kind: 'intent-armed', at, intentId: draft.intentId, numbers: [] });
    }
    const intent = intentOf('NEXT', { terms: next, ...(link === undefined ? {} : { link }) });
    const recent = { orders: fold.state.gate.orders, denials: [], unattendedFills: 0 };
    const verdict = judge(
      intent,
      factsOf({ ...CLOSING, now: seconds(60), recent }),
      limitsOf({ maxRepeats: 3, maxOrderRate: 10, ...limits }),
    );
    return verdict.kind === 'denied' ? verdict.rule : verdict.kind;
  }
  const three = [stopOf('A'), stopOf('A'), stopOf('A')];

  it('is a duplicate of the same exit of its bracket, and of no other exit', () => {
    expect(verdictAfter(three, stopOf('A'))).toBe('duplicate-order');
    expect(verdictAfter(three, stopOf('A', 'trail'))).toBe('approved');
    expect(verdictAfter(three, stopOf('B'))).toBe('approved');
  });

  it('counts towards the closing orders per minute of its bracket', () => {
    const limits = { maxOrderRate: 3, maxRepeats: 100 };
    expect(verdictAfter(three, stopOf('A', 'target'), limits)).toBe('close-rate');
    expect(verdictAfter(three, stopOf('B'), limits)).toBe('approved');
  });

  it('does not count against a sale of the strategy, whose own sales do', () => {
    expect(verdictAfter(three, undefined)).toBe('approved');
    expect(verdictAfter(three, undefined, { maxOrderRate: 3, maxRepeats: 100 })).toBe('approved');
    const own = [undefined, undefined, undefined];
    expect(verdictAfter([...three, ...own], undefined)).toBe('duplicate-order');
    expect(verdictAfter([...three, ...own], undefined, { maxOrderRate: 3, maxRepeats: 100 })).toBe(
      'close-rate',
    );
  });

  it('and an order are repeated only by orders of the same type and trigger price', () => {
    const own = [undefined, undefined, undefined];
    const lower = termsOf({ side: 'sell', type: 'MIT', triggerPrice: decimal('8.5') });
    expect(verdictAfter(own, undefined, {}, lower)).toBe('approved');
    expect(verdictAfter(own, undefined, {}, termsOf({ side: 'sell', type: 'MO' }))).toBe('approved');
    expect(verdictAfter(three, stopOf('A'), {}, lower)).toBe('approved');
  });
});
