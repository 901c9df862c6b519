import { ROOMY } from '../../model/bar-rows.ts';
import type { RunSetup } from '../setup.ts';

/** A run that decides more often than once in so many bars has its logs grow. */
const BARS_A_DECISION = 16;
const ROWS_MIN = 1_024;

/**
 * Rows that the logs of a run begin with. An operating system gives memory when it is written to, so rows that stay empty cost
 * nothing, whereas a column that grows is there twice until the old one is collected. V8 counts empty rows as memory in use, though:
 * where runs follow each other, they begin with what the last one needed.
 */
export function initialCapacity({ history, columnCache }: Pick<RunSetup, 'history' | 'columnCache'>): number {
  const before = columnCache?.loggedRows;
  if (before !== undefined) return Math.max(ROWS_MIN, Math.ceil(before * ROOMY));
  const bars = history.reduce((sum, { length }) => sum + length, 0);
  return Math.max(ROWS_MIN, Math.ceil(bars / BARS_A_DECISION));
}
