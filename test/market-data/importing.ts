import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataError } from '../../src/market-data/data-error.ts';
import { type ImportRequest, importBars } from '../../src/market-data/import-bars.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { put, temporaryFolder } from './fixtures.ts';

/** The default facts of a share. */
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
  /** The lines of the stored file without its header. */
  readonly lines: readonly string[];
  readonly columns: string;
}

/** Imports this content, by default as daily bars of AAPL.US. */
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

/** The DataError with which a promise rejects. */
export async function faultOf(work: Promise<unknown>): Promise<DataError> {
  const fault = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (fault instanceof DataError) return fault;
  throw new Error(`No DataError: ${String(fault)}`);
}
