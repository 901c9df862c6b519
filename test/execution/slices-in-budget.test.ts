import { describe, expect, it } from 'vitest';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { OrderEvent } from '#src/strategy/strategy-event.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { type CountedMarket, createCountedMarket } from '../fixtures/counted-market.ts';
import { at, type BarRow, columnsOf } from '../fixtures/market.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');
const MINUTE = 60_000;
const SYMBOLS = ['AAPL', 'MSFT', 'NVDA'].map((code) => securitySymbol(`${code}.US`));

function flat(symbol: SecuritySymbol) {
  const rows = Array.from(
    { length: 30 },
    (_, index): BarRow => [OPEN + index * MINUTE, 10, 10.05, 9.95, 10, 100_000],
  );
  return columnsOf(symbol, '1m', rows);
}

/** At the first bar of each symbol: 300 shares in 30 slices over ten minutes, one every 20 s. */
const parted = defineStrategy({
  name: 'parted',
  params: {},
  onBar: ({ symbol, bar }, { orders }) =>
    bar.time === OPEN ? orders.twap(orders.buy(symbol, 300), { minutes: 10, parts: 30 }) : undefined,
});

/** At the first bar of each symbol: an iceberg of 30 shares, ten at a time. */
const hidden = defineStrategy({
  name: 'hidden',
  params: {},
  onBar: ({ symbol, bar }, { orders }) =>
    bar.time === OPEN ? orders.iceberg(orders.buy(symbol, 30), { shown: 10 }) : undefined,
});

function market(missedSlices: 'drop' | 'spread', strategy: typeof parted = parted): CountedMarket {
  const policy = { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined, missedSlices } as const;
  const run = createCountedMarket(setupOf(strategy, SYMBOLS.map(flat), { policy }));
  run.start();
  run.until(OPEN + 20 * MINUTE);
  expect(run.error()).toBeUndefined();
  return run;
}

const bought = (run: CountedMarket, symbol: SecuritySymbol): number =>
  run
    .executions()
    .filter((each) => each.symbol === symbol)
    .reduce((sum, { quantity }) => sum + quantity.toNumber(), 0);

/**
 * The same 300 shares. A denied order is ordered again at once, unless the event states that its algorithm submits it
 * again.
 */
function impatient(heard: OrderEvent[]): typeof parted {
  return defineStrategy({
    ...parted,
    name: 'impatient',
    onOrder: (event, { orders }) => {
      if (event.outcome !== 'denied') return undefined;
      heard.push(event);
      if (event.willRetry === true) return undefined;
      return orders.buy(event.symbol, event.terms.quantity.toNumber());
    },
  });
}

describe('a denial of a slice that its algorithm submits again', () => {
  it('is marked, so that a strategy that orders again at other denials buys nothing twice', () => {
    const heard: OrderEvent[] = [];
    const run = market('spread', impatient(heard));
    for (const symbol of SYMBOLS) expect(bought(run, symbol), symbol).toBeLessThanOrEqual(300);
    const slots = new Map<string, string[]>();
    for (const event of run.events)
      if (event.kind === 'intent-drafted' && event.link !== undefined) {
        const key = `${event.link.algorithm} ${event.link.slot}`;
        slots.set(key, [...(slots.get(key) ?? []), event.intentId]);
      }
    const isLast = (event: OrderEvent): boolean =>
      [...slots.values()].some((ids) => ids.at(-1) === event.intentId);
    const parts = heard.filter((event) => [...slots.values()].flat().includes(event.intentId));
    expect(parts.length).toBeGreaterThan(10);
    expect(parts.filter(({ willRetry }) => willRetry === true).length).toBeGreaterThan(10);
    // What is not marked is not sent again.
    expect(parts.filter((event) => event.willRetry !== true).every(isLast)).toBe(true);
  });
});

describe('sliced orders that need more calls than the account has', () => {
  it('delay no symbol without end, and report the slices that could not be sent', () => {
    const run = market('drop');
    for (const symbol of SYMBOLS) expect(bought(run, symbol), symbol).toBeGreaterThan(20);
    for (const symbol of SYMBOLS)
      expect(run.alarms).toContainEqual(
        expect.objectContaining({ code: 'slices-missed', facts: expect.objectContaining({ symbol }) }),
      );
  });

  it('buy more if missed slices are spread', () => {
    const [dropped, spread] = [market('drop'), market('spread')];
    for (const symbol of SYMBOLS)
      expect(bought(spread, symbol), symbol).toBeGreaterThan(1.3 * bought(dropped, symbol));
  });

  it('wait for calls if each slice follows the previous one', () => {
    const run = market('drop', hidden);
    for (const symbol of SYMBOLS) expect(bought(run, symbol), symbol).toBe(30);
  });
});
