import type { NodeReading } from '../../model/node-reading.ts';
import type { GraphReading, SeriesReading } from '../../ports/strategy-host.ts';
import { BARS_SHOWN, SERIES_SHOWN } from './series-history.ts';
import { NODES_SHOWN, SYMBOLS_SHOWN } from './signal-runs.ts';

/** Longest key or name of a node; longer ones are cut. */
const TEXT_MAX = 200;
/** Most names, inputs and values per node. */
const PARTS_MAX = 50;

/** Reads the graph from a thread that runs untrusted code, as copies; undefined if it is invalid. */
export function readGraph({ symbols }: Readonly<Record<string, unknown>>): GraphReading | undefined {
  const read = listOf(symbols, SYMBOLS_SHOWN, (each) => {
    const { symbol, nodes } = each;
    const known = listOf(nodes, NODES_SHOWN, readNode);
    return typeof symbol !== 'string' || known === undefined
      ? undefined
      : { symbol: symbol.slice(0, TEXT_MAX), nodes: known };
  });
  return read === undefined ? undefined : { kind: 'nodes', symbols: read };
}

/** Reads the series from a thread that runs untrusted code, as copies; undefined if they are invalid. */
export function readSeries({ times, series }: Readonly<Record<string, unknown>>): SeriesReading | undefined {
  if (!Array.isArray(times) || times.length > BARS_SHOWN) return undefined;
  if (!times.every((time) => Number.isSafeInteger(time))) return undefined;
  const read = listOf(series, SERIES_SHOWN, ({ name, isPrice, values }) => {
    if (typeof name !== 'string' || (isPrice !== null && typeof isPrice !== 'boolean')) return undefined;
    const isOneABar = Array.isArray(values) && values.length === times.length;
    if (!isOneABar || !values.every((each) => each === null || Number.isFinite(each))) return undefined;
    return { name: name.slice(0, TEXT_MAX), isPrice, values: [...values] };
  });
  return read === undefined ? undefined : { kind: 'series', times: [...times], series: read };
}

function readNode(each: Readonly<Record<string, unknown>>): NodeReading | undefined {
  const { key, names, kind, inputs, values, warmupLeft } = each;
  const [named, fed, shown] = [textsOf(names), textsOf(inputs), figuresOf(values)];
  if (typeof key !== 'string' || named === undefined || fed === undefined || shown === undefined)
    return undefined;
  if (kind !== 'source' && kind !== 'series' && kind !== 'signal') return undefined;
  if (typeof warmupLeft !== 'number' || !Number.isSafeInteger(warmupLeft) || warmupLeft < 0) return undefined;
  return { key: key.slice(0, TEXT_MAX), names: named, kind, inputs: fed, values: shown, warmupLeft };
}

function listOf<T>(
  value: unknown,
  most: number,
  read: (each: Readonly<Record<string, unknown>>) => T | undefined,
): readonly T[] | undefined {
  if (!Array.isArray(value) || value.length > most) return undefined;
  const all: T[] = [];
  for (const each of value) {
    const item = typeof each === 'object' && each !== null ? read(each) : undefined;
    if (item === undefined) return undefined;
    all.push(item);
  }
  return all;
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? value.slice(0, PARTS_MAX).map((text: string) => text.slice(0, TEXT_MAX))
    : undefined;
}

function figuresOf(value: unknown): readonly (number | null)[] | undefined {
  return Array.isArray(value) && value.every((each) => each === null || Number.isFinite(each))
    ? value.slice(0, PARTS_MAX)
    : undefined;
}
