import { WireError } from '../wire-error.ts';

/** Parsed rows of a listing, and the errors of the others. */
export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  readonly problems: readonly WireError[];
}

/** Parses rows one by one, so that an invalid row does not affect the others; `onBad` receives invalid rows. */
export function readRows<Row>(
  raw: readonly unknown[],
  read: (row: unknown) => Row,
  onBad?: (row: unknown, problem: WireError) => void,
): ReadRows<Row> {
  const rows: Row[] = [];
  const problems: WireError[] = [];
  for (const each of raw) {
    try {
      rows.push(read(each));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      problems.push(error);
      onBad?.(each, error);
    }
  }
  return { rows, problems };
}
