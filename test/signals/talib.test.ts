import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileSignals } from '#src/signals/program.ts';
import type { Series } from '#src/signals/series.ts';
import { TALIB_CALLS } from './talib/columns.ts';
import { MARKETS } from './talib/markets.ts';

/** One output of one function over one market, as computed by TA-Lib; the head of the file describes it. */
interface Column {
  readonly market: string;
  readonly call: string;
  readonly output: number;
  readonly first: number;
  readonly values: readonly number[];
}

/** Bars between two values of the file. */
const EVERY = 29;

const COLUMNS: readonly Column[] = readFileSync('test/signals/talib/values.csv', 'utf8')
  .trim()
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .slice(1)
  .map((line) => {
    const [market = '', call = '', output, first, values = ''] = line.split(',');
    return {
      market,
      call,
      output: Number(output),
      first: Number(first),
      values: values.split(' ').map(Number),
    };
  });

/**
 * 0 / 0: TA-Lib returns 0, whatever that means on the scale; ours return the middle of the scale, as
 * docs/indicators.md states.
 */
const MIDDLES: Readonly<Record<string, number>> = {
  RSI: 50,
  STOCH: 50,
  STOCHF: 50,
  STOCHRSI: 50,
  WILLR: -50,
  MFI: 50,
  ULTOSC: 50,
  VORTEX: 1,
};

function seriesOf({ call, output }: Column): Series {
  const ours = TALIB_CALLS.find(({ id }) => id === call)?.ours[output];
  if (ours === undefined) throw new RangeError(`No series of ours for "${call}" ${output}`);
  return ours;
}

/**
 * The first index at which ours differs by more than 1e-6 (and than 1e-9 of the column's largest value, as TA-Lib
 * keeps rounding errors near 0).
 */
function firstDifference(column: Column): string {
  const bars = MARKETS[column.market];
  if (bars === undefined) throw new RangeError(`No market "${column.market}"`);
  const ours = compileSignals({ it: seriesOf(column) })
    .overColumns(bars, { warmupEnd: 0 })
    .column('it');
  const [fn = ''] = column.call.split(' ');
  const size = Math.max(1e-3, ...column.values.map(Math.abs));
  const wrong = column.values.findIndex((value, place) => {
    const want = column.market === 'still' ? (MIDDLES[fn] ?? value) : value;
    const distance = Math.abs((ours[column.first + place * EVERY] ?? Number.NaN) - want);
    return !(distance <= 1e-6 * Math.abs(want) + 1e-9 * size);
  });
  if (wrong === -1) return 'none';
  const bar = column.first + wrong * EVERY;
  return `bar ${bar}: TA-Lib ${column.values[wrong]}, ours ${ours[bar]}`;
}

describe('values of TA-Lib', () => {
  const calls = new Map(COLUMNS.map((column) => [column.call, column]));

  it('are on file for each of our functions', () => {
    expect([...calls.keys()].sort()).toEqual(TALIB_CALLS.map(({ id }) => id).sort());
    expect(new Set(TALIB_CALLS.map(({ fn }) => fn)).size).toBe(71);
    expect(COLUMNS.reduce((total, { values }) => total + values.length, 0)).toBeGreaterThan(8_000);
  });

  for (const market of Object.keys(MARKETS)) {
    it(`equal ours to 1e-6 in the market "${market}"`, () => {
      const differences = COLUMNS.filter((column) => column.market === market)
        .map((column) => `${column.call} ${column.output}: ${firstDifference(column)}`)
        .filter((line) => !line.endsWith('none'));
      expect(differences).toEqual([]);
    });
  }

  it('begin where our series are declared to, or later if TA-Lib delays an output for another', () => {
    for (const column of COLUMNS) {
      const { defined } = seriesOf(column).node;
      const outputs = COLUMNS.filter((other) => other.call === column.call && other.market === column.market);
      const begins = outputs.length > 1 ? Math.min(defined, column.first) : defined;
      expect([column.call, column.output, begins <= column.first]).toEqual([
        column.call,
        column.output,
        true,
      ]);
      if (outputs.length === 1) expect([column.call, column.first]).toEqual([column.call, defined]);
    }
  });
});
