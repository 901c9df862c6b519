import type { BarSeries } from '#src/signals/bar-series.ts';
import { bars } from '#src/signals/bars.ts';
import { dema, ema, hma, sma, t3, tema, trima, vwma, wilder, wma } from '#src/signals/indicators/averages.ts';
import { bollinger, standardDeviation } from '#src/signals/indicators/deviation.ts';
import { adx, adxr, dx, minusDi, plusDi } from '#src/signals/indicators/directional.ts';
import {
  apo,
  cmo,
  cmoSums,
  kama,
  macd,
  momentum,
  ppo,
  roc,
  rocRatio,
  rsi,
  stochasticRsi,
  trix,
  tsi,
} from '#src/signals/indicators/momentum.ts';
import {
  aroon,
  awesomeOscillator,
  cci,
  elderRay,
  meanDeviation,
  stochastic,
  stochasticFast,
  ultimateOscillator,
  vortex,
  williamsR,
} from '#src/signals/indicators/oscillators.ts';
import { balanceOfPower, trueRange } from '#src/signals/indicators/price-bars.ts';
import { atr, donchian, midprice, natr } from '#src/signals/indicators/range.ts';
import {
  beta,
  correlation,
  linearRegression,
  linearRegressionAngle,
  linearRegressionForecast,
  linearRegressionIntercept,
  linearRegressionSlope,
} from '#src/signals/indicators/regression.ts';
import { sar } from '#src/signals/indicators/sar.ts';
import { variance } from '#src/signals/indicators/variance.ts';
import {
  accumulationDistribution,
  chaikinMoneyFlow,
  chaikinOscillator,
  forceIndex,
  mfi,
  obv,
} from '#src/signals/indicators/volume.ts';
import { highest, lowest, midpoint, percentRank, sum } from '#src/signals/indicators/windows.ts';
import type { Series, SeriesRecord } from '#src/signals/series.ts';

/** A function of TA-Lib as called from Python, and our series that must equal its outputs, in order. */
export interface TalibCall {
  readonly id: string;
  readonly fn: string;
  /** Names of columns, in the order of the function's inputs. */
  readonly inputs: readonly string[];
  readonly params: Readonly<Record<string, number>>;
  readonly ours: readonly Series[];
}

const HL = ['high', 'low'];
const HLC = ['high', 'low', 'close'];
const HLCV = [...HLC, 'volume'];
const { close, high, low } = bars;

function call(
  fn: string,
  inputs: readonly string[],
  params: Readonly<Record<string, number>>,
  ours: Series | readonly Series[],
): TalibCall {
  const id = [fn, ...Object.values(params)].join(' ');
  return { id, fn, inputs, params, ours: 'kind' in ours ? [ours] : ours };
}

/** One input, one window. */
function windowed(
  fn: string,
  make: (x: Series, n: number) => Series,
  windows: readonly number[],
): readonly TalibCall[] {
  return windows.map((n) => call(fn, ['close'], { timeperiod: n }, make(close, n)));
}

/** High, low and close, one window. */
function ranged(fn: string, make: (all: BarSeries, n: number) => Series, inputs = HLC): readonly TalibCall[] {
  return [2, 14, 40].map((n) => call(fn, inputs, { timeperiod: n }, make(bars, n)));
}

const parts = (record: SeriesRecord, ...names: readonly string[]): readonly Series[] =>
  names.flatMap((name) => record[name] ?? []);

const BANDS = ['upper', 'middle', 'lower'];
const N = [2, 9, 50];
const EXPONENTIAL = 1;

const OF_ONE_SERIES: readonly TalibCall[] = [
  ...windowed('SMA', sma, N),
  ...windowed('EMA', ema, N),
  ...windowed('RMA', wilder, N),
  ...windowed('WMA', wma, N),
  ...windowed('DEMA', dema, N),
  ...windowed('TEMA', tema, N),
  ...windowed('TRIMA', trima, [3, 9, 50]),
  ...windowed('HMA', hma, [9, 16, 50]),
  ...windowed('KAMA', (x, n) => kama(x, n), N),
  ...windowed('SUM', sum, N),
  ...windowed('MAX', highest, N),
  ...windowed('MIN', lowest, N),
  ...windowed('MIDPOINT', midpoint, N),
  ...windowed('PERCENTRANK', percentRank, N),
  ...windowed('AVGDEV', meanDeviation, N),
  ...windowed('LINEARREG', linearRegression, N),
  ...windowed('LINEARREG_SLOPE', linearRegressionSlope, N),
  ...windowed('LINEARREG_INTERCEPT', linearRegressionIntercept, N),
  ...windowed('LINEARREG_ANGLE', linearRegressionAngle, N),
  ...windowed('TSF', linearRegressionForecast, N),
  ...windowed('MOM', momentum, N),
  ...windowed('ROC', roc, N),
  ...windowed('ROCR', rocRatio, N),
  ...windowed('RSI', rsi, [2, 14, 40]),
  ...windowed('CMO', cmo, [2, 14, 40]),
  ...windowed('CMOU', cmoSums, [2, 14, 40]),
  ...windowed('TRIX', trix, [2, 15]),
  call('T3', ['close'], { timeperiod: 5, vfactor: 0.7 }, t3(close, 5)),
  call('T3', ['close'], { timeperiod: 9, vfactor: 0.3 }, t3(close, 9, 0.3)),
  call('VAR', ['close'], { timeperiod: 9, nbdev: 1 }, variance(close, 9)),
  call('VAR', ['close'], { timeperiod: 50, nbdev: 1 }, variance(close, 50)),
  call('STDDEV', ['close'], { timeperiod: 9, nbdev: 1 }, standardDeviation(close, 9)),
  call('STDDEV', ['close'], { timeperiod: 50, nbdev: 1 }, standardDeviation(close, 50)),
  call('BBANDS', ['close'], { timeperiod: 20, nbdevup: 2, nbdevdn: 2 }, parts(bollinger(close), ...BANDS)),
  call(
    'BBANDS',
    ['close'],
    { timeperiod: 9, nbdevup: 3, nbdevdn: 3 },
    parts(bollinger(close, 9, 3), ...BANDS),
  ),
  call(
    'STOCHRSI',
    ['close'],
    { timeperiod: 14, fastk_period: 14, fastd_period: 3 },
    parts(stochasticRsi(close), 'k', 'd'),
  ),
  call(
    'MACD',
    ['close'],
    { fastperiod: 12, slowperiod: 26, signalperiod: 9 },
    parts(macd(close), 'macd', 'signal', 'histogram'),
  ),
  call(
    'MACD',
    ['close'],
    { fastperiod: 3, slowperiod: 10, signalperiod: 16 },
    parts(macd(close, 3, 10, 16), 'macd', 'signal', 'histogram'),
  ),
  call('APO', ['close'], { fastperiod: 12, slowperiod: 26, matype: EXPONENTIAL }, apo(close)),
  call('PPO', ['close'], { fastperiod: 12, slowperiod: 26, matype: EXPONENTIAL }, ppo(close)),
  call('TSI', ['close'], { firstperiod: 25, secondperiod: 13 }, tsi(close)),
];

/** TA-Lib's BETA takes prices and computes the returns itself; its first input is the divisor. */
const returns = (x: Series): Series => roc(x, 1);

const OF_BARS: readonly TalibCall[] = [
  ...[9, 30].map((n) => call('CORREL', HL, { timeperiod: n }, correlation(high, low, n))),
  ...[5, 30].map((n) => call('BETA', HL, { timeperiod: n }, beta(returns(low), returns(high), n))),
  ...[9, 30].map((n) => call('VWMA', ['close', 'volume'], { timeperiod: n }, vwma(close, bars.volume, n))),
  call('TRANGE', HLC, {}, trueRange(bars)),
  ...ranged('ATR', atr),
  ...ranged('NATR', natr),
  ...ranged('MIDPRICE', midprice, HL),
  ...ranged('PLUS_DI', plusDi),
  ...ranged('MINUS_DI', minusDi),
  ...ranged('DX', dx),
  ...ranged('ADX', adx),
  ...ranged('ADXR', adxr),
  ...ranged('WILLR', williamsR),
  ...ranged('CCI', cci),
  ...[20, 55].map((n) => call('DONCHIAN', HL, { timeperiod: n }, parts(donchian(bars, n), ...BANDS))),
  call('SAR', HL, { acceleration: 0.02, maximum: 0.2 }, sar(bars)),
  call('SAR', HL, { acceleration: 0.05, maximum: 0.1 }, sar(bars, 0.05, 0.1)),
  call('BOP', ['open', ...HLC], {}, balanceOfPower(bars)),
  ...[14, 25].map((n) => call('AROON', HL, { timeperiod: n }, parts(aroon(bars, n), 'down', 'up'))),
  call('AROONOSC', HL, { timeperiod: 25 }, aroon(bars).oscillator),
  call('VORTEX', HLC, { timeperiod: 14 }, parts(vortex(bars), 'plus', 'minus')),
  call('STOCHF', HLC, { fastk_period: 14, fastd_period: 3 }, parts(stochasticFast(bars), 'k', 'd')),
  call(
    'STOCH',
    HLC,
    { fastk_period: 14, slowk_period: 3, slowd_period: 3 },
    parts(stochastic(bars), 'k', 'd'),
  ),
  call(
    'STOCH',
    HLC,
    { fastk_period: 5, slowk_period: 2, slowd_period: 7 },
    parts(stochastic(bars, 5, 2, 7), 'k', 'd'),
  ),
  call('ULTOSC', HLC, { timeperiod1: 7, timeperiod2: 14, timeperiod3: 28 }, ultimateOscillator(bars)),
  call('AO', HL, { fastperiod: 5, slowperiod: 34 }, awesomeOscillator(bars)),
  call('ERI', HLC, { timeperiod: 13 }, parts(elderRay(bars), 'bull', 'bear')),
  call('OBV', ['close', 'volume'], {}, obv(bars)),
  call('AD', HLCV, {}, accumulationDistribution(bars)),
  call('ADOSC', HLCV, { fastperiod: 3, slowperiod: 10 }, chaikinOscillator(bars)),
  ...[14, 20].map((n) => call('CMF', HLCV, { timeperiod: n }, chaikinMoneyFlow(bars, n))),
  ...[5, 14].map((n) => call('MFI', HLCV, { timeperiod: n }, mfi(bars, n))),
  call('EFI', ['close', 'volume'], { timeperiod: 13 }, forceIndex(bars)),
  call('TYPPRICE', HLC, {}, bars.typical),
  call('MEDPRICE', HL, {}, bars.median),
  call('WCLPRICE', HLC, {}, bars.weighted),
  call('AVGPRICE', ['open', ...HLC], {}, bars.average),
];

/** Every function of TA-Lib that we also have, with several windows each. */
export const TALIB_CALLS: readonly TalibCall[] = [...OF_ONE_SERIES, ...OF_BARS];
