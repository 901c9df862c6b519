import { ROOMY } from '../../model/bar-rows.ts';
import type { RunSetup } from '../setup.ts';

/** Bars per decision; logs grow in runs with more frequent decisions. */
const BARS_A_DECISION = 16;
const ROWS_MIN = 1_024;

/**
 * Returns the initial number of log rows. Empty rows are free until written, whereas growing copies a column. V8
 * counts empty rows as used memory, though, so consecutive runs start with the size of the previous one.
 */
export function initialCapacity({ history, columnCache }: Pick<RunSetup, 'history' | 'columnCache'>): number {
  const before = columnCache?.loggedRows;
  if (before !== undefined) return Math.max(ROWS_MIN, Math.ceil(before * ROOMY));
  const bars = history.reduce((sum, { length }) => sum + length, 0);
  return Math.max(ROWS_MIN, Math.ceil(bars / BARS_A_DECISION));
}
