import { createHash, type Hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import type { ReplaySetup } from '../../backtest/setup.ts';
import type { BarColumns } from '../../model/bar.ts';
import { BAR_FIGURES, type BarFigure } from '../../model/bar-columns.ts';
import { rowsOf } from '../../model/bar-rows.ts';

const IMPORTED = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"](\.{1,2}\/[^'"\n]+)['"]/g;
/** The package of an import by name: `pkg`, or `@scope/pkg`, without the path inside it. */
const IMPORTED_PACKAGE =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:\/[^'"\n]*)?['"]/g;
const EXTENSIONS = ['', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js'];

/** SHA-256 of plugin files and of every file that they import by a relative path, recursively; hexadecimal. */
export function codeHash(files: readonly string[]): string {
  const home = dirname(files[0] ?? '.');
  const hash = createHash('sha256');
  for (const file of codeFiles(files).files)
    hash
      .update(`${relative(home, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/**
 * Code files and their imports: every file reached by relative paths, sorted, and the packages that each file
 * imports.
 */
export interface CodeFiles {
  readonly files: readonly string[];
  readonly packages: readonly { readonly name: string; readonly importer: string }[];
}

/** Follows the imports of files that exist. */
export function codeFiles(files: readonly string[]): CodeFiles {
  const found = new Set<string>();
  const packages: { readonly name: string; readonly importer: string }[] = [];
  const open = [...files];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file) || !existsSync(file)) continue;
    found.add(file);
    if (extname(file) === '.json') continue;
    const text = readFileSync(file, 'utf8');
    for (const [, specifier = ''] of text.matchAll(IMPORTED)) {
      const path = join(dirname(file), specifier.replace(/[?#].*$/, ''));
      const target = EXTENSIONS.map((extension) => `${path}${extension}`).find((each) => isFile(each));
      if (target !== undefined) open.push(target);
    }
    for (const [, name = ''] of text.matchAll(IMPORTED_PACKAGE)) packages.push({ name, importer: file });
  }
  return { files: [...found].toSorted(), packages };
}

function isFile(path: string): boolean {
  return existsSync(path) && extname(path) !== '';
}

/** SHA-256 of the data of a run: days, securities, bars, corporate actions, quotes and rates; hexadecimal. */
export function dataHash(setup: ReplaySetup): string {
  const hash = createHash('sha256');
  const { securities, history, from, to, corporateActions, bidAsk, fxSeries } = setup;
  const bars = history.map(columnsToHash);
  addTo(hash, { securities, history: bars, from, to, corporateActions, bidAsk, fxSeries });
  return hash.digest('hex');
}

/**
 * The columns of bars, each read piece by piece: those of a large file are not in memory, and are not fields of their
 * object.
 */
function columnsToHash(bars: BarColumns): object {
  const { symbol, period, length } = bars;
  const columns = BAR_FIGURES.map((figure) => [figure, new StoredColumn(bars, figure)]);
  return { symbol, period, length, ...Object.fromEntries(columns) };
}

/** One column of bars, wherever it is stored. */
class StoredColumn {
  readonly #bars: BarColumns;
  readonly #figure: BarFigure;

  constructor(bars: BarColumns, figure: BarFigure) {
    this.#bars = bars;
    this.#figure = figure;
  }

  addTo(hash: Hash): void {
    const rows = rowsOf(this.#bars);
    const view = rows.open();
    hash.update(`column ${rows.length * Float64Array.BYTES_PER_ELEMENT}\0`);
    for (let row = 0; row < rows.length; row = rows.pieceEnd(row))
      hash.update(bytesOf(view(row, rows.pieceEnd(row))[this.#figure]));
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Adds a value to a hash: numbers of columns as bytes, everything else by its keys in order. */
function addTo(hash: Hash, value: unknown): void {
  if (value instanceof StoredColumn) value.addTo(hash);
  else if (ArrayBuffer.isView(value)) {
    hash.update(`column ${value.byteLength}\0`);
    hash.update(bytesOf(value));
  } else if (Array.isArray(value)) {
    hash.update(`list ${value.length}\0`);
    for (const each of value) addTo(hash, each);
  } else if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
    const entries = Object.entries(value).filter(
      ([, each]) => each !== undefined && typeof each !== 'function',
    );
    hash.update(`map ${entries.length}\0`);
    for (const [key, each] of entries.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      hash.update(`${key}\0`);
      addTo(hash, each);
    }
  } else hash.update(`${typeof value} ${JSON.stringify(value)}\0`);
}
