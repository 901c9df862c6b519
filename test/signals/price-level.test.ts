import { describe, expect, it } from 'vitest';
import { bars } from '#src/signals/bars.ts';
import { CATALOGUE } from '#src/signals/catalogue/catalogue.ts';
import { defineIndicator } from '#src/signals/custom.ts';
import { add, div, mul, sub } from '#src/signals/indicators/arithmetic.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { isPriceLevel } from '#src/signals/price-level.ts';
import type { Series } from '#src/signals/series.ts';

/** Every output of the catalogue that can be drawn over the bars. */
const LEVELS = [
  ...['sma', 'ema', 'wilder', 'wma', 'dema', 'tema', 't3', 'trima', 'hma', 'zlema', 'kama', 'vwma'],
  ...['bollinger.upper', 'bollinger.middle', 'bollinger.lower', 'linearRegression'],
  ...['linearRegressionIntercept', 'linearRegressionForecast', 'keltner.upper', 'keltner.middle'],
  ...['keltner.lower', 'donchian.upper', 'donchian.middle', 'donchian.lower', 'midprice'],
  ...['superTrend.line', 'ichimoku.conversion', 'ichimoku.base', 'ichimoku.spanA', 'ichimoku.spanB'],
  ...['sar', 'rollingVwap', 'vwap', 'lag', 'highest', 'lowest', 'midpoint'],
];

const outputsOf = (
  made: Series | Readonly<Record<string, Series>>,
): readonly (readonly [string, Series])[] =>
  'node' in made
    ? [['', made as Series]]
    : Object.entries(made as Readonly<Record<string, Series>>).map(([part, inner]) => [`.${part}`, inner]);

describe('series that can be drawn over the bars', () => {
  it('are averages, bands and extremes of prices, and no oscillator, difference or volume', () => {
    const levels = CATALOGUE.flatMap(({ entries }) =>
      entries.flatMap(({ name, example }) =>
        outputsOf(example(bars)).flatMap(([part, made]) => (isPriceLevel(made) ? [`${name}${part}`] : [])),
      ),
    );
    expect(levels.toSorted()).toEqual(LEVELS.toSorted());
  });

  it('are found in arithmetic, also with inputs other than prices', () => {
    expect(isPriceLevel(mul(add(bars.high, bars.low), 0.5))).toBe(true);
    expect(isPriceLevel(div(add(bars.high, bars.low), 2))).toBe(true);
    expect(isPriceLevel(add(bars.high, bars.low))).toBe(false);
    expect(isPriceLevel(sub(sma(bars.close, 5), sma(bars.close, 9)))).toBe(false);
    expect(isPriceLevel(sub(bars.close, 3))).toBe(true);
    expect(isPriceLevel(sma(bars.volume, 5))).toBe(false);
    expect(isPriceLevel(div(bars.close, sma(bars.close, 5)))).toBe(false);
  });

  it('do not include custom indicators, nor series based on them', () => {
    const own = defineIndicator({ name: 'own', start: () => (value) => value });
    expect(isPriceLevel(own([bars.close]))).toBeUndefined();
    expect(isPriceLevel(add(own([bars.close]), 1))).toBeUndefined();
  });
});
