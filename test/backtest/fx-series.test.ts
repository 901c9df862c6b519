import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { FxSeries } from '#src/model/dated-rates.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { profitOf } from '#src/reports/profit.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { columnsOf } from '../fixtures/market.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';

const TENCENT = securitySymbol('700.HK');
const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };
const STAMPS = stampsOf(TENCENT, '1d', DAYS);

function holder(lots: readonly number[], seen: number[] = []) {
  let turn = 0;
  return defineStrategy({
    name: 'holder',
    params: {},
    onBar: ({ symbol }, { orders, equity }) => {
      seen.push(equity);
      turn += 1;
      return orders.targetQuantity(symbol, (lots[turn % lots.length] ?? 0) * 100);
    },
  });
}

/** Rates of one HKD in USD from these instants on. */
function series(...rows: readonly (readonly [instant: string, rate: string])[]): FxSeries {
  return {
    pair: 'HKDUSD',
    from: rows.map(([instant]) => Date.parse(instant)),
    rate: rows.map(([, rate]) => decimal(rate)),
  };
}

function setup(change: Partial<RunSetup>, lots: readonly number[] = [1], seen: number[] = []): RunSetup {
  const bars = columnsOf(
    TENCENT,
    '1d',
    STAMPS.map((stamp) => [stamp, 100, 100, 100, 100]),
  );
  return setupOf(holder(lots, seen), [bars], {
    ...{ ...DAYS, cash: { USD: decimal('10000'), HKD: decimal('80000') }, fx: { HKDUSD: decimal('0.125') } },
    ...change,
  });
}

describe('exchange rates that change', () => {
  it('value cash and positions as of each close, in the curve and for the strategy', () => {
    const seen: number[] = [];
    const fxSeries = [series(['2024-03-05T00:00Z', '0.13'], ['2024-03-07T08:00Z', '0.12'])];
    const record = runBacktest(setup({ fxSeries }, [1], seen));
    // Hong Kong closes at 08:00 UTC: 80,000 HKD, in cash and shares, at 0.125, 0.13, 0.13, and from the close of the 7th on at 0.12.
    const worth = [20_000, 20_400, 20_400, 19_600, 19_600];
    expect(Array.from(record.equity.value)).toEqual(worth);
    expect(seen).toEqual(worth);
    const profit = profitOf(record, performanceOf(record));
    expect(profit?.parts.map(({ kind, amount }) => [kind, amount.toString()])).toEqual([
      ['realized', '0'],
      ['fx', '-400'],
    ]);
    expect(record.assumptions).toContainEqual(expect.stringMatching(/^Exchange rates of HKDUSD by file/));
  });

  it('are not known before their instant: later rates change nothing up to a close', () => {
    const early = runBacktest(setup({ fxSeries: [series(['2024-03-05T00:00Z', '0.13'])] }));
    const late = runBacktest(
      setup({ fxSeries: [series(['2024-03-05T00:00Z', '0.13'], ['2024-03-07T08:00:01Z', '0.5'])] }),
    );
    expect(late.equity.value.slice(0, 4)).toEqual(early.equity.value.slice(0, 4));
    expect(late.equity.value[4]).toBe(50_000);
  });

  it('are explained to the cent, over random prices, orders and rates', () => {
    fc.assert(
      fc.property(
        someBarsOver(TENCENT, '1d', STAMPS),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 5 }),
        fc.array(fc.integer({ min: 100, max: 200 }), { minLength: 1, maxLength: 5 }),
        (bars, lots, rates) => {
          const fxSeries = [
            series(...rates.map((rate, day) => [`2024-03-0${4 + day}T03:00Z`, String(rate / 1000)] as const)),
          ];
          if (bars.length === 0) return;
          const record = runBacktest({ ...setup({ fxSeries }, lots), history: [bars] });
          const profit = profitOf(record, performanceOf(record));
          expect(profit?.unexplained.abs().toNumber()).toBeLessThan(1e-6);
        },
      ),
      { numRuns: 40 },
    );
  });
});
