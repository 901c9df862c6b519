import { change, lag } from '../indicators/arithmetic.ts';
import { highest, lowest, midpoint, percentRank, sum } from '../indicators/windows.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';

/** Windows. */
export const WINDOWS_CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: 'lag',
    parameters: ['x', 'n = 1'],
    outputs: ['value'],
    formula: 'x as it was n bars ago',
    source: 'arithmetic',
    example: (bars) => lag(bars.close),
  },
  {
    name: 'change',
    parameters: ['x', 'n = 1'],
    outputs: ['value'],
    formula: 'x - x as it was n bars ago',
    source: 'arithmetic',
    example: (bars) => change(bars.close),
  },
  {
    name: 'sum',
    parameters: ['x', 'n'],
    outputs: ['value'],
    formula: 'sum of the last n',
    source: 'TA-Lib SUM',
    example: (bars) => sum(bars.close, 9),
  },
  {
    name: 'highest',
    parameters: ['x', 'n'],
    outputs: ['value'],
    formula: 'largest of the last n',
    source: 'TA-Lib MAX',
    example: (bars) => highest(bars.close, 9),
  },
  {
    name: 'lowest',
    parameters: ['x', 'n'],
    outputs: ['value'],
    formula: 'smallest of the last n',
    source: 'TA-Lib MIN',
    example: (bars) => lowest(bars.close, 9),
  },
  {
    name: 'midpoint',
    parameters: ['x', 'n'],
    outputs: ['value'],
    formula: '(highest + lowest) / 2',
    source: 'TA-Lib MIDPOINT',
    example: (bars) => midpoint(bars.close, 9),
  },
  {
    name: 'percentRank',
    parameters: ['x', 'n'],
    outputs: ['value'],
    formula: 'share of the n values before that are below x, 0 to 100; O(n) a bar',
    source: 'Connors 2012',
    example: (bars) => percentRank(bars.close, 9),
  },
];
