import { expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { denialsOf } from '#src/reports/denials.ts';
import { priceLevels } from '#src/reports/price-levels.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import type { StrategyContext } from '#src/strategy/context.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import type { Decision } from '#src/strategy/order-draft.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { AAPL, type BarRow, columnsOf } from '../fixtures/market.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const DOLLARS = { cash: { USD: decimal('10000') } };
const TSLA = securitySymbol('TSLA.US');

/**
 * Asserts that both engines agree. `setup` is called for each, as strategies here count their calls. Returns the
 * record of the full engine.
 */
function expectSameIn(setup: () => RunSetup) {
  const factsOf = (run: (each: RunSetup, options: { onAlarm: (alarm: Alarm) => void }) => RunRecord) => {
    const alarms: Alarm[] = [];
    const record = run(setup(), { onAlarm: (alarm) => alarms.push(alarm) });
    const { fills, flow, equity, assumptions } = record;
    return {
      ...{ flow, equity, assumptions, alarms },
      ...{ denials: denialsOf(record), levels: priceLevels(record) },
      fills: fills.map(({ orderId, symbol, quantity, price, time }) =>
        [orderId, symbol, quantity, price, time].join(' '),
      ),
    };
  };
  const [facts, full] = [factsOf(runBacktest), factsOf(runInFull)];
  expect(facts).toEqual(full);
  return full;
}

it('a loss of the day that only the opening tick of a fill shows stops both engines', () => {
  const days = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };
  const rows = stampsOf(AAPL, '1d', days).map(
    (stamp, day): BarRow => (day === 2 ? [stamp, 9.4, 10, 9.4, 10] : [stamp, 10, 10, 10, 10]),
  );
  expectSameIn(() => {
    const quantities = [500, 10, 20];
    const strategy = defineStrategy({
      ...{ name: 'buys', params: {} },
      onBar: (_bar, { orders }) => {
        const quantity = quantities.shift();
        return quantity === undefined ? undefined : orders.buy(AAPL, quantity);
      },
    });
    const limits = limitsOf({ maxDailyLoss: decimal('0.02') });
    return setupOf(strategy, [columnsOf(AAPL, '1d', rows)], { ...days, ...DOLLARS, limits });
  });
});

it('a sale of a position with exits by time alone is visible as open to every hook of its instant', () => {
  const day = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-05') };
  const history = [AAPL, TSLA].map((symbol) =>
    columnsOf(
      symbol,
      '30m',
      stampsOf(symbol, '30m', day).map((stamp): BarRow => [stamp, 10, 10, 10, 10, 1_000]),
    ),
  );
  const setup = (seen: number[]): RunSetup => {
    let bars = 0;
    const strategy = defineStrategy({
      ...{ name: 'closes', params: {} },
      onBar: ({ symbol }, { orders, position }) => {
        seen.push(position(AAPL).openSells);
        bars += symbol === AAPL ? 1 : 0;
        if (symbol !== AAPL) return undefined;
        if (bars === 2) return orders.bracket(orders.buy(AAPL, 100), { afterMinutes: 240 });
        return bars === 5 ? orders.close(AAPL) : undefined;
      },
    });
    return setupOf(strategy, history, { ...day, ...DOLLARS });
  };
  const [seen, seenInFull]: [number[], number[]] = [[], []];
  const express = runExpress(setup(seen));
  expect(express.kind === 'bailed-out' ? express.why : express.fills.length).toBe(2);
  runInFull(setup(seenInFull));
  expect(seen).toEqual(seenInFull);
  expect(seen.filter((shares) => shares > 0)).toEqual([100]);
  expectSameIn(() => setup([]));
});

it('two sales from one onFill take the shares of a tick in the order of sending', () => {
  const day = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-06') };
  const rows = stampsOf(AAPL, '30m', day).map((stamp): BarRow => [stamp, 10, 10.2, 9.9, 10.1, 1_200]);
  for (const prices of [
    [9.9, undefined],
    [10, 9.9],
  ] as const)
    expectSameIn(() => {
      let bars = 0;
      let fills = 0;
      const strategy = defineStrategy({
        ...{ name: 'takes-profit', params: {} },
        onBar: (_bar, { orders }) => {
          bars += 1;
          return bars === 1 ? orders.buy(AAPL, 400) : bars === 6 ? orders.buy(AAPL, 100) : undefined;
        },
        onFill: ({ fill }, { orders }) => {
          fills += fill.side === 'buy' ? Number(fill.quantity) : 0;
          if (fill.side !== 'buy' || fills !== 500) return undefined;
          return prices.map((price) =>
            price === undefined ? orders.sell(AAPL, 100) : orders.sell(AAPL, 100, { type: 'LO', price }),
          );
        },
      });
      const rules = {
        ...DEFAULT_RULES,
        fills: { ...DEFAULT_RULES.fills, participation: 0.5 },
      };
      return setupOf(strategy, [columnsOf(AAPL, '30m', rows)], { ...day, ...DOLLARS, rules });
    });
});

it.each([
  ['an order of another symbol', false, 1_000],
  ['an order of another symbol too soon after them', false, 2],
  ['the close of their position', true, 1_000],
])('exits that expire at a close are sent again before %s at that close', (_what, closes, maxOrderRate) => {
  const span = { from: calendarDay('2024-03-04'), to: calendarDay('2024-06-28') };
  const history = [AAPL, TSLA].map((symbol) =>
    columnsOf(
      symbol,
      '1d',
      stampsOf(symbol, '1d', span).map((stamp): BarRow => [stamp, 10, 10, 10, 10]),
    ),
  );
  const setup = (): RunSetup => {
    const strategy = defineStrategy({
      ...{ name: 'holds', params: {} },
      onBar: ({ symbol, time }, { orders, position }) => {
        const day = new Date(time).toISOString().slice(0, 10);
        if (symbol === AAPL && day === '2024-03-04')
          return orders.bracket(orders.buy(AAPL, 100), { stop: { percent: 50 }, target: { percent: 50 } });
        if (day !== '2024-06-03') return undefined;
        if (closes) return symbol === AAPL ? orders.sell(AAPL, position(AAPL).quantity) : undefined;
        return symbol === TSLA ? orders.buy(TSLA, 10) : undefined;
      },
    });
    return setupOf(strategy, history, {
      ...span,
      ...DOLLARS,
      limits: limitsOf({ maxOrderRate }),
    });
  };
  expectSameIn(setup);
  const express = runExpress(setup());
  expect(express.kind === 'bailed-out' ? express.why : express.renewedExits).toBe(2);
});

it.each([
  ['TWAP', '2024-03-06', 7],
  ['TWAP that runs into the lunch break of Hong Kong', '2024-03-06', 150],
  ['TWAP that runs on after the close', '2024-03-06', 328],
])('a %s sends each part at its time in both engines', (_what, day, startsAfter) => {
  const symbol = securitySymbol('700.HK');
  const days = { from: calendarDay(day), to: calendarDay('2024-03-07') };
  const rows = stampsOf(symbol, '1m', days).map((stamp, bar): BarRow => {
    const price = 20 + (bar % 7) / 10;
    return [stamp, price, price + 0.2, price - 0.2, price + 0.1, 5_000];
  });
  const setup = (): RunSetup => {
    let bars = 0;
    const strategy = defineStrategy({
      ...{ name: 'in-parts', params: {} },
      onBar: (_bar, { orders }) => {
        bars += 1;
        return bars === startsAfter
          ? orders.twap(orders.buy(symbol, 700), { minutes: 6, parts: 3 })
          : undefined;
      },
    });
    return setupOf(strategy, [columnsOf(symbol, '1m', rows)], {
      ...days,
      ...{ currency: 'HKD', cash: { HKD: decimal('100000') } },
      // Parts of one order count as one order.
      limits: limitsOf({ maxOrderRate: 1, maxOpenOrders: 1 }),
    });
  };
  expectSameIn(setup);
  const express = runExpress(setup());
  expect(express.kind === 'bailed-out' ? express.why : express.fills.length).toBe(3);
});

it('a TWAP of triggers waits for them in both engines', () => {
  const days = { from: calendarDay('2024-03-06'), to: calendarDay('2024-03-06') };
  const rows = stampsOf(AAPL, '1m', days).map((stamp, bar): BarRow => {
    const price = bar < 60 ? 10 : 9.5;
    return [stamp, price, price, price, price, 5_000];
  });
  const setup = (): RunSetup => {
    let bars = 0;
    const strategy = defineStrategy({
      ...{ name: 'triggers-in-parts', params: {} },
      onBar: (_bar, { orders }) => {
        bars += 1;
        if (bars === 1) return orders.buy(AAPL, 300);
        const sale = orders.sell(AAPL, 300, { type: 'MIT', triggerPrice: 9.8 });
        return bars === 10 ? orders.twap(sale, { minutes: 6, parts: 3 }) : undefined;
      },
    });
    return setupOf(strategy, [columnsOf(AAPL, '1m', rows)], { ...days, cash: { USD: decimal('100000') } });
  };
  expectSameIn(setup);
  expect(runExpress(setup())).toMatchObject({ kind: 'bailed-out', why: 'a sliced MIT order' });
});

it.each([
  ['more than is held', 150, 10, '100'],
  ['beyond the price collar', 100, 11, '0.02'],
])(
  'sales of several symbols that are queued at one close are sent symbol by symbol: the first is denied as %s',
  (_what, quantity, price, collar) => {
    const day = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-06') };
    const history = [AAPL, TSLA].map((symbol) =>
      columnsOf(
        symbol,
        '30m',
        stampsOf(symbol, '30m', day).map((stamp): BarRow => [stamp, 10, 10.2, 9.9, 10.1]),
      ),
    );
    const setup = (): RunSetup => {
      let bars = 0;
      const strategy = defineStrategy({
        ...{ name: 'sells-too-much', params: {} },
        exits: () => ({ stop: { percent: 20 }, target: { percent: 20 } }),
        onBar: ({ symbol }, { orders }) => {
          bars += symbol === AAPL ? 1 : 0;
          if (bars === 2) return orders.buy(symbol, 100);
          if (bars !== 5) return undefined;
          // The first sale is denied, so its exits are sent again before the second sale.
          return symbol === AAPL
            ? orders.sell(symbol, quantity, { type: 'LO', price })
            : orders.sell(symbol, 100);
        },
      });
      return setupOf(strategy, history, {
        ...day,
        ...DOLLARS,
        limits: limitsOf({ allowShort: false, priceCollar: decimal(collar) }),
      });
    };
    expectSameIn(setup);
    const express = runExpress(setup());
    expect(express.kind === 'bailed-out' ? express.why : express.orders).toBe(9);
  },
);

const WEEK = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };

/** A run over bars of AAPL, some of which are given. `decide` receives the number of each closed bar, from 1. */
function runOf({
  bars = {},
  decide,
  exits,
  period = '30m',
  ...change
}: {
  readonly bars?: Readonly<Record<number, readonly [number, number, number, number]>>;
  readonly decide: (bar: number, context: StrategyContext) => Decision;
  readonly exits?: ExitTerms;
  readonly period?: '1m' | '30m' | '1d';
} & Partial<Pick<RunSetup, 'rules' | 'policy' | 'from' | 'to'>>): RunSetup {
  const days = { ...WEEK, ...change };
  const stamps = stampsOf(AAPL, period, days);
  const rows = stamps.map((stamp, bar): BarRow => [stamp, ...(bars[bar + 1] ?? [10, 10, 10, 10]), 400]);
  let bar = 0;
  const strategy = defineStrategy({
    ...{ name: 'corner', params: {} },
    ...(exits === undefined ? {} : { exits: () => exits }),
    onBar: (_event, context) => {
      bar += 1;
      return decide(bar, context);
    },
  });
  return setupOf(strategy, [columnsOf(AAPL, period, rows)], { ...WEEK, ...DOLLARS, ...change });
}

const quantityAndPrice = (fill: string): string => fill.split(' ').slice(2, 4).join(' at ');

it('an entry at the tick that executes a stop has exits at its own price, not those of an entry that was sold in part', () => {
  const full = expectSameIn(() =>
    runOf({
      bars: {
        2: [10, 10, 10, 9.95],
        3: [9.95, 10, 9.95, 10],
        6: [10, 10, 9.86, 9.95],
        9: [9.95, 9.95, 9.7, 9.7],
      },
      exits: { stop: { amount: 0.1 }, target: { percent: 5 } },
      decide: (bar, { orders }) => {
        if (bar === 1 || bar === 2) return orders.buy(AAPL, 100);
        if (bar === 3) return orders.sell(AAPL, 50);
        return bar === 5 ? orders.buy(AAPL, 50, { type: 'LO', price: 9.88 }) : undefined;
      },
    }),
  );
  expect([full.alarms, full.denials]).toEqual([[], []]);
  expect(full.fills.slice(3).map(quantityAndPrice)).toEqual([
    '100 at 9.9',
    '50 at 9.88',
    '50 at 9.85',
    '50 at 9.78',
  ]);
});

it('a purchase without exits is kept if the tick that fills it executes the stop of an entry that was sold in part', () => {
  const full = expectSameIn(() =>
    runOf({
      bars: { 6: [10, 10, 9.86, 9.95] },
      decide: (bar, { orders }) => {
        if (bar === 1)
          return orders.bracket(orders.buy(AAPL, 200), { stop: { amount: 0.1 }, target: { percent: 5 } });
        if (bar === 3) return orders.sell(AAPL, 100);
        return bar === 5 ? orders.bracket(orders.buy(AAPL, 100, { type: 'LO', price: 9.88 }), {}) : undefined;
      },
    }),
  );
  expect(full.alarms).toEqual([]);
  expect(full.fills.map(quantityAndPrice)).toEqual(['200 at 10', '100 at 10', '100 at 9.9', '100 at 9.88']);
});

it('the exits of an entry that was sold in part do not cover a later purchase without exits', () => {
  const full = expectSameIn(() =>
    runOf({
      bars: { 9: [10, 10, 9.5, 9.5] },
      decide: (bar, { orders }) => {
        if (bar === 1) return orders.bracket(orders.buy(AAPL, 200), { stop: { amount: 0.1 } });
        if (bar === 3) return orders.sell(AAPL, 100);
        return bar === 5 ? orders.bracket(orders.buy(AAPL, 300), {}) : undefined;
      },
    }),
  );
  expect(full.alarms).toEqual([]);
  expect(full.fills.map(quantityAndPrice)).toEqual(['200 at 10', '100 at 10', '300 at 10', '100 at 9.9']);
});

it('an entry that is filled by the tick that executes the stop of another bracket has its own exits at once', () => {
  const full = expectSameIn(() =>
    runOf({
      bars: { 6: [10, 10, 9.86, 9.95], 9: [10, 10, 9.7, 9.7] },
      exits: { stop: { amount: 0.1 }, target: { percent: 5 } },
      decide: (bar, { orders }) => {
        if (bar === 1) return orders.buy(AAPL, 100);
        return bar === 3 ? orders.buy(AAPL, 50, { type: 'LO', price: 9.88 }) : undefined;
      },
    }),
  );
  expect([full.alarms, full.denials]).toEqual([[], []]);
  expect(full.fills.map(quantityAndPrice)).toEqual(['100 at 10', '100 at 9.9', '50 at 9.88', '50 at 9.78']);
});

it('a purchase without exits at the tick at which a sale ends the bracket of its symbol raises no exits-missing', () => {
  const full = expectSameIn(() =>
    runOf({
      bars: { 5: [10.6, 10.6, 10.6, 10.6] },
      decide: (bar, { orders }) => {
        if (bar === 1) return orders.bracket(orders.buy(AAPL, 100), { stop: { percent: 5 } });
        if (bar === 3) return orders.sell(AAPL, 100, { type: 'LO', price: 10.5 });
        return bar === 4 ? orders.buy(AAPL, 100) : undefined;
      },
    }),
  );
  expect(full.flow.fills).toBe(3);
  expect(full.alarms.filter(({ facts }) => facts['slot'] === 'all')).toEqual([]);
});

it.each([
  ['after the exits were cancelled for it', 1],
  ['before the entry whose exits wait for it was filled', 0],
])('a sale that was sent %s is cancelled after exactly a minute', (_what, alarms) => {
  const full = expectSameIn(() =>
    runOf({
      period: '1m',
      ...{ from: WEEK.from, to: WEEK.from },
      policy: { orderType: 'MO', offsetTicks: 0, cancelAfterMs: 60_000 },
      decide: (bar, { orders }) => {
        const entry = orders.bracket(orders.buy(AAPL, 100), { stop: { percent: 5 } });
        const sale = orders.sell(AAPL, 100, { type: 'LO', price: 11 });
        if (alarms === 1) return bar === 1 ? entry : bar === 5 ? sale : undefined;
        return bar === 1 ? orders.buy(AAPL, 100) : bar === 5 ? [sale, entry] : undefined;
      },
    }),
  );
  expect(full.alarms.filter(({ code }) => code === 'exits-missing')).toHaveLength(alarms);
});

it('an entry with exits is cancelled at the end of its time, like any other order, and opens no position', () => {
  const full = expectSameIn(() =>
    runOf({
      period: '1m',
      ...{ from: WEEK.from, to: WEEK.from },
      bars: { 6: [9, 9, 9, 9] },
      policy: { orderType: 'MO', offsetTicks: 0, cancelAfterMs: 120_000 },
      decide: (bar, { orders }) =>
        bar === 1
          ? orders.bracket(orders.buy(AAPL, 100, { type: 'LO', price: 9.5 }), { stop: { percent: 5 } })
          : undefined,
    }),
  );
  expect([full.flow.orders, full.flow.fills, full.alarms]).toEqual([1, 0, []]);
});

it('the rest of a sale whose trigger was met covers no position', () => {
  const full = expectSameIn(() =>
    runOf({
      period: '1m',
      ...{ from: WEEK.from, to: WEEK.from },
      bars: { 7: [10.2, 10.2, 10.2, 10.2] },
      rules: { ...DEFAULT_RULES, fills: { ...DEFAULT_RULES.fills, participation: 0.1 } },
      decide: (bar, { orders }) => {
        if (bar === 1) return orders.bracket(orders.buy(AAPL, 10), { stop: { percent: 5 } });
        if (bar === 2) return orders.buy(AAPL, 190);
        return bar === 20 ? orders.sell(AAPL, 200, { type: 'MIT', triggerPrice: 10 }) : undefined;
      },
    }),
  );
  expect(full.alarms.map(({ code }) => code)).toContain('exits-missing');
});

it('stops that two entries place at one close are sent in the order in which the entries were filled', () => {
  expectSameIn(() =>
    runOf({
      bars: {
        2: [10, 10, 9.9, 9.9],
        3: [9.9, 9.9, 9.7, 9.9],
        4: [9.9, 9.9, 9.9, 9.9],
        5: [9.9, 10.3, 9.9, 10.3],
        6: [10.3, 10.3, 9.7, 9.9],
      },
      exits: { breakEven: { percent: 2 }, target: { percent: 20 } },
      decide: (bar, { orders }) => {
        if (bar === 1) return orders.buy(AAPL, 100, { type: 'LO', price: 9.8 });
        return bar === 2 ? orders.buy(AAPL, 100) : undefined;
      },
    }),
  );
});

it('the expiry of an exit that its bracket placed later is reported at its own first time', () => {
  const full = expectSameIn(() =>
    runOf({
      period: '1d',
      ...{ from: calendarDay('2024-03-04'), to: calendarDay('2025-01-10') },
      bars: Object.fromEntries(Array.from({ length: 200 }, (_, bar) => [70 + bar, [11, 11, 11, 11]])),
      decide: (bar, { orders }) => {
        if (bar === 1)
          return orders.bracket(orders.buy(AAPL, 200), {
            breakEven: { percent: 5 },
            target: { percent: 50 },
            trail: { percent: 90 },
          });
        return bar === 71 ? orders.sell(AAPL, 100) : undefined;
      },
    }),
  );
  expect(full.alarms.map(({ facts }) => facts)).toContainEqual({ symbol: AAPL, slot: 'stop' });
});

it('exits that expire together are sent again in the order in which they were sent', () => {
  const span = { from: calendarDay('2024-03-04'), to: calendarDay('2024-06-28') };
  const history = [AAPL, TSLA].map((symbol) =>
    columnsOf(
      symbol,
      '1d',
      stampsOf(symbol, '1d', span).map(
        (stamp, bar): BarRow =>
          bar === 75
            ? [stamp, 10, 20, 10, 20]
            : bar === 1 && symbol === AAPL
              ? [stamp, 10, 10, 9.5, 10]
              : [stamp, 10, 10, 10, 10],
      ),
    ),
  );
  expectSameIn(() => {
    const strategy = defineStrategy({
      ...{ name: 'holds', params: {} },
      exits: () => ({ stop: { percent: 50 }, target: { percent: 50 } }),
      onBar: ({ symbol, time }, { orders }) => {
        if (new Date(time).toISOString().slice(0, 10) !== '2024-03-04') return undefined;
        // The purchase of TSLA is filled between the two of AAPL.
        if (symbol === TSLA) return orders.buy(TSLA, 100);
        return [orders.buy(AAPL, 100), orders.buy(AAPL, 100, { type: 'LO', price: 9.8 })];
      },
    });
    return setupOf(strategy, history, { ...span, ...DOLLARS });
  });
});

it('a context has the ticks of its day, in both engines, also one that is kept over a change of the ladder', () => {
  const tencent = securitySymbol('700.HK');
  // The exchange reduced its ticks on 4 August 2025: from 0.05 to 0.02 for prices from 20 to 50.
  const days = { from: calendarDay('2025-07-30'), to: calendarDay('2025-08-06') };
  const rows = stampsOf(tencent, '1d', days).map((stamp): BarRow => [stamp, 41, 41, 41, 41]);
  const seenIn = (run: (setup: RunSetup) => unknown): readonly unknown[] => {
    const seen: unknown[] = [];
    let first: StrategyContext | undefined;
    const strategy = defineStrategy({
      ...{ name: 'ticks', params: {} },
      onBar: ({ time }, context) => {
        first ??= context as StrategyContext;
        const ticks = [context, first].map(({ tickSize, roundToTick }) => [
          tickSize(tencent, 41),
          roundToTick(tencent, 41.01, 'up'),
        ]);
        seen.push([new Date(time).toISOString().slice(0, 10), ...ticks]);
        return undefined;
      },
    });
    const cash = { HKD: decimal('10000') };
    run(setupOf(strategy, [columnsOf(tencent, '1d', rows)], { ...days, currency: 'HKD', cash }));
    return seen;
  };
  const full = seenIn(runInFull);
  const express = seenIn((setup) => expect(runExpress(setup).kind).toBe('completed'));
  expect(express).toEqual(full);
  const [before, after] = [
    [0.05, 41.05],
    [0.02, 41.02],
  ];
  expect(full).toEqual([
    ...['2025-07-30', '2025-07-31', '2025-08-01'].map((day) => [day, before, before]),
    ...['2025-08-04', '2025-08-05', '2025-08-06'].map((day) => [day, after, before]),
  ]);
});
