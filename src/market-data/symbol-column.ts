import { codeOf, type Market, marketOf, parseSymbol, type SecuritySymbol } from '../model/symbol.ts';
import { plainName } from './column-names.ts';
import { DataError, quoted } from './data-error.ts';
import type { SourceField, SourceRow } from './source-row.ts';

/** Headers of a column with the symbol of each row, in small letters and digits only, the surest first. */
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

/** The column of symbols, counted from 0; undefined when no header is one. */
export function symbolColumnOf(header: readonly SourceField[]): number | undefined {
  const names = header.map(({ text }) => plainName(text));
  const name = NAMES.find((each) => names.includes(each));
  return name === undefined ? undefined : names.indexOf(name);
}

const PREFIX = /^(?:(US|HK)\.|(NASDAQ|NYSE|AMEX|ARCA|BATS|HKEX|SEHK):)/;
const SUFFIX = /(?:\.(US|HK)|[ .](US|HK) EQUITY|\.(OQ|O|N))$/;

/** A code without what vendors put around it, and the market that they say with it. */
interface VendorCode {
  readonly code: string;
  readonly market: Market | undefined;
}

/** Capitalizes ASCII letters and leaves others unchanged, also those that become ASCII letters in capitals (`ſ`). */
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

/** True when a vendor's name of a security means this symbol: `HK.00700`, `0700.HK` and `00700` mean `700.HK`. */
export function matchesName(text: string, symbol: SecuritySymbol): boolean {
  if (capitals(text) === codeOf(symbol)) return true;
  const { code, market } = vendorCode(text);
  return code === codeOf(symbol) && (market === undefined || market === marketOf(symbol));
}

/** The symbol that a vendor's name means, in this market unless it names one. Throws DataError (`unknown-symbol`). */
export function resolveSymbol(text: string, fallback: Market | undefined, file: string): SecuritySymbol {
  const { code, market = fallback === undefined ? undefined : capitals(fallback) } = vendorCode(text);
  const symbol = parseSymbol(`${code}.${market ?? ''}`);
  if (symbol !== undefined) return symbol;
  throw new DataError({
    code: 'unknown-symbol',
    problem: `Cannot tell which symbol ${quoted(text)} is, want <code>.<market> such as "700.HK"`,
    advice:
      market === undefined
        ? 'say --market US or --market HK, or import one of them with --symbol'
        : 'import one of them with --symbol',
    file,
    value: text,
  });
}

/** The symbols of a file at most that are looked at. */
export const SYMBOLS_MAX = 500;

/** The values of a column of symbols, in the order of the file, each once. */
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

/** What a row is of; undefined for one that does not say, such as a footer. */
export function symbolIn(row: SourceRow, column: number): string | undefined {
  const text = row.kind === 'row' ? (row.fields[column]?.text ?? '') : '';
  return text === '' ? undefined : text;
}

/** Rows of other symbols, which are passed over. */
export interface LeftOut {
  rows: number;
  readonly symbols: Set<string>;
}

/** The rows of one symbol, and those that do not say whose they are; the others are counted. */
export async function* rowsOf(
  rows: AsyncIterable<Iterable<SourceRow>>,
  { column, kept }: { readonly column: number; readonly kept: string },
  left: LeftOut,
): AsyncGenerator<Iterable<SourceRow>> {
  let isHeader = true;
  function* ours(batch: Iterable<SourceRow>): Generator<SourceRow> {
    for (const row of batch) {
      const text = symbolIn(row, column);
      if (isHeader || text === undefined || text === kept) yield row;
      else {
        left.rows++;
        if (left.symbols.size <= SYMBOLS_MAX) left.symbols.add(text);
      }
      if (row.kind === 'row') isHeader = false;
    }
  }
  for await (const batch of rows) yield ours(batch);
}

/** A few of many, in words: `"A", "B", "C" and 4 more`. */
export function someOf(texts: Iterable<string>, shown = 5): string {
  const all = [...texts];
  const more =
    all.length > shown ? ` and ${all.length > SYMBOLS_MAX ? 'many' : all.length - shown} more` : '';
  return `${all.slice(0, shown).map(quoted).join(', ')}${more}`;
}
