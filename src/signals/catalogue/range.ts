import { balanceOfPower, closeLocation, trueRange } from '../indicators/price-bars.ts';
import {
  atr,
  choppiness,
  donchian,
  ichimoku,
  keltner,
  midprice,
  natr,
  superTrend,
} from '../indicators/range.ts';
import { sar } from '../indicators/sar.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';

/** Ranges, channels and stops. */
export const RANGE_CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: 'trueRange',
    parameters: ['bars', "first = 'skip'"],
    outputs: ['value'],
    formula: 'max(high - low, abs(high - close before), abs(low - close before))',
    source: 'TA-Lib TRANGE',
    example: (bars) => trueRange(bars),
  },
  {
    name: 'atr',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: 'Wilder average of the true range, seeded with the mean of bars 1 to n',
    source: 'TA-Lib ATR',
    example: (bars) => atr(bars),
  },
  {
    name: 'natr',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: '100 ATR / close',
    source: 'TA-Lib NATR',
    example: (bars) => natr(bars),
  },
  {
    name: 'keltner',
    parameters: ['bars', 'n = 20', 'width = 2', 'atrBars = 10', "averages = 'exponential'"],
    outputs: ['upper', 'middle', 'lower'],
    formula:
      "EMA of the close and width ATR(atrBars) above and below; 'plain': SMA of the typical price and of the true range",
    source: "Raschke; 'plain': Keltner, Lean",
    example: (bars) => keltner(bars),
  },
  {
    name: 'donchian',
    parameters: ['bars', 'n = 20'],
    outputs: ['upper', 'middle', 'lower'],
    formula: 'highest high, lowest low of n bars with this one, and their middle',
    source: 'TTR DonchianChannel',
    example: (bars) => donchian(bars),
  },
  {
    name: 'midprice',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: '(highest high + lowest low) / 2',
    source: 'TA-Lib MIDPRICE',
    example: (bars) => midprice(bars),
  },
  {
    name: 'choppiness',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: '100 log10(sum of true ranges / range of n bars) / log10(n); 100 where nothing moved',
    source: 'Dreiss 1993',
    example: (bars) => choppiness(bars),
  },
  {
    name: 'superTrend',
    parameters: ['bars', 'n = 10', 'width = 3', "first = 'skip'"],
    outputs: ['line', 'direction'],
    formula:
      "median price -+ width ATR, bands only tighten in a trend; direction 1 up, -1 down; 'own': the first bar's range counts",
    source: 'Seban',
    example: (bars) => superTrend(bars),
  },
  {
    name: 'ichimoku',
    parameters: ['bars', 'conversion = 9', 'base = 26', 'span = 52'],
    outputs: ['conversion', 'base', 'spanA', 'spanB'],
    formula: 'middles of ranges; spans as drawn ahead base bars ago',
    source: 'Hosoda 1969',
    example: (bars) => ichimoku(bars),
  },
  {
    name: 'sar',
    parameters: ['bars', 'step = 0.02', 'limit = 0.2'],
    outputs: ['value'],
    formula: 'stop that runs after the extreme of the trend, faster at each new extreme',
    source: 'TA-Lib SAR',
    example: (bars) => sar(bars),
  },
  {
    name: 'closeLocation',
    parameters: ['bars'],
    outputs: ['value'],
    formula: '(2 close - high - low) / (high - low); 0 without a range',
    source: 'TTR CLV',
    example: (bars) => closeLocation(bars),
  },
  {
    name: 'balanceOfPower',
    parameters: ['bars'],
    outputs: ['value'],
    formula: '(close - open) / (high - low); 0 without a range',
    source: 'TA-Lib BOP',
    example: (bars) => balanceOfPower(bars),
  },
];
