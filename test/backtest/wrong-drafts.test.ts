import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { barsBetween } from '#src/model/bar-columns.ts';
import { decimal } from '#src/model/decimal.ts';
import { omitUndefined } from '#src/model/omit-undefined.ts';
import type { SecuritySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { defineStrategy, type StrategyDefinition } from '#src/strategy/define-strategy.ts';
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

describe('a strategy that is written wrong', () => {
  const failureOf = (change: Partial<StrategyDefinition>): string => {
    const setup = setupOf(defineStrategy({ name: 'wrong', ...change }), [bars], DAYS);
    const failures = [runBacktest, runInFull].map((run) => {
      try {
        run(setup);
      } catch (thrown) {
        return String(thrown);
      }
      return 'none';
    });
    expect(new Set(failures).size).toBe(1);
    return failures[0] ?? '';
  };

  it('fails before its first bar if it only decides by signals and has none', () => {
    const message = 'it decides in onSignal alone, which is never called: none of its signals is one such as';
    const onSignal: StrategyDefinition['onSignal'] = ({ symbol }, { orders }) => orders.buy(symbol, 1);
    expect(failureOf({ onSignal })).toContain(message);
    expect(failureOf({ onSignal, signals: (on) => ({ mean: sma(on.bars.close, 3) }) })).toContain(message);
    expect(failureOf({ onSignal, onBar: () => undefined })).toBe('none');
  });

  it('fails with a message how to change a state if it changes the one that it received', () => {
    const changed = failureOf({
      state: { initial: { seen: [0], count: 0 } },
      onBar: (_bar, { state }) => {
        (state as { count: number }).count += 1;
        return undefined;
      },
    });
    expect(changed).toMatch(
      /Cannot assign to read only property 'count'.*a new state is returned: \{ state: /,
    );
    const pushed = failureOf({
      state: { initial: { seen: [0] } },
      onBar: (_bar, { state }) => {
        (state as { seen: number[] }).seen.push(1);
        return undefined;
      },
    });
    expect(pushed).toContain('a new state is returned');
    expect(failureOf({ onBar: () => [].length.toFixed(101) as never })).not.toContain('a new state');
  });

  it('fails at the hook that returned an order in a symbol that it does not trade', () => {
    const message = failureOf({ onBar: (_bar, { orders }) => orders.buy('AAPL' as SecuritySymbol, 1) });
    expect(message).toContain(
      'Strategy "wrong" returned an order in "AAPL", which is none of its symbols (AAPL.US), did you mean "AAPL.US"? (in onBar on AAPL.US at 2024-03-04 21:00 UTC)',
    );
  });
});

describe('exits on the wrong side of an entry', () => {
  type Entry = readonly [side: 'buy' | 'sell', limit?: number | undefined, trigger?: number];

  const TYPES = [
    ['MO', 'LO'],
    ['MIT', 'LIT'],
  ] as const;

  /** The result of an entry at a last price of 101 in both engines: its fills, and why it was left out. */
  function outcomes([side, limit, trigger]: Entry, exits: ExitTerms): ReadonlySet<string> {
    const strategy = defineStrategy({
      name: 'bracket',
      params: {},
      onBar: ({ symbol }, { orders }) => {
        const type = TYPES[trigger === undefined ? 0 : 1][limit === undefined ? 0 : 1];
        const terms = omitUndefined({ type, price: limit, triggerPrice: trigger });
        return orders.bracket(orders[side](symbol, 1, terms), exits);
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
    // At the market the newest price, 101, is about what is paid.
    [
      ['buy'],
      { stop: '101.01' },
      'exit "stop" at 101.01 is not below the price 101 at which the position is bought',
    ],
    [['buy'], { stop: 90, target: 100 }, 'exit "target" at 100 is not above the price 101'],
    [['sell'], { stop: 100 }, 'exit "stop" at 100 is not above the price 101'],
    [['sell'], { target: 102 }, 'exit "target" at 102 is not below the price 101'],
    [['buy', undefined, 104], { stop: 105 }, 'exit "stop" at 105 is not below the price 104'],
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
    [['buy'], { stop: 101, target: 101 }],
    [['buy'], { stop: 90, target: 110 }],
    [['buy'], { stop: { percent: 1 }, target: { percent: 1 } }],
    [['sell'], { stop: 110, target: 90 }],
    [['buy', undefined, 104], { stop: 102, target: 106 }],
  ])('are sent if they are valid: %j under %j', (entry, exits) => {
    expect([...outcomes(entry, exits)]).toEqual(['1 sent']);
  });
});
