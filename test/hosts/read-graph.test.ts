import { describe, expect, it } from 'vitest';
import { readGraph } from '#src/hosts/strategy/read-graph.ts';

const NODE = {
  key: 'sma(close,2)',
  names: ['average'],
  kind: 'series',
  inputs: ['close'],
  values: [1.5, null],
  warmupLeft: 0,
} as const;

const graphOf = (...nodes: readonly unknown[]) => readGraph({ symbols: [{ symbol: 'AAPL.US', nodes }] });

describe('the graph that a strategy thread reports', () => {
  it('is read into a copy', () => {
    const read = graphOf(NODE);
    expect(read).toEqual({ kind: 'nodes', symbols: [{ symbol: 'AAPL.US', nodes: [NODE] }] });
    expect(read?.symbols[0]?.nodes[0]).not.toBe(NODE);
  });

  it.each([
    ['a value that is not finite', { ...NODE, values: [Number.NaN] }],
    ['a value that is a text', { ...NODE, values: ['1'] }],
    ['an unknown kind', { ...NODE, kind: 'strategy' }],
    ['a warm-up below zero', { ...NODE, warmupLeft: -1 }],
    ['a name that is not text', { ...NODE, names: [1] }],
    ['no key', { ...NODE, key: undefined }],
    ['nothing', null],
  ])('is missing with %s', (_what, node) => {
    expect(graphOf(node)).toBeUndefined();
  });

  it('is missing with more nodes or symbols than the maximum, and without a list', () => {
    expect(graphOf(...Array.from({ length: 101 }, () => NODE))).toBeUndefined();
    expect(
      readGraph({ symbols: Array.from({ length: 21 }, () => ({ symbol: 'A.US', nodes: [] })) }),
    ).toBeUndefined();
    expect(readGraph({ symbols: 'all' })).toBeUndefined();
  });

  it('has truncated texts if they are long', () => {
    const read = graphOf({ ...NODE, key: 'x'.repeat(10_000) });
    expect(read?.symbols[0]?.nodes[0]?.key).toHaveLength(200);
  });
});
