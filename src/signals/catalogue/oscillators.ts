import {
  awesomeOscillator,
  cci,
  elderRay,
  stochastic,
  stochasticFast,
  ultimateOscillator,
  williamsR,
} from '../indicators/oscillators.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';

/** Oscillators of bars. */
export const OSCILLATORS_CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: 'stochasticFast',
    parameters: ['bars', 'n = 14', 'd = 3'],
    outputs: ['k', 'd'],
    formula: '100 (close - lowest low) / range of n bars, 50 without a range; d = SMA(k)',
    source: 'TA-Lib STOCHF',
    example: (bars) => stochasticFast(bars),
  },
  {
    name: 'stochastic',
    parameters: ['bars', 'n = 14', 'smooth = 3', 'd = 3'],
    outputs: ['k', 'd'],
    formula: 'k = SMA of the raw place over smooth; d = SMA(k)',
    source: 'TA-Lib STOCH',
    example: (bars) => stochastic(bars),
  },
  {
    name: 'williamsR',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: '-100 (highest high - close) / range of n bars; -50 without a range',
    source: 'TA-Lib WILLR',
    example: (bars) => williamsR(bars),
  },
  {
    name: 'cci',
    parameters: ['bars', 'n = 20'],
    outputs: ['value'],
    formula: '(typical - SMA) / (0.015 mean deviation); 0 where nothing moved; O(n) a bar',
    source: 'TA-Lib CCI',
    example: (bars) => cci(bars),
  },
  {
    name: 'ultimateOscillator',
    parameters: ['bars', 'short = 7', 'medium = 14', 'long = 28'],
    outputs: ['value'],
    formula:
      '100 (4 a + 2 b + c) / 7, shares of buying pressure in the true range over three windows, a half where nothing moved',
    source: 'TA-Lib ULTOSC',
    example: (bars) => ultimateOscillator(bars),
  },
  {
    name: 'awesomeOscillator',
    parameters: ['bars', 'fast = 5', 'slow = 34'],
    outputs: ['value'],
    formula: 'SMA(fast) - SMA(slow) of the median price',
    source: 'Williams 1998',
    example: (bars) => awesomeOscillator(bars),
  },
  {
    name: 'elderRay',
    parameters: ['bars', 'n = 13'],
    outputs: ['bull', 'bear'],
    formula: 'high - EMA(close), low - EMA(close)',
    source: 'Elder 1993',
    example: (bars) => elderRay(bars),
  },
];
