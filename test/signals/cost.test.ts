import { afterEach, describe, expect, it, vi } from 'vitest';
import * as door from '#src/index.ts';
import { bars } from '#src/signals/bars.ts';
import { CATALOGUE } from '#src/signals/catalogue/catalogue.ts';
import type { CatalogueEntry } from '#src/signals/catalogue/catalogue-entry.ts';
import { graphOf } from '#src/signals/graph.ts';
import type { Kernel, Series, SeriesRecord } from '#src/signals/series.ts';
import { walk } from './some-bars.ts';

/** Indicators whose definition needs the whole window; docs/indicators.md marks them. */
const WHOLE_WINDOW = ['percentRank', 'meanDeviation', 'cci'];
const ENTRIES = CATALOGUE.flatMap(({ entries }) => entries);
const DOOR: Readonly<Record<string, unknown>> = door;

/** Value of a parameter that counts bars, if the function has no default. */
const PLAIN_WINDOW = 9;

const INPUTS: Readonly<Record<string, unknown>> = {
  x: bars.close,
  a: bars.close,
  b: bars.volume,
  volume: bars.volume,
  bars,
};
/** Parameters that are no windows. */
const FACTORS = new Set(['factor', 'width', 'step', 'limit', 'barsPerYear', 'averages', 'first']);

/** An indicator with every window `times` its usual length. */
function stretched({ name, parameters }: CatalogueEntry, times: number): readonly Series[] {
  const make = DOOR[name];
  if (typeof make !== 'function') throw new TypeError(`No function "${name}" at the author's door`);
  const given = parameters.map((text) => {
    const [parameter = '', usual] = text.split(' = ');
    if (parameter in INPUTS) return INPUTS[parameter];
    return FACTORS.has(parameter) ? undefined : times * Number(usual ?? PLAIN_WINDOW);
  });
  const made: Series | SeriesRecord = make(...given);
  return made.kind === 'series' ? [made as Series] : Object.values(made as SeriesRecord);
}

const PLAIN = Float64Array;
const count = { reads: 0, writes: 0 };

/** A column that counts its reads and writes. */
function counted(column: Float64Array): Float64Array {
  return new Proxy(column, {
    get: (target, key) => {
      count.reads++;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, key, value) => {
      count.writes++;
      return Reflect.set(target, key, value);
    },
  });
}

/** Reads and writes per bar, and the memory of columns and indicators, over each span of bars. */
function costs(wanted: readonly Series[], spans: readonly (readonly [number, number])[]): readonly number[] {
  const length = Math.max(...spans.map(([, to]) => to));
  const data = walk(length, 3);
  const { nodes } = graphOf(wanted.map(({ node }) => node));
  const columns = nodes.map((node) => {
    const { work } = node;
    if (work.kind === 'kernel')
      return Array.from({ length: node.width }, () => new PLAIN(length).fill(Number.NaN));
    return [work.field in data ? data[work.field as 'close'] : new PLAIN(length)];
  });
  const watched = columns.map((group) => group.map(counted));
  const place = new Map(nodes.map((node, index) => [node.key, index]));
  vi.stubGlobal('Float64Array', function counting(size: number) {
    return counted(new PLAIN(size));
  });
  const kernels = nodes.map((node, index): Kernel => {
    if (node.work.kind === 'source') return () => undefined;
    const inputs = node.inputs.map(({ node: { key }, output }) => watched[place.get(key) ?? -1]?.[output]);
    return node.work.bind(...([...inputs, ...(watched[index] ?? [])] as Float64Array[]));
  });
  vi.unstubAllGlobals();
  return spans.map(([from, to]) => {
    count.reads = 0;
    count.writes = 0;
    for (const [index, node] of nodes.entries()) {
      for (let i = Math.max(from, node.start); i < to; i++) kernels[index]?.(i, i + 1);
    }
    return (count.reads + count.writes) / (to - from);
  });
}

/** Tolerance of one half: when candidates leave a queue depends on the prices. */
const SLACK = 1.5;

describe('the work of an indicator, counted in reads and writes per bar', () => {
  afterEach(() => vi.unstubAllGlobals());

  const short = [
    [0, 1_400],
    [1_400, 2_400],
  ] as const;
  const late = [...short, [2_400, 6_000], [6_000, 7_000]] as const;

  for (const entry of ENTRIES) {
    it(`of ${entry.name} is the same at bar 6,000 as at bar 2,000`, () => {
      const [, early = 0, , later = 0] = costs(stretched(entry, 1), late);
      expect(early).toBeGreaterThan(0);
      expect(later).toBeLessThanOrEqual(early * SLACK);
    });
  }

  for (const entry of ENTRIES.filter(({ name }) => !WHOLE_WINDOW.includes(name))) {
    it(`of ${entry.name} is the same for windows eight times as long`, () => {
      const [, usual = 0] = costs(stretched(entry, 1), short);
      const [, long = 0] = costs(stretched(entry, 8), short);
      expect(long).toBeLessThanOrEqual(usual * SLACK);
    });
  }

  it('grows with the window of the three that docs/indicators.md marks, and of no other', () => {
    const marked = ENTRIES.filter(({ formula }) => formula.includes('O(n)')).map(({ name }) => name);
    expect(marked.sort()).toEqual([...WHOLE_WINDOW].sort());
    for (const entry of ENTRIES.filter(({ name }) => WHOLE_WINDOW.includes(name))) {
      const [, usual = 0] = costs(stretched(entry, 1), short);
      const [, long = 0] = costs(stretched(entry, 8), short);
      expect(long).toBeGreaterThan(usual * SLACK);
    }
  });
});
