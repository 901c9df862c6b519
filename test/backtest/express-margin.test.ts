import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExpressRun, runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { FILLED_BY } from '#src/events/curve/fill-columns.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { decimal, ZERO } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { denialsOf } from '#src/reports/denials.ts';
import { exitReasonsOf } from '#src/reports/exit-reasons.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { priceLevels } from '#src/reports/price-levels.ts';
import { entriesOf } from '#src/reports/profit-entries.ts';
import { DEFAULT_INTEREST, type InterestModel, NO_INTEREST } from '#src/simulation/books/interest.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT, type MarginModel } from '#src/simulation/models.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy, type Strategy } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import type { Decision, OrderDrafts } from '#src/strategy/order-draft.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { AAPL, type BarRow, columnsOf, security } from '../fixtures/market.ts';
import { expectSeenFirst } from '../fixtures/outcomes.ts';
import {
  type Behaviour,
  type Sample,
  someSample,
  someShortRotation,
  someShortSeller,
  someShortSellerWithExits,
  strategyOf,
  withLongLivedOrders,
} from '../fixtures/random-behaviours.ts';
import { randomCases } from '../fixtures/random-cases.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { withDividends } from '../fixtures/some-actions.ts';
import { stampsOf } from '../fixtures/some-bars.ts';
import { venueFacts } from '../fixtures/venue-facts.ts';

const runs = Number(process.env['SLUICE_RUNS'] ?? randomCases(60, 50));

const flat = (rate: string) => ({ usual: decimal(rate), by: {} });

/** Share of a position's value that must be covered by equity. */
const HALF = { initial: decimal('0.5'), maintenance: decimal('0.4'), forced: decimal('0.3') };
const QUARTER = { initial: decimal('0.25'), maintenance: decimal('0.2'), forced: decimal('0.15') };

/** Rates so high that one day's interest of a small account is visible in cents. */
const DEAR: InterestModel = {
  debit: flat('0.9'),
  credit: flat('0.3'),
  rebate: flat('0.2'),
  borrow: flat('0.7'),
  dayCount: 'market',
};

/** An account that borrows cash, shares or both, over the bars and charges of any sample. */
const someMarginSample = marginSampleOf(someShortSeller);

function marginSampleOf(someHabit: fc.Arbitrary<Behaviour>): fc.Arbitrary<Sample> {
  return fc
    .record({
      // Few fills per order: the full engine takes seconds for hundreds of them.
      sample: someSample.filter(({ setup }) => (setup.rules?.fills.participation ?? 1) >= 0.5),
      behaviour: someHabit,
      borrows: fc.boolean(),
      isShort: fc.constantFrom(true, true, false),
      interest: fc.constantFrom(DEFAULT_INTEREST, DEAR, NO_INTEREST),
      headroom: fc.constantFrom('0', '0.05', '0.3'),
      tight: fc.boolean(),
      factors: fc.constantFrom(undefined, HALF, HALF, QUARTER),
    })
    .map(({ sample: { setup }, behaviour, borrows, isShort, interest, headroom, tight, factors }) => {
      const { rules = DEFAULT_RULES } = setup;
      const securities = setup.securities.map((each) =>
        factors === undefined ? each : { ...each, margin: factors },
      );
      const limits: RunSetup['limits'] = {
        ...setup.limits,
        allowShort: isShort,
        useMargin: borrows,
        marginHeadroom: decimal(headroom),
        ...(tight ? {} : { maxDailyLoss: decimal('0.9'), maxDrawdown: decimal('0.9') }),
        maxPositionWeight: decimal('2'),
        maxGrossExposure: decimal('3'),
        maxNetExposure: decimal('3'),
      };
      const margin = borrows ? MARGIN_ACCOUNT : CASH_ACCOUNT;
      return {
        setup: { ...setup, securities, limits, margin, short: isShort, rules: { ...rules, interest } },
        behaviour,
      };
    });
}

describe('accounts that borrow cash or shares, in plain numbers', () => {
  it('equal the reference engine in what the strategy sees, fills, interest, equity and trades', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(someMarginSample, { numRuns: Math.ceil(runs / 4), seed: 3 });
    const found = { carried: 0, short: 0, borrowed: 0, denied: 0 };
    for (const sample of samples) {
      const express = runAlike(sample);
      if (express.kind === 'bailed-out') continue;
      found.carried += 1;
      if (express.wasShort) found.short += 1;
      if (express.interest.booked.length > 0) found.borrowed += 1;
      if (express.denials.denials().some(({ rule }) => MONEY.has(rule))) found.denied += 1;
    }
    expect(found.carried).toBeGreaterThan(samples.length / 3);
    expect(found.short).toBeGreaterThan(samples.length / 8);
    expect(found.borrowed).toBeGreaterThan(samples.length / 10);
    expect(found.denied).toBeGreaterThan(samples.length / 10);
  });

  it('equal the reference engine if short positions have stops, targets and trailing stops', () => {
    const samples = fc.sample(
      marginSampleOf(fc.oneof(someShortSellerWithExits, withLongLivedOrders(someShortSellerWithExits))),
      {
        numRuns: Math.ceil(runs / 4),
        seed: 5,
      },
    );
    const covered = new Map<string, number>();
    let carried = 0;
    for (const sample of samples) {
      const express = runAlike(sample);
      if (express.kind === 'bailed-out') continue;
      carried += 1;
      for (let row = 0; row < express.fills.length; row += 1) {
        const by = FILLED_BY[express.fills.by[row] as number] ?? 'order';
        if ((express.fills.quantity[row] as number) > 0) covered.set(by, (covered.get(by) ?? 0) + 1);
      }
    }
    expect(carried).toBeGreaterThan(samples.length / 5);
    for (const by of ['stop', 'target', 'trail', 'close'] as const)
      expect(covered.get(by)).toBeGreaterThan(0);
  });

  it('equal the reference engine if a strategy rebalances to long and short positions', () => {
    // Fixed seed, so that enough samples are of this kind.
    const some = marginSampleOf(someShortRotation).filter(({ setup }) => setup.short === true);
    const samples = fc.sample(some, { numRuns: Math.ceil(runs / 4), seed: 9 });
    const found = { carried: 0, short: 0, turned: 0 };
    for (const sample of samples) {
      const express = runAlike(sample);
      if (express.kind === 'bailed-out') continue;
      found.carried += 1;
      if (express.wasShort) found.short += 1;
      if (turnsRound(express)) found.turned += 1;
    }
    expect(found.carried).toBeGreaterThan(samples.length / 3);
    expect(found.short).toBeGreaterThan(samples.length / 5);
    expect(found.turned).toBeGreaterThan(samples.length / 20);
  });

  it('equal the reference engine if dividends are paid on long and short positions', () => {
    const samples = fc.sample(someMarginSample.chain(withDividends), {
      numRuns: Math.ceil(runs / 8),
      seed: 4,
    });
    const paid = samples.filter((sample) => {
      const express = runAlike(sample);
      return express.kind === 'completed' && express.wasShort && express.actions.length > 0;
    });
    expect(paid.length).toBeGreaterThan(samples.length / 8);
  });

  it('charges interest on borrowed cash and fees for borrowed shares by the day, weekends included', () => {
    // Trades of 5 March settle on the 7th: eight days end until the last tick. 5,000 at 6 % are 0.83 a day, 5,000 at
    // 1 % 0.14.
    const long = carried(daily({ positions: [1_500], interest: DEFAULT_INTEREST }));
    expect(interestIn(long)).toEqual({ 'debit-interest': -6.64 });
    const short = carried(daily({ positions: [-500], interest: DEFAULT_INTEREST }));
    expect(interestIn(short)).toEqual({ 'borrow-fee': -1.12 });
  });

  it.each<[string, Partial<Case>]>([
    ['a position that turns from long to short and back in single orders', { positions: [500, -500, 300] }],
    ['the same, charged by the share', { positions: [500, -500, 300], charges: CHARGE_SCHEDULES.standard }],
    [
      'a cash account that sells short',
      { positions: [-500, 0, 800], margin: CASH_ACCOUNT, limits: { useMargin: false } },
    ],
    ['a purchase beyond cash and credit', { positions: [1_500, 2_500] }],
    ['a short sale beyond the buying power', { positions: [-1_500, -2_500] }],
    ['a margin call', { positions: [1_900], price: (day) => (day < 4 ? 10 : 7.2), limits: WIDE }],
    [
      'a purchase beyond what a margin call permits',
      {
        positions: [1_900, 1_900, 1_900, 1_900, 1_900, 2_000],
        price: (day) => (day < 4 ? 10 : 7.2),
        limits: WIDE,
      },
    ],
    [
      'a margin call of a short position',
      { positions: [-1_400], price: (day) => (day < 4 ? 10 : 16), limits: WIDE },
    ],
    ['a split of shares sold short', { positions: [-300, -300, -300, -600, -600, 0], actions: [split('2')] }],
    [
      'a split of shares that are covered and not settled',
      { positions: [-300, -300, 0], actions: [split('2')] },
    ],
    ['a split that leaves a fraction of a short share', { positions: [-301], actions: [split('1.6')] }],
    ['a dividend that a short position pays', { positions: [-300], actions: [DIVIDEND] }],
    [
      'a stop of a short position, over which the price jumps',
      { positions: [-300], exits: { stop: { percent: 5 } }, price: (day) => (day < 3 ? 10 : 12) },
    ],
    [
      'a target of a short position that pays a dividend',
      {
        positions: [-300],
        exits: { stop: { percent: 9 }, target: { percent: 5 } },
        price: (day) => (day < 6 ? 10 : 9),
        actions: [DIVIDEND],
      },
    ],
    [
      'positions with exits that turn from long to short and back in single orders',
      { positions: [500, 500, -500, -500, 300], exits: { stop: { percent: 5 }, target: { percent: 9 } } },
    ],
    [
      'a short position whose stop moves to its entry price, and that is covered in parts',
      {
        positions: [-300, -300, -300, -200, -100],
        exits: { stop: { percent: 5 }, breakEven: { percent: 2 } },
        price: (day) => [10, 10, 9.7, 9.6, 9.6, 9.8, 10.2][day] ?? 10.2,
      },
    ],
    ['a dividend that is not paid yet while cash is owed', { positions: [1_500], actions: [DIVIDEND] }],
    [
      'interest on credit in a cash account',
      { positions: [200], margin: CASH_ACCOUNT, limits: { useMargin: false } },
    ],
  ])('equal the reference engine in %s', (what, change) => {
    const setup = daily({ positions: [], ...change });
    const [alarms, alarmsInFull]: [Alarm[], Alarm[]] = [[], []];
    const full = runInFull(setup(), { onAlarm: (alarm) => alarmsInFull.push(alarm) });
    expect(runExpress(setup())).toMatchObject({ kind: 'completed' });
    const record = runBacktest(setup(), { onAlarm: (alarm) => alarms.push(alarm) });
    expectEqual(reportedOf(record), reportedOf(full));
    expectEqual(alarms, alarmsInFull);
    expect(record.assumptions.some((text) => text.startsWith('MARGIN CALL'))).toBe(/margin call/.test(what));
    expect(record.flow.denied > 0).toBe(/beyond/.test(what));
  });

  it.each<[string, string | undefined, readonly ((orders: OrderDrafts) => Decision)[], Partial<Case>]>([
    [
      'a trigger above the market that sells short, which the venue refuses',
      'a triggered short sale',
      [(orders) => [orders.sell(AAPL, 1_900, { type: 'MIT', triggerPrice: 12 }), orders.buy(AAPL, 100)]],
      {},
    ],
    [
      'a trigger below the market that sells short, which the gate denies',
      'a triggered short sale',
      [(orders) => orders.sell(AAPL, 1_990, { type: 'MIT', triggerPrice: 9 })],
      {},
    ],
  ])('equal the reference engine in %s', (_what, why, days, change) => {
    const setup = daily({ positions: [], limits: WIDE, ...change, drafts: days });
    expect(runExpress(setup())).toMatchObject(
      why === undefined ? { kind: 'completed' } : { kind: 'bailed-out', why },
    );
    expectEqual(reportedOf(runBacktest(setup())), reportedOf(runInFull(setup())));
  });

  it('pass a short sale while cash and credit are below zero, as these restrict purchases only', () => {
    // 1,980 shares reserve 19,998 of 20,000 and cost 20,037.60; buying power remains as they rise to 11.
    const rows = (...prices: readonly (readonly [open: number, close: number])[]) =>
      stampsOf(AAPL, '1d', DAYS).map((stamp, day): BarRow => {
        const [open, close] = prices[Math.min(day, prices.length - 1)] ?? [10, 10];
        return [stamp, open, Math.max(open, close), Math.min(open, close), close, 1_000_000];
      });
    const other = securitySymbol('MSFT.US');
    const make = () => {
      let day = -1;
      const strategy = defineStrategy({
        ...{ name: 'both', params: {} },
        onBar: ({ symbol }, { orders }) => {
          if (symbol !== AAPL) return undefined;
          day += 1;
          if (day === 0) return orders.buy(AAPL, 1_980);
          return day === 1 ? [orders.buy(AAPL, 1), orders.sell(other, 100)] : undefined;
        },
      });
      const setup = daily({ positions: [], limits: WIDE })();
      return {
        ...setup,
        strategy,
        history: [
          columnsOf(AAPL, '1d', rows([10, 10], [10.12, 11], [11, 11])),
          columnsOf(other, '1d', rows([10, 10])),
        ],
        securities: [AAPL, other].map((symbol) => ({ ...security(symbol), margin: HALF })),
      };
    };
    const record = runBacktest(make());
    expectEqual(reportedOf(record), reportedOf(runInFull(make())));
    expect([record.flow.denied, record.flow.fills]).toEqual([1, 2]);
  });

  it.each<[string, Partial<Case>]>([
    [
      'one print triggers two exits of a position',
      {
        positions: [300],
        exits: { stop: { percent: 5 }, trail: { percent: 6 } },
        price: (day) => (day < 3 ? 10 : 8),
      },
    ],
    // 490 shares at 30.2 with the buffer of 1 % cost 14,945.98; cash is 14,900.
    [
      'cash may not cover a short-covering buy',
      {
        positions: [-490, -490, 0],
        margin: CASH_ACCOUNT,
        limits: { useMargin: false },
        price: (day) => (day < 2 ? 10 : 30.2),
      },
    ],
  ])('bail out where %s', (why, change) => {
    const setup = daily({ positions: [], limits: WIDE, ...change });
    expect(runExpress(setup())).toMatchObject({ kind: 'bailed-out', why });
    expectEqual(reportedOf(runBacktest(setup())), reportedOf(runInFull(setup())));
  });
});

/** Loss limits that no run reaches. */
const WIDE: Partial<RunSetup['limits']> = { maxDailyLoss: decimal('0.99'), maxDrawdown: decimal('0.99') };

const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-15') };

const DIVIDEND: CorporateAction = {
  ...{ kind: 'dividend', symbol: AAPL, exDay: calendarDay('2024-03-07'), perShare: decimal('0.5') },
  ...{ withheld: decimal('0.3'), payDay: calendarDay('2024-03-13') },
};

function split(ratio: string): CorporateAction {
  return { kind: 'split', symbol: AAPL, exDay: calendarDay('2024-03-07'), ratio: decimal(ratio) };
}

interface Case {
  /** Target positions in shares at the closes of the first days; the last one remains. */
  readonly positions: readonly number[];
  readonly price: (day: number) => number;
  readonly actions: readonly CorporateAction[];
  readonly exits: ExitTerms;
  readonly charges: RunSetup['charges'];
  readonly margin: MarginModel;
  readonly limits: Partial<RunSetup['limits']>;
  readonly interest: InterestModel;
  /** Orders at the closes of the first days, in place of positions. */
  readonly drafts: readonly ((orders: OrderDrafts) => Decision)[];
}

/** A run over ten days with 10,000 dollars; shares cost 10, and less after a split. */
function daily({
  positions,
  price = () => 10,
  actions = [],
  exits,
  charges = CHARGE_SCHEDULES.none,
  margin = MARGIN_ACCOUNT,
  limits = {},
  interest = DEAR,
  drafts = [],
}: Partial<Case> & Pick<Case, 'positions'>): () => RunSetup {
  const [action] = actions;
  const rows = stampsOf(AAPL, '1d', DAYS).map((stamp, day): BarRow => {
    const of = price(day) / (action?.kind === 'split' && day > 2 ? action.ratio.toNumber() : 1);
    return [stamp, of, of, of, of, 1_000_000];
  });
  const fills = { ...DEFAULT_RULES.fills, splitOrders: 'cancel' as const };
  return () => {
    let day = -1;
    const strategy = defineStrategy({
      ...{ name: 'positions', params: {} },
      onBar: (_bar, { orders }) => {
        day += 1;
        const wanted = positions[day];
        return wanted === undefined ? drafts[day]?.(orders) : orders.targetQuantity(AAPL, wanted);
      },
      ...(exits === undefined ? {} : { exits: () => exits }),
    });
    return setupOf(strategy, [columnsOf(AAPL, '1d', rows)], {
      ...{
        ...DAYS,
        cash: { USD: decimal('10000') },
        charges,
        margin,
        short: true,
        corporateActions: actions,
      },
      securities: [{ ...security(AAPL), margin: HALF }],
      limits: limitsOf({ ...OPEN, ...limits }),
      rules: { ...DEFAULT_RULES, fills, corporateActions: true, interest },
    });
  };
}

/** Without limits on weights. */
const OPEN: Partial<RunSetup['limits']> = {
  ...{ allowShort: true, useMargin: true, marginHeadroom: decimal('0') },
  ...{ maxPositionWeight: decimal('9'), maxGrossExposure: decimal('9'), maxNetExposure: decimal('9') },
};

/** The record of a run that plain numbers complete. */
function carried(setup: () => RunSetup): RunRecord {
  expect(runExpress(setup())).toMatchObject({ kind: 'completed' });
  return runBacktest(setup());
}

/** Sums of the postings at the ends of days, by kind. */
function interestIn({ bookedInterest = [] }: RunRecord): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { move, amount } of bookedInterest) sums[move] = amount.plus(sums[move] ?? 0).toNumber();
  return sums;
}

const MONEY: ReadonlySet<string> = new Set(['buy-limit', 'margin-headroom']);

/**
 * Runs a sample through both engines, which must agree; returns the result of plain numbers. A run that the express
 * engine leaves is compared up to there.
 */
function runAlike({ setup, behaviour }: Sample): ExpressRun {
  const run = <T>(of: (each: RunSetup, options: { onAlarm: (alarm: Alarm) => void }) => T) => {
    const [seen, alarms]: [unknown[], Alarm[]] = [[], []];
    const strategy: Strategy = strategyOf(behaviour, seen, []);
    const result = of({ ...setup, strategy }, { onAlarm: (alarm) => alarms.push(alarm) });
    return { seen, alarms, result };
  };
  const { seen, result } = run((each) => runExpress(each));
  if (result.kind === 'bailed-out') {
    expectSeenFirst(setup, (into) => strategyOf(behaviour, into, []), seen);
    return result;
  }
  const full = run(runInFull);
  const own = run(runBacktest);
  expectEqual(own.seen, full.seen);
  expectEqual(own.alarms, full.alarms);
  expectEqual(reportedOf(own.result), reportedOf(full.result));
  return result;
}

/** Parts of a run's record in which both engines must agree. */
function reportedOf(record: RunRecord) {
  const figures = performanceOf(record);
  const { closed, open } = figures.trades;
  const sums = Map.groupBy(
    entriesOf(record, figures, record.to).entries,
    ({ kind, charge }) => `${kind} ${charge?.code ?? ''}`,
  );
  const { equity, flow, assumptions, from, to } = record;
  return {
    ...{ equity, flow, from, to, denials: denialsOf(record), prices: record.bounds?.prices },
    assumptions: assumptions.filter((text) => !text.startsWith('Amounts above')),
    fills: record.fills.map(venueFacts),
    levels: priceLevels(record),
    gate: record.gate,
    stops: record.stops,
    closed: closed.map((trade) => [
      ...[trade.symbol, trade.openedAt, trade.closedAt, `${trade.quantity}`],
      ...[trade.profit.toFixed(8), exitReasonsOf(record)(trade)],
    ]),
    open: open.map(({ symbol, quantity, averageCost }) => [symbol, `${quantity}`, averageCost?.toFixed(8)]),
    // Without short positions and interest, plain numbers round the cost of sold shares to a millionth once more.
    sums: [...sums]
      .map(([kind, each]) => [kind, each.reduce((sum, { amount }) => sum.plus(amount), ZERO).toFixed(4)])
      .filter(([, sum]) => Number(sum) !== 0)
      .sort(),
  };
}

/** Whether a position was long and later short, or the other way round. */
function turnsRound({ fills }: Extract<ExpressRun, { kind: 'completed' }>): boolean {
  const held = new Map<number, number>();
  const sides = new Set<string>();
  for (let row = 0; row < fills.length; row += 1) {
    const place = fills.security[row] as number;
    const quantity = (held.get(place) ?? 0) + (fills.quantity[row] as number);
    held.set(place, quantity);
    if (quantity !== 0) sides.add(`${place} ${Math.sign(quantity)}`);
  }
  return [...held.keys()].some((place) => sides.has(`${place} 1`) && sides.has(`${place} -1`));
}
