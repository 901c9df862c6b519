import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readBarFile } from '../../src/market-data/bar-file.ts';
import { type CacheFolder, cachedOutline, entryPathOf, readBarsCached } from '../../src/market-data/cache.ts';
import type { BarSource } from '../../src/market-data/csv-row.ts';
import { DataError } from '../../src/market-data/data-error.ts';
import { BAR_FIGURES } from '../../src/model/bar-columns.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { barText, put, temporaryFolder } from './fixtures.ts';

const ROW = '2024-01-02T14:30:00Z,10,12,9,11,100';
const NEXT = '2024-01-02T14:31:00Z,11,12,9,10.5,250';

const MINUTES = Array.from(
  { length: 10 },
  (_, at) => `2024-01-02T14:3${at}:00Z,10,12,9,${10 + at / 8},${at}`,
);

interface Bench {
  readonly path: string;
  readonly source: BarSource;
  readonly cache: CacheFolder;
  readonly entry: string;
}

function bench(content: string | Uint8Array = barText(ROW, NEXT), name = '1m.csv'): Bench {
  const dir = temporaryFolder();
  const path = put(dir, join('AAPL.US', name), content);
  const source: BarSource = { file: path, symbol: securitySymbol('AAPL.US'), period: '1m' };
  const cache = { dir: join(dir, 'cache') };
  return { path, source, cache, entry: entryPathOf(path, source, cache) };
}

/** Makes the entry look written long after the file's last change, so that the file's stamps are trusted. */
function settle(entry: string): void {
  utimesSync(entry, 4_000_000_000, 4_000_000_000);
}

describe('readBarsCached', () => {
  it('parses once, then answers from the entry with equal columns', () => {
    const { path, source, cache, entry } = bench();
    const first = readBarsCached(path, source, cache);
    const hashed = readBarsCached(path, source, cache);
    settle(entry);
    const trusted = readBarsCached(path, source, cache);
    expect([first.from, hashed.from, trusted.from]).toEqual(['file', 'cache', 'cache']);
    expect(hashed.columns).toEqual(first.columns);
    expect(trusted.columns).toEqual(first.columns);
    expect([...trusted.columns.close]).toEqual([11, 10.5]);
  });

  it('detects a change of one digit that keeps size and modification time', () => {
    const { path, source, cache, entry } = bench();
    readBarsCached(path, source, cache);
    settle(entry);
    const { atime, mtime } = statSync(path);
    writeFileSync(path, barText(ROW.replace(',11,', ',10,'), NEXT));
    utimesSync(path, atime, mtime);
    const again = readBarsCached(path, source, cache);
    expect(again.from).toBe('file');
    expect(again.columns.close[0]).toBe(10);
  });

  it('hashes and keeps the entry when only the stamps of the file are new', () => {
    const { path, source, cache, entry } = bench();
    readBarsCached(path, source, cache);
    settle(entry);
    utimesSync(path, 1_000_000_000, 1_000_000_000);
    expect(readBarsCached(path, source, cache).from).toBe('cache');
  });

  it('ignores and rewrites an entry with any byte flipped', () => {
    const { path, source, cache, entry } = bench();
    const { columns } = readBarsCached(path, source, cache);
    const sound = readFileSync(entry);
    for (let at = 0; at < sound.length; at++) {
      const damaged = Buffer.from(sound);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      writeFileSync(entry, damaged);
      settle(entry);
      const read = readBarsCached(path, source, cache);
      expect({ at, from: read.from }).toEqual({ at, from: 'file' });
      expect(read.columns).toEqual(columns);
    }
    expect(readBarsCached(path, source, cache).from).toBe('cache');
  });

  it('ignores an entry that was cut short or grew', () => {
    const { path, source, cache, entry } = bench();
    readBarsCached(path, source, cache);
    const sound = readFileSync(entry);
    for (const content of [
      sound.subarray(0, 7),
      sound.subarray(0, -8),
      Buffer.concat([sound, sound]),
      Buffer.alloc(0),
    ]) {
      writeFileSync(entry, content);
      expect(readBarsCached(path, source, cache).from).toBe('file');
    }
  });

  it('does not return the bars of one file for another', () => {
    const { path, source, cache, entry } = bench();
    readBarsCached(path, source, cache);
    const other: BarSource = { ...source, symbol: securitySymbol('IBM.US') };
    writeFileSync(entryPathOf(path, other, cache), readFileSync(entry));
    expect(readBarsCached(path, other, cache)).toMatchObject({ from: 'file', columns: { symbol: 'IBM.US' } });
  });

  it('leaves only the entry in its folder', () => {
    const { path, source, cache } = bench();
    readBarsCached(path, source, cache);
    expect(readdirSync(cache.dir)).toHaveLength(1);
  });

  it('returns the bars and reports why when the cache cannot be written', () => {
    const { path, source } = bench();
    const problems: unknown[] = [];
    const blocked = { dir: join(path, 'cache'), onProblem: (problem: unknown) => problems.push(problem) };
    expect(readBarsCached(path, source, blocked).columns.length).toBe(2);
    expect(problems).toHaveLength(1);
  });

  it('writes more bars than a block while they are parsed, and returns the same as a single parse', () => {
    const { path, source, cache } = bench(barText(...MINUTES));
    const blocks = { ...cache, blockRows: 3 };
    const first = readBarsCached(path, source, blocks);
    const second = readBarsCached(path, source, blocks);
    expect([first.from, second.from]).toEqual(['file', 'cache']);
    const { columns } = readBarFile(path, source);
    for (const figure of BAR_FIGURES) {
      expect(first.columns[figure]).toEqual(columns[figure]);
      expect(second.columns[figure]).toEqual(columns[figure]);
    }
    expect(readdirSync(cache.dir)).toHaveLength(1);
  });

  it('names the line of a mistake after the first blocks, and keeps nothing of them', () => {
    const { path, source, cache } = bench(barText(...MINUTES, MINUTES[0] ?? ''));
    const reading = (): unknown => readBarsCached(path, source, { ...cache, blockRows: 3 });
    expect(reading).toThrow(expect.objectContaining({ line: MINUTES.length + 2 }));
    expect(reading).toThrow(DataError);
    expect(readdirSync(cache.dir)).toEqual([]);
  });

  it('returns more bars than a block and reports why when the cache cannot be written', () => {
    const { path, source, cache } = bench(barText(...MINUTES));
    const problems: unknown[] = [];
    const onProblem = (problem: unknown): void => void problems.push(problem);
    const dir = join(path, 'no-folder-below-a-file');
    const { columns } = readBarsCached(path, source, { ...cache, dir, onProblem, blockRows: 3 });
    expect(columns).toEqual(readBarFile(path, source).columns);
    expect(problems).toEqual([expect.objectContaining({ code: 'ENOTDIR' })]);
  });

  it('counts the rows of an unchanged file without reading it, and of no other', () => {
    const { path, source, cache, entry } = bench();
    expect(cachedOutline(path, source, cache)).toBeUndefined();
    readBarsCached(path, source, cache);
    settle(entry);
    expect(cachedOutline(path, source, cache)).toEqual({
      rows: 2,
      first: Date.parse('2024-01-02T14:30:00Z'),
      last: Date.parse('2024-01-02T14:31:00Z'),
    });
    writeFileSync(path, barText(ROW));
    expect(cachedOutline(path, source, cache)).toBeUndefined();
  });

  it('caches the unpacked content of a gzipped file', () => {
    const { path, source, cache } = bench(gzipSync(barText(ROW, NEXT)), '1m.csv.gz');
    expect(readBarsCached(path, source, cache).from).toBe('file');
    expect(readBarsCached(path, source, cache)).toMatchObject({ from: 'cache', columns: { length: 2 } });
  });

  it.each([
    ['cut short', (packed: Buffer) => packed.subarray(0, -9)],
    ['cut to its head', (packed: Buffer) => packed.subarray(0, 12)],
    [
      'with a flipped bit',
      (packed: Buffer) => Buffer.from(packed.map((byte, at) => (at === 30 ? byte ^ 1 : byte))),
    ],
    ['of plain text', () => Buffer.from(barText(ROW))],
    ['empty', () => Buffer.alloc(0)],
  ])('refuses gzip %s, and caches nothing', (_, spoil) => {
    const rows = Array.from({ length: 50 }, (_, index) => `${index + 1},10,12,9,11,${index * 7919}`);
    const { path, source, cache } = bench(spoil(gzipSync(barText(...rows))), '1m.csv.gz');
    const read = (): unknown => readBarsCached(path, source, cache);
    expect(read).toThrowError(DataError);
    expect(read).toThrowError(expect.objectContaining({ code: 'bad-gzip', file: path }));
    expect(cachedOutline(path, source, cache)).toBeUndefined();
  });
});
