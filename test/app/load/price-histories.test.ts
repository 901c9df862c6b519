import { describe, expect, it } from 'vitest';
import { priceHistories } from '#src/app/load/price-histories.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { buyAndHold, holdDefinition } from '#src/reports/buy-and-hold.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { AAPL, columnsOf, TENCENT } from '../../fixtures/market.ts';
import { stampsOf } from '../../fixtures/some-bars.ts';

const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };
const idle = defineStrategy({ name: 'idle', params: {}, onBar: () => [] });

/** What holding from the first close gets at each close of a week, of 1,000 at the beginning. */
function held(prices: readonly number[], actions: readonly CorporateAction[]): readonly number[] {
  const stamps = stampsOf(AAPL, '1d', DAYS);
  const bars = columnsOf(
    AAPL,
    '1d',
    prices.map((price, at) => [stamps[at] ?? 0, price, price, price, price]),
  );
  const rules = { ...DEFAULT_RULES, corporateActions: true };
  const setup = { ...setupOf(idle, [bars], { ...DAYS }), rules, corporateActions: actions };
  const { equity } = runBacktest(setup);
  const indices = Array.from(equity.time, (_, index) => index);
  return buyAndHold(equity, indices, 1_000, priceHistories({ setup, warmup: 0 }));
}

const dividend = (exDay: string, perShare: string, withheld?: string): CorporateAction => ({
  ...{ kind: 'dividend', symbol: AAPL, exDay: calendarDay(exDay), perShare: decimal(perShare) },
  ...(withheld === undefined ? {} : { withheld: decimal(withheld) }),
});
const split = (exDay: string, ratio: string): CorporateAction => ({
  ...{ kind: 'split', symbol: AAPL, exDay: calendarDay(exDay), ratio: decimal(ratio) },
});

describe('buy and hold for a run', () => {
  it('gets the dividends that the run applies, from their ex-day on, less what is withheld', () => {
    expect(held([10, 10, 9, 9, 9], [dividend('2024-03-06', '1')])).toEqual([
      1_000, 1_000, 1_000, 1_000, 1_000,
    ]);
    expect(held([10, 10, 9, 9, 9], [dividend('2024-03-06', '1', '0.3')]).at(-1)).toBeCloseTo(970, 9);
    expect(held([10, 10, 9, 9, 9], [])).toEqual([1_000, 1_000, 900, 900, 900]);
  });

  it('gets none of the day of its purchase or before', () => {
    const before = [dividend('2024-03-01', '5'), dividend('2024-03-04', '5')];
    expect(held([10, 10, 10, 10, 10], before)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
  });

  it('gets them on the shares of then', () => {
    const actions = [dividend('2024-03-05', '1'), split('2024-03-06', '2'), dividend('2024-03-07', '1')];
    // 100 shares get 100; after the split 200 shares get 200.
    expect(held([10, 9, 4.5, 3.5, 3.5], actions)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
  });

  it('is worth what cash of its currency is worth in the run while its price rests, at dated rates', () => {
    const rows = stampsOf(TENCENT, '1d', DAYS).map((stamp) => [stamp, 300, 300, 300, 300] as const);
    const changes = ['2024-03-01', '2024-03-05T08:00', '2024-03-06T12:00', '2024-03-07T08:01'];
    const rates = ['8', '7.5', '10', '6.25'];
    const series = (pair: string, text: (rate: string) => string) => ({
      pair,
      from: changes.map((day) => Date.parse(`${day}Z`)),
      rate: rates.map((rate) => decimal(text(rate))),
    });
    const straight = series('USDHKD', (rate) => rate);
    const inverse = series('HKDUSD', (rate) => String(1 / Number(rate)));
    for (const fxSeries of [[straight], [inverse], [series('USDCNH', () => '7'), straight]]) {
      const fx = fxSeries.includes(inverse) ? { HKDUSD: decimal('0.125') } : { USDHKD: decimal('8') };
      const cash = { USD: decimal('0'), HKD: decimal('80000') };
      const setup = { ...setupOf(idle, [columnsOf(TENCENT, '1d', rows)], { ...DAYS }), cash, fx, fxSeries };
      const { equity, initialEquity } = runBacktest(setup);
      expect(initialEquity).toBe(10_000);
      const indices = Array.from(equity.time, (_, index) => index);
      const line = buyAndHold(equity, indices, initialEquity, priceHistories({ setup, warmup: 0 }));
      expect(line).toHaveLength(5);
      expect(new Set(equity.value).size).toBeGreaterThan(2);
      for (const [index, value] of line.entries()) expect(value).toBeCloseTo(equity.value[index] ?? 0, 6);
    }
  });

  it('reports whether it has them', () => {
    expect(holdDefinition(true)).toContain('with the dividends of events.csv');
    expect(holdDefinition(false)).toContain('without dividends, as the run has none');
  });
});
