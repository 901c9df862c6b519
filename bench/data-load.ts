import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBarFile } from '../src/market-data/bar-file.ts';
import { type CachedBars, readBarsCached } from '../src/market-data/cache.ts';
import type { BarSource } from '../src/market-data/csv-row.ts';
import { writeBars } from '../src/market-data/csv-text.ts';
import type { BarColumns } from '../src/model/bar.ts';
import type { Benchmark } from './benchmark.ts';
import { BARS_PER_SECOND, compare, ROUNDS_MIN } from './compare.ts';
import { minuteBars } from './minute-bars.ts';

const BARS = { full: 1_000_000, smoke: 20_000 } as const;

/** Reading bars: from the cache of parsed columns beside the CSV that it was parsed from. */
export const dataLoad: Benchmark = {
  name: 'data-load',
  about: 'reading minute bars from the cache, beside parsing their CSV',
  run(scale) {
    const bars = minuteBars(BARS[scale]);
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
    try {
      const path = join(folder, '1m.csv');
      const source: BarSource = { file: path, symbol: bars.symbol, period: bars.period };
      const cache = { dir: join(folder, 'cache') };
      writeFileSync(path, writeBars(bars));
      settle();
      const cached = (): CachedBars => readBarsCached(path, source, cache);
      cached();
      const comparison = compare(
        { name: 'cached columns', work: () => cached().columns.length },
        { name: 'CSV', work: () => readBarFile(path, source).columns.length },
        BARS_PER_SECOND,
        ROUNDS_MIN,
      );
      const again = cached();
      const same = sameBars(again.columns, bars) && again.from === 'cache';
      return {
        comparisons: [comparison],
        gates: [{ what: 'the cache gives the bars that were written', holds: same, saw: again.from }],
        notes: [`${bars.length} bars; both files are in the page cache of the operating system`],
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The cache believes a file's stamps only once they are two seconds old; until then it reads and hashes the file. */
const SETTLED_MS = 2_100;

function settle(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLED_MS);
}

function sameBars(a: BarColumns, b: BarColumns): boolean {
  const names = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
  return a.length === b.length && names.every((name) => a[name].every((value, at) => value === b[name][at]));
}
