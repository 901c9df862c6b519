import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createQuoteBook } from '#src/broker/quotes/quote-book.ts';
import { createQuoteJumpFilter } from '#src/broker/quotes/quote-jump-filter.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { PushQuoteSchema } from '#src/wire/gen/quote_pb.ts';
import { decodeMessage, encodeMessage } from '#src/wire/message.ts';

const AAPL = securitySymbol('AAPL.US');

function heardOf(...prices: readonly (string | number)[]) {
  const agreement = createQuoteJumpFilter(decimal('0.2'));
  for (const price of prices) agreement.observe(AAPL, decimal(String(price)));
  const { agreeing, trusted } = agreement.of(AAPL);
  return { agreement, shown: [agreeing, trusted?.toString()] };
}

describe('prices that confirm each other (F-D03)', () => {
  it('are accepted from the third of them on, and then as long as each is near the previous one', () => {
    expect(heardOf().shown).toEqual([0, undefined]);
    expect(heardOf(10).shown).toEqual([1, undefined]);
    expect(heardOf(10, 10.1).shown).toEqual([2, undefined]);
    expect(heardOf(10, 10.1, 10.2).shown).toEqual([3, '10.2']);
    expect(heardOf(10, 10, 10, 12, 14.4).shown).toEqual([3, '14.4']);
  });

  it.each([100, 0.1, 12.01, 7.99])('do not accept a single %d, and keep the previous price', (wild) => {
    expect(heardOf(10, 10, 10, wild).shown).toEqual([1, '10']);
    expect(heardOf(10, 10, 10, wild, 10).shown).toEqual([3, '10']);
  });

  it('accept a jump once three in a row confirm it, and never one that reverts', () => {
    expect(heardOf(10, 10, 10, 100, 101).shown).toEqual([2, '10']);
    expect(heardOf(10, 10, 10, 100, 101, 99).shown).toEqual([3, '99']);
    expect(heardOf(10, 10, 10, 100, 10, 100, 10, 100, 10, 100).shown).toEqual([1, '10']);
    expect(heardOf(10, 10, 10, 100, 1_000, 100, 1_000).shown).toEqual([1, '10']);
  });

  it('are accepted at once when the operator confirms them', () => {
    const { agreement } = heardOf(10, 10, 10, 100);
    agreement.acceptPrices();
    expect(agreement.of(AAPL)).toMatchObject({ agreeing: 3, trusted: decimal('100') });
  });

  it('never accept a price that differs from both neighbours', () => {
    const sane = fc.integer({ min: 95, max: 105 });
    const wild = fc.oneof(fc.integer({ min: 130, max: 100_000 }), fc.integer({ min: 1, max: 70 }));
    fc.assert(
      fc.property(
        fc.array(sane, { minLength: 3, maxLength: 20 }),
        fc.array(wild, { maxLength: 2 }),
        (before, leaps) => {
          const trusted = Number(heardOf(...before, ...leaps).shown[1]);
          expect(trusted).toBeGreaterThanOrEqual(95);
          expect(trusted).toBeLessThanOrEqual(105);
        },
      ),
    );
  });
});

it('a push that states no price, or a price of zero, confirms none (F-D03)', () => {
  const heard: string[] = [];
  const book = createQuoteBook((_symbol, price) => heard.push(price.toString()));
  const day = { symbol: AAPL, open: '100', high: '150', low: '90' };
  for (const [at, lastDone] of ['100', '150', '0.000', '', '0'].entries()) {
    const push = { ...day, lastDone, timestamp: BigInt(at + 1), sequence: BigInt(at + 1) };
    book.push(decodeMessage(PushQuoteSchema, encodeMessage(PushQuoteSchema, push)));
  }
  expect(heard).toEqual(['100', '150']);
  expect(book.latest(AAPL)?.last.toString()).toBe('150');
});
