import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importTicks } from '#src/market-data/import-ticks.ts';
import { openBarStore } from '#src/market-data/store.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { ORDER_TYPES, type OrderType } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import type { BidAskColumns } from '#src/simulation/market/bid-ask.ts';
import { put } from '../market-data/fixtures.ts';
import { at, bars, type Draft, fills, order, runUntil, tickWorld } from './world.ts';

/**
 * The last minute of a Monday; on Tuesday two minutes after the open of Hong Kong and the last one of the day; ticks
 * 300 299 302 301, 301 300 303 302, 302 301 304 303.
 */
const BARS = bars('700.HK', '1m', [
  ['2024-03-04T07:59:00Z', 300, 300, 300, 300, 100],
  ['2024-03-05T01:30:00Z', 300, 302, 299, 301, 1_000],
  ['2024-03-05T01:31:00Z', 301, 303, 300, 302, 1_000],
  ['2024-03-05T07:59:00Z', 302, 304, 301, 303, 1_000],
]);

/** Trades that make up those minutes. */
const TRADES = `time,price,size
2024-03-04T07:59:30Z,300,100
2024-03-05T01:30:01.120Z,300,100
2024-03-05T01:30:20Z,299,300
2024-03-05T01:30:41Z,302,500
2024-03-05T01:30:58Z,301,100
2024-03-05T01:31:00Z,301,400
2024-03-05T01:31:12Z,300,200
2024-03-05T01:31:30Z,303,300
2024-03-05T01:31:59.999Z,302,100
2024-03-05T07:59:03Z,302,100
2024-03-05T07:59:14Z,301,200
2024-03-05T07:59:40Z,304,300
2024-03-05T07:59:59Z,303,400
`;

/** Best bid and ask, 0.20 around the ticks, from the first on. */
const QUOTES = `timestamp,bid,bid_size,ask,ask_size
2024-03-05T01:30:00Z,299.8,500,300.2,800
2024-03-05T01:30:15Z,298.8,500,299.2,800
2024-03-05T01:30:30Z,301.8,500,302.2,800
2024-03-05T01:30:45Z,300.8,500,301.2,800
2024-03-05T07:59:45Z,302.8,500,303.2,800
`;

const SYMBOL = securitySymbol('700.HK');
const FACTS = { name: 'T', kind: 'stock', currency: 'HKD', lotSize: 100, source: 'a test' } as const;
const BEFORE = '2024-03-05T09:10:00+08:00';
const DURING = '2024-03-05T09:30:05+08:00';
const AFTER = '2024-03-05T16:10:00+08:00';

interface Row {
  readonly draft: Draft;
  readonly when: string;
  /** Fills on bars and on trades, and on bars with quotes if they differ. */
  readonly on: readonly string[];
  readonly onQuotes?: readonly string[];
}

/** One order of each type that trades, and one that does not. */
const TABLE: { readonly [T in OrderType]: { readonly fills: Row; readonly misses: Row } } = {
  MO: {
    fills: { draft: {}, when: DURING, on: ['01:30:05 300 x 100'], onQuotes: ['01:30:05 300.2 x 100'] },
    misses: { draft: {}, when: AFTER, on: [] },
  },
  LO: {
    fills: { draft: { price: '299.4' }, when: DURING, on: ['01:30:15 299.4 x 100'] },
    misses: { draft: { price: '298.8' }, when: DURING, on: [] },
  },
  ELO: {
    fills: { draft: { price: '299.4' }, when: DURING, on: ['01:30:15 299.4 x 100'] },
    misses: { draft: { price: '298.8' }, when: DURING, on: [] },
  },
  AO: {
    fills: { draft: {}, when: BEFORE, on: ['01:30:00 300 x 100'] },
    misses: { draft: {}, when: AFTER, on: [] },
  },
  ALO: {
    fills: { draft: { price: '301' }, when: BEFORE, on: ['01:30:00 300 x 100'] },
    misses: { draft: { price: '302' }, when: DURING, on: [] },
  },
  ODD: {
    fills: { draft: { price: '300.4', quantity: '30' }, when: DURING, on: ['01:30:05 300 x 30'] },
    misses: { draft: { price: '298.8', quantity: '30' }, when: DURING, on: [] },
  },
  LIT: {
    fills: { draft: { triggerPrice: '301.4', price: '302' }, when: DURING, on: ['01:30:30 301.4 x 100'] },
    misses: { draft: { triggerPrice: '304.4', price: '305' }, when: DURING, on: [] },
  },
  MIT: {
    fills: { draft: { triggerPrice: '301.4' }, when: DURING, on: ['01:30:30 301.4 x 100'] },
    misses: { draft: { triggerPrice: '304.4' }, when: DURING, on: [] },
  },
  TSLPAMT: {
    fills: { draft: { trailingAmount: '1', limitOffset: '0.2' }, when: DURING, on: ['01:30:30 300 x 100'] },
    misses: { draft: { trailingAmount: '6', limitOffset: '0.2' }, when: DURING, on: [] },
  },
  TSLPPCT: {
    fills: {
      draft: { trailingPercent: '0.5', limitOffset: '0.2' },
      when: DURING,
      on: ['01:30:30 300.6 x 100'],
    },
    misses: { draft: { trailingPercent: '2', limitOffset: '0.2' }, when: DURING, on: [] },
  },
  SLO: {
    fills: { draft: { price: '300.4' }, when: DURING, on: ['01:30:05 300 x 100'] },
    misses: { draft: { price: '299.4' }, when: DURING, on: [] },
  },
};

function fillsOf(type: OrderType, { draft, when }: Row, columns: BarColumns, bidAsk?: BidAskColumns) {
  const { simulation, account } = tickWorld({
    bars: [columns],
    start: '2024-03-04T15:00:00+08:00',
    ...(bidAsk === undefined ? {} : { bidAsk: [bidAsk] }),
  });
  runUntil(simulation, when);
  order(account, { symbol: '700.HK', type, ...draft });
  runUntil(simulation, '2024-03-05T20:00:00+08:00');
  return fills(account);
}

describe('an order of each type', () => {
  let dealt: BarColumns = BARS;
  let quoted: BidAskColumns | undefined;
  let dir = '';
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'sluice-sources-'));
    const common = { symbol: SYMBOL, dir: join(dir, 'data'), onBadRow: 'stop' } as const;
    const trades = put(dir, 'trades.csv', TRADES);
    await importTicks({ ...common, file: trades, kind: 'trades', period: '1m', security: FACTS });
    await importTicks({ ...common, file: put(dir, 'quotes.csv', QUOTES), kind: 'quotes', period: '1m' });
    const store = openBarStore({ dir: common.dir });
    dealt = store.bars('700.HK', '1m');
    quoted = store.bidAsk('700.HK');
  });

  it('fills on bars made of trades as on those bars', () => {
    expect([...dealt.time]).toEqual([...BARS.time].map(Number));
    for (const column of ['open', 'high', 'low', 'close', 'volume'] as const)
      expect([...dealt[column]]).toEqual([...BARS[column]]);
    expect(dealt.time[1]).toBe(at('2024-03-05T09:30:00+08:00'));
  });

  describe.each(ORDER_TYPES.map((type) => [type, TABLE[type]] as const))('%s', (type, { fills, misses }) => {
    it('trades where it should, for the expected quantity', () => {
      expect(fills.on.length).toBe(1);
      expect(['bars', fillsOf(type, fills, BARS)]).toEqual(['bars', fills.on]);
      expect(['trades', fillsOf(type, fills, dealt)]).toEqual(['trades', fills.on]);
      expect(['quotes', fillsOf(type, fills, BARS, quoted)]).toEqual(['quotes', fills.onQuotes ?? fills.on]);
    });

    it('does not trade where it should not', () => {
      expect(misses.on).toEqual([]);
      expect(['bars', fillsOf(type, misses, BARS)]).toEqual(['bars', []]);
      expect(['trades', fillsOf(type, misses, dealt)]).toEqual(['trades', []]);
      expect(['quotes', fillsOf(type, misses, BARS, quoted)]).toEqual(['quotes', []]);
    });
  });
});
