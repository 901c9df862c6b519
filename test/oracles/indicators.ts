import type { BarColumns } from '#src/model/bar.ts';
import type { BarSeries } from '#src/signals/bar-series.ts';
import { bars } from '#src/signals/bars.ts';
import { mul } from '#src/signals/indicators/arithmetic.ts';
import { dema, ema, hma, sma, tema, wma, zlema } from '#src/signals/indicators/averages.ts';
import { bollinger, percentB, standardDeviation } from '#src/signals/indicators/deviation.ts';
import { adx, minusDi, plusDi } from '#src/signals/indicators/directional.ts';
import {
  cmo,
  cmoSums,
  kama,
  macd,
  macdOwnSeeds,
  momentum,
  ppo,
  roc,
  trix,
} from '#src/signals/indicators/momentum.ts';
import { aroon, cci, williamsR } from '#src/signals/indicators/oscillators.ts';
import { trueRange } from '#src/signals/indicators/price-bars.ts';
import { atr, donchian, natr, superTrend } from '#src/signals/indicators/range.ts';
import { linearRegression } from '#src/signals/indicators/regression.ts';
import { sar } from '#src/signals/indicators/sar.ts';
import {
  accumulationDistribution,
  chaikinMoneyFlow,
  mfi,
  obv,
  rollingVwap,
  vwap,
} from '#src/signals/indicators/volume.ts';
import { compileSignals } from '#src/signals/program.ts';
import type { Series } from '#src/signals/series.ts';
import { FURTHER } from './further-columns.ts';
import {
  roundedOnce,
  talibMfi,
  talibRsi,
  talibStochastic,
  talibWilliamsR,
  withoutNoise,
} from './talib-ways.ts';

/** Columns with a fixed window, and our series that must equal them. */
const FIXED: Readonly<Record<string, (bars: BarSeries) => Series>> = {
  macd: ({ close }) => macd(close).macd,
  macd_signal: ({ close }) => macd(close).signal,
  macd_hist: ({ close }) => macd(close).histogram,
  bb_upper: ({ close }) => bollinger(close, 20, 2).upper,
  bb_middle: ({ close }) => bollinger(close, 20, 2).middle,
  bb_lower: ({ close }) => bollinger(close, 20, 2).lower,
  tr: (all) => trueRange(all),
  stoch_k: (all) => talibStochastic(all, 14, 3),
  stoch_d: (all) => sma(talibStochastic(all, 14, 3), 3),
  sar: (all) => sar(all),
  obv: (all) => obv(all),
  ad: (all) => accumulationDistribution(all),
  macd_ttr: ({ close }) => macdOwnSeeds(close).macd,
  macd_signal_ttr: ({ close }) => macdOwnSeeds(close).signal,
  bb_pctb_ttr: ({ close }) => percentB(close, 20, 2),
  supertrend_dir_own: (all) => superTrend(all, 10, 3).direction,
  vwap_session_own: (all) => vwap(all),
};

/** Columns with their windows in the name, each written "#" here: `sma#` makes `sma20`. */
const WINDOWED: Readonly<Record<string, (bars: BarSeries, ...windows: readonly number[]) => Series>> = {
  'sma#': ({ close }, n = 0) => sma(close, n),
  'ema#': ({ close }, n = 0) => ema(close, n),
  'wma#': ({ close }, n = 0) => wma(close, n),
  'dema#': ({ close }, n = 0) => dema(close, n),
  'tema#': ({ close }, n = 0) => tema(close, n),
  'kama#': ({ close }, n = 0) => kama(close, n),
  'rsi#': ({ close }, n = 0) => talibRsi(close, n),
  'stddev#_pop': ({ close }, n = 0) => standardDeviation(close, n),
  'atr#': (all, n = 0) => atr(all, n),
  'natr#': (all, n = 0) => (n === 1 ? trueRange(all) : natr(all, n)),
  'adx#': (all, n = 0) => adx(all, n),
  'plus_di#': (all, n = 0) => asShareOfOne(plusDi(all, n), n),
  'minus_di#': (all, n = 0) => asShareOfOne(minusDi(all, n), n),
  'cci#': (all, n = 0) => cci(all, n),
  'willr#': (all, n = 0) => talibWilliamsR(all, n),
  'trix#': ({ close }, n = 0) => trix(close, n),
  'aroon_down#': (all, n = 0) => aroon(all, n).down,
  'aroon_up#': (all, n = 0) => aroon(all, n).up,
  'mom#': ({ close }, n = 0) => momentum(close, n),
  'roc#': ({ close }, n = 0) => roc(close, n),
  'cmo#': ({ close }, n = 0) => cmo(close, n),
  'linreg#': ({ close }, n = 0) => linearRegression(close, n),
  'macd_#_#_#': ({ close }, fast = 0, slow = 0, n = 0) => macd(close, fast, slow, n).macd,
  'macd_signal_#_#_#': ({ close }, fast = 0, slow = 0, n = 0) => macd(close, fast, slow, n).signal,
  'bb_upper_#_#': ({ close }, n = 0, width = 0) => bollinger(close, n, width).upper,
  'bb_lower_#_#': ({ close }, n = 0, width = 0) => bollinger(close, n, width).lower,
  'stoch_k_#_#_#': (all, n = 0, smooth = 0) => talibStochastic(all, n, smooth),
  'stoch_d_#_#_#': (all, n = 0, smooth = 0, d = 0) => sma(talibStochastic(all, n, smooth), d),
  'ppo_#_#': ({ close }, fast = 0, slow = 0) => ppo(close, fast, slow),
  'mfi#': (all, n = 0) => talibMfi(all, n),
  'adx#_ttr': (all, n = 0) => adx(all, n),
  'plus_di#_ttr': (all, n = 0) => plusDi(all, n),
  'minus_di#_ttr': (all, n = 0) => minusDi(all, n),
  'donchian_high#_ttr': (all, n = 0) => donchian(all, n).upper,
  'donchian_mid#_ttr': (all, n = 0) => donchian(all, n).middle,
  'donchian_low#_ttr': (all, n = 0) => donchian(all, n).lower,
  'hma#_ttr': ({ close }, n = 0) => hma(close, n),
  'willr#_ttr': (all, n = 0) => williamsR(all, n),
  'zlema#_ttr': ({ close }, n = 0) => zlema(close, n),
  'cmo#_ttr': ({ close }, n = 0) => cmoSums(close, n),
  'vwap#_rolling_ttr': (all, n = 0) => rollingVwap(all, n),
  'mfi#_ttr': (all, n = 0) => mfi({ ...all, typical: roundedOnce([all.high, all.low, all.close]) }, n),
  'cmf#_ttr': (all, n = 0) => chaikinMoneyFlow(all, n),
  'supertrend_#_#_own': (all, n = 0, width = 0) => superTrend(all, n, width).line,
};

/** Columns that two releases of TA-Lib compute differently, by the definition of the later one. */
const LATER: Readonly<Record<string, (bars: BarSeries, n: number) => Series>> = {
  'mfi#': (all, n) => talibMfi({ ...all, typical: withoutNoise([all.typical]) }, n),
};

/** With a window of one bar, TA-Lib neither smooths nor uses percent, nor divides its true range by the close. */
function asShareOfOne(percent: Series, n: number): Series {
  return n === 1 ? mul(percent, 0.01) : percent;
}

/** True if a column names one of our indicators. */
export function isKnownColumn(column: string): boolean {
  return seriesOf(column, bars) !== undefined;
}

/** Our series for a column of the oracle; undefined for an unknown column. */
function seriesOf(column: string, all: BarSeries): Series | undefined {
  const name = column.replace(NUMBERS, '#');
  const windows = (column.match(NUMBERS) ?? []).map(Number);
  if (Object.hasOwn(FIXED, column)) return FIXED[column]?.(all);
  const table = Object.hasOwn(WINDOWED, name) ? WINDOWED : FURTHER;
  if (Object.hasOwn(table, name)) return table[name]?.(all, ...windows);
  return column.endsWith(TTR) && !OTHERWISE.has(column)
    ? seriesOf(column.slice(0, -TTR.length), all)
    : undefined;
}

/**
 * Suffix of the other library's columns. A column without a separate definition is the one of the same name without
 * the suffix.
 */
const TTR = '_ttr';

/** Columns that the library begins in a way that ours do not. */
const OTHERWISE: ReadonlySet<string> = new Set(['sar_ttr']);

const NUMBERS = /\d+(?:\.\d+)?/g;

/** One row of an oracle's CSV by column name; '' means not defined yet. */
export type OracleRow = Readonly<Record<string, string>>;

/** The part of an oracle's JSON that names its columns. */
export interface OracleIndicators {
  readonly id: string;
  readonly columns: readonly string[];
}

/** Comparison of one column of an oracle with ours. */
export interface ColumnComparison {
  readonly column: string;
  /**
   * Largest difference relative to the oracle's value (or to 0.01 if the value is smaller); Infinity if ours has no
   * value.
   */
  readonly worst: number;
  readonly compared: number;
  readonly pass: boolean;
  readonly firstDifference: { readonly row: number; readonly want: number; readonly got: number } | undefined;
}

/** Compares every column of an oracle with our indicators over its bars; throws RangeError for an unknown column. */
export function compareIndicators(
  rows: readonly OracleRow[],
  oracle: OracleIndicators,
  data: BarColumns,
  tolerance = 1e-6,
): readonly ColumnComparison[] {
  return oracle.columns.map((column) => {
    const compared = (it: Series): ColumnComparison =>
      compareColumn(column, rows, columnOf(it, data), { tolerance, close: data.close });
    const series = seriesOf(column, bars);
    if (series === undefined)
      throw new RangeError(`No indicator of ours for the oracle's column "${column}"`);
    const first = compared(series);
    const later = first.pass ? undefined : laterOf(column);
    const second = later === undefined ? first : compared(later);
    return second.pass ? second : first;
  });
}

function laterOf(column: string): Series | undefined {
  const [n] = column.match(NUMBERS) ?? [];
  return LATER[column.replace(NUMBERS, '#')]?.(bars, Number(n));
}

function columnOf(it: Series, data: BarColumns): Float64Array {
  return compileSignals({ it }).overColumns(data, { warmupEnd: 0 }).column('it');
}

function compareColumn(
  column: string,
  rows: readonly OracleRow[],
  ours: Float64Array,
  { tolerance, close }: { readonly tolerance: number; readonly close: Float64Array },
): ColumnComparison {
  let [worst, compared, highest] = [0, 0, 0];
  let firstDifference: ColumnComparison['firstDifference'];
  for (const [row, cells] of rows.entries()) {
    const text = cells[column] ?? '';
    highest = Math.max(highest, close[row] ?? 0);
    if (text === '' || text.toLowerCase() === 'nan') continue;
    const want = Number(text);
    const got = ours[row] ?? Number.NaN;
    const lost = column.startsWith('stddev') ? lostDigits(Math.min(want, got), highest) : 0;
    const distance = Math.max(0, Math.abs(got - want) - lost) / Math.max(Math.abs(want), SMALL);
    const difference = Number.isNaN(distance) ? Number.POSITIVE_INFINITY : distance;
    compared++;
    worst = Math.max(worst, difference);
    if (difference > tolerance) firstDifference ??= { row, want, got };
  }
  return { column, worst, compared, pass: firstDifference === undefined, firstDifference };
}

/**
 * Error of a deviation whose variance was computed in one pass, as the mean of squares minus the square of the mean,
 * from running sums: these keep the first fifteen digits of the highest price's square. It is almost 0 unless prices
 * are nearly constant, or far below earlier ones.
 */
function lostDigits(deviation: number, highest: number): number {
  return Math.sqrt(deviation ** 2 + (ONE_PASS * highest) ** 2) - deviation;
}

const ONE_PASS = Math.sqrt(32 * Number.EPSILON);

/** Values below this are compared by their difference: the files have ten decimals. */
const SMALL = 1e-2;
