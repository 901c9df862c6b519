import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Market, SecuritySymbol } from '../model/symbol.ts';
import { MAX_ROWS } from './csv.ts';
import { DataError, quoted } from './data-error.ts';
import { SECURITY_FILE } from './data-folder.ts';
import {
  assertNoFile,
  checkVariant,
  hoursNotes,
  type ImportOutcome,
  type ImportRequest,
  makeFolder,
  outputPaths,
  rulesOf,
  stampNotes,
  volumeNotes,
  writeWhole,
  writtenFacts,
} from './import-bars.ts';
import { type ImportRules, importRowsBySymbol } from './import-rows.ts';
import { type OpenSource, openSource } from './open-source.ts';
import { type PlannedFacts, plannedFacts } from './security-draft.ts';
import { resolveSymbol, SYMBOLS_MAX, symbolIn, symbolsIn } from './symbol-column.ts';

export interface SymbolsRequest extends Omit<ImportRequest, 'symbol'> {
  /** Market of names without one. */
  readonly market?: Market | undefined;
}

export interface SymbolOutcome extends ImportOutcome {
  readonly symbol: SecuritySymbol;
}

interface Plan {
  readonly request: ImportRequest;
  readonly paths: ReturnType<typeof outputPaths>;
  readonly facts: PlannedFacts | undefined;
}

/**
 * Imports a file of several symbols like `importBars`; rows of different symbols may be mixed. A security without
 * facts gets its code as its name. Throws DataError for a file without a symbol column, for more than 500 symbols and
 * as `importBars` does; before the files are renamed, it then changes nothing.
 */
export async function importSymbols(request: SymbolsRequest): Promise<readonly SymbolOutcome[]> {
  checkVariant(request);
  const first = await openSource({ ...request, onProgress: () => undefined });
  const column = symbolColumnIn(first, request);
  const names = await symbolsIn(first.rows, column);
  if (names.length > SYMBOLS_MAX) throw tooMany(request);
  const plans = new Map<string, Plan>();
  for (const name of names) plans.set(name, await planFor(name, request));
  assertDistinct(plans, request);
  const source = await openSource(request);
  const made: string[] = [];
  const rulesFor = (name: string): ImportRules => {
    const plan = plans.get(name);
    if (plan === undefined) throw new Error(`The file changed while it was read: "${name}"`);
    const { paths, facts } = plan;
    if (makeFolder(paths.folder)) made.push(paths.folder);
    return {
      ...rulesOf(plan.request, source.dialect).rules,
      path: paths.path,
      gzip: request.gzip === true,
      rowsMax: MAX_ROWS,
      beforeFinish: () => facts !== undefined && writeWhole(join(paths.folder, SECURITY_FILE), facts.text),
    };
  };
  try {
    const done = await importRowsBySymbol(source.rows, (row) => symbolIn(row, column), rulesFor);
    return [...done].map(([name, progress]) => outcomeOf(plans.get(name) as Plan, progress, source));
  } catch (error) {
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function outcomeOf(
  { request, paths, facts }: Plan,
  progress: Omit<ImportOutcome, 'path' | 'security' | 'notes'>,
  { notes, dialect }: OpenSource,
): SymbolOutcome {
  rmSync(paths.alternatePath, { force: true });
  return {
    ...progress,
    symbol: request.symbol,
    path: paths.path,
    ...writtenFacts(facts),
    notes: [
      ...notes,
      ...dialect.notes,
      ...stampNotes(progress),
      ...hoursNotes(progress, request),
      ...volumeNotes(progress, facts?.security),
    ],
  };
}

async function planFor(name: string, { market, ...rest }: SymbolsRequest): Promise<Plan> {
  const symbol = resolveSymbol(name, market, rest.file);
  const request: ImportRequest = { ...rest, symbol };
  const paths = outputPaths(request);
  assertNoFile([paths.path, paths.alternatePath], request);
  const isKnown = existsSync(join(paths.folder, SECURITY_FILE));
  const draft = { ...rest.security, ...(isKnown ? {} : { name }) };
  const replace = rest.replace === true;
  const facts = await plannedFacts(
    { symbol, dir: rest.dir, draft, replace, file: rest.file },
    async () => undefined,
  );
  return { request, paths, facts };
}

function symbolColumnIn({ symbolColumn }: OpenSource, { file }: SymbolsRequest): number {
  if (symbolColumn !== undefined) return symbolColumn;
  throw new DataError({
    code: 'unknown-symbol',
    problem: 'Cannot determine the symbol of the bars: the file has no column named symbol, ticker or code',
    advice: 'state it with --symbol, such as --symbol 700.HK',
    file,
  });
}

/** Throws DataError if two names, such as `AAPL.O` and `AAPL`, mean the same symbol. */
function assertDistinct(plans: ReadonlyMap<string, Plan>, { file }: SymbolsRequest): void {
  const seen = new Map<SecuritySymbol, string>();
  for (const [name, { request }] of plans) {
    const other = seen.get(request.symbol);
    seen.set(request.symbol, name);
    if (other === undefined) continue;
    throw new DataError({
      code: 'unknown-symbol',
      problem: `Cannot import the file: ${quoted(other)} and ${quoted(name)} both mean ${request.symbol}`,
      advice: 'import the symbols one by one with --symbol, after removing the rows of the other name',
      file,
      value: name,
    });
  }
}

function tooMany({ file }: SymbolsRequest): DataError {
  return new DataError({
    code: 'unknown-symbol',
    problem: `Cannot import the file: it has more than ${SYMBOLS_MAX} symbols`,
    advice: 'import symbols one by one with --symbol',
    file,
  });
}
