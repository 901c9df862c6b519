import type { BarColumns } from '#src/model/bar.ts';
import { dema, ema, hma, sma, tema, wma, zlema } from '#src/signals/averages.ts';
import { type BarSeries, bars } from '#src/signals/bars.ts';
import { defineIndicator } from '#src/signals/custom.ts';
import { bollinger, percentB, standardDeviation } from '#src/signals/deviation.ts';
import { adx, minusDi, plusDi } from '#src/signals/directional.ts';
import { ExactSum } from '#src/signals/exact.ts';
import {
  cmo,
  cmoSums,
  kama,
  macd,
  macdOwnSeeds,
  momentum,
  ppo,
  roc,
  rsi,
  trix,
} from '#src/signals/momentum.ts';
import { aroon, cci, stochastic, williamsR } from '#src/signals/oscillators.ts';
import { trueRange } from '#src/signals/price-bars.ts';
import { compileSignals } from '#src/signals/program.ts';
import { atr, donchian, natr, superTrend } from '#src/signals/range.ts';
import { linearRegression } from '#src/signals/regression.ts';
import { sar } from '#src/signals/sar.ts';
import type { Series } from '#src/signals/series.ts';
import {
  accumulationDistribution,
  chaikinMoneyFlow,
  mfi,
  obv,
  rollingVwap,
  vwap,
} from '#src/signals/volume.ts';

/**
 * (high + low + close) / 3 rounded once, as TTR's extended precision has it: whether two bars have an equal typical
 * price hangs on that last bit, and the money flow of such a bar with it. Ours, as TA-Lib's, is rounded at each step.
 */
const roundedOnce = defineIndicator({
  name: 'roundedOnce',
  start: () => (high, low, close) => {
    const total = new ExactSum();
    for (const price of [high, low, close]) total.add(price);
    const third = total.value() / 3;
    total.addProduct(-3, third);
    return third + total.value() / 3;
  },
});

/** Columns whose oracle is itself less exact than the rest: one-pass variance of a flat window loses digits. */
const TOLERANCES: Readonly<Record<string, number>> = { stddev20_pop: 2e-6 };

/** What a column of the oracle is called there, and the series of ours that must equal it. */
export const ORACLE_COLUMNS: Readonly<Record<string, (bars: BarSeries) => Series>> = {
  sma20: ({ close }) => sma(close, 20),
  ema20: ({ close }) => ema(close, 20),
  wma20: ({ close }) => wma(close, 20),
  dema20: ({ close }) => dema(close, 20),
  tema20: ({ close }) => tema(close, 20),
  kama10: ({ close }) => kama(close, 10),
  rsi14: ({ close }) => rsi(close, 14),
  macd: ({ close }) => macd(close).macd,
  macd_signal: ({ close }) => macd(close).signal,
  macd_hist: ({ close }) => macd(close).histogram,
  bb_upper: ({ close }) => bollinger(close, 20, 2).upper,
  bb_middle: ({ close }) => bollinger(close, 20, 2).middle,
  bb_lower: ({ close }) => bollinger(close, 20, 2).lower,
  stddev20_pop: ({ close }) => standardDeviation(close, 20),
  tr: (all) => trueRange(all),
  atr14: (all) => atr(all, 14),
  natr14: (all) => natr(all, 14),
  stoch_k: (all) => stochastic(all, 14, 3, 3).k,
  stoch_d: (all) => stochastic(all, 14, 3, 3).d,
  adx14: (all) => adx(all, 14),
  plus_di14: (all) => plusDi(all, 14),
  minus_di14: (all) => minusDi(all, 14),
  cci20: (all) => cci(all, 20),
  willr14: (all) => williamsR(all, 14),
  sar: (all) => sar(all),
  trix15: ({ close }) => trix(close, 15),
  aroon_down25: (all) => aroon(all, 25).down,
  aroon_up25: (all) => aroon(all, 25).up,
  mom10: ({ close }) => momentum(close, 10),
  roc10: ({ close }) => roc(close, 10),
  cmo14: ({ close }) => cmo(close, 14),
  linreg14: ({ close }) => linearRegression(close, 14),
  ppo_12_26: ({ close }) => ppo(close, 12, 26),
  obv: (all) => obv(all),
  mfi14: (all) => mfi(all, 14),
  ad: (all) => accumulationDistribution(all),
  macd_ttr: ({ close }) => macdOwnSeeds(close).macd,
  macd_signal_ttr: ({ close }) => macdOwnSeeds(close).signal,
  bb_pctb_ttr: ({ close }) => percentB(close, 20, 2),
  adx14_ttr: (all) => adx(all, 14),
  plus_di14_ttr: (all) => plusDi(all, 14),
  minus_di14_ttr: (all) => minusDi(all, 14),
  donchian_high20_ttr: (all) => donchian(all, 20).upper,
  donchian_mid20_ttr: (all) => donchian(all, 20).middle,
  donchian_low20_ttr: (all) => donchian(all, 20).lower,
  hma20_ttr: ({ close }) => hma(close, 20),
  zlema20_ttr: ({ close }) => zlema(close, 20),
  cmo14_ttr: ({ close }) => cmoSums(close, 14),
  vwap20_rolling_ttr: (all) => rollingVwap(all, 20),
  mfi14_ttr: (all) => mfi({ ...all, typical: roundedOnce([all.high, all.low, all.close]) }, 14),
  cmf20_ttr: (all) => chaikinMoneyFlow(all, 20),
  supertrend_10_3_own: (all) => superTrend(all, 10, 3).line,
  supertrend_dir_own: (all) => superTrend(all, 10, 3).direction,
  vwap_session_own: (all) => vwap(all),
};

/** One row of an oracle's CSV by column name; an empty text means not defined yet. */
export type OracleRow = Readonly<Record<string, string>>;

/** The part of an oracle's JSON that names its columns. */
export interface OracleIndicators {
  readonly id: string;
  readonly columns: readonly string[];
}

/** How one column of an oracle compares with ours. */
export interface ColumnComparison {
  readonly column: string;
  /** Largest difference relative to the oracle's value (to 0.01 where that is smaller); Infinity when ours has no value. */
  readonly worst: number;
  readonly compared: number;
  readonly pass: boolean;
  readonly firstDifference: { readonly row: number; readonly want: number; readonly got: number } | undefined;
}

/** Compares every column of an oracle with our indicators over the bars it was made from. */
export function compareIndicators(
  rows: readonly OracleRow[],
  oracle: OracleIndicators,
  data: BarColumns,
  tolerance = 1e-6,
): readonly ColumnComparison[] {
  return oracle.columns.map((column) => {
    const make = ORACLE_COLUMNS[column];
    if (make === undefined) throw new RangeError(`No indicator of ours for the oracle's column "${column}"`);
    const ours = compileSignals({ it: make(bars) })
      .overColumns(data, { decideFrom: 0 })
      .column('it');
    return compareColumn(column, rows, ours, Math.max(tolerance, TOLERANCES[column] ?? 0));
  });
}

function compareColumn(
  column: string,
  rows: readonly OracleRow[],
  ours: Float64Array,
  tolerance: number,
): ColumnComparison {
  let [worst, compared] = [0, 0];
  let firstDifference: ColumnComparison['firstDifference'];
  for (const [row, cells] of rows.entries()) {
    const text = cells[column] ?? '';
    if (text === '') continue;
    const want = Number(text);
    const got = ours[row] ?? Number.NaN;
    const distance = Math.abs(got - want) / Math.max(Math.abs(want), SMALL);
    const difference = Number.isNaN(distance) ? Number.POSITIVE_INFINITY : distance;
    compared++;
    worst = Math.max(worst, difference);
    if (difference > tolerance) firstDifference ??= { row, want, got };
  }
  return { column, worst, compared, pass: compared > 0 && firstDifference === undefined, firstDifference };
}

/** Values below this are compared by their distance: the files hold ten decimals. */
const SMALL = 1e-2;
