import { WireError } from '../wire-error.ts';

/** What a listing held: the rows we understood, and why we did not understand the others. */
export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  readonly problems: readonly WireError[];
}

/** Reads rows one by one, so that a bad one is reported and the others still count; `onBad` receives the bad ones as they came. */
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
