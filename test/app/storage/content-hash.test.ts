import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { dataHash } from '#src/app/storage/content-hash.ts';
import type { ReplaySetup } from '#src/backtest/setup.ts';
import { readBarsCached } from '#src/market-data/cache.ts';
import { writeBars } from '#src/market-data/csv-text.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { columnsOfRows } from '#src/model/bar-columns.ts';
import { securitySymbol } from '#src/model/symbol.ts';

/** More than the cache reads at once, so that columns are read in pieces. */
const BARS = 20_000;
const OF = { symbol: securitySymbol('WALK.US'), period: '1m' } as const;
const FIRST = Date.UTC(2024, 0, 2, 14, 30);

/** Bars that rise from 100, with `close` as the close of the middle bar. */
const barsWith = (close: number): BarColumns =>
  columnsOfRows(
    OF,
    Array.from({ length: BARS }, (_, bar) => {
      const price = 100 + bar / 100;
      const last = bar === BARS / 2 ? close : price;
      return [FIRST + bar * 60_000, price, price + 1, price - 1, last, 1_000];
    }),
  );

/** The same bars as the cache returns them: each column is read on access. */
function cached(bars: BarColumns): BarColumns {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-hash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, '1m.csv');
  writeFileSync(file, writeBars(bars));
  return readBarsCached(file, { file, ...OF }, { dir, keepsOpen: true }).columns;
}

const hashOf = (bars: BarColumns): string =>
  dataHash({
    securities: [],
    history: [bars],
    from: '2024-01-02',
    to: '2024-01-31',
  } as unknown as ReplaySetup);

it('changes with one price among bars that are read from the cache', () => {
  const one = hashOf(cached(barsWith(200)));
  expect(hashOf(cached(barsWith(200)))).toBe(one);
  expect(hashOf(cached(barsWith(200.5)))).not.toBe(one);
});

it('is the same for bars in memory and for bars in the cache', () => {
  expect(hashOf(cached(barsWith(200)))).toBe(hashOf(barsWith(200)));
});
