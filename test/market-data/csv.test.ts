import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOfBars } from '#src/model/bar-columns.ts';
import { BarParser, parseBars } from '../../src/market-data/csv.ts';
import { type BarSource, readRow } from '../../src/market-data/csv-row.ts';
import { writeBars } from '../../src/market-data/csv-text.ts';
import { DataError } from '../../src/market-data/data-error.ts';
import { writeStamp } from '../../src/market-data/stamp.ts';
import type { BarColumns } from '../../src/model/bar.ts';
import { securitySymbol } from '../../src/model/symbol.ts';

const HEADER = 'timestamp,open,high,low,close,volume';
const minutes: BarSource = { file: '1m.csv', symbol: securitySymbol('AAPL.US'), period: '1m' };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (rows: readonly string[], source: BarSource = minutes): BarColumns =>
  parseBars(bytesOf(`${[HEADER, ...rows].join('\n')}\n`), source);

const aPrice = fc.oneof(
  fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
  fc.double({ min: 1e-6, max: 1e12, noNaN: true }),
);
const aVolume = fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e30, noNaN: true }));
const aBar = fc.tuple(aPrice, aPrice, aPrice, aPrice, aVolume, fc.integer({ min: 1, max: 400_000_000 }));

/** Columns with valid bars at rising stamps, some with milliseconds. */
const someBars = fc.array(aBar, { maxLength: 30 }).map((bars): BarColumns => {
  let time = Date.UTC(1999, 11, 31);
  const rows = bars.map(([a, b, c, d, volume, step]) => {
    time += step;
    const [low = a, second = a, third = a, high = a] = [a, b, c, d].sort((x, y) => x - y);
    return { time, open: second, high, low, close: third, volume };
  });
  return columnsOfBars(minutes, rows);
});

describe('parseBars', () => {
  it('reads one bar a line into columns', () => {
    const bars = parse([
      '2024-01-02T14:30:00Z,187.15,188.44,183.885,185.64,82488700',
      '2024-01-02T14:31:00Z,185.64,185.88,185,185.01,0',
    ]);
    expect(bars.length).toBe(2);
    expect([...bars.time]).toEqual([Date.UTC(2024, 0, 2, 14, 30), Date.UTC(2024, 0, 2, 14, 31)]);
    expect([...bars.low]).toEqual([183.885, 185]);
    expect([...bars.volume]).toEqual([82488700, 0]);
  });

  it('returns what was written, bit for bit', () => {
    fc.assert(
      fc.property(someBars, (bars) => {
        expect(parseText(writeBars(bars))).toEqual(bars);
      }),
    );
  });

  it('reads the same columns however the text is cut into pieces', () => {
    fc.assert(
      fc.property(someBars, fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (bars, sizes) => {
        const bytes = bytesOf(writeBars(bars));
        const parser = new BarParser(minutes, 0);
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          parser.feed(bytes.subarray(at, at + size));
          at += size;
        }
        expect(parser.finish()).toEqual(bars);
      }),
    );
  });

  it('emits the same rows in blocks, and keeps the rest', () => {
    fc.assert(
      fc.property(
        someBars,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 200 }),
        (bars, rows, size) => {
          const bytes = bytesOf(writeBars(bars));
          const closes: number[] = [];
          const take = (block: BarColumns): void => {
            expect(block.length).toBe(rows);
            closes.push(...block.close);
          };
          const parser = new BarParser(minutes, bytes.length, { rows, take });
          for (let at = 0; at < bytes.length; at += size) parser.feed(bytes.subarray(at, at + size));
          const { close, length } = parser.finish();
          expect(length).toBeLessThanOrEqual(rows);
          expect([...closes, ...close]).toEqual([...bars.close]);
        },
      ),
    );
  });

  it('reads every decimal as the float64 of Number', () => {
    const digits = fc.stringMatching(/^[0-9]{1,22}$/);
    fc.assert(
      fc.property(digits, fc.option(digits), (whole, decimals) => {
        const text = `1${whole}${decimals === null ? '' : `.${decimals}`}`;
        const bars = parse([`2024-01-02T14:30:00Z,${text},${text},${text},${text},${text}`]);
        expect(bars.close[0]).toBe(Number(text));
        expect(bars.volume[0]).toBe(Number(text));
      }),
    );
  });

  it('reads leading zeros, a bare point and exponents as Number does', () => {
    const bars = parse(['2024-01-02T14:30:00Z,007.50,1.2e+1,.5,5.,1e6']);
    expect([bars.open[0], bars.high[0], bars.low[0], bars.close[0], bars.volume[0]]).toEqual([
      7.5, 12, 0.5, 5, 1e6,
    ]);
  });

  it('reads every second of the calendar as Date.parse does', () => {
    fc.assert(
      fc.property(fc.integer({ min: -59_011_459_200, max: 253_402_300_799 }), (seconds) => {
        const text = writeStamp(seconds * 1000);
        expect(parse([`${text},1,1,1,1,1`]).time[0]).toBe(seconds * 1000);
      }),
    );
  });

  it('reads epoch seconds, epoch milliseconds and ISO stamps with milliseconds', () => {
    const bars = parse([
      '1704205800,1,1,1,1,1',
      '1704205860500,1,1,1,1,1',
      '2024-01-02T14:32:00.250Z,1,1,1,1,1',
    ]);
    expect([...bars.time]).toEqual([1704205800000, 1704205860500, Date.UTC(2024, 0, 2, 14, 32, 0, 250)]);
  });

  it('reads a stamp of digits and a figure of any length like the checking reader, including its errors', () => {
    const place = { source: minutes, line: 2, after: Number.NEGATIVE_INFINITY };
    const outcome = (read: () => readonly number[]): unknown => {
      try {
        return read();
      } catch (error) {
        return error instanceof DataError ? [error.code, error.line, error.column] : error;
      }
    };
    const stamp = fc.stringMatching(/^[0-9]{0,17}-?$/);
    fc.assert(
      fc.property(stamp, fc.stringMatching(/^[0-9]{0,70}$/), (time, zeros) => {
        const row = `${time},1,1,1,1,1${zeros}`;
        const checked = outcome(() => readRow(bytesOf(row), place));
        const plain = outcome(() => {
          const { time, open, high, low, close, volume } = parse([row]);
          return [time, open, high, low, close, volume].map((column) => column[0] ?? Number.NaN);
        });
        expect(plain).toEqual(checked);
      }),
    );
  });

  it('stamps a bare day at the midnight of its exchange, with daylight saving', () => {
    const newYork: BarSource = { ...minutes, period: '1d' };
    const hongKong: BarSource = { file: '1d.csv', symbol: securitySymbol('700.HK'), period: '1d' };
    const days = ['2024-03-08,1,1,1,1,1', '2024-03-11,1,1,1,1,1'];
    expect([...parse(days, newYork).time].map(writeStamp)).toEqual([
      '2024-03-08T05:00:00Z',
      '2024-03-11T04:00:00Z',
    ]);
    expect(writeStamp(parse(days, hongKong).time[0] ?? 0)).toBe('2024-03-07T16:00:00Z');
  });

  it('accepts a byte-order mark, carriage returns and a last line without an end', () => {
    const text = `\ufeff${HEADER}\r\n2024-01-02T14:30:00Z,1,1,1,1,1\r\n2024-01-02T14:31:00Z,2,2,2,2,2`;
    expect([...parseText(text).close]).toEqual([1, 2]);
  });

  it('reads a header without bars as no bars', () => {
    expect(parseText(`${HEADER}\n`).length).toBe(0);
    expect(parseText(HEADER).length).toBe(0);
  });

  it('allocates for the rows that the first hundred thousand predict, and keeps at most a tenth of it unused', () => {
    const row = (index: number): string => `${index + 1},100.25,100.5,100,100.25,12345\n`;
    const text = bytesOf(`${HEADER}\n${Array.from({ length: 250_000 }, (_, index) => row(index)).join('')}`);
    for (const expected of [text.length, 0, 20 * text.length]) {
      const parser = new BarParser(minutes, expected);
      for (let at = 0; at < text.length; at += 65_536) parser.feed(text.subarray(at, at + 65_536));
      const bars = parser.finish();
      expect([bars.length, bars.time[249_999], bars.close[249_999]]).toEqual([250_000, 250_000_000, 100.25]);
      expect(bars.close.buffer.byteLength).toBeLessThan((8 * 250_000) / 0.9);
    }
  });

  it('grows if lines are shorter than predicted', () => {
    const rows = Array.from({ length: 500 }, (_, index) => `${index + 1},1,1,1,1,1`);
    const bars = parse(rows);
    expect(bars.length).toBe(500);
    expect(bars.time[499]).toBe(500_000);
  });
});

function parseText(text: string): BarColumns {
  return parseBars(bytesOf(text), minutes);
}
