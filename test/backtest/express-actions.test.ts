import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEligible } from '#src/backtest/express/eligibility.ts';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { decimal, ZERO } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { denialsOf } from '#src/reports/denials.ts';
import { exitReasonsOf } from '#src/reports/exit-reasons.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { entriesOf } from '#src/reports/profit-entries.ts';
import { crossover } from '#src/signals/cross.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import type { StrategyContext } from '#src/strategy/context.ts';
import { defineStrategy, type Strategy } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import type { Decision } from '#src/strategy/order-draft.ts';
import type { BarEvent } from '#src/strategy/strategy-event.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { AAPL, type BarRow, columnsOf } from '../fixtures/market.ts';
import { expectSeenFirst } from '../fixtures/outcomes.ts';
import {
  type Sample,
  someBehaviour,
  someRotation,
  someSample,
  someScalingIn,
  someTimeExits,
  strategyOf,
  withLongLivedOrders,
} from '../fixtures/random-behaviours.ts';
import { randomCases } from '../fixtures/random-cases.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { withActions, withDividends } from '../fixtures/some-actions.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const TSLA = securitySymbol('TSLA.US');
const WEEK = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };
const runs = Number(process.env['SLUICE_RUNS'] ?? randomCases(80, 40));

describe('dividends and splits in plain numbers', () => {
  it.each([
    ['single orders', 1, someSample.filter(({ behaviour }) => behaviour.exits === undefined)],
    [
      'orders that work for longer than a day',
      1,
      fc
        .record({ sample: someSample, behaviour: withLongLivedOrders(someBehaviour) })
        .map(({ sample, behaviour }) => ({ ...sample, behaviour: { ...behaviour, exits: undefined } })),
    ],
    [
      'rebalances',
      2,
      fc
        .record({ sample: someSample, behaviour: someRotation })
        .map(({ sample, behaviour }) => ({ ...sample, behaviour })),
    ],
  ])(
    'equal the reference engine in what the strategy sees, fills, equity and trades: %s',
    (_what, rarer, some) => {
      // Fixed seed, so that enough samples are of this kind.
      const samples = fc.sample(some.chain(withActions), {
        numRuns: Math.ceil((runs / 5) * rarer),
        seed: 6,
      });
      const carried = samples.map(({ setup, behaviour }) => {
        const [first, seen, seenInFull]: [unknown[], unknown[], unknown[]] = [[], [], []];
        if (runExpress({ ...setup, strategy: strategyOf(behaviour, first, []) }).kind === 'bailed-out') {
          expectSeenFirst(setup, (into) => strategyOf(behaviour, into, []), first);
          return [];
        }
        const full = runInFull({ ...setup, strategy: strategyOf(behaviour, seenInFull, []) });
        const record = runBacktest({ ...setup, strategy: strategyOf(behaviour, seen, []) });
        expectEqual(seen, seenInFull);
        expectEqual(reportedOf(record), reportedOf(full));
        return record.bookedActions ?? [];
      });
      const kinds = carried.map((actions) => new Set(actions.map(({ booked }) => booked.action)));
      expect(kinds.filter((each) => each.has('dividend')).length).toBeGreaterThan(runs / 25 / rarer);
      expect(kinds.filter((each) => each.has('split')).length).toBeGreaterThan(runs / 50 / rarer);
    },
  );

  it('equal the reference engine if dividends are paid on positions with exits', () => {
    // Exits so far away that positions last for days; every third sample has close ones.
    const exits = fc.constantFrom<ExitTerms | undefined>(
      undefined,
      { stop: { percent: 8 }, target: { percent: 10 } },
      { trail: { percent: 6 }, target: { amount: 3 } },
    );
    const behaviours = fc
      .tuple(fc.oneof(someTimeExits, someScalingIn), exits)
      .map(([behaviour, far]) => ({ ...behaviour, exits: far ?? behaviour.exits }));
    const samples = fc.sample(
      fc
        .tuple(someSample.filter(isFilledWhole), behaviours)
        .chain(([sample, behaviour]) => withDividends({ ...sample, behaviour })),
      { numRuns: Math.ceil(runs / 4), seed: 1 },
    );
    const paid = samples.filter(({ setup, behaviour }) => {
      const [seen, seenInFull]: [unknown[], unknown[]] = [[], []];
      const [alarms, alarmsInFull]: [Alarm[], Alarm[]] = [[], []];
      const express = runExpress({ ...setup, strategy: strategyOf(behaviour, [], []) });
      if (express.kind === 'bailed-out') return false;
      const ran = { ...setup, strategy: strategyOf(behaviour, seenInFull, []) };
      const full = runInFull(ran, { onAlarm: (alarm) => alarmsInFull.push(alarm) });
      const record = runBacktest(
        { ...setup, strategy: strategyOf(behaviour, seen, []) },
        { onAlarm: (alarm) => alarms.push(alarm) },
      );
      expectEqual(seen, seenInFull);
      expectEqual(alarms, alarmsInFull);
      expectEqual(reportedOf(record), reportedOf(full));
      return express.exits.length > 0 && (record.bookedActions ?? []).length > 0;
    });
    expect(paid.length).toBeGreaterThan(samples.length / 4);
  });

  it.each<[string, readonly CorporateAction[]]>([
    ['a dividend between a purchase and its sale', [dividend('2024-03-06', '0.24')]],
    ['a dividend on the very day of the purchase', [dividend('2024-03-05', '0.24')]],
    ['a split while shares are held', [split('2024-03-06', '4')]],
    ['a split that leaves a fraction', [split('2024-03-06', '1.5')]],
    ['a reverse split that leaves no share', [split('2024-03-06', '0.005')]],
    ['a split on the day on which a purchase waits', [split('2024-03-05', '2')]],
    ['a split before the run, in its warm-up', [split('2024-03-01', '2')]],
    ['a dividend and a split of one day', [split('2024-03-06', '2'), dividend('2024-03-06', '0.5')]],
    ['two splits that apply at one tick', [split('2024-03-09', '2'), split('2024-03-10', '3')]],
  ])('support %s', (_what, corporateActions) => {
    const setup = (): RunSetup => daily({ corporateActions, strategy: inAndOut() });
    expect(isEligible(setup())).toBe(true);
    expect(runExpress(setup())).toMatchObject({ kind: 'completed' });
    const [record, full] = [runBacktest(setup()), runInFull(setup())];
    expectEqual(reportedOf(record), reportedOf(full));
  });

  it.each([
    // 200 shares at 12 and 140 at 10 are 36.5 % of the equity at that time; counting the 200 at 10 would permit the
    // purchase.
    ['denies a purchase', 12, 12, 30, { maxGrossExposure: decimal('0.35') }],
    ['is a loss that no close shows', 8, 10, 90, { maxDailyLoss: decimal('0.03') }],
  ])(
    'value a position before its split at the new price if another symbol closes at that instant, which %s',
    (_what, open, close, after, limits) => {
      const at0930 = Date.parse('2024-03-06T09:30:00-05:00');
      const stamps = stampsOf(AAPL, '30m', WEEK);
      const still = stamps.map((stamp): BarRow => [stamp, 10, 10, 10, 10, 1_000]);
      const rows = stamps
        .filter((stamp) => stamp !== at0930)
        .map((stamp): BarRow => {
          const [first, last] =
            stamp < at0930 ? [20, 20] : stamp === at0930 + 1_800_000 ? [open, close] : [close, close];
          return [stamp, first, Math.max(first, last), Math.min(first, last), last, 1_000];
        });
      const history = [columnsOf(AAPL, '30m', still), columnsOf(TSLA, '30m', rows)];
      const setup = (): RunSetup => {
        const strategy = defineStrategy({
          ...{ name: 'buys-both', params: {} },
          onBar: ({ symbol, bar, time }, { orders }) => {
            if (symbol === TSLA) return bar.time === stamps[0] ? orders.buy(TSLA, 100) : undefined;
            return time === at0930 + after * 60_000 ? orders.buy(AAPL, 140) : undefined;
          },
        });
        return setupOf(strategy, history, {
          ...{ ...WEEK, ...DOLLARS, ...applied() },
          corporateActions: [split('2024-03-06', '2', TSLA)],
          limits: limitsOf(limits),
        });
      };
      const [record, full] = [runBacktest(setup()), runInFull(setup())];
      expect(full.flow.denied).toBe(1);
      expectEqual(reportedOf(record), reportedOf(full));
      expect(runExpress(setup())).toMatchObject({
        kind: 'bailed-out',
        why: 'no print since a split',
      });
    },
  );

  it.each([
    ['1', '0.01', 1],
    ['1.2', '0.012', 0],
  ])(
    'two splits at one tick, the first of which leaves a fraction: the loss of the day is 1.1 percent, the limit %s percent',
    (_percent, maxDailyLoss, denied) => {
      const stamps = stampsOf(AAPL, '1d', { from: WEEK.from, to: calendarDay('2024-03-12') });
      const monday = Date.parse('2024-03-11T00:00:00-04:00');
      const rows = stamps.map((stamp): BarRow => {
        const price = stamp < monday ? 600 : 790;
        return [stamp, price, price, price, price, 1_000];
      });
      const setup = (): RunSetup => {
        const strategy = defineStrategy({
          ...{ name: 'buys-twice', params: {} },
          onBar: ({ bar }, { orders }) =>
            bar.time === stamps[0]
              ? orders.buy(AAPL, 15)
              : bar.time === stamps[5]
                ? orders.buy(AAPL, 1)
                : undefined,
        });
        // 15 shares become 22.5, of which 22 are kept and become 11; the close of 600 is 800 in new shares.
        return setupOf(strategy, [columnsOf(AAPL, '1d', rows)], {
          ...{ from: WEEK.from, to: calendarDay('2024-03-12'), ...DOLLARS, ...applied() },
          corporateActions: [split('2024-03-09', '1.5'), split('2024-03-10', '0.5')],
          limits: limitsOf({ maxDailyLoss: decimal(maxDailyLoss) }),
        });
      };
      const [record, full] = [runBacktest(setup()), runInFull(setup())];
      expect(full.flow.denied).toBe(denied);
      expectEqual(reportedOf(record), reportedOf(full));
      expect(runExpress(setup()).kind).toBe(denied === 0 ? 'completed' : 'bailed-out');
    },
  );

  it.each([
    ['of 10 percent, paid in full, is no loss of its day', '0', []],
    ['of 10 percent costs the withheld tax', '0.3', ['The day has cost 2.4% of equity, limit is 2%']],
  ])('a dividend %s (I-15)', (_what, withheld, stops) => {
    const stamps = stampsOf(AAPL, '1d', { from: WEEK.from, to: calendarDay('2024-03-12') });
    const rows = stamps.map((stamp): BarRow => {
      const price = stamp < Date.parse('2024-03-06T00:00:00-05:00') ? 20 : 18;
      return [stamp, price, price, price, price, 10_000];
    });
    const setup = (): RunSetup =>
      setupOf(
        defineStrategy({
          ...{ name: 'holds', params: {} },
          onBar: ({ bar, symbol }, { orders }) =>
            bar.time === stamps[0] ? orders.buy(symbol, 400) : undefined,
        }),
        [columnsOf(AAPL, '1d', rows)],
        {
          ...{ from: WEEK.from, to: calendarDay('2024-03-12'), ...DOLLARS, ...applied() },
          corporateActions: [
            { ...dividend('2024-03-06', '2'), withheld: decimal(withheld) } as CorporateAction,
          ],
          limits: limitsOf({ maxDailyLoss: decimal('0.02') }),
          operator: 'next-day',
        },
      );
    const [record, full] = [runBacktest(setup()), runInFull(setup())];
    expect(full.stops?.map(({ reason }) => reason) ?? []).toEqual(stops);
    expect(record.stops).toEqual(full.stops);
    expectEqual(reportedOf(record), reportedOf(full));
  });

  it('name a corporate action as the close of a trade that it left without shares', () => {
    const record = runBacktest(
      daily({ corporateActions: [split('2024-03-06', '0.005')], strategy: inAndOut() }),
    );
    expect(record.bookedActions).toHaveLength(1);
    expect(performanceOf(record).trades.closed.map(exitReasonsOf(record))).toEqual([
      'corporate-action',
      'order',
    ]);
  });

  it('value a share whose first bar after its split is still running at its last close, in new shares', () => {
    // The bar of AAPL that comes with the split opens at 9:45, and TSLA closes at 10:00.
    const stamps = stampsOf(AAPL, '30m', WEEK);
    const rows = (later: number): readonly BarRow[] =>
      stamps.map((stamp, at): BarRow => {
        const price = at < 3 ? 20 : at < 26 ? 20.5 : later > 0 ? 10.25 : 20.5;
        return [at === 26 ? stamp + later * 60_000 : stamp, price, price, price, price, 1_000];
      });
    const history = [columnsOf(AAPL, '30m', rows(15)), columnsOf(TSLA, '30m', rows(0))];
    const corporateActions = [split('2024-03-06', '2')];
    const setup = (): RunSetup =>
      setupOf(holds(), history, { ...WEEK, ...DOLLARS, ...applied(), corporateActions });
    const [record, full] = [runBacktest(setup()), runInFull(setup())];
    expect(record.bookedActions?.map(({ booked }) => `${booked.symbol} ${booked.quantity}`)).toEqual([
      'AAPL.US 10',
    ]);
    expectEqual(reportedOf(record), reportedOf(full));
    const at1000 = Date.parse('2024-03-06T10:00:00-05:00');
    expect(record.equity.value[record.equity.time.indexOf(at1000)]).toBe(10_000);
  });

  it('need the full engine if a split comes within a bar, or an order is adjusted to it', () => {
    const weekly = columnsOf(AAPL, '1w', [
      [stampsOf(AAPL, '1d', WEEK)[0] ?? 0, 20, 20, 20, 20, 1_000],
      [(stampsOf(AAPL, '1d', WEEK)[0] ?? 0) + 7 * 86_400_000, 10, 10, 10, 10, 1_000],
    ]);
    const corporateActions = [split('2024-03-06', '2')];
    const within = setupOf(inAndOut(), [weekly], { ...WEEK, ...DOLLARS, ...applied(), corporateActions });
    expect(runExpress(within)).toMatchObject({ kind: 'bailed-out', why: 'a split inside a bar' });
    const { rules } = applied();
    const adjusts = { ...rules, fills: { ...rules.fills, splitOrders: 'adjust' as const } };
    const waits = daily({
      corporateActions: [split('2024-03-05', '2')],
      strategy: inAndOut(),
      rules: adjusts,
    });
    expect(runExpress(waits)).toMatchObject({ kind: 'bailed-out', why: 'an order is adjusted to a split' });
  });

  it('need the full engine only within the run, as for a delisting', () => {
    const eligible = (corporateActions: readonly CorporateAction[]): boolean =>
      isEligible(daily({ corporateActions, strategy: inAndOut() }));
    expect(eligible([delisting('2024-03-07')])).toBe(false);
    expect(eligible([delisting('2024-04-07'), delisting('2024-02-07')])).toBe(true);
    // The simulated venue rejects these orders with this reason.
    expect(eligible([dividend('2024-03-06', '1', TSLA)])).toBe(false);
    expect(eligible([split('2024-03-06', '0')])).toBe(false);
  });

  it('are booked once, and change nothing for a strategy whose decisions are kept', () => {
    const corporateActions = [split('2024-03-06', '2'), dividend('2024-03-07', '0.1')];
    const record = runBacktest(daily({ corporateActions, strategy: inAndOut() }), { decisions: true });
    const booked = record.decisions.filter(({ kind }) => kind === 'corporate-action');
    const plain = runBacktest(daily({ corporateActions, strategy: inAndOut() }));
    expectEqual(
      plain.bookedActions?.map((each) => each.booked),
      booked,
    );
  });
});

/** Whether each tick has enough shares for all orders, so that a position is not bought in a hundred parts. */
function isFilledWhole({ setup }: Sample): boolean {
  return setup.securities.length === 1 && setup.rules?.fills.participation === undefined;
}

const DOLLARS = { cash: { USD: decimal('10000') } };

function applied() {
  const fills = { ...DEFAULT_RULES.fills, splitOrders: 'cancel' as const };
  return { rules: { ...DEFAULT_RULES, corporateActions: true, fills } };
}

/** Days of one symbol, from a week before the run, with small price changes. */
function daily(change: Partial<RunSetup> & Pick<RunSetup, 'strategy'>): RunSetup {
  const stamps = stampsOf(AAPL, '1d', { from: calendarDay('2024-02-26'), to: calendarDay('2024-03-12') });
  const rows = stamps.map((stamp, day): BarRow => {
    const price = 20 + (day % 3);
    return [stamp, price, price + 0.5, price - 0.5, price + 0.25, 10_000];
  });
  return setupOf(change.strategy, [columnsOf(AAPL, '1d', rows)], {
    ...{ from: WEEK.from, to: calendarDay('2024-03-12') },
    ...DOLLARS,
    ...applied(),
    ...change,
  });
}

/** Buys 101 shares and twice 50 more, and closes the position on the next Monday. Its series needs three bars. */
function inAndOut(): Strategy {
  const decide = ({ symbol, bar }: BarEvent, { orders, position }: StrategyContext): Decision => {
    const day = new Date(bar.time).getUTCDate();
    if (day === 4) return orders.buy(symbol, 101);
    if (day === 6 || day === 7) return orders.buy(symbol, 50);
    return day === 11 && position(symbol).quantity > 0 ? orders.close(symbol) : undefined;
  };
  return defineStrategy({ name: 'in-and-out', params: {}, onBar: decide });
}

/** Buys 10 shares of each symbol once it rises, and has no hook for other bars. */
function holds(): Strategy {
  return defineStrategy({
    name: 'holds',
    params: {},
    signals: ({ bars: { close } }) => ({ rises: crossover(close, sma(close, 2)) }),
    onSignal: ({ symbol }, { orders }) => orders.targetQuantity(symbol, 10),
  });
}

function dividend(exDay: string, perShare: string, symbol: SecuritySymbol = AAPL): CorporateAction {
  return {
    ...{ kind: 'dividend', symbol, exDay: calendarDay(exDay), perShare: decimal(perShare) },
    ...{ withheld: decimal('0.3'), payDay: calendarDay('2024-03-20') },
  };
}

function split(exDay: string, ratio: string, symbol: SecuritySymbol = AAPL): CorporateAction {
  return { kind: 'split', symbol, exDay: calendarDay(exDay), ratio: decimal(ratio) };
}

function delisting(exDay: string): CorporateAction {
  return { kind: 'delisting', symbol: AAPL, exDay: calendarDay(exDay) };
}

/** Parts of a run's record in which both engines must agree. */
function reportedOf(record: RunRecord) {
  const figures = performanceOf(record);
  const { closed, open } = figures.trades;
  const entries = entriesOf(record, figures, record.to);
  const sums = Map.groupBy(entries.entries, ({ kind, charge }) => `${kind} ${charge?.code ?? ''}`);
  const { equity, flow, assumptions, from, to } = record;
  return {
    ...{ equity, flow, from, to, denials: denialsOf(record), prices: record.bounds?.prices },
    assumptions: assumptions.filter((text) => !text.startsWith('Amounts above')),
    fills: record.fills.map(({ orderId, symbol, side, quantity, price, fee, time }) =>
      [orderId, symbol, side, quantity, price, fee, time].join(' '),
    ),
    // Columns add whole units and divide once; without a corporate action, trades are read from them.
    closed: closed.map((trade) => [
      ...[trade.symbol, trade.openedAt, trade.closedAt, `${trade.quantity}`],
      ...[trade.profit.toFixed(8), exitReasonsOf(record)(trade)],
    ]),
    open: open.map(({ symbol, quantity, averageCost }) => [symbol, `${quantity}`, averageCost?.toFixed(8)]),
    sums: [...sums]
      .map(([kind, each]) => [kind, each.reduce((sum, { amount }) => sum.plus(amount), ZERO).toFixed(6)])
      .filter(([, sum]) => Number(sum) !== 0)
      .sort(),
  };
}
