import { codeOf, type Market, marketOf, parseSymbol, type SecuritySymbol } from '../model/symbol.ts';
import { plainName } from './column-names.ts';
import { DataError, quoted } from './data-error.ts';
import type { SourceField, SourceRow } from './source-row.ts';

/** Header names of a symbol column, lower-case letters and digits only, best match first. */
const NAMES: readonly string[] = [
  ...[
    'symbol',
    'ticker',
    'tscode',
    'wind代码',
    'ric',
    'code',
    'stockcode',
    '代码',
    '代碼',
    '股票代码',
    '证券代码',
  ],
  ...['股份代號', 'actsymbol', 'instrument', 'instrumentid', 'permno', 'contract'],
  ...['security', 'asset', 'stock', 'isin', 'cusip', 'sedol', 'figi', 'name'],
];

/** Returns the index of the symbol column, from 0; undefined if there is none. */
export function symbolColumnOf(header: readonly SourceField[]): number | undefined {
  const names = header.map(({ text }) => plainName(text));
  const name = NAMES.find((each) => names.includes(each));
  return name === undefined ? undefined : names.indexOf(name);
}

const PREFIX = /^(?:(US|HK)\.|(NASDAQ|NYSE|AMEX|ARCA|BATS|HKEX|SEHK):)/;
const SUFFIX = /(?:\.(US|HK)|[ .](US|HK) EQUITY|\.(OQ|O|N))$/;

/** A code without a vendor's prefix and suffix, and the market that they name. */
interface VendorCode {
  readonly code: string;
  readonly market: Market | undefined;
}

/** Capitalizes ASCII letters only: some other letters (`ſ`) become ASCII letters in capitals. */
function capitals(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

function vendorCode(text: string): VendorCode {
  const upper = capitals(text).replace(/^#/, '');
  const [, ahead, exchange] = PREFIX.exec(upper) ?? [];
  const rest = upper.replace(PREFIX, '');
  const [, behind, terminal, newYork] = SUFFIX.exec(rest) ?? [];
  const namedMarket =
    exchange === undefined
      ? newYork === undefined
        ? undefined
        : 'US'
      : /^HK|^SEHK/.test(exchange)
        ? 'HK'
        : 'US';
  const bare = rest.replace(SUFFIX, '').replace(/[-/ ]/g, '.');
  const code = /^\d+$/.test(bare) ? bare.replace(/^0+(?=\d)/, '') : bare;
  return { code, market: ahead ?? behind ?? terminal ?? namedMarket };
}

/** True if a vendor's name means this symbol: `HK.00700`, `0700.HK` and `00700` mean `700.HK`. */
export function matchesName(text: string, symbol: SecuritySymbol): boolean {
  if (capitals(text) === codeOf(symbol)) return true;
  const { code, market } = vendorCode(text);
  return code === codeOf(symbol) && (market === undefined || market === marketOf(symbol));
}

/**
 * Returns the symbol that a vendor's name means, in the `fallback` market unless it names one. Throws DataError
 * (`unknown-symbol`).
 */
export function resolveSymbol(text: string, fallback: Market | undefined, file: string): SecuritySymbol {
  const { code, market = fallback === undefined ? undefined : capitals(fallback) } = vendorCode(text);
  const symbol = parseSymbol(`${code}.${market ?? ''}`);
  if (symbol !== undefined) return symbol;
  throw new DataError({
    code: 'unknown-symbol',
    problem: `Cannot tell which symbol ${quoted(text)} is, want <code>.<market> such as "700.HK"`,
    advice:
      market === undefined
        ? 'use --market US or --market HK, or import one symbol with --symbol'
        : 'import one symbol with --symbol',
    file,
    value: text,
  });
}

export const SYMBOLS_MAX = 500;

/** Returns the distinct values of a symbol column, in the order of the file. */
export async function symbolsIn(
  rows: AsyncIterable<Iterable<SourceRow>>,
  column: number,
): Promise<readonly string[]> {
  const found = new Set<string>();
  let isHeader = true;
  for await (const batch of rows) {
    for (const row of batch) {
      const text = row.kind === 'row' ? symbolIn(row, column) : undefined;
      if (!isHeader && text !== undefined && found.size <= SYMBOLS_MAX) found.add(text);
      if (row.kind === 'row') isHeader = false;
    }
  }
  return [...found];
}

export function symbolIn(row: SourceRow, column: number): string | undefined {
  const text = row.kind === 'row' ? (row.fields[column]?.text ?? '') : '';
  return text === '' ? undefined : text;
}

export interface SkippedRows {
  rows: number;
  readonly symbols: Set<string>;
}

/** Yields the rows of one symbol and those without a symbol; counts the others. */
export async function* rowsOf(
  rows: AsyncIterable<Iterable<SourceRow>>,
  { column, kept }: { readonly column: number; readonly kept: string },
  skippedRows: SkippedRows,
): AsyncGenerator<Iterable<SourceRow>> {
  let isHeader = true;
  function* ours(batch: Iterable<SourceRow>): Generator<SourceRow> {
    for (const row of batch) {
      const text = symbolIn(row, column);
      if (isHeader || text === undefined || text === kept) yield row;
      else {
        skippedRows.rows++;
        if (skippedRows.symbols.size <= SYMBOLS_MAX) skippedRows.symbols.add(text);
      }
      if (row.kind === 'row') isHeader = false;
    }
  }
  for await (const batch of rows) yield ours(batch);
}

/** Formats the first few texts and the number of others: `"A", "B", "C" and 4 more`. */
export function firstFew(texts: Iterable<string>, shown = 5): string {
  const all = [...texts];
  const more =
    all.length > shown ? ` and ${all.length > SYMBOLS_MAX ? 'many' : all.length - shown} more` : '';
  return `${all.slice(0, shown).map(quoted).join(', ')}${more}`;
}
