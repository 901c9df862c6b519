import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBacktest } from '../src/backtest/run-backtest.ts';
import { readBarFile } from '../src/market-data/bar-file.ts';
import { readBarsCached } from '../src/market-data/cache.ts';
import type { BarSource } from '../src/market-data/csv-row.ts';
import { writeBars } from '../src/market-data/csv-text.ts';
import type { BarColumns } from '../src/model/bar.ts';
import { atLeast, atMost, type Benchmark, type Gate } from './benchmark.ts';
import { compare } from './compare.ts';
import { outcomeOf, sameOutcome } from './outcome.ts';
import { w1Bars, w1Setup } from './w1.ts';
import { w1 } from './w1-strategy.ts';

const BARS = { full: 1_000_000, smoke: 20_000 } as const;
const ROUNDS = 3;

/** W1 from a CSV: beside the parser alone, and again from the cache of parsed columns. */
export const csv: Benchmark = {
  name: 'csv',
  run(scale) {
    const bars = w1Bars(BARS[scale]);
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
    try {
      const path = join(folder, '1m.csv');
      const source: BarSource = { file: path, symbol: bars.symbol, period: bars.period };
      writeFileSync(path, writeBars(bars));
      settle();
      const run = (columns: BarColumns) => outcomeOf(runBacktest(w1Setup(columns, w1)));
      const parsed = (): BarColumns => readBarFile(path, source).columns;
      const whole = compare(() => run(parsed()), parsed, ROUNDS);
      const warm = { dir: join(folder, 'cache') };
      readBarsCached(path, source, warm);
      let cold = 0;
      const again = compare(
        () => run(readBarsCached(path, source, warm).columns),
        () => {
          cold += 1;
          run(readBarsCached(path, source, { dir: join(folder, `cold-${cold}`) }).columns);
        },
        ROUNDS,
      );
      const { columns, from } = readBarsCached(path, source, warm);
      const gates: readonly Gate[] = [
        {
          what: 'the cache gives the bars that were written',
          holds: sameBars(columns, bars) && from === 'cache',
          saw: from,
        },
        ...sameOutcome(run(columns), run(bars)),
      ];
      const rate = (ms: number): number => bars.length / ms / 1e3;
      return [
        {
          id: 'csv',
          work: `W1 from a CSV of ${bars.length} bars, in time of the parser alone`,
          ours: rate(whole.oursMs),
          yardstick: rate(whole.yardstickMs),
          unit: 'M bars/s',
          ratio: whole.timeRatio,
          goal: atMost(1.25),
          gates,
          notes: ['The file is in the page cache of the operating system'],
        },
        {
          id: 'csv-cache',
          work: 'The second run, from the cache, beside the first, which parses and fills it',
          ours: rate(again.oursMs),
          yardstick: rate(again.yardstickMs),
          unit: 'M bars/s',
          ratio: 1 / again.timeRatio,
          goal: atLeast(8),
          gates,
          notes: [],
        },
      ];
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
