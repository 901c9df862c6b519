import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import type { OrderTerms } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { believedPrice } from '#src/risk/fact-rules.ts';
import { judge } from '#src/risk/risk-gate.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import { intentOf, termsOf } from '../fixtures/orders.ts';
import { factsOf, limitsOf, openingOf } from '../fixtures/risk.ts';
import { at, CLOSING, sells, shares, verdictName } from './judging.ts';

const usd = (amount: string) => decimal(amount);

describe('ageing facts', () => {
  const then = millis(0);
  const opening = openingOf();
  const books = { value: [], at: then };

  it.each([
    ['stale-quote', 'quote', { quoteAgeMs: 3_000 }, { quoteAgeMs: 3_001 }],
    ['stale-estimate', 'buy-limit estimate', { now: millis(5_000), books }, { now: millis(5_001), books }],
    [
      'stale-balance',
      'account balance',
      { now: millis(10_000), opening: { ...opening, buyLimit: { ...opening.buyLimit, at: millis(9_000) } } },
      { now: millis(10_001), opening: { ...opening, buyLimit: { ...opening.buyLimit, at: millis(9_000) } } },
    ],
  ])('deny an opening order beyond their limit and not at it: %s (I-5, I-9)', (rule, what, young, old) => {
    expect(verdictName({}, young)).toBe('approved');
    expect(verdictName({}, old)).toMatch(
      new RegExp(`^${rule}: The ${what} for "AAPL.US" is .+ old, limit is`),
    );
  });

  it('deny an opening order if positions were compared too long ago, or never', () => {
    const now = millis(60_001);
    const fresh = {
      now,
      opening: {
        ...opening,
        buyLimit: { ...opening.buyLimit, at: now },
        balance: { ...opening.balance, at: now },
      },
    };
    expect(verdictName({}, { ...fresh, books: { value: [], at: millis(1) } })).toBe('approved');
    expect(verdictName({}, { ...fresh, books })).toContain('stale-positions');
    expect(verdictName({}, { books: undefined })).toContain('stale-positions');
  });

  it('deny an opening order if the margin ratio is older than a quarter of an hour (F-B25)', () => {
    const now = millis(15 * 60_000 + 1);
    const young = <T>(fact: { readonly value: T }) => ({ ...fact, at: now });
    const facts = {
      now,
      books: young({ value: [] }),
      opening: { ...opening, buyLimit: young(opening.buyLimit), balance: young(opening.balance) },
    };
    expect(verdictName({}, facts)).toContain('stale-margin');
    expect(verdictName({}, { ...facts, now: millis(now - 1) })).toBe('approved');
  });

  it('do not block closing orders', () => {
    expect(verdictName(sells('100'), { ...CLOSING, quoteAgeMs: 9_999_999, books: undefined })).toBe(
      'approved',
    );
  });
});

describe('books-agree', () => {
  it("opens nothing if positions differ from the venue's (I-13)", () => {
    const books = { value: ['AAPL.US is 100 here and 50 at the venue'], at: millis(0) };
    expect(verdictName({}, { books })).toBe(
      "books-agree: Our books are not known to be the venue's: AAPL.US is 100 here and 50 at the venue",
    );
    expect(verdictName(sells('100'), { ...CLOSING, books })).toBe('approved');
  });
});

describe('estimate-fits', () => {
  it.each<[string, Partial<OrderTerms>]>([
    ['symbol', { symbol: TENCENT }],
    ['side', { side: 'sell' }],
    ['type', { type: 'ELO' }],
    ['price', { price: decimal('10.01') }],
    ['price at all', { type: 'MO' }],
  ])('denies on an estimate for another %s (F-B24, I-4)', (_what, other) => {
    const terms = termsOf(at('10'));
    const { price, ...unpriced } = { ...terms, ...other };
    const asked = other.type === 'MO' || price === undefined ? unpriced : { ...unpriced, price };
    const facts = factsOf({ opening: openingOf({ asked }) });
    expect(judge(intentOf('I', { terms }), facts, limitsOf())).toMatchObject({ rule: 'estimate-fits' });
  });
});

describe('crossed-book', () => {
  const book = (bid: string, ask: string) => ({
    reference: { value: usd('10'), at: millis(0), bid: usd(bid), ask: usd(ask) },
  });

  it('opens nothing at the market when bid and ask meet or have passed each other (F-D04)', () => {
    expect(verdictName({}, book('9.99', '10.01'))).toBe('approved');
    expect(verdictName({}, book('10', '10'))).toBe(
      'crossed-book: Book of "AAPL.US" is locked: bid 10, ask 10',
    );
    expect(verdictName({}, book('10.02', '10.01'))).toContain('is crossed');
  });

  it('permits limit orders, and auctions, in which books cross by design', () => {
    expect(verdictName(at('10'), book('10.02', '10.01'))).toBe('approved');
    const auction = { session: { kind: 'opening-auction' as const, until: millis(60_000) } };
    expect(verdictName({}, { ...book('10.02', '10.01'), ...auction })).toBe('approved');
  });
});

describe('quote-jump', () => {
  const limits = { maxQuoteJump: decimal('0.2') };
  const leapt = (price: string) => ({ reference: { value: usd(price), at: millis(0) } });

  it.each(['100', '0.1', '12.01', '7.99'])(
    'opens nothing at %s if the newest close was 10 (F-D03, I-9)',
    (price) => {
      expect(verdictName(shares('1'), leapt(price), limits)).toContain('quote-jump');
    },
  );

  it('accepts a move within its limit, and any once a bar closed there', () => {
    expect(verdictName(shares('1'), leapt('12'), limits)).toBe('approved');
    expect(verdictName(shares('1'), { ...leapt('100'), lastClose: usd('100') }, limits)).toBe('approved');
    expect(verdictName(shares('1'), { ...leapt('100'), lastClose: undefined }, limits)).toBe('approved');
  });
});

describe('quote-jump with a feed that counts updates', () => {
  const limits = { maxQuoteJump: decimal('0.2') };
  const reported = (price: string, agreeing: number, trusted?: string) => ({
    reference: {
      ...{ value: usd(price), at: millis(0), agreeing },
      ...(trusted === undefined ? {} : { trusted: usd(trusted) }),
    },
  });

  it.each([
    ['100', 1],
    ['0.1', 2],
  ])(
    'opens nothing at %s while only %i updates confirm it, whatever bars closed there (F-D03, I-9)',
    (price, agreeing) => {
      const spiked = { ...reported(price, agreeing, '10'), lastClose: usd(price) };
      expect(verdictName(shares('1'), spiked, limits)).toContain(`from its last believed price 10`);
    },
  );

  it('accepts three that agree, however far away the last bar closed (F-D03)', () => {
    expect(verdictName(shares('1'), { ...reported('100', 3, '100'), lastClose: usd('10') }, limits)).toBe(
      'approved',
    );
  });

  it('uses the newest close before three agreed for the first time (F-D03)', () => {
    expect(verdictName(shares('1'), { ...reported('100', 1), lastClose: usd('10') }, limits)).toContain(
      'newest close 10',
    );
    expect(verdictName(shares('1'), { ...reported('11', 1), lastClose: usd('10') }, limits)).toBe('approved');
  });

  it('marks and triggers by the price accepted before (F-D03)', () => {
    expect(believedPrice(reported('100', 2, '10').reference).toString()).toBe('10');
    expect(believedPrice(reported('100', 3, '100').reference).toString()).toBe('100');
    expect(believedPrice(reported('100', 1).reference).toString()).toBe('100');
    expect(believedPrice({ value: usd('100'), at: millis(0) }).toString()).toBe('100');
  });
});

describe('stopped quotes', () => {
  const DOWN = { unheard: 'the quote connection is down' };
  it('open nothing for a broken connection, or a symbol that was left out, however young the quote is (I-9, F-B34)', () => {
    expect(verdictName(shares('1'), DOWN)).toBe(
      'unheard-quote: Quotes of "AAPL.US" do not arrive: the quote connection is down',
    );
  });

  it('pass orders that only reduce (I-9)', () => {
    expect(verdictName(shares('1'), { ...DOWN, opens: false })).toBe('approved');
  });
});

describe('session', () => {
  const overnight = { ...at('10'), outsideRth: 'overnight' as const };

  it('permits no session that the operator did not enable (I-10)', () => {
    expect(verdictName(overnight)).toBe('session: Wants to trade in "overnight", allowed is "rth-only"');
    expect(verdictName(overnight, {}, { maxSession: 'any-time' })).toContain('session');
    expect(verdictName(overnight, {}, { maxSession: 'overnight' })).toBe('approved');
    expect(verdictName({ ...at('10'), outsideRth: 'any-time' }, {}, { maxSession: 'overnight' })).toBe(
      'approved',
    );
  });

  it('permits an order to wait at the venue while its market is closed (I-10)', () => {
    expect(verdictName({}, { session: { kind: 'closed', until: millis(60_000) } })).toBe('approved');
  });
});

describe('known-security', () => {
  it.each(['halted', 'suspended', 'delisted', 'not-yet-open', 'unrecognised'] as const)(
    'opens nothing while trading is %s, and does not block closing orders',
    (status) => {
      const reference = { value: usd('10'), at: millis(0), status };
      expect(verdictName({}, { reference })).toBe(`known-security: Trading of "AAPL.US" is ${status}`);
      expect(verdictName(sells('100'), { ...CLOSING, reference })).toBe('approved');
    },
  );
});

describe('restricted and no-short', () => {
  it('open nothing in a restricted symbol, and close it', () => {
    expect(verdictName({}, {}, { restricted: [AAPL] })).toBe(
      'restricted: "AAPL.US" is on the restricted list',
    );
    expect(verdictName(sells('100'), CLOSING, { restricted: [AAPL] })).toBe('approved');
    expect(verdictName({}, {}, { restricted: [TENCENT] })).toBe('approved');
  });

  it('sell short only if the operator enabled it', () => {
    expect(verdictName(sells('1'))).toContain('no-short');
    expect(verdictName(sells('1'), {}, { allowShort: true })).toBe('approved');
  });
});

describe('sizes and exposure', () => {
  const others = (gross: string, mostLong: string, mostShort: string) => ({
    others: { gross: usd(gross), mostLong: usd(mostLong), mostShort: usd(mostShort) },
  });

  it('permit their limits and not one share beyond (I-15)', () => {
    expect(verdictName(shares('100'), {}, { maxOrderQuantity: decimal('100') })).toBe('approved');
    expect(verdictName(shares('101'), {}, { maxOrderQuantity: decimal('100') })).toContain(
      'max-order-quantity',
    );
    const facts = { held: decimal('40'), openBuys: decimal('30') };
    expect(verdictName(shares('30'), facts, { maxPositionQuantity: decimal('100') })).toBe('approved');
    expect(verdictName(shares('31'), facts, { maxPositionQuantity: decimal('100') })).toContain(
      'max-position-quantity',
    );
  });

  it('count all symbols in gross exposure, long and short (I-6)', () => {
    const limits = { maxGrossExposure: decimal('0.5') };
    expect(verdictName(shares('100'), others('4000', '2000', '-2000'), limits)).toBe('approved');
    expect(verdictName(shares('101'), others('4000', '2000', '-2000'), limits)).toBe(
      'max-gross-exposure: gross exposure could become 50.1% of equity, limit is 50%',
    );
  });

  it('offset long and short in net exposure, and use the worse possible direction', () => {
    const limits = { maxNetExposure: decimal('0.3') };
    expect(verdictName(shares('100'), others('6000', '2000', '-3000'), limits)).toBe('approved');
    expect(verdictName(shares('101'), others('6000', '2000', '-2000'), limits)).toContain('max-net-exposure');
    expect(verdictName(shares('1'), others('6000', '0', '-3001'), limits)).toContain('30.01%');
  });

  it('open nothing while the value of another position is unknown', () => {
    expect(verdictName(shares('1'), { others: undefined })).toBe(
      'known-facts: No price or no exchange rate for a position in another symbol: equity is not known',
    );
  });
});
