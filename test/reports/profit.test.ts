import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { type Decimal, decimal, ZERO } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { addDays, calendarDay } from '#src/model/time.ts';
import { reportJson } from '#src/reports/json.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { type ProfitKind, profitLines, profitOf, profitRows } from '#src/reports/profit.ts';
import { symbolProfits } from '#src/reports/symbol-profits.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { defineStrategy, type Strategy } from '#src/strategy/define-strategy.ts';
import { setupOf, TWO_DOLLARS } from '../fixtures/backtest.ts';
import { AAPL, columnsOf } from '../fixtures/market.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';
import { aRun } from './a-run.ts';

const TENCENT = securitySymbol('700.HK');
const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-04-30') };

/** Holds these numbers of lots of a hundred of each symbol, in sequence. */
function holder(lots: readonly number[]): Strategy {
  let turn = 0;
  return defineStrategy({
    name: 'holder',
    params: {},
    onBar: ({ symbol }, { orders }) => {
      turn += 1;
      return orders.targetQuantity(symbol, (lots[turn % lots.length] ?? 0) * 100);
    },
  });
}

const someAction: fc.Arbitrary<CorporateAction> = fc
  .record({
    symbol: fc.constantFrom(AAPL, TENCENT),
    exDay: fc.nat(50).map((days) => addDays(DAYS.from, days)),
    cents: fc.integer({ min: 1, max: 300 }),
    ratio: fc.constantFrom('2', '0.3', '1.5', '0.07'),
    splits: fc.boolean(),
  })
  .map(({ symbol, exDay, cents, ratio, splits }) =>
    splits
      ? { kind: 'split', symbol, exDay, ratio: decimal(ratio) }
      : { kind: 'dividend', symbol, exDay, perShare: decimal(String(cents)).div(100) },
  );

const bothMarkets = fc.tuple(
  someBarsOver(AAPL, '1d', stampsOf(AAPL, '1d', DAYS)),
  someBarsOver(TENCENT, '1d', stampsOf(TENCENT, '1d', DAYS)),
);

const runs = Number(process.env['SLUICE_RUNS'] ?? 25);

function partsOf(record: RunRecord): ReadonlyMap<ProfitKind, Decimal> {
  const profit = profitOf(record, performanceOf(record));
  return new Map(profit?.parts.map(({ kind, amount }) => [kind, amount]));
}

/** Asserts that the parts add up to the change of equity, exactly and as printed. */
function expectExplained(record: RunRecord): void {
  const figures = performanceOf(record);
  const profit = profitOf(record, figures);
  if (profit === undefined) throw new Error('A backtest explains its profit');
  expect(profit.unexplained.abs().toNumber()).toBeLessThan(1e-6);
  const rows = profitRows(profit, figures);
  expect(rows.some(({ kind }) => kind === 'unexplained')).toBe(false);
  const parts = rows.slice(0, -1).reduce((sum, { amount }) => sum.plus(amount), ZERO);
  expect(parts.toFixed(2)).toBe(rows.at(-1)?.amount.toFixed(2));
  const began = decimal(figures.initialEquity.toFixed(2));
  expect(began.plus(parts).toFixed(2)).toBe(figures.finalEquity.toFixed(2));
}

describe('the profit of a run', () => {
  it('is the sum of its entries to the cent, over random runs of two currencies with shorts, dividends and splits', () => {
    let explained = 0;
    fc.assert(
      fc.property(
        bothMarkets,
        fc.array(fc.integer({ min: -3, max: 4 }), { minLength: 2, maxLength: 9 }),
        fc.array(someAction, { maxLength: 4 }),
        fc.constantFrom(TWO_DOLLARS, CHARGE_SCHEDULES.standard, CHARGE_SCHEDULES.none),
        (history, lots, corporateActions, charges) => {
          const setup: RunSetup = {
            ...setupOf(holder(lots), history, {
              ...{ ...DAYS, charges, corporateActions, short: true, margin: MARGIN_ACCOUNT },
              limits: limitsOf({ allowShort: true, useMargin: true }),
              fx: { USDHKD: decimal('7.8') },
            }),
          };
          const record = runBacktest(setup);
          expectExplained(record);
          if (record.flow.fills > 0) explained += 1;
          const books = record.bounds?.books ?? [];
          const booked = (account: string): Decimal =>
            books
              .filter((each) => each.account === account)
              .reduce(
                (sum, { currency, amount }) =>
                  sum.minus(currency === 'USD' ? amount : amount.times(decimal('1').div('7.8'))),
                ZERO,
              );
          const parts = partsOf(record);
          const of = (kind: ProfitKind): Decimal => parts.get(kind) ?? ZERO;
          const charged = of('commissions').plus(of('levies'));
          // A rate is no finite decimal: sums with it differ beyond the printed digits and may round differently.
          const off = (amount: Decimal, account: string): number =>
            amount.minus(booked(account)).abs().toNumber();
          expect(off(charged, 'charges')).toBeLessThan(1e-6);
          expect(off(of('dividends'), 'dividends')).toBeLessThan(1e-6);
          expect(off(of('interest'), 'interest')).toBeLessThan(1e-6);
          expect(off(of('borrowing'), 'borrowing')).toBeLessThan(1e-6);
          expect(off(of('realized'), 'realized')).toBeLessThan(1e-4);
          const bySymbol = symbolProfits(record, performanceOf(record)).reduce(
            (sum, { currency, profit = ZERO }) =>
              sum.plus(currency === 'USD' ? profit : profit.times(decimal('1').div('7.8'))),
            ZERO,
          );
          const traded = of('realized').plus(of('unrealized')).plus(of('dividends')).plus(charged);
          expect(bySymbol.minus(traded).abs().toNumber()).toBeLessThan(1e-4);
        },
      ),
      { numRuns: runs, endOnFailure: Boolean(process.env['SLUICE_RUNS']) },
    );
    expect(explained).toBeGreaterThan(runs / 2);
  });

  it('is the same in the express engine as in the reference engine', () => {
    let completed = 0;
    fc.assert(
      fc.property(
        someBarsOver(TENCENT, '1d', stampsOf(TENCENT, '1d', DAYS)),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 9 }),
        fc.constantFrom(CHARGE_SCHEDULES.standard, CHARGE_SCHEDULES.none),
        (bars, lots, charges) => {
          const setup = (): RunSetup =>
            setupOf(holder(lots), [bars], {
              ...{ ...DAYS, charges, currency: 'HKD', cash: { HKD: decimal('250000.55') }, fx: {} },
            });
          if (runExpress(setup()).kind === 'bailed-out') return;
          completed += 1;
          const [express, full] = [runBacktest(setup()), runInFull(setup())];
          expect(express.fillColumns).toBeDefined();
          expectExplained(express);
          expectExplained(full);
          const [plain, exact] = [partsOf(express), partsOf(full)];
          expect([...plain.keys()]).toEqual([...exact.keys()]);
          for (const [kind, amount] of plain) expect(amount.toFixed(6)).toBe(exact.get(kind)?.toFixed(6));
        },
      ),
      { numRuns: runs, endOnFailure: Boolean(process.env['SLUICE_RUNS']) },
    );
    expect(completed).toBeGreaterThan(runs / 3);
  });

  it('is printed line by line, including rounding differences in cents', () => {
    const stamps = stampsOf(AAPL, '1d', { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') });
    const bars = columnsOf(
      AAPL,
      '1d',
      stamps.map((stamp, day) => [stamp, 10 + day, 11 + day, 9 + day, 10.5 + day]),
    );
    const record = runBacktest(
      setupOf(holder([1, 3, 1]), [bars], { charges: TWO_DOLLARS, cash: { USD: decimal('10000') }, fx: {} }),
    );
    const figures = performanceOf(record);
    const profit = profitOf(record, figures);
    if (profit === undefined) throw new Error('A backtest explains its profit');
    expect(profitLines(profit, figures)).toEqual([
      '  Realized, before charges                200.00 USD',
      '  Unrealized, at the last close           450.00 USD',
      "  Commissions and the broker's own fees    -6.00 USD",
      '  Change of equity                        644.00 USD',
    ]);
    expect(reportJson(record).explained).toMatchObject({ change: '644', unexplained: '0' });
  });

  it('is not printed if a run began with partly unknown books', () => {
    const record = aRun([100_000, 100_010]);
    expect(profitOf(record, performanceOf(record))).toBeUndefined();
    expect(reportJson(record).explained).toBeNull();
  });
});
