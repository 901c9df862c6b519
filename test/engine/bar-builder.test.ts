import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BarBuilder, createBarBuilder, type SpanOf } from '#src/engine/bar-builder.ts';
import { MINUTE_MS, millis } from '#src/model/time.ts';
import { AAPL, quoteOf, TENCENT } from '../fixtures/market.ts';

/** Whole minutes; every fifth has no trading. */
const spanOf: SpanOf = (_symbol, at) => {
  const minute = Math.floor(at / MINUTE_MS);
  if (minute % 5 === 4) return undefined;
  return { open: millis(minute * MINUTE_MS), close: millis((minute + 1) * MINUTE_MS) };
};
const minutes = (count: number) => millis(count * MINUTE_MS);
const builderOf = (start = minutes(0)): BarBuilder => createBarBuilder([TENCENT, AAPL], spanOf, start);

function add(builder: BarBuilder, atMinute: number, price: number, volume = 1, symbol = AAPL): void {
  builder.add(quoteOf(symbol, minutes(atMinute), price, volume), '1m');
}

/** Closed bars as "symbol minute: open high low close volume". */
function closed(builder: BarBuilder, atMinute: number): readonly string[] {
  return builder
    .close(minutes(atMinute))
    .map(
      ({ symbol, time, open, high, low, close, volume }) =>
        `${symbol} ${time / MINUTE_MS}: ${open} ${high} ${low} ${close} ${volume}`,
    );
}

describe('the bar builder', () => {
  it('folds quotes into open, high, low, close and volume', () => {
    const builder = builderOf();
    add(builder, 0, 10, 5);
    add(builder, 0.25, 12, 1);
    add(builder, 0.5, 9, 2);
    add(builder, 0.75, 11, 0);
    expect(closed(builder, 1)).toEqual(['AAPL.US 0: 10 12 9 11 8']);
  });

  it('emits a bar once, when it has closed and not before', () => {
    const builder = builderOf();
    add(builder, 0, 10);
    expect(closed(builder, 0.999)).toEqual([]);
    expect(closed(builder, 1)).toHaveLength(1);
    expect(closed(builder, 1)).toEqual([]);
  });

  it("emits bars in the config's order of symbols, not in that of their quotes", () => {
    const builder = builderOf();
    add(builder, 0, 10, 1, AAPL);
    add(builder, 0, 300, 1, TENCENT);
    expect(closed(builder, 1).map((bar) => bar.split(' ')[0])).toEqual(['700.HK', 'AAPL.US']);
  });

  it('creates no bar without a quote (F-D06)', () => {
    const builder = builderOf();
    add(builder, 0, 10);
    add(builder, 2, 12);
    expect(closed(builder, 1)).toHaveLength(1);
    expect(closed(builder, 2)).toEqual([]);
    expect(closed(builder, 3)).toEqual(['AAPL.US 2: 12 12 12 12 1']);
  });

  it('ignores a quote of a closed bar, which never changes (F-D06)', () => {
    const builder = builderOf();
    add(builder, 0, 10);
    closed(builder, 1);
    add(builder, 0.9, 99);
    expect(closed(builder, 2)).toEqual([]);
  });

  it('leaves out a bar whose beginning it did not observe, and a quote outside trading', () => {
    const builder = builderOf(minutes(10.25));
    add(builder, 10.5, 10);
    add(builder, 14.5, 10);
    expect(closed(builder, 20)).toEqual([]);
    add(builder, 20, 10);
    expect(closed(builder, 21)).toHaveLength(1);
  });

  it('loses no bar when a quote of the next one arrives before the close was called', () => {
    const builder = builderOf();
    add(builder, 0.5, 10, 3);
    add(builder, 1, 20, 4);
    add(builder, 0.75, 11, 5);
    expect(closed(builder, 1)).toEqual(['AAPL.US 0: 10 11 10 11 8']);
    expect(closed(builder, 2)).toEqual(['AAPL.US 1: 20 20 20 20 4']);
  });

  it('emits overdue bars of one symbol in the order in which they opened', () => {
    const builder = builderOf();
    add(builder, 1, 20);
    add(builder, 0, 10);
    expect(closed(builder, 2).map((bar) => bar.split(':')[0])).toEqual(['AAPL.US 0', 'AAPL.US 1']);
  });

  it('builds the bars that sorting the quotes into minutes would give', () => {
    const someQuote = fc.record({
      at: fc.integer({ min: 0, max: 599 }),
      price: fc.integer({ min: 1, max: 1_000 }),
      volume: fc.nat(100),
    });
    fc.assert(
      fc.property(fc.array(someQuote, { maxLength: 60 }), (unsorted) => {
        const quotes = [...unsorted].sort((a, b) => a.at - b.at);
        const builder = builderOf();
        const built: string[] = [];
        let minute = 0;
        for (const { at, price, volume } of quotes) {
          for (; minute < Math.floor(at / 60); minute += 1) built.push(...closed(builder, minute + 1));
          add(builder, at / 60, price, volume);
        }
        for (; minute < 10; minute += 1) built.push(...closed(builder, minute + 1));
        const sorted = Array.from({ length: 10 }, (_, index) => {
          const own = quotes.filter(({ at }) => Math.floor(at / 60) === index);
          const prices = own.map(({ price }) => price);
          if (own.length === 0 || index % 5 === 4) return [];
          const volume = own.reduce((sum, quote) => sum + quote.volume, 0);
          const [first, last] = [prices[0], prices.at(-1)];
          return [
            `AAPL.US ${index}: ${first} ${Math.max(...prices)} ${Math.min(...prices)} ${last} ${volume}`,
          ];
        });
        expect(built).toEqual(sorted.flat());
      }),
    );
  });
});
