import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataError } from '../../src/market-data/data-error.ts';
import { type ImportRequest, importBars } from '../../src/market-data/import-bars.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { put, temporaryFolder } from './fixtures.ts';

/** The facts of a share with nothing special about it. */
export const FACTS = {
  name: 'Some Share',
  kind: 'stock',
  currency: 'USD',
  lotSize: 1,
  source: 'a test',
} as const;
/** The header of the files that tests import. */
export const HEADER = 'Date,Open,High,Low,Close,Volume';

/** Files and messages of an import. */
export interface Tried {
  readonly dir: string;
  readonly skipped: readonly DataError[];
  /** The stored file, line by line without its header. */
  readonly lines: readonly string[];
  readonly columns: string;
}

/** Imports this content as daily bars of AAPL.US, unless the wishes say otherwise. */
export async function imported(
  content: string | Uint8Array,
  options: Partial<ImportRequest> = {},
): Promise<Tried> {
  const dir = temporaryFolder();
  const skipped: DataError[] = [];
  const outcome = await importBars({
    file: put(dir, 'source.csv', content),
    symbol: securitySymbol('AAPL.US'),
    period: '1d',
    dir: join(dir, 'data'),
    onBadRow: 'stop',
    onSkipped: (problem) => skipped.push(problem),
    security: FACTS,
    ...options,
  });
  const lines = readFileSync(outcome.path, 'utf8').trimEnd().split('\n').slice(1);
  return { dir, skipped, lines, columns: outcome.columns };
}

/** The DataError that a promise is rejected with. */
export async function faultOf(work: Promise<unknown>): Promise<DataError> {
  const fault = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (fault instanceof DataError) return fault;
  throw new Error(`No DataError: ${String(fault)}`);
}
