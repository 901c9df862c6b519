import {
  bandWidth,
  bollinger,
  historicalVolatility,
  percentB,
  standardDeviation,
  zScore,
} from '../indicators/deviation.ts';
import { meanDeviation } from '../indicators/oscillators.ts';
import { variance } from '../indicators/variance.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';

/** Spread of values. */
export const DEVIATION_CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: 'variance',
    parameters: ['x', 'n'],
    outputs: ['value'],
    formula: 'mean squared distance from the mean (divides by n)',
    source: 'TA-Lib VAR',
    example: (bars) => variance(bars.close, 9),
  },
  {
    name: 'standardDeviation',
    parameters: ['x', 'n'],
    outputs: ['value'],
    formula: 'square root of the variance',
    source: 'TA-Lib STDDEV',
    example: (bars) => standardDeviation(bars.close, 9),
  },
  {
    name: 'meanDeviation',
    parameters: ['x', 'n'],
    outputs: ['value'],
    formula: 'mean absolute distance from the mean; O(n) a bar',
    source: 'Lambert 1980',
    example: (bars) => meanDeviation(bars.close, 9),
  },
  {
    name: 'zScore',
    parameters: ['x', 'n'],
    outputs: ['value'],
    formula: '(x - SMA) / standard deviation; 0 where nothing moved',
    source: 'statistics',
    example: (bars) => zScore(bars.close, 9),
  },
  {
    name: 'bollinger',
    parameters: ['x', 'n = 20', 'width = 2'],
    outputs: ['upper', 'middle', 'lower'],
    formula: 'SMA and width standard deviations above and below',
    source: 'TA-Lib BBANDS',
    example: (bars) => bollinger(bars.close),
  },
  {
    name: 'percentB',
    parameters: ['x', 'n = 20', 'width = 2'],
    outputs: ['value'],
    formula: '(x - lower) / (upper - lower) of the Bollinger bands; 0.5 where nothing moved',
    source: 'TTR BBands',
    example: (bars) => percentB(bars.close),
  },
  {
    name: 'bandWidth',
    parameters: ['x', 'n = 20', 'width = 2'],
    outputs: ['value'],
    formula: '(upper - lower) / middle of the Bollinger bands',
    source: 'Bollinger 2001',
    example: (bars) => bandWidth(bars.close),
  },
  {
    name: 'historicalVolatility',
    parameters: ['x', 'n = 20', 'barsPerYear = 252'],
    outputs: ['value'],
    formula: 'sample deviation of n log returns x sqrt(barsPerYear), as a ratio',
    source: 'TTR volatility',
    example: (bars) => historicalVolatility(bars.close),
  },
];
