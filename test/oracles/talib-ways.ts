import type { BarSeries } from '#src/signals/bar-series.ts';
import { defineIndicator } from '#src/signals/custom.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { ExactSum } from '#src/signals/indicators/exact-sum.ts';
import { rsi } from '#src/signals/indicators/momentum.ts';
import { stochasticFast, ultimateOscillator, williamsR } from '#src/signals/indicators/oscillators.ts';
import { trueRange } from '#src/signals/indicators/price-bars.ts';
import { mfi } from '#src/signals/indicators/volume.ts';
import { highest, lowest, sum } from '#src/signals/indicators/windows.ts';
import type { Series } from '#src/signals/series.ts';

/**
 * (high + low + close) / 3 rounded once, as in TTR's extended precision: whether two bars have an equal typical price
 * depends on the last bit, and so does the money flow of the bar. Ours and TA-Lib's are rounded at each step.
 */
export const roundedOnce = defineIndicator({
  name: 'roundedOnce',
  start: () => (high, low, close) => {
    const total = new ExactSum();
    for (const price of [high, low, close]) total.add(price);
    const third = total.value() / 3;
    total.addProduct(-3, third);
    return third + total.value() / 3;
  },
});

/**
 * TA-Lib returns 0 for 0/0, which would read as oversold; ours return the middle. Its columns are compared by its
 * rule.
 */
export const zeroWithoutRange = defineIndicator({
  name: 'zeroWithoutRange',
  start: () => (value, high, low) => (high > low ? value : 0),
});

const zeroWithoutFlow = defineIndicator({
  name: 'zeroWithoutFlow',
  start: () => (value, volume, high, low) => (volume > 0 && high > low ? value : 0),
});

/** 1 once the value has differed from the first one. */
const hasMoved = defineIndicator({
  name: 'hasMoved',
  start: () => {
    let [first, moved] = [Number.NaN, 0];
    return (value) => {
      if (Number.isNaN(first)) first = value;
      if (value !== first) moved = 1;
      return moved;
    };
  },
});

const zeroUnless = defineIndicator({ name: 'zeroUnless', start: () => (value, on) => (on > 0 ? value : 0) });

/** The shares of a sum whose weights add up to 7, without the half that ours adds for each 0/0. */
const withoutHalves = defineIndicator({
  name: 'withoutHalves',
  start: () => (value, short, medium, long) =>
    value - (50 / 7) * ((short > 0 ? 0 : 4) + (medium > 0 ? 0 : 2) + (long > 0 ? 0 : 1)),
});

function range(all: BarSeries, n: number): readonly [high: Series, low: Series] {
  return [highest(all.high, n), lowest(all.low, n)];
}

/** The position of the close in the range of n bars, smoothed. */
export function talibStochastic(all: BarSeries, n: number, smooth: number): Series {
  return sma(zeroWithoutRange([stochasticFast(all, n, 1).k, ...range(all, n)]), smooth);
}

export function talibWilliamsR(all: BarSeries, n: number): Series {
  return zeroWithoutRange([williamsR(all, n), ...range(all, n)]);
}

/** No gain or loss counts before the first change. */
export function talibRsi(x: Series, n: number): Series {
  return zeroUnless([rsi(x, n), hasMoved([x])]);
}

export function talibUltimateOscillator(all: BarSeries, short = 7, medium = 14, long = 28): Series {
  const ranges = [short, medium, long].map((n) => sum(trueRange(all), n));
  return withoutHalves([ultimateOscillator(all, short, medium, long), ...ranges]);
}

/**
 * The typical price of one bar before the n counts as well: without a change or volume in them there is no money
 * flow.
 */
export function talibMfi(all: BarSeries, n: number): Series {
  const { typical } = all;
  return zeroWithoutFlow([mfi(all, n), sum(all.volume, n), highest(typical, n + 1), lowest(typical, n + 1)]);
}

/** A price to thirteen digits, so that two prices with different rounding errors are equal. */
export const withoutNoise = defineIndicator({
  name: 'withoutNoise',
  start: () => (price) => Number(price.toPrecision(13)),
});
