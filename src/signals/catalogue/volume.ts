import {
  accumulationDistribution,
  chaikinMoneyFlow,
  chaikinOscillator,
  easeOfMovement,
  forceIndex,
  mfi,
  obv,
  rollingVwap,
  vwap,
} from '../indicators/volume.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';

/** Volume. */
export const VOLUME_CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: 'obv',
    parameters: ['bars'],
    outputs: ['value'],
    formula: 'adds volume on higher closes, takes it away on lower; the level depends on the first bar fed',
    source: 'TA-Lib OBV',
    example: (bars) => obv(bars),
  },
  {
    name: 'accumulationDistribution',
    parameters: ['bars'],
    outputs: ['value'],
    formula: 'running sum of close location x volume; the level depends on the first bar fed',
    source: 'TA-Lib AD',
    example: (bars) => accumulationDistribution(bars),
  },
  {
    name: 'chaikinOscillator',
    parameters: ['bars', 'fast = 3', 'slow = 10'],
    outputs: ['value'],
    formula: 'EMA(fast) - EMA(slow) of accumulation/distribution, both seeded with its first value',
    source: 'TA-Lib ADOSC',
    example: (bars) => chaikinOscillator(bars),
  },
  {
    name: 'chaikinMoneyFlow',
    parameters: ['bars', 'n = 20'],
    outputs: ['value'],
    formula: 'sum(close location x volume) / sum(volume); 0 without volume',
    source: 'TTR CMF',
    example: (bars) => chaikinMoneyFlow(bars),
  },
  {
    name: 'mfi',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula:
      '100 inflow / (inflow + outflow) of typical price x volume; equal typical prices count on neither side; 50 without flow',
    source: 'TA-Lib MFI',
    example: (bars) => mfi(bars),
  },
  {
    name: 'forceIndex',
    parameters: ['bars', 'n = 13'],
    outputs: ['value'],
    formula: 'EMA of change of the close x volume',
    source: 'Elder 1993',
    example: (bars) => forceIndex(bars),
  },
  {
    name: 'easeOfMovement',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: 'mean of change of the median price x range / volume; 0 for bars without volume',
    source: 'Arms',
    example: (bars) => easeOfMovement(bars),
  },
  {
    name: 'rollingVwap',
    parameters: ['bars', 'n = 20'],
    outputs: ['value'],
    formula: 'sum(typical x volume) / sum(volume) of n bars; their mean where nothing traded',
    source: 'TTR VWAP',
    example: (bars) => rollingVwap(bars),
  },
  {
    name: 'vwap',
    parameters: ['bars'],
    outputs: ['value'],
    formula: "the same since the exchange's day began; the typical price before anything traded",
    source: 'session VWAP',
    example: (bars) => vwap(bars),
  },
];
