import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBarFile } from '../../src/market-data/bar-file.ts';
import { entryPathOf, readBarsCached } from '../../src/market-data/cache.ts';
import type { BarSource } from '../../src/market-data/csv-row.ts';
import { DataError } from '../../src/market-data/data-error.ts';
import type { BarColumns } from '../../src/model/bar.ts';
import { BAR_FIGURES, barsBetween } from '../../src/model/bar-columns.ts';
import { rowsOf } from '../../src/model/bar-rows.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { barText, put, temporaryFolder } from './fixtures.ts';

const MINUTE = 60_000;
const BEGIN = Date.parse('2024-01-02T14:30:00Z');

interface Bench {
  readonly path: string;
  readonly entry: string;
  /** As parsed. */
  readonly parsed: BarColumns;
  /** As the cache has them now. */
  readonly stored: () => BarColumns;
}

/** A file of bars and its cache entry with blocks of a few rows. */
function bench(rows: number, blockRows: number): Bench {
  const dir = temporaryFolder();
  const path = put(dir, join('AAPL.US', '1m.csv'), textOf(rows));
  const source: BarSource = { file: path, symbol: securitySymbol('AAPL.US'), period: '1m' };
  const cache = { dir: join(dir, 'cache'), blockRows };
  readBarsCached(path, source, cache);
  const { columns: parsed } = readBarFile(path, source);
  const stored = (): BarColumns => readBarsCached(path, source, cache).columns;
  return { path, entry: entryPathOf(path, source, cache), parsed, stored };
}

function textOf(rows: number, close = 10): string {
  const lines = Array.from({ length: rows }, (_, row) => {
    return `${new Date(BEGIN + row * MINUTE).toISOString()},${close},${close + row},9,${close + row / 4},${row * 7}`;
  });
  return barText(...lines);
}

const plain = (columns: BarColumns): unknown => BAR_FIGURES.map((figure) => Array.from(columns[figure]));

describe('bars of the cache that are read on first access', () => {
  it('are the same, whole or in any ascending ranges, of any columns', () => {
    const { stored, parsed } = bench(50, 8);
    expect(plain(stored())).toEqual(plain(parsed));
    const stretch = fc.record({
      skip: fc.integer({ min: 0, max: 12 }),
      length: fc.integer({ min: 0, max: 20 }),
      looks: fc.subarray([...BAR_FIGURES]),
    });
    fc.assert(
      fc.property(fc.array(stretch), (stretches) => {
        const view = rowsOf(stored()).open();
        let from = 0;
        for (const { skip, length, looks } of stretches) {
          from = Math.min(50, from + skip);
          const to = Math.min(50, from + length);
          const shown = view(from, to);
          expect(shown.length).toBe(to - from);
          for (const figure of looks)
            expect(Array.from(shown[figure])).toEqual(Array.from(parsed[figure].subarray(from, to)));
        }
      }),
    );
  });

  it('are cut, and searched by their stamps, like columns in memory', () => {
    const { stored, parsed } = bench(50, 8);
    const rows = rowsOf(stored());
    const memory = rowsOf(parsed);
    for (let at = BEGIN - MINUTE; at <= BEGIN + 51 * MINUTE; at += MINUTE / 2)
      expect(rows.firstFrom(at)).toBe(memory.firstFrom(at));
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        expect(plain(rows.between(from, to))).toEqual(plain(barsBetween(parsed, from, to)));
        expect(plain(rowsOf(rows.between(from, to)).open()(0, to - from))).toEqual(
          plain(barsBetween(parsed, from, to)),
        );
      }),
    );
  });

  it('are read from their file again, and cached again, if a byte of the entry has changed in the meantime', () => {
    const { stored, parsed, entry } = bench(50, 8);
    const sound = readFileSync(entry);
    const bytes = 50 * BAR_FIGURES.length * 8;
    for (let at = sound.length - bytes; at < sound.length; at += 61) {
      const columns = stored();
      const damaged = Buffer.from(sound);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      writeFileSync(entry, damaged);
      expect(plain(columns)).toEqual(plain(parsed));
      expect(readFileSync(entry)).toHaveLength(sound.length);
      expect(plain(stored())).toEqual(plain(parsed));
    }
  });

  it('are never partly of an old file and partly of a new one', () => {
    const mine = bench(50, 8);
    const columns = mine.stored();
    const view = rowsOf(columns).open();
    expect(Array.from(view(0, 8).close)).toEqual(Array.from(mine.parsed.close.subarray(0, 8)));
    writeFileSync(mine.path, textOf(50, 20));
    expect(mine.stored().close[9]).toBe(22.25);
    expect(() => view(8, 16).close).toThrow(DataError);
    expect(() => view(8, 16).close).toThrow('the file changed while it was read');
  });
});
