import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { executionsNow, orderSplit } from '#src/events/records/split-record.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { executionId } from '#src/model/order.ts';
import { draftOrder, moveOrder } from '#src/model/order-state.ts';
import { calendarDay } from '#src/model/time.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy, type StrategyDefinition } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import { fillsOf, setupOf } from '../../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf } from '../../fixtures/market.ts';

const DAYS = ['04', '05', '06', '07', '08'].map((day) => `2024-03-${day}`);

/** A day's only price, or its open, high, low and close. */
type Day = number | readonly [number, number, number, number];

/** Runs over five days with splits on some of them; a split voids orders from before it. */
function run(
  definition: Partial<StrategyDefinition>,
  days: readonly Day[],
  splits: Readonly<Record<string, string>>,
) {
  const rows = days.map((day, index): BarRow => {
    const prices = typeof day === 'number' ? ([day, day, day, day] as const) : day;
    return [at(`${DAYS[index]}T00:00:00-05:00`), ...prices, 100_000];
  });
  const journal = createMemoryJournal();
  const setup = setupOf(defineStrategy({ name: 'held', params: {}, ...definition }), [
    columnsOf(AAPL, '1d', rows),
  ]);
  const record = runBacktest(
    {
      ...setup,
      rules: {
        ...DEFAULT_RULES,
        corporateActions: true,
        fills: { ...DEFAULT_RULES.fills, splitOrders: 'cancel' },
      },
      corporateActions: Object.entries(splits).map(([day, ratio]) => ({
        ...{ kind: 'split' as const, symbol: AAPL },
        ...{ exDay: calendarDay(`2024-03-${day}`), ratio: decimal(ratio) },
      })),
    },
    { journal },
  );
  const events = [...journal.replay()];
  const ends = events.flatMap((event) =>
    event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : [],
  );
  return { fills: fillsOf(record).map((fill) => fill.slice(0, 5) + fill.slice(11, -7)), ends, events };
}

/** Buys 31 at the first close, with exits. */
const bracket = (exits: ExitTerms): Partial<StrategyDefinition> => ({
  onBar: ({ symbol, bar }, { orders }) =>
    new Date(bar.time).getUTCDate() === 4 ? orders.bracket(orders.buy(symbol, 31), exits) : undefined,
});

describe('a bracket over a split that voids its orders', () => {
  it.each<[string, ExitTerms]>([
    ['percent', { stop: { percent: 10 }, target: { percent: 20 } }],
    ['prices', { stop: 90, target: 120 }],
    ['amounts', { stop: { amount: 10 }, target: { amount: 20 } }],
  ])('has its stop again, for the new shares at the new price (%s)', (_what, exits) => {
    const { fills, ends } = run(bracket(exits), [100, 100, 50, [50, 50, 44, 44], 44], { '06': '2' });
    expect(fills).toEqual(['03-05 buy 31 at 100', '03-07 sell 62 at 45']);
    expect(ends).toEqual(['done: left by its stop']);
  });

  it('has its target again', () => {
    const exits = { stop: { percent: 10 }, target: { percent: 20 } };
    const { fills, ends } = run(bracket(exits), [100, 100, 50, [50, 70, 50, 70], 70], { '06': '2' });
    expect(fills).toEqual(['03-05 buy 31 at 100', '03-07 sell 62 at 60']);
    expect(ends).toEqual(['done: left by its target']);
  });

  it('trails by a distance in new shares, from the new price on', () => {
    const { fills } = run(
      bracket({ trail: { amount: 10 } }),
      [100, 100, 50, [50, 60, 50, 60], [60, 60, 50, 50]],
      { '06': '2' },
    );
    expect(fills).toEqual(['03-05 buy 31 at 100', '03-08 sell 62 at 55']);
  });

  it('does not compare a price from before a reverse split with its stop', () => {
    // 310 old shares are 31 at ten times the price: 100 is far below the stop at 900, and is a price of old shares.
    const { fills } = run(
      {
        onBar: ({ symbol, bar }, { orders }) =>
          new Date(bar.time).getUTCDate() === 4
            ? orders.bracket(orders.buy(symbol, 31), { stop: { percent: 10 } })
            : undefined,
      },
      [100, 100, 1000, 1000, [1000, 1000, 800, 800]],
      { '06': '0.1' },
    );
    expect(fills).toEqual(['03-05 buy 31 at 100', '03-08 sell 3 at 900']);
  });

  it('keeps its stop at the fill price once it had broken even', () => {
    const exits = { stop: { percent: 20 }, breakEven: { percent: 10 } };
    const { fills } = run(bracket(exits), [100, [100, 115, 100, 112], 55, [55, 55, 46, 46], 46], {
      '06': '2',
    });
    expect(fills).toEqual(['03-05 buy 31 at 100', '03-07 sell 62 at 50']);
  });

  it('continues over one split after another, and protects the position to the last share', () => {
    // 31 shares are 46 after three for two, and 92 after two for one: the fraction was paid out.
    const { fills, ends } = run(bracket({ stop: { percent: 10 } }), [100, 100, 66, 33, [33, 33, 20, 20]], {
      '06': '1.5',
      '07': '2',
    });
    expect(fills).toEqual(['03-05 buy 31 at 100', '03-08 sell 92 at 30']);
    expect(ends).toEqual(['done: left by its stop']);
  });

  it('ends with an entry that nothing filled', () => {
    const { fills, ends } = run(
      {
        onBar: ({ symbol, bar }, { orders }) =>
          new Date(bar.time).getUTCDate() === 4
            ? orders.bracket(orders.buy(symbol, 31, { type: 'LO', price: 80, timeInForce: 'gtc' }), {
                stop: 70,
              })
            : undefined,
      },
      [100, 100, 50, 50, 50],
      { '06': '2' },
    );
    expect(fills).toEqual([]);
    expect(ends).toEqual(['canceled: nothing was opened: CanceledStatus']);
  });
});

describe('the legs of an OCO', () => {
  it('end with a split, like single orders', () => {
    const { fills, ends } = run(
      {
        onBar: ({ symbol, bar }, { orders }) => {
          const day = new Date(bar.time).getUTCDate();
          if (day === 4) return orders.buy(symbol, 31);
          if (day !== 5) return undefined;
          const leg = (price: number) => orders.sell(symbol, 31, { type: 'LO', price, timeInForce: 'gtc' });
          return orders.oco([leg(130), leg(140)]);
        },
      },
      [100, 100, 50, 150, 150],
      { '06': '2' },
    );
    expect(fills).toEqual(['03-05 buy 31 at 100']);
    expect(ends).toEqual([expect.stringMatching(/^canceled: /)]);
  });
});

describe('executions of an order whose shares were split', () => {
  const facets = (...quantities: readonly string[]) =>
    quantities.reduce(
      (order, quantity, index) =>
        moveOrder(order, {
          kind: 'executed',
          executionId: executionId(`e${index}`),
          quantity: decimal(quantity),
          price: decimal('100'),
        }),
      draftOrder(decimal('31')),
    );
  const reported = (order: Parameters<typeof executionsNow>[0]) =>
    executionsNow(order).map(({ quantity, price }) => `${quantity} at ${price}`);

  it('are converted to new shares, unlike those that follow the split', () => {
    const first = orderSplit(facets('10'), undefined, decimal('2'));
    expect(reported({ facets: facets('10'), split: first })).toEqual(['20 at 50']);
    expect(reported({ facets: facets('10', '5'), split: first })).toEqual(['20 at 50', '5 at 100']);
    const second = orderSplit(facets('10', '5'), first, decimal('4'));
    expect(reported({ facets: facets('10', '5', '1'), split: second })).toEqual([
      ...['80 at 12.5', '20 at 25'],
      '1 at 100',
    ]);
    expect(second.ratio.toString()).toBe('8');
  });
});
