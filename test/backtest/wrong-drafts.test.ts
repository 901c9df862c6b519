import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { barsBetween } from '#src/model/bar-columns.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import type { Decision } from '#src/strategy/order-draft.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { createEngineRig } from '../fixtures/engine-rig.ts';
import { AAPL, columnsOf } from '../fixtures/market.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-28') };
const bars = columnsOf(
  AAPL,
  '1d',
  stampsOf(AAPL, '1d', DAYS).map((stamp) => [stamp, 100, 102, 98, 101]),
);

const ORDER = { kind: 'order', symbol: AAPL, side: 'buy', quantity: 1 };
const WRONG: readonly (readonly [unknown, string])[] = [
  [{ ...ORDER, exit: { stop: { percent: 2 } } }, '"exit" in a draft of kind "order" (did you mean "exits"?)'],
  [{ ...ORDER, exits: { stop: -1 } }, 'an exits.stop that is -1, want a price such as 95.5'],
  [{ ...ORDER, terms: { type: 'LO', price: 'ten' } }, 'a terms.price that is "ten", want a number'],
  [
    { kind: 'target-quantity', symbol: AAPL, qty: 1 },
    '"qty" in a draft of kind "target-quantity" (did you mean "quantity"?)',
  ],
  [
    { kind: 'target-weight', symbol: AAPL, weight: 0.5, exit: {} },
    '"exit" in a draft of kind "target-weight"',
  ],
];

describe('an invalid draft written by hand', () => {
  it.each(WRONG)('fails the strategy in a backtest, at the hook that returned it: %j', (draft, what) => {
    const strategy = defineStrategy({ name: 'by-hand', params: {}, onBar: () => draft as Decision });
    const setup = setupOf(strategy, [bars], { ...DAYS, cash: { USD: decimal('10000') } });
    expect(() => runBacktest(setup)).toThrow(`Strategy "by-hand" returned ${what}`);
    expect(() => runBacktest(setup)).toThrow('(in onBar on AAPL.US at 2024-03-0');
  });

  it.each(WRONG)('quarantines its strategy in a running bot, and the others continue: %j', (draft, what) => {
    const rig = createEngineRig({
      members: {
        wrong: { strategy: { onQuote: () => draft as Decision } },
        right: { strategy: { onQuote: (_quote, { orders }) => orders.buy(AAPL, 1) } },
      },
    });
    rig.start();
    rig.quote(10);
    rig.quote(10);
    expect([...rig.engine.quarantined]).toEqual(['wrong']);
    const failed = [...rig.journal.replay()].flatMap((event) =>
      event.kind === 'strategy-failed' ? [event.message] : [],
    );
    expect(failed).toEqual([expect.stringContaining(`Strategy "wrong" returned ${what}`)]);
    expect(rig.kinds().filter((kind) => kind === 'submit-acked')).toHaveLength(2);
  });
});

describe('exits on the wrong side of a limit entry', () => {
  type Entry = readonly [side: 'buy' | 'sell', limit: number, trigger?: number];

  /** The result of an entry at a last price of 101 in both engines: its fills, and why it was left out. */
  function outcomes([side, limit, trigger]: Entry, exits: ExitTerms): ReadonlySet<string> {
    const strategy = defineStrategy({
      name: 'bracket',
      params: {},
      onBar: ({ symbol }, { orders }) => {
        const terms = trigger === undefined ? { price: limit } : { price: limit, triggerPrice: trigger };
        const type = trigger === undefined ? 'LO' : 'LIT';
        return orders.bracket(orders[side](symbol, 1, { type, ...terms }), exits);
      },
    });
    const setup = {
      ...setupOf(strategy, [barsBetween(bars, 0, 1)], {
        ...DAYS,
        cash: { USD: decimal('10000') },
        margin: MARGIN_ACCOUNT,
      }),
      short: true,
      limits: limitsOf({ allowShort: true, useMargin: true }),
    };
    const texts = [runBacktest(setup), runInFull(setup)].map(({ flow, leftOut = [] }) =>
      [`${flow.orders} sent`, ...leftOut.map(({ reason }) => reason)].join(': '),
    );
    return new Set(texts);
  }

  it.each<readonly [Entry, ExitTerms, string]>([
    [
      ['buy', 100],
      { stop: 100 },
      'exit "stop" at 100 is not below the limit 100 at which the position is bought',
    ],
    [['buy', 100], { stop: '100.5', target: 110 }, 'exit "stop" at 100.5 is not below the limit 100'],
    [['buy', 105], { stop: 106 }, 'exit "stop" at 106 is not below the limit 105'],
    [['buy', 100], { target: 99 }, 'exit "target" at 99 is not above the limit 100'],
    [['buy', 106, 105], { target: 104 }, 'exit "target" at 104 is not above the limit 106'],
    [
      ['sell', 102],
      { stop: 102 },
      'exit "stop" at 102 is not above the limit 102 at which the position is sold short',
    ],
    [['sell', 102], { target: 103 }, 'exit "target" at 103 is not below the limit 102'],
  ])('leave the entry out, with both prices: %j under %j', (entry, exits, reason) => {
    const [one, ...others] = outcomes(entry, exits);
    expect(others).toEqual([]);
    expect(one).toContain(`0 sent: ${reason}`);
    expect(one).toMatch(/: it would be closed at once$/);
  });

  it.each<readonly [Entry, ExitTerms]>([
    [['buy', 100], { stop: 99.99, target: 100.01 }],
    // Filled at or near the last price: a limit beyond it is no entry price.
    [['buy', 105], { stop: 95, target: 104 }],
    [['buy', 100], { stop: { percent: 1 }, target: { amount: 1 } }],
    [['sell', 95], { target: 96 }],
    [['sell', 102], { stop: 103, target: 101.5 }],
  ])('are sent if they are valid: %j under %j', (entry, exits) => {
    expect([...outcomes(entry, exits)]).toEqual(['1 sent']);
  });
});
