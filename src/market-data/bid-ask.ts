import { join } from 'node:path';
import type { SecuritySymbol } from '../model/symbol.ts';
import { quoteFilesOf } from './data-folder.ts';
import { eachQuote } from './quote-file.ts';

/** Best bid and ask of a symbol as columns, ascending by `time` in epoch ms; NaN for a side without a quote. */
export interface BidAskTable {
  readonly symbol: SecuritySymbol;
  readonly length: number;
  readonly time: Float64Array;
  readonly bid: Float64Array;
  readonly ask: Float64Array;
}

/**
 * Reads a symbol's quotes from `quotes.csv`, otherwise from the first quote file by name (such as
 * `quotes.1s.csv.gz`). Returns undefined if there is none. Throws DataError at the first bad line.
 */
export function bidAskIn(dir: string, symbol: SecuritySymbol): BidAskTable | undefined {
  const [first, ...others] = quoteFilesOf(dir, symbol);
  if (first === undefined) return undefined;
  const name = [first, ...others].find((each) => each.startsWith('quotes.csv')) ?? first;
  const path = join(dir, symbol, name);
  let [time, bid, ask] = [new Float64Array(1024), new Float64Array(1024), new Float64Array(1024)];
  let length = 0;
  const grown = (column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
    const longer = new Float64Array(column.length * 2);
    longer.set(column);
    return longer;
  };
  eachQuote(
    path,
    { file: path, symbol, period: '1m' },
    {
      onQuote: (quote) => {
        if (length === time.length) [time, bid, ask] = [grown(time), grown(bid), grown(ask)];
        time[length] = quote.time;
        bid[length] = quote.bid ?? Number.NaN;
        ask[length] = quote.ask ?? Number.NaN;
        length += 1;
      },
      onFault: (fault) => {
        throw fault;
      },
    },
  );
  const cut = (column: Float64Array): Float64Array => column.subarray(0, length);
  return { symbol, length, time: cut(time), bid: cut(bid), ask: cut(ask) };
}
