import type { BarSeries } from '#src/signals/bar-series.ts';
import { mul } from '#src/signals/indicators/arithmetic.ts';
import { sma, t3, trima, vwma } from '#src/signals/indicators/averages.ts';
import { bollinger } from '#src/signals/indicators/deviation.ts';
import { adxr, dx } from '#src/signals/indicators/directional.ts';
import { apo, macd, roc, rocRatio } from '#src/signals/indicators/momentum.ts';
import { aroon } from '#src/signals/indicators/oscillators.ts';
import { balanceOfPower, closeLocation } from '#src/signals/indicators/price-bars.ts';
import { midprice } from '#src/signals/indicators/range.ts';
import {
  linearRegressionAngle,
  linearRegressionForecast,
  linearRegressionIntercept,
  linearRegressionSlope,
} from '#src/signals/indicators/regression.ts';
import { sar } from '#src/signals/indicators/sar.ts';
import { variance } from '#src/signals/indicators/variance.ts';
import { chaikinOscillator } from '#src/signals/indicators/volume.ts';
import { highest, lowest, midpoint, sum } from '#src/signals/indicators/windows.ts';
import type { Series } from '#src/signals/series.ts';
import { talibStochastic, talibUltimateOscillator } from './talib-ways.ts';

/**
 * Columns that the shared files do not have, named like TA-Lib's functions in lower case with their windows, each
 * written "#" here; without one they have the library's default windows. "_ttr" as there.
 */
export const FURTHER: Readonly<
  Record<string, (bars: BarSeries, ...windows: readonly number[]) => Series | undefined>
> = {
  't#_#': ({ close }, three = 0, n = 0) => (three === 3 ? t3(close, n) : undefined),
  'trima#': ({ close }, n = 0) => trima(close, n),
  'max#': ({ close }, n = 0) => highest(close, n),
  'min#': ({ close }, n = 0) => lowest(close, n),
  'sum#': ({ close }, n = 0) => sum(close, n),
  'midpoint#': ({ close }, n = 0) => midpoint(close, n),
  'midprice#': (all, n = 0) => midprice(all, n),
  'var#': ({ close }, n = 0) => variance(close, n),
  'linreg_slope#': ({ close }, n = 0) => linearRegressionSlope(close, n),
  'linreg_intercept#': ({ close }, n = 0) => linearRegressionIntercept(close, n),
  'linreg_angle#': ({ close }, n = 0) => linearRegressionAngle(close, n),
  'tsf#': ({ close }, n = 0) => linearRegressionForecast(close, n),
  'rocr#': ({ close }, n = 0) => rocRatio(close, n),
  'rocp#': ({ close }, n = 0) => mul(roc(close, n), 0.01),
  'apo_#_#': ({ close }, fast = 0, slow = 0) => apo(close, fast, slow),
  bop: (all) => balanceOfPower(all),
  'dx#': (all, n = 0) => dx(all, n),
  'adxr#': (all, n = 0) => adxr(all, n),
  'aroonosc#': (all, n = 0) => aroon(all, n).oscillator,
  stochf_k: (all) => talibStochastic(all, 14, 1),
  stochf_d: (all) => talibStochastic(all, 14, 3),
  'stochf_k_#_#': (all, n = 0) => talibStochastic(all, n, 1),
  'stochf_d_#_#': (all, n = 0, d = 0) => sma(talibStochastic(all, n, 1), d),
  ultosc: (all) => talibUltimateOscillator(all),
  'ultosc_#_#_#': (all, short = 0, medium = 0, long = 0) => talibUltimateOscillator(all, short, medium, long),
  adosc: (all) => chaikinOscillator(all),
  'adosc_#_#': (all, fast = 0, slow = 0) => chaikinOscillator(all, fast, slow),
  typprice: ({ typical }) => typical,
  medprice: ({ median }) => median,
  wclprice: ({ weighted }) => weighted,
  avgprice: ({ average }) => average,
  'bb_middle_#_#': ({ close }, n = 0, width = 0) => bollinger(close, n, width).middle,
  'macd_hist_#_#_#': ({ close }, fast = 0, slow = 0, n = 0) => macd(close, fast, slow, n).histogram,
  'sar_#_#': (all, step = 0, limit = 0) => sar(all, step, limit),
  'vwma#_ttr': ({ close, volume }, n = 0) => vwma(close, volume, n),
  clv_ttr: (all) => closeLocation(all),
};
