import type { BarSeries } from '#src/signals/bar-series.ts';
import { ema, hma, sma, vwma } from '#src/signals/indicators/averages.ts';
import { bollinger, percentB } from '#src/signals/indicators/deviation.ts';
import { adx, minusDi, plusDi } from '#src/signals/indicators/directional.ts';
import { kama, macd, rsi } from '#src/signals/indicators/momentum.ts';
import { cci, stochastic, williamsR } from '#src/signals/indicators/oscillators.ts';
import { atr, donchian, keltner, superTrend } from '#src/signals/indicators/range.ts';
import { mfi, obv } from '#src/signals/indicators/volume.ts';
import type { Series } from '#src/signals/series.ts';

/** A column exported by charting software, and our series that must equal it. */
export interface PublishedColumn {
  readonly column: string;
  readonly make: (bars: BarSeries) => Series;
  /**
   * Allowed difference beyond the rounding of the printed figure, as a share of the column's largest value: the
   * exports were computed from prices and volumes with more or fewer digits than they print.
   */
  readonly slack?: number;
  /** First compared row: an exponential average had more history than its file, and ours agrees only later. */
  readonly from?: number;
}

/** By file. */
export const PUBLISHED_COLUMNS: Readonly<Record<string, readonly PublishedColumn[]>> = {
  'dwac_supertrend.txt': [{ column: 'Super', make: (all) => superTrend(all, 10, 3, 'own').line, from: 9 }],
  'spy_atr_wilder.txt': [{ column: 'Average True Range 14', make: (all) => atr(all, 14), from: 250 }],
  'spy_bollinger_bands.txt': [
    { column: 'Moving Average 20', make: ({ close }) => bollinger(close, 20, 2).middle },
    { column: 'Bollinger Bands® 20 2 Top', make: ({ close }) => bollinger(close, 20, 2).upper },
    { column: 'Bollinger Bands® 20 2 Bottom', make: ({ close }) => bollinger(close, 20, 2).lower },
    { column: '%B', make: ({ close }) => percentB(close, 20, 2), slack: 1e-4 },
  ],
  'spy_hma.txt': [{ column: 'HMA_16', make: ({ close }) => hma(close, 16) }],
  'spy_kama.txt': [{ column: 'KAMA_5', make: ({ close }) => kama(close, 5) }],
  'spy_mfi.txt': [{ column: 'Money Flow Index 20', make: (all) => mfi(all, 20) }],
  'spy_with_adx.txt': [
    { column: '+DI14', make: (all) => plusDi(all, 14), from: 250 },
    { column: '-DI14', make: (all) => minusDi(all, 14), from: 250 },
    { column: 'ADX 14', make: (all) => adx(all, 14), from: 250 },
  ],
  'spy_with_cci.txt': [
    { column: 'Commodity Channel Index (CCI) 14', make: (all) => cci(all, 14), slack: 1e-5 },
  ],
  'spy_with_don50.txt': [
    { column: 'Donchian Channels 50 Top', make: (all) => donchian(all, 50).upper, from: 49 },
    { column: 'Donchian Channels 50 Bottom', make: (all) => donchian(all, 50).lower, from: 49 },
    { column: 'Donchian Channels 50 Mean', make: (all) => donchian(all, 50).middle, from: 49 },
  ],
  'spy_with_indicators.txt': [
    { column: 'SMA14', make: ({ close }) => sma(close, 14) },
    { column: 'EMA14', make: ({ close }) => ema(close, 14) },
    { column: 'MACD 12 26', make: ({ close }) => macd(close).macd, from: 250, slack: 1e-6 },
    { column: 'RSI 14 Wilder', make: ({ close }) => rsi(close, 14) },
  ],
  'spy_with_keltner.csv': [
    { column: 'Keltner Channels 20 Top', make: (all) => keltner(all, 20, 1.5, 20, 'plain').upper },
    { column: 'Keltner Channels 20 Bottom', make: (all) => keltner(all, 20, 1.5, 20, 'plain').lower },
    { column: 'Middle Band', make: (all) => keltner(all, 20, 1.5, 20, 'plain').middle },
    { column: 'TypicalPrice', make: ({ typical }) => typical },
  ],
  'spy_with_macd.txt': [
    { column: 'MACD', make: ({ close }) => macd(close).macd, slack: 1e-6 },
    { column: 'Signal', make: ({ close }) => macd(close).signal, slack: 1e-6 },
    { column: 'Histogram', make: ({ close }) => macd(close).histogram, slack: 1e-6 },
  ],
  'spy_with_obv.txt': [{ column: 'OBV', make: (all) => obv(all), from: 1, slack: 1e-6 }],
  'spy_with_stoch12k3.txt': [
    { column: 'Stochastics 12 %K 3', make: (all) => stochastic(all, 12, 3, 5).k, slack: 1e-5 },
    { column: '%D 5', make: (all) => stochastic(all, 12, 3, 5).d, slack: 1e-5 },
  ],
  'spy_with_vwap.txt': [
    { column: 'Moving VWAP 50', make: ({ average, volume }) => vwma(average, volume, 50) },
  ],
  'spy_with_williamsR14.txt': [{ column: 'Williams %R 14', make: (all) => williamsR(all, 14), slack: 1e-5 }],
};
