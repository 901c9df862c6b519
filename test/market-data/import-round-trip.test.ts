import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOfRows } from '#src/model/bar-columns.ts';
import { exportBars } from '../../src/market-data/export-bars.ts';
import { importBars } from '../../src/market-data/import-bars.ts';
import { openBarStore } from '../../src/market-data/store.ts';
import type { BarColumns } from '../../src/model/bar.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { put, temporaryFolder } from './fixtures.ts';

const SYMBOL = securitySymbol('SOME.CRYPTO');
const FACTS = {
  name: 'Some',
  kind: 'stock',
  currency: 'USD',
  lotSize: 1,
  generated: 'by fast-check',
} as const;
const MINUTE_MS = 60_000;

const aFigure = fc.double({ min: 1e-6, max: 1e9, noNaN: true, noDefaultInfinity: true });

/** Bars with any figures, at ascending minutes. */
const someBars = fc
  .array(
    fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.array(aFigure, { minLength: 4, maxLength: 4 }), aFigure),
    {
      minLength: 2,
      maxLength: 30,
    },
  )
  .map((rows): BarColumns => {
    let minute = 28_000_000;
    const bars = rows.map(([step, prices, volume]) => {
      minute += step;
      const [low, open, close, high] = prices.toSorted((a, b) => a - b) as [number, number, number, number];
      return [minute * MINUTE_MS, open, high, low, close, volume] as const;
    });
    return columnsOfRows({ symbol: SYMBOL, period: '1m' }, bars);
  });

const NAMES = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;

const STAMPS: Readonly<Record<string, (time: number) => string>> = {
  iso: (time) => new Date(time).toISOString(),
  seconds: (time) => String(time / 1000),
  millis: String,
  micros: (time) => `${time}000`,
  hongKong: (time) => new Date(time + 8 * 60 * MINUTE_MS).toISOString().slice(0, 16).replace('T', ' '),
  compact: (time) =>
    new Date(time + 8 * 60 * MINUTE_MS).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', ' '),
};

const aLayout = fc.record({
  columns: fc.shuffledSubarray([...NAMES], { minLength: 6 }),
  stamp: fc.constantFrom(...Object.keys(STAMPS)),
  separator: fc.constantFrom(',', ';', '\t'),
  newline: fc.constantFrom('\n', '\r\n'),
  quote: fc.boolean(),
  newestFirst: fc.boolean(),
  encoding: fc.constantFrom('utf8', 'utf16le', 'utf16be'),
  packing: fc.constantFrom('none', 'gzip', 'zstd'),
});
type Layout = typeof aLayout extends fc.Arbitrary<infer T> ? T : never;

function written(bars: BarColumns, layout: Layout): string {
  const cell = (text: string): string => (layout.quote ? `"${text}"` : text);
  const rows = Array.from({ length: bars.length }, (_, row) =>
    layout.columns
      .map((name) =>
        name === 'time' ? (STAMPS[layout.stamp]?.(bars.time[row] ?? 0) ?? '') : String(bars[name][row]),
      )
      .map(cell)
      .join(layout.separator),
  );
  const header = layout.columns.map(cell).join(layout.separator);
  return [header, ...(layout.newestFirst ? rows.toReversed() : rows), ''].join(layout.newline);
}

const PACKED = { none: (bytes: Buffer) => bytes, gzip: gzipSync, zstd: zstdCompressSync };

/** UTF-8, or UTF-16 with its byte order mark. */
function encoded(text: string, encoding: Layout['encoding']): Buffer {
  if (encoding === 'utf8') return Buffer.from(text);
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return encoding === 'utf16be' ? bytes.swap16() : bytes;
}

async function importedFrom(
  file: string,
  dir: string,
  onProgress: (share: number) => void = () => {},
): Promise<BarColumns> {
  const request = {
    file,
    onProgress,
    symbol: SYMBOL,
    period: '1m',
    dir,
    zone: 'Asia/Hong_Kong',
    security: FACTS,
  } as const;
  await importBars({ ...request, onBadRow: 'stop', replace: true });
  return openBarStore({ dir }).bars(SYMBOL, '1m');
}

describe('an import', () => {
  it('returns any bars bit for bit, however they were laid out', async () => {
    const dir = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(someBars, aLayout, async (bars, layout) => {
        const bytes = encoded(written(bars, layout), layout.encoding);
        const file = put(dir, 'source.csv', PACKED[layout.packing](bytes));
        expect(await importedFrom(file, join(dir, 'data'))).toEqual(bars);
      }),
      { numRuns: 60 },
    );
    expect(readdirSync(join(dir, 'data', SYMBOL)).sort()).toEqual(['1m.csv', 'security.json']);
  });

  it('returns bars that were exported as Parquet, bit for bit', async () => {
    const dir = temporaryFolder();
    const path = join(dir, 'bars.parquet');
    await fc.assert(
      fc.asyncProperty(someBars, async (bars) => {
        await exportBars(bars, { path, format: 'parquet', replace: true });
        const shares: number[] = [];
        expect(await importedFrom(path, join(dir, 'data'), (share) => shares.push(share))).toEqual(bars);
        expect(shares).toEqual([1]);
      }),
      { numRuns: 20 },
    );
    expect(readdirSync(dir).sort()).toEqual(['bars.parquet', 'data']);
  });

  it('reads more lines backwards than one piece of a file holds', async () => {
    const dir = temporaryFolder();
    const stamps = Array.from({ length: 60_000 }, (_, at) => 1_700_000_000 - at * 60);
    const text = `time,open,high,low,close,volume\n${stamps.map((stamp) => `${stamp},10,12,9,11,${stamp}`).join('\n')}\n`;
    const shares: number[] = [];
    const file = put(dir, 'source.csv', text);
    const bars = await importedFrom(file, join(dir, 'data'), (share) => shares.push(share));
    expect(shares.length).toBeGreaterThan(3);
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
    expect([shares.every((share) => share > 0), shares.at(-1)]).toEqual([true, 1]);
    expect([...bars.time]).toEqual(stamps.toReversed().map((stamp) => stamp * 1000));
    expect([...bars.volume]).toEqual(stamps.toReversed());
  });

  it('refuses to export over an existing file', async () => {
    const dir = temporaryFolder();
    const path = put(dir, 'there.csv', 'mine');
    const [bars] = fc.sample(someBars, { numRuns: 1, seed: 1 });
    if (bars === undefined) throw new Error('No bars were made');
    await expect(exportBars(bars, { path, format: 'csv', replace: false })).rejects.toMatchObject({
      code: 'exists',
    });
    await expect(exportBars(bars, { path: dir, format: 'csv', replace: true })).rejects.toMatchObject({
      code: 'exists',
    });
  });
});
