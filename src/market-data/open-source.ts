import { parseColumnMap } from './column-map.ts';
import { DataError, quoted } from './data-error.ts';
import { detectFileType } from './detect-file-type.ts';
import type { ImportRequest } from './import-bars.ts';
import { HEAD_ROWS, type InferredDialect, inferDialect, peekRows } from './inferred-dialect.ts';
import type { LayoutOptions } from './layout.ts';
import { textRows } from './source-csv.ts';
import type { SourceRow } from './source-row.ts';
import {
  firstFew,
  matchesName,
  rowsOf,
  type SkippedRows,
  symbolColumnOf,
  symbolIn,
  symbolsIn,
} from './symbol-column.ts';
import { flattenTwoLevels } from './two-level-table.ts';
import { VENDOR_FORMATS, type VendorFormat } from './vendor-formats.ts';

/** An opened file of bars: its rows from the header on, and findings from the first of them. */
export interface OpenSource {
  readonly head: readonly SourceRow[];
  readonly rows: AsyncIterable<Iterable<SourceRow>>;
  readonly dialect: InferredDialect;
  readonly notes: readonly string[];
  /** Column of the symbol, from 0; undefined if there is none. */
  readonly symbolColumn: number | undefined;
}

type SourceRequest = Omit<ImportRequest, 'symbol'>;

/** Opens a file and inspects its first rows. Throws DataError if it is not a table. */
export async function openSource(request: SourceRequest): Promise<OpenSource> {
  const notes: string[] = [];
  const onNote = (note: string): unknown => notes.push(note);
  const options = layoutOptionsOf(request, VENDOR_FORMATS[request.format ?? 'auto']);
  const { head, rows } = await peekRows(flattenTwoLevels(await openRows(request, onNote)), options, onNote);
  const [first] = head;
  return {
    head,
    rows,
    dialect: inferDialect(head, options),
    notes,
    symbolColumn: first?.kind === 'row' ? symbolColumnOf(first.fields) : undefined,
  };
}

export function layoutOptionsOf(request: Omit<ImportRequest, 'symbol'>, format: VendorFormat): LayoutOptions {
  const known = format.map === undefined ? [] : parseColumnMap(format.map, request.file);
  return {
    map: new Map([...known, ...(request.map ?? [])]),
    dates: request.dates ?? format.dates ?? 'unsaid',
    hasVolume: request.hasVolume ?? true,
    adjust: request.adjust ?? false,
    file: request.file,
  };
}

async function openRows(
  request: SourceRequest,
  onNote: (note: string) => void,
): Promise<AsyncIterable<Iterable<SourceRow>>> {
  const { file, separator, encoding, skipLines = 0, onProgress } = request;
  const fileType = detectFileType(file);
  const { map } = request;
  /** Two fields are enough if the user maps all prices. */
  const fieldsMin =
    map?.has('open') && map.has('high') && map.has('low') && map.has('close') ? { fieldsMin: 2 } : {};
  const options = { separator, encoding, skipLines, onNote, onProgress, ...fieldsMin };
  if (fileType !== 'parquet') return textRows(file, fileType, options);
  const { parquetRows } = await import('./source-parquet.ts');
  return parquetRows(file, onProgress);
}

/**
 * Returns the rows of the requested symbol. A file of a single security may use any name for it, which is noted.
 * Throws DataError (`unknown-symbol`) if the rows belong to several symbols and none matches.
 */
export async function oneSymbol(
  { head, rows, symbolColumn: column }: OpenSource,
  request: ImportRequest,
  skippedRows: SkippedRows,
): Promise<{ readonly rows: OpenSource['rows']; readonly note: readonly string[] }> {
  if (column === undefined) return { rows, note: [] };
  const { symbol } = request;
  const seen = new Set(head.slice(1).flatMap((row) => symbolIn(row, column) ?? []));
  const matching = (names: Iterable<string>): string | undefined =>
    [...names].find((name) => matchesName(name, symbol));
  const early = matching(seen);
  if (early !== undefined) return { rows: rowsOf(rows, { column, kept: early }, skippedRows), note: [] };
  const all = head.length < HEAD_ROWS ? [...seen] : await allSymbols(request, column);
  const kept = matching(all) ?? (all.length === 1 ? all[0] : undefined);
  if (kept === undefined && all.length > 0) throw unknownSymbol(request, head, column, all);
  if (kept === undefined) return { rows, note: [] };
  const note = matchesName(kept, symbol)
    ? []
    : [`every row is of ${quoted(kept)}, imported as ${symbol} as requested`];
  return { rows: rowsOf(rows, { column, kept }, skippedRows), note };
}

function unknownSymbol(
  { symbol, file }: ImportRequest,
  head: readonly SourceRow[],
  column: number,
  names: readonly string[],
): DataError {
  const [first] = head;
  const header = first?.kind === 'row' ? (first.fields[column]?.text ?? '') : '';
  return new DataError({
    code: 'unknown-symbol',
    problem: `Cannot find ${symbol} in the file: its column ${quoted(header)} has ${firstFew(names)}`,
    advice: 'choose one with --symbol, or omit --symbol to import all of them',
    file,
    line: first?.line,
    value: symbol,
  });
}

async function allSymbols(request: SourceRequest, column: number): Promise<readonly string[]> {
  const { rows } = await openSource({ ...request, onProgress: () => undefined });
  return symbolsIn(rows, column);
}
