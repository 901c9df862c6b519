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
import { AAPL, columnsOf } from '../../fixtures/market.ts';
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

describe('buying and holding beside a run', () => {
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

  it('says whether it has them', () => {
    expect(holdDefinition(true)).toContain('with the dividends of events.csv');
    expect(holdDefinition(false)).toContain('without dividends, as the run has none');
  });
});
