import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { Decision } from '#src/strategy/order-draft.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { createEngineRig } from '../fixtures/engine-rig.ts';
import { AAPL, columnsOf } from '../fixtures/market.ts';
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

describe('a draft that was written by hand and is wrong', () => {
  it.each(WRONG)('fails the strategy in a backtest, where it returned it: %j', (draft, what) => {
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
