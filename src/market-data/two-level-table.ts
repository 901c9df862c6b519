import { plainName } from './column-names.ts';
import type { SourceField, SourceRow } from './source-row.ts';

type FieldsRow = Extract<SourceRow, { kind: 'row' }>;

/** A pandas table with two column levels: price and symbol of each column. */
interface TwoLevels {
  readonly time: SourceField;
  readonly columns: readonly { readonly price: string; readonly ticker: string; readonly index: number }[];
  readonly headerLines: number;
}

/**
 * Converts a pandas table with two column levels (`Price` and `Ticker`, in either order, and optionally the index
 * name below) to one row per symbol and stamp; passes any other file through.
 */
export async function* flattenTwoLevels(
  batches: AsyncIterable<Iterable<SourceRow>>,
): AsyncGenerator<Iterable<SourceRow>> {
  const start: SourceRow[] = [];
  let table: TwoLevels | undefined;
  let isKnown = false;
  function* convert(batch: Iterable<SourceRow>): Generator<SourceRow> {
    for (const row of batch) {
      if (isKnown) {
        yield* table === undefined ? [row] : stacked(row, table);
        continue;
      }
      start.push(row);
      if (start.length === HEADER_LINES) yield* convertStart();
    }
  }
  function* convertStart(): Generator<SourceRow> {
    isKnown = true;
    table = twoLevels(start);
    if (table === undefined) yield* start;
    else {
      yield headerOf(table, start[0]?.line ?? 1);
      for (const row of start.slice(table.headerLines)) yield* stacked(row, table);
    }
  }
  for await (const batch of batches) yield convert(batch);
  if (!isKnown) yield convertStart();
}

const HEADER_LINES = 3;
const PRICES = new Set(['open', 'high', 'low', 'close', 'adjclose', 'volume']);

function twoLevels(start: readonly SourceRow[]): TwoLevels | undefined {
  const [first, second, third] = start;
  if (first?.kind !== 'row' || second?.kind !== 'row' || third?.kind !== 'row') return undefined;
  const arePrices = ({ fields }: FieldsRow): boolean =>
    fields.length > 1 && fields.slice(1).every(({ text }) => text === '' || PRICES.has(plainName(text)));
  const [prices, tickers] = arePrices(first) ? [first, second] : [second, first];
  if (!arePrices(prices) || arePrices(tickers) || prices.fields.length !== tickers.fields.length)
    return undefined;
  const corner = plainName(first.fields[0]?.text ?? '');
  if (corner !== '' && corner !== 'price' && corner !== 'ticker') return undefined;
  const hasIndexName = third.fields.slice(1).every(({ text }) => text === '');
  const columns = prices.fields.flatMap(({ text: price }, index) => {
    const ticker = tickers.fields[index]?.text ?? '';
    return index === 0 || price === '' || ticker === '' ? [] : [{ price, ticker, index }];
  });
  const time = hasIndexName ? third.fields[0] : { text: 'Date', column: 1 };
  return columns.length === 0 || time === undefined
    ? undefined
    : { time, columns, headerLines: hasIndexName ? HEADER_LINES : HEADER_LINES - 1 };
}

function headerOf({ time, columns }: TwoLevels, line: number): SourceRow {
  const names = ['Ticker', ...new Set(columns.map(({ price }) => price))];
  return { kind: 'row', line, fields: [time, ...names.map((text) => ({ text, column: 1 }))] };
}

/** Yields one row per symbol; skips symbols without any figure on that day. */
function* stacked(row: SourceRow, { columns }: TwoLevels): Generator<SourceRow> {
  const time = row.kind === 'row' ? row.fields[0] : undefined;
  if (row.kind === 'fault' || time === undefined || row.fields.length < columns.length) {
    yield row;
    return;
  }
  const prices = [...new Set(columns.map(({ price }) => price))];
  const tickers = [...new Set(columns.map(({ ticker }) => ticker))];
  for (const ticker of tickers) {
    const fields = prices.map((price) => {
      const { index } = columns.find((each) => each.ticker === ticker && each.price === price) ?? {
        index: -1,
      };
      return row.fields[index] ?? { text: '', column: 1 };
    });
    if (tickers.length > 1 && fields.every(({ text }) => /^(nan)?$/i.test(text))) continue;
    yield { kind: 'row', line: row.line, fields: [time, { text: ticker, column: 1 }, ...fields] };
  }
}
