import { describe, expect, it } from 'vitest';
import { priceHistories, testedHistories } from '#src/app/load/price-histories.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { BarColumns } from '#src/model/bar.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { decimal } from '#src/model/decimal.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { buyAndHold, holdDefinition, holdFigures } from '#src/reports/buy-and-hold.ts';
import { drawnIndicators } from '#src/reports/drawn-indicators.ts';
import { crossover } from '#src/signals/cross.ts';
import { ema, sma } from '#src/signals/indicators/averages.ts';
import { bollinger } from '#src/signals/indicators/deviation.ts';
import { rsi } from '#src/signals/indicators/momentum.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { AAPL, columnsOf, TENCENT } from '../../fixtures/market.ts';
import { stampsOf } from '../../fixtures/some-bars.ts';

const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };
const idle = defineStrategy({ name: 'idle', params: {}, onBar: () => [] });

/**
 * Value of holding from the first close on, at each close of a week, starting from 1,000; `others` are the prices of
 * a second symbol.
 */
function held(
  prices: readonly number[],
  actions: readonly CorporateAction[],
  others?: readonly number[],
): readonly number[] {
  const stamps = stampsOf(AAPL, '1d', DAYS);
  const barsAt = (symbol: SecuritySymbol, all: readonly number[]) =>
    columnsOf(
      symbol,
      '1d',
      all.map((price, at) => [stamps[at] ?? 0, price, price, price, price]),
    );
  const bars = [
    barsAt(AAPL, prices),
    ...(others === undefined ? [] : [barsAt(securitySymbol('OTHER.US'), others)]),
  ];
  const { record, histories } = runOver(bars, actions);
  const { equity } = record;
  return buyAndHold(equity, [...equity.time.keys()], 1_000, histories);
}

function runOver(bars: readonly BarColumns[], corporateActions: readonly CorporateAction[]) {
  const rules = { ...DEFAULT_RULES, corporateActions: true };
  const setup = { ...setupOf(idle, bars, { ...DAYS }), rules, corporateActions };
  return { record: runBacktest(setup), histories: priceHistories({ setup, warmup: 0 }) };
}

const dividend = (exDay: string, perShare: string, withheld?: string): CorporateAction => ({
  ...{ kind: 'dividend', symbol: AAPL, exDay: calendarDay(exDay), perShare: decimal(perShare) },
  ...(withheld === undefined ? {} : { withheld: decimal(withheld) }),
});
const split = (exDay: string, ratio: string): CorporateAction => ({
  ...{ kind: 'split', symbol: AAPL, exDay: calendarDay(exDay), ratio: decimal(ratio) },
});

const delisting = (exDay: string, price?: string): CorporateAction => ({
  ...{ kind: 'delisting', symbol: AAPL, exDay: calendarDay(exDay) },
  ...(price === undefined ? {} : { price: decimal(price) }),
});

describe('buy and hold for a run', () => {
  it('receives the dividends that the run applies, from their ex-day on, less the withheld tax', () => {
    expect(held([10, 10, 9, 9, 9], [dividend('2024-03-06', '1')])).toEqual([
      1_000, 1_000, 1_000, 1_000, 1_000,
    ]);
    expect(held([10, 10, 9, 9, 9], [dividend('2024-03-06', '1', '0.3')]).at(-1)).toBeCloseTo(970, 9);
    expect(held([10, 10, 9, 9, 9], [])).toEqual([1_000, 1_000, 900, 900, 900]);
  });

  it('is paid out at the price of a delisting, or at the last price if it has none', () => {
    const whenEnding = (price?: string) =>
      held([10, 5, 4], [split('2024-03-05', '2'), delisting('2024-03-07', price)], [10, 10, 10, 10, 10]);
    // Half of 1,000 buys 50 shares, which become 100; at the end each pays out 2.5.
    expect(whenEnding('2.5')).toEqual([1_000, 1_000, 900, 750, 750]);
    expect(whenEnding('0')).toEqual([1_000, 1_000, 900, 500, 500]);
    expect(whenEnding()).toEqual([1_000, 1_000, 900, 900, 900]);
  });

  it('is paid out after the last close of a run, too', () => {
    const [first = 0, second = 0] = stampsOf(AAPL, '1d', DAYS);
    const bars = columnsOf(AAPL, '1d', [
      [first, 10, 10, 10, 10],
      [second, 10, 10, 10, 10],
    ]);
    const { record, histories } = runOver([bars], [delisting('2024-03-07', '1')]);
    expect(record.equity.time).toHaveLength(2);
    expect(holdFigures(record, histories)).toMatchObject({
      totalReturn: { value: -0.9 },
      maxDrawdown: { value: 0.9 },
    });
  });

  it('receives none of the day of its purchase or before', () => {
    const before = [dividend('2024-03-01', '5'), dividend('2024-03-04', '5')];
    expect(held([10, 10, 10, 10, 10], before)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
  });

  it('receives them for the shares held at the time', () => {
    const actions = [dividend('2024-03-05', '1'), split('2024-03-06', '2'), dividend('2024-03-07', '1')];
    // 100 shares receive 100; after the split 200 shares receive 200.
    expect(held([10, 9, 4.5, 3.5, 3.5], actions)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
  });

  it('is worth what cash of its currency is worth in the run while its price is constant, at dated rates', () => {
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

describe('the series of a strategy in its report', () => {
  const MONTHS = { from: calendarDay('2024-02-01'), to: calendarDay('2024-05-31') };

  /** What a strategy read at the close of each bar, by the time of the bar, in a run over waves with warm-up. */
  function seenIn(actions: readonly CorporateAction[], begin = '2023-01-02') {
    const seen: (readonly [time: number, ...values: number[]])[] = [];
    const strategy = defineStrategy({
      name: 'reader',
      params: {},
      signals: ({ bars }) => ({
        quick: ema(bars.close, 4),
        band: bollinger(bars.close, 5, 2),
        force: rsi(bars.close, 6),
        cross: crossover(ema(bars.close, 4), sma(bars.close, 9)),
      }),
      onBar: ({ symbol, bar }, { value }) => {
        seen.push([
          bar.time,
          ...['quick', 'band.middle', 'band.upper', 'band.lower', 'force'].map((name) => value(symbol, name)),
        ]);
      },
    });
    const stamps = stampsOf(AAPL, '1d', { from: calendarDay(begin), to: MONTHS.to });
    const splitAt = Date.parse('2024-03-20T00:00:00-04:00');
    const rows = stamps.map((stamp, at) => {
      const wave = 100 + 10 * Math.sin(at / 5);
      const price = Number((actions.length > 0 && stamp >= splitAt ? wave / 4 : wave).toFixed(2));
      return [stamp, price, price, price, price] as const;
    });
    const rules = { ...DEFAULT_RULES, corporateActions: true };
    const base = setupOf(strategy, [columnsOf(AAPL, '1d', rows)], { ...MONTHS });
    const setup = { ...base, rules, corporateActions: actions };
    runBacktest(setup);
    return { seen, histories: testedHistories({ setup }) };
  }

  it.each([
    ['without a split', []],
    ['over a split, each value in the shares of its bar', [split('2024-03-20', '4')]],
  ])('is what the strategy read at each close, %s', (_case, actions) => {
    const { seen, histories } = seenIn(actions);
    const [history] = histories;
    if (history === undefined) throw new Error('The run has a history');
    const { columns, firstBar, indicators = [] } = history;
    expect(firstBar).toBeGreaterThan(0);
    expect(indicators.map(({ name, isPrice }) => [name, isPrice])).toEqual([
      ['quick', true],
      ['band.upper', true],
      ['band.middle', true],
      ['band.lower', true],
      ['force', false],
      ['sma(close,9)', true],
    ]);
    const by = new Map(indicators.map(({ name, values }) => [name, values]));
    const read = Array.from(columns.time.subarray(firstBar), (time, at) => [
      time,
      ...['quick', 'band.middle', 'band.upper', 'band.lower', 'force'].map(
        (name) => by.get(name)?.[firstBar + at],
      ),
    ]);
    expect(read).toEqual(seen);
    expect(read.length).toBeGreaterThan(80);
    expect(read.flat().every(Number.isFinite)).toBe(true);
  });

  it('is blank while the strategy warms up within the run', () => {
    const { seen, histories } = seenIn([], '2023-10-02');
    const [history] = histories;
    if (history === undefined) throw new Error('The run has a history');
    const [drawn] = drawnIndicators(history, 1_000);
    const blank = drawn?.values.findIndex((value) => value !== null) ?? -1;
    expect(blank).toBeGreaterThan(0);
    expect(history.columns.time[history.firstBar + blank]).toBe(seen[0]?.[0]);
  });

  it('is thinned as the bars are: the value at the close of the last joined one, blank without one', () => {
    const [history] = seenIn([]).histories;
    if (history === undefined) throw new Error('The run has a history');
    const whole = { ...history, firstBar: 0 };
    const last = history.columns.length - 1;
    const drawn = drawnIndicators(whole, 10);
    const quick = history.indicators?.[0]?.values ?? new Float64Array();
    const each = Math.ceil(history.columns.length / 10);
    const at = (index: number) => Number(quick[index]?.toPrecision(7));
    expect(drawn[0]?.values.length).toBeLessThanOrEqual(10);
    expect(drawn[0]?.values.slice(-3)).toEqual([at(8 * each - 1), at(9 * each - 1), at(last)]);
    expect(drawnIndicators(whole, 10_000)[0]?.values[0]).toBeNull();
  });

  it('of an indicator of unknown kind is drawn over the prices if it is near them', () => {
    const [history] = seenIn([]).histories;
    if (history === undefined) throw new Error('The run has a history');
    const { close } = history.columns;
    const isOver = (values: Float64Array) =>
      drawnIndicators({ ...history, indicators: [{ name: 'own', isPrice: undefined, values }] }, 100)[0]
        ?.isPrice;
    expect(isOver(close.map((price) => price * 1.2))).toBe(true);
    expect(isOver(close.map((price) => price * 1.3))).toBe(false);
    expect(isOver(close.map(() => Number.NaN))).toBe(false);
  });
});
