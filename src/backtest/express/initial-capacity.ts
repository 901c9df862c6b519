import type { RunSetup } from '../setup.ts';

/** A run that decides more often than once in so many bars has its logs grow. */
const BARS_A_DECISION = 16;
const ROWS_MIN = 1_024;

/**
 * Rows that the logs of a run begin with. An operating system gives memory when it is written to, so rows that stay empty cost
 * nothing, whereas a column that grows is there twice until the old one is collected.
 */
export function initialCapacity({ history }: Pick<RunSetup, 'history'>): number {
  const bars = history.reduce((sum, { length }) => sum + length, 0);
  return Math.max(ROWS_MIN, Math.ceil(bars / BARS_A_DECISION));
}
