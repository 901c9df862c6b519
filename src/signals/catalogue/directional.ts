import { adx, adxr, directional, dx, minusDi, plusDi } from '../indicators/directional.ts';
import { aroon, vortex } from '../indicators/oscillators.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';

/** Direction and trend. */
export const DIRECTIONAL_CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: 'directional',
    parameters: ['bars', 'n = 14'],
    outputs: ['plus', 'minus'],
    formula: "+DI and -DI: Wilder's share of the true range that went up, down, in percent",
    source: 'TA-Lib PLUS_DI, MINUS_DI',
    example: (bars) => directional(bars),
  },
  {
    name: 'plusDi',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: '+DI alone',
    source: 'TA-Lib PLUS_DI',
    example: (bars) => plusDi(bars),
  },
  {
    name: 'minusDi',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: '-DI alone',
    source: 'TA-Lib MINUS_DI',
    example: (bars) => minusDi(bars),
  },
  {
    name: 'dx',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: '100 abs(+DI - -DI) / (+DI + -DI); 0 where neither moved',
    source: 'TA-Lib DX',
    example: (bars) => dx(bars),
  },
  {
    name: 'adx',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: 'Wilder average of DX',
    source: 'TA-Lib ADX',
    example: (bars) => adx(bars),
  },
  {
    name: 'adxr',
    parameters: ['bars', 'n = 14'],
    outputs: ['value'],
    formula: 'mean of ADX and ADX n - 1 bars ago',
    source: 'TA-Lib ADXR',
    example: (bars) => adxr(bars),
  },
  {
    name: 'aroon',
    parameters: ['bars', 'n = 25'],
    outputs: ['up', 'down', 'oscillator'],
    formula: '100 (n - bars since the highest high of n + 1 bars) / n; the same for the low; up - down',
    source: 'TA-Lib AROON, AROONOSC',
    example: (bars) => aroon(bars),
  },
  {
    name: 'vortex',
    parameters: ['bars', 'n = 14'],
    outputs: ['plus', 'minus'],
    formula: 'sum abs(high - low before) / sum of true ranges; sum abs(low - high before) / the same',
    source: 'Botes and Siepman 2010',
    example: (bars) => vortex(bars),
  },
];
