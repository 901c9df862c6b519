import { extname } from 'node:path';
import { equitySeriesIn } from '../../market-data/equity-series.ts';
import { barCloses } from '../../markets/bar-span.ts';
import { marketOf, parseSymbol } from '../../model/symbol.ts';
import { dayToUtc, millis } from '../../model/time.ts';
import { BenchmarkError, type BenchmarkSeries } from '../../reports/benchmark.ts';
import { ORIGIN_LABELS, originOf } from '../../reports/origin.ts';
import { openStore } from '../storage/open-store.ts';

/**
 * Reads a benchmark: a CSV with a header `date,equity`, whose values count from the UTC midnight of their day, or
 * `time,equity`, whose values count from their times; or a symbol whose daily bars are in `dir`, without dividends. Throws DataError or BenchmarkError if it cannot be read.
 */
export function readBenchmark(
  named: string,
  { project, dir }: { project: string; dir: string },
): BenchmarkSeries {
  if (extname(named).toLowerCase() === '.csv') {
    const { days, time, equity } = equitySeriesIn(named);
    return { name: named, time: time ?? days.map(dayToUtc), value: equity };
  }
  const symbol = parseSymbol(named);
  if (symbol === undefined)
    throw new BenchmarkError(named, 'it is neither a symbol such as SPX.US nor the path of a .csv file');
  const store = openStore(project, dir);
  const { time, close } = store.bars(symbol, '1d');
  const origin = ORIGIN_LABELS[originOf([store.security(symbol)])];
  return {
    name: `${symbol} (${origin}, without dividends)`,
    time: Array.from(barCloses(marketOf(symbol), '1d', time), (at) => millis(at)),
    value: [...close],
  };
}
