import { checkFactor, checkWindow, named, namedAll, outputs } from '../node.ts';
import type { Bind, Series } from '../series.ts';
import { add, addScaled, div, lag, mul } from './arithmetic.ts';
import { ema, sma, wilder } from './averages.ts';
import { mapped } from './mapped.ts';
import { type FirstRange, type PriceBars, trueRange } from './price-bars.ts';
import { highest, lowest, sum } from './windows.ts';

/** Average true range: Wilder's average of the true range, seeded with the mean of bars 1 to n. */
export function atr(bars: PriceBars, n = 14): Series {
  return named('atr', [n], wilder(trueRange(bars), n));
}

/** Average true range in percent of the close. */
export function natr(bars: PriceBars, n = 14): Series {
  return named('natr', [n], mul(100, div(atr(bars, n), bars.close)));
}

/** A band around a middle. */
export type Channel = Readonly<Record<'upper' | 'middle' | 'lower', Series>>;

/** How a Keltner channel averages: Raschke's way (EMA of the close, Wilder's range), or Keltner's own (plain averages). */
export type KeltnerAverages = 'exponential' | 'plain';

/**
 * Keltner channel: EMA of the close, and `width` average true ranges above and below. `plain` takes the plain average of the
 * typical price and of the true range (the first bar's own range counts) instead.
 */
export function keltner(
  bars: PriceBars,
  n = 20,
  width = 2,
  atrBars = 10,
  averages: KeltnerAverages = 'exponential',
): Channel {
  checkFactor('keltner', width);
  const plain = averages === 'plain';
  const middle = plain ? sma(bars.typical, n) : ema(bars.close, n);
  const reach = plain ? sma(trueRange(bars, 'own'), atrBars) : atr(bars, atrBars);
  const parts = { upper: addScaled(middle, width, reach), middle, lower: addScaled(middle, -width, reach) };
  return namedAll('keltner', [n, width, atrBars, ...(plain ? [averages] : [])], parts);
}

/** Donchian channel: highest high and lowest low of the last `n` bars, this one included, and their middle. */
export function donchian(bars: PriceBars, n = 20): Channel {
  const upper = highest(bars.high, n);
  const lower = lowest(bars.low, n);
  return namedAll('donchian', [n], { upper, middle: mul(0.5, add(upper, lower)), lower });
}

/** The middle between the highest high and the lowest low of the last `n` bars. */
export function midprice(bars: PriceBars, n = 14): Series {
  return named('midprice', [n], donchian(bars, n).middle);
}

/** Choppiness: 100 log10(sum of true ranges / range of the last `n` bars) / log10(n); 100 where nothing moved. */
export function choppiness(bars: PriceBars, n = 14): Series {
  checkWindow('choppiness', n, 2);
  const { upper, lower } = donchian(bars, n);
  const inputs = [sum(trueRange(bars), n), upper, lower];
  const chop = mapped(
    'choppiness',
    inputs,
    (travelled, high, low) =>
      high > low && travelled > 0 ? (100 * Math.log10(travelled / (high - low))) / Math.log10(n) : 100,
    [n],
  );
  return named('choppiness', [n], chop);
}

const superTrendKernel =
  (width: number): Bind =>
  (
    median: Float64Array,
    range: Float64Array,
    close: Float64Array,
    line: Float64Array,
    direction: Float64Array,
  ) => {
    const memory = { upper: 0, lower: 0, side: 0, before: 0 };
    return (from, to) => {
      let upper = memory.upper;
      let lower = memory.lower;
      let side = memory.side;
      let before = memory.before;
      for (let i = from; i < to; i++) {
        const reach = width * (range[i] as number);
        const high = (median[i] as number) + reach;
        const low = (median[i] as number) - reach;
        const now = close[i] as number;
        upper = side === 0 || high < upper || before > upper ? high : upper;
        lower = side === 0 || low > lower || before < lower ? low : lower;
        if (side === 0) side = now > (median[i] as number) ? 1 : -1;
        else if (side > 0 && now < lower) side = -1;
        else if (side < 0 && now > upper) side = 1;
        line[i] = side > 0 ? lower : upper;
        direction[i] = side;
        before = now;
      }
      memory.upper = upper;
      memory.lower = lower;
      memory.side = side;
      memory.before = before;
    };
  };

/**
 * SuperTrend: bands `width` average true ranges from the median price that only tighten while the trend lasts. The
 * line is the lower band in an upward trend (direction 1), otherwise the upper one (-1). It starts upward if the
 * first close is above its median price, and forgets that at a reversal, for which 250 bars are allowed in addition
 * to the settling of the range. `first` is true if the first bar's own range counts in the average.
 */
export function superTrend(
  bars: PriceBars,
  n = 10,
  width = 3,
  first: FirstRange = 'skip',
): Readonly<Record<'line' | 'direction', Series>> {
  checkFactor('superTrend', width);
  const inputs = [bars.median, wilder(trueRange(bars, first), n), bars.close];
  const spec = { name: 'superTrend', inputs, params: [width], settled: 250, bind: superTrendKernel(width) };
  const args = first === 'skip' ? [n, width] : [n, width, first];
  return namedAll('superTrend', args, outputs(spec, ['line', 'direction']));
}

/** Ichimoku's lines at the current bar; the spans were computed `base` bars ago. */
export type Ichimoku = Readonly<Record<'conversion' | 'base' | 'spanA' | 'spanB', Series>>;

/**
 * Ichimoku: middles of the ranges of `conversion`, `base` and `span` bars. Span A is the middle of the first two and
 * span B the third, both shifted by `base` bars. The lagging line is the close shifted back, so it is not a separate
 * series.
 */
export function ichimoku(bars: PriceBars, conversion = 9, base = 26, span = 52): Ichimoku {
  const [short, medium, long] = [midprice(bars, conversion), midprice(bars, base), midprice(bars, span)];
  const spanA = lag(mul(0.5, add(short, medium)), base);
  const parts = { conversion: short, base: medium, spanA, spanB: lag(long, base) };
  return namedAll('ichimoku', [conversion, base, span], parts);
}
