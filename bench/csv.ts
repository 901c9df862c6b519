import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBacktest } from '../src/backtest/run-backtest.ts';
import { readBarFile } from '../src/market-data/bar-file.ts';
import { readBarsCached } from '../src/market-data/cache.ts';
import type { BarSource } from '../src/market-data/csv-row.ts';
import { writeBars } from '../src/market-data/csv-text.ts';
import type { BarColumns } from '../src/model/bar.ts';
import { BAR_FIGURES } from '../src/model/bar-columns.ts';
import { atLeast, atMost, type Benchmark, type Gate, type Row } from './benchmark.ts';
import { type Compared, compare } from './compare.ts';
import { epochBars, readBytes } from './csv-bytes.ts';
import { settle } from './project.ts';
import { type RunResult, resultOf, sameResult } from './run-result.ts';
import { w1Bars, w1SeldomSetup, w1Setup } from './w1.ts';
import { w1 } from './w1-strategy.ts';

const BARS = { full: 1_000_000, smoke: 20_000 } as const;
/** Measured pairs, and warm-up rounds before them: a run of many functions is compiled gradually. */
const ROUNDS = 7;
const WARM_UPS = 6;

/**
 * W1 from a CSV, compared with the parser alone, and again from the cache of parsed columns. Then the same with few
 * orders, and without a run.
 */
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
      return rowsOf(bars, path, source, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

type Run = (columns: BarColumns) => RunResult;

function rowsOf(bars: BarColumns, path: string, source: BarSource, folder: string): readonly Row[] {
  const often: Run = (columns) => resultOf(runBacktest(w1Setup(columns, w1)));
  const seldom: Run = (columns) => resultOf(runBacktest(w1SeldomSetup(columns, w1)));
  const warm = { dir: join(folder, 'cache') };
  readBarsCached(path, source, warm);
  const parsed = (): BarColumns => readBarFile(path, source).columns;
  const cached = (): BarColumns => readBarsCached(path, source, warm).columns;
  let cold = 0;
  const first = (): BarColumns => {
    cold += 1;
    return readBarsCached(path, source, { dir: join(folder, `cold-${cold}`) }).columns;
  };
  const { columns, from } = readBarsCached(path, source, warm);
  const same: Gate = {
    what: 'the cache gives the bars that were written',
    holds: sameBars(columns, bars) && from === 'cache',
    saw: from,
  };
  const gatesOf = (run: Run): readonly Gate[] => [same, ...sameResult(run(columns), run(bars))];
  const gates = gatesOf(often);
  const read = compare(() => everyColumn(cached()), first, ROUNDS, WARM_UPS);
  const epochs = join(folder, 'epochs.csv');
  writeFileSync(epochs, epochBars(bars));
  return [
    besideParser(
      { id: 'csv', work: 'W1 from a CSV', goal: atMost(1.25), gates },
      bars,
      compare(() => often(parsed()), parsed, ROUNDS, WARM_UPS),
    ),
    besideParser(
      {
        id: 'csv-bytes',
        work: 'W1 from a CSV, the parser being bare (digits to numbers, no check)',
        goal: undefined,
        gates: [...gates, sameBytes(readBytes(epochs), bars)],
      },
      bars,
      compare(
        () => often(parsed()),
        () => readBytes(epochs),
        ROUNDS,
        WARM_UPS,
      ),
    ),
    besideFirst(
      { id: 'csv-cache', work: 'The second run of W1, from the cache', goal: atLeast(8), gates },
      bars,
      compare(
        () => often(cached()),
        () => often(first()),
        ROUNDS,
        WARM_UPS,
      ),
    ),
    besideParser(
      {
        id: 'csv-seldom',
        work: 'W1 with averages fifty times as long, from a CSV',
        goal: undefined,
        gates: gatesOf(seldom),
      },
      bars,
      compare(() => seldom(parsed()), parsed, ROUNDS, WARM_UPS),
    ),
    besideFirst(
      { id: 'cache-read', work: 'Bars from the cache, without a run', goal: undefined, gates: [same] },
      bars,
      read,
    ),
  ];
}

/** Columns of the cache are read on first access. */
function everyColumn(columns: BarColumns): readonly Float64Array[] {
  return BAR_FIGURES.map((figure) => columns[figure]);
}

type Named = Pick<Row, 'id' | 'work' | 'goal' | 'gates'>;

function besideParser(named: Named, bars: BarColumns, { oursMs, yardstickMs, timeRatio }: Compared): Row {
  const share = ((100 * yardstickMs) / oursMs).toFixed(0);
  return {
    ...named,
    work: `${named.work} of ${bars.length} bars, in time of the parser alone`,
    ours: rate(bars, oursMs),
    yardstick: rate(bars, yardstickMs),
    unit: 'M bars/s',
    ratio: timeRatio,
    notes: [
      'The file is in the page cache of the operating system',
      `The parser takes ${yardstickMs.toFixed(1)} ms of ${oursMs.toFixed(1)} (${share} %), the run with its statistics the rest`,
    ],
  };
}

function besideFirst(named: Named, bars: BarColumns, { oursMs, yardstickMs, timeRatio }: Compared): Row {
  return {
    ...named,
    work: `${named.work} (${bars.length} bars), compared with the first, which parses and fills it`,
    ours: rate(bars, oursMs),
    yardstick: rate(bars, yardstickMs),
    unit: 'M bars/s',
    ratio: 1 / timeRatio,
    notes: [`${oursMs.toFixed(1)} ms, the first ${yardstickMs.toFixed(1)} ms`],
  };
}

const rate = (bars: BarColumns, ms: number): number => bars.length / ms / 1e3;

function sameBytes(read: readonly Float64Array[], { time, close }: BarColumns): Gate {
  const holds = time.every((at, row) => read[0]?.[row] === at / 1_000 && read[4]?.[row] === close[row]);
  return { what: 'the other parser reads the same bars', holds, saw: `${read[0]?.length} rows` };
}

function sameBars(a: BarColumns, b: BarColumns): boolean {
  const names = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
  return a.length === b.length && names.every((name) => a[name].every((value, at) => value === b[name][at]));
}
