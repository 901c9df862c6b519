import { describe, expect, it } from 'vitest';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { DetailedRecord } from '#src/events/run-record.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { terminalReport } from '#src/reports/terminal.ts';
import { DEFAULT_INTEREST, type InterestModel, NO_INTEREST } from '#src/simulation/books/interest.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { AAPL, columnsOf, security } from '../fixtures/market.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const TENCENT = securitySymbol('700.HK');
const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-15') };

/** Holds this number of shares from the first bar on. */
function holding(quantity: number) {
  return defineStrategy({
    name: 'holding',
    params: {},
    onBar: ({ symbol }, { orders }) => orders.targetQuantity(symbol, quantity),
  });
}

/** Ten days at one price, so that every change of equity is interest. */
function run(symbol: typeof AAPL, quantity: number, change: Partial<RunSetup>): DetailedRecord {
  const stamps = stampsOf(symbol, '1d', DAYS);
  const bars = columnsOf(
    symbol,
    '1d',
    stamps.map((stamp) => [stamp, 100, 100, 100, 100]),
  );
  return runInFull({
    ...setupOf(holding(quantity), [bars], {
      securities: [{ ...security(symbol), margin: HALF }],
      ...{ ...DAYS, margin: MARGIN_ACCOUNT, limits: limitsOf({ useMargin: true, allowShort: true }) },
      ...change,
    }),
  });
}

/** Bookings as "03-07T05:00 debit-interest USD -1.67", UTC. */
function bookings({ decisions }: DetailedRecord): readonly string[] {
  return decisions.flatMap((each) =>
    each.kind === 'interest-booked'
      ? [
          `${new Date(each.at).toISOString().slice(5, 16)} ${each.move} ${each.currency} ${each.amount.toFixed(2)}`,
        ]
      : [],
  );
}

const half = decimal('0.5');
const HALF = { initial: half, maintenance: half, forced: half };
const dollars = { cash: { USD: decimal('10000') }, fx: {} };

describe('interest', () => {
  it('is owed on a loan from its settlement on, at 6 % over 360 days, weekends included', () => {
    const record = run(AAPL, 150, dollars);
    // Bought on Tuesday the 5th, T+2: 5,000 USD are owed from Thursday the 7th on, 0.83 a day. New York changes to
    // daylight saving time on the 10th.
    expect(bookings(record)).toEqual([
      '03-08T05:00 debit-interest USD -0.83',
      '03-09T05:00 debit-interest USD -0.83',
      '03-10T05:00 debit-interest USD -0.83',
      '03-11T04:00 debit-interest USD -0.83',
      '03-12T04:00 debit-interest USD -0.83',
      '03-13T04:00 debit-interest USD -0.83',
      '03-14T04:00 debit-interest USD -0.83',
      '03-15T04:00 debit-interest USD -0.83',
    ]);
    expect(record.equity.value.at(-1)).toBeCloseTo(10_000 - 8 * 0.83, 9);
    expect(terminalReport(record, { colour: false, explained: true })).toMatch(/ {2}Interest +-6\.64 USD/);
    expect(record.assumptions).toContainEqual(
      expect.stringContaining('at 6% a year on settled cash below zero'),
    );
  });

  it('is counted over 365 days in Hong Kong dollars, at the rate of the currency', () => {
    const interest: InterestModel = {
      ...DEFAULT_INTEREST,
      debit: { usual: decimal('0.06'), by: { HKD: decimal('0.073') } },
    };
    const record = run(TENCENT, 500, {
      ...{ currency: 'HKD', cash: { HKD: decimal('40000') }, fx: {} },
      rules: { ...DEFAULT_RULES, interest },
    });
    // 10,000 HKD owed from the 7th on: 7.3 % over 365 days are 2.00 a day.
    expect(new Set(bookings(record).map((row) => row.slice(12)))).toEqual(
      new Set(['debit-interest HKD -2.00']),
    );
    expect(bookings(record).at(0)).toMatch(/^03-07T16:00/);
  });

  it('is earned on cash, and paid for borrowed shares from the settlement of their sale on', () => {
    const interest: InterestModel = {
      ...DEFAULT_INTEREST,
      credit: { usual: decimal('0.036'), by: {} },
      borrow: { usual: decimal('0.01'), by: { [AAPL]: decimal('0.36') } },
    };
    const record = run(AAPL, -50, { ...dollars, short: true, rules: { ...DEFAULT_RULES, interest } });
    expect(bookings(record).slice(0, 5)).toEqual([
      // For the first three days only the opening cash is settled: 3.6 % of 10,000 over 360 days are 1.00.
      '03-05T05:00 credit-interest USD 1.00',
      '03-06T05:00 credit-interest USD 1.00',
      '03-07T05:00 credit-interest USD 1.00',
      '03-08T05:00 credit-interest USD 1.00',
      // Sold short on the 5th, T+2: 36 % of 5,000 over 360 days are 5.00 from the 7th on.
      '03-08T05:00 borrow-fee USD -5.00',
    ]);
    // The proceeds have settled and secure the short position: 10,000 of the 15,000 earn 1.00.
    expect(bookings(record).at(-2)).toMatch(/credit-interest USD 1\.00$/);
    const rebate = { usual: decimal('0.036'), by: {} };
    const rebated = run(AAPL, -50, {
      ...dollars,
      short: true,
      rules: { ...DEFAULT_RULES, interest: { ...interest, rebate } },
    });
    // With a rebate they earn once they have settled: 3.6 % of 5,000 are another 0.50.
    expect(bookings(rebated).slice(0, 3)).toEqual(bookings(record).slice(0, 3));
    expect(bookings(rebated).at(-2)).toMatch(/credit-interest USD 1\.50$/);
    const report = terminalReport(record, { colour: false, explained: true });
    expect(report).toMatch(/ {2}Fees for borrowed shares +-40\.00 USD/);
  });

  it('begins with the first day with a bar, however long before it a run begins', () => {
    const credit = { usual: decimal('0.036'), by: {} };
    const earning = { ...dollars, rules: { ...DEFAULT_RULES, interest: { ...DEFAULT_INTEREST, credit } } };
    const early = run(AAPL, 0, { ...earning, from: calendarDay('2014-01-02') });
    expect(bookings(early)[0]).toBe('03-05T05:00 credit-interest USD 1.00');
    expect(bookings(early)).toEqual(bookings(run(AAPL, 0, earning)));
    expect(early.equity.value[0]).toBe(10_000);
  });

  it('is zero if rates are zero', () => {
    const free = run(AAPL, 150, { ...dollars, rules: { ...DEFAULT_RULES, interest: NO_INTEREST } });
    expect(bookings(free)).toEqual([]);
    expect(free.equity.value.at(-1)).toBe(10_000);
  });
});
