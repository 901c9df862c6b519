import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bookCorporateAction,
  bookFill,
  EMPTY_PORTFOLIO,
  estimated,
  type Marks,
  type Portfolio,
  portfolioOf,
  valueAt,
} from '#src/events/portfolio.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Fill } from '#src/model/fill.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import { fillOf } from '../fixtures/orders.ts';

const booked = (...fills: readonly Fill[]): Portfolio => fills.reduce(bookFill, EMPTY_PORTFOLIO);
const buy = (quantity: string, price: string, fee = '0') =>
  fillOf('e', 'buy', quantity, price, { fee: decimal(fee) });
const sell = (quantity: string, price: string, fee = '0') =>
  fillOf('e', 'sell', quantity, price, { fee: decimal(fee) });

/** "quantity at average cost, cash" */
function books(portfolio: Portfolio): string {
  const held = portfolio.holdings.get(AAPL);
  const holding = held === undefined ? 'flat' : `${held.quantity} at ${held.averageCost}`;
  return `${holding}, ${portfolio.cash.get('USD')}`;
}

describe('an unknown cost', () => {
  const position = {
    symbol: AAPL,
    currency: 'USD',
    quantity: decimal('100'),
    available: decimal('100'),
    initial: decimal('100'),
  };
  const split = { symbol: AAPL, currency: 'USD', quantity: decimal('200'), amount: decimal('0') };

  it.each([
    ['0, as journals of earlier versions have it', '0', []],
    ['the average of 0 and a purchase, as earlier versions wrote it', '2.5', [buy('100', '10')]],
  ])('stays unknown through a split whose record states %s', (_, stated, fills) => {
    const taken = portfolioOf({ cash: {}, positions: [{ ...position, averageCost: decimal('0') }] });
    const after = bookCorporateAction(fills.reduce(bookFill, taken), {
      ...split,
      averageCost: decimal(stated),
    });
    expect(after.holdings.get(AAPL)?.quantity.toNumber()).toBeGreaterThanOrEqual(300);
    expect(after.holdings.get(AAPL)?.averageCost).toBeUndefined();
  });
});

describe('booking a fill', () => {
  it('moves cash by price times quantity and the fee (I-12)', () => {
    expect(books(booked(buy('100', '10', '1.25')))).toBe('100 at 10, -1001.25');
    expect(books(booked(sell('100', '10', '1.25')))).toBe('-100 at 10, 998.75');
  });

  it('averages cost while a position grows, on both sides', () => {
    expect(books(booked(buy('100', '10'), buy('300', '12')))).toBe('400 at 11.5, -4600');
    expect(books(booked(sell('100', '10'), sell('300', '12')))).toBe('-400 at 11.5, 4600');
  });

  it('keeps the average while it shrinks', () => {
    expect(books(booked(buy('100', '10'), sell('40', '99')))).toBe('60 at 10, 2960');
    expect(books(booked(sell('100', '10'), buy('40', '1')))).toBe('-60 at 10, 960');
  });

  it('removes a closed position', () => {
    expect(books(booked(buy('100', '10'), sell('100', '11')))).toBe('flat, 100');
  });

  it("starts again at the fill's price when a position turns round", () => {
    expect(books(booked(buy('100', '10'), sell('150', '12')))).toBe('-50 at 12, 800');
    expect(books(booked(sell('100', '10'), buy('150', '8')))).toBe('50 at 8, -200');
  });

  it('does not change the portfolio before it', () => {
    const before = booked(buy('100', '10'));
    bookFill(before, sell('100', '11'));
    expect(books(before)).toBe('100 at 10, -1000');
  });

  it('keeps currencies apart', () => {
    const hongKong = { ...buy('100', '300'), symbol: TENCENT, currency: 'HKD' };
    const { cash } = booked(buy('1', '10'), hongKong);
    expect(Object.fromEntries(cash)).toEqual({ USD: decimal('-10'), HKD: decimal('-30000') });
  });
});

const someFill: fc.Arbitrary<Fill> = fc
  .record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    quantity: fc.integer({ min: 1, max: 1_000 }),
    cents: fc.integer({ min: 1, max: 1_000_000 }),
    fee: fc.integer({ min: 0, max: 1_000 }),
  })
  .map(({ side, quantity, cents, fee }) =>
    fillOf('e', side, String(quantity), decimal(String(cents)).div(100).toString(), {
      fee: decimal(String(fee)).div(100),
    }),
  );

describe('any fills', () => {
  it('conserve cash plus positions at cost of trade, to the digit (I-12)', () => {
    fc.assert(
      fc.property(fc.array(someFill, { maxLength: 30 }), (fills) => {
        const portfolio = booked(...fills);
        const cents = (fill: Fill) =>
          BigInt(fill.quantity.toFixed()) * BigInt(fill.price.times(100).toFixed());
        const cash = fills.reduce((sum, fill) => {
          const fee = BigInt(fill.fee.times(100).toFixed());
          return sum - fee + (fill.side === 'buy' ? -cents(fill) : cents(fill));
        }, 0n);
        const shares = fills.reduce(
          (sum, fill) => sum + (fill.side === 'buy' ? 1n : -1n) * BigInt(fill.quantity.toFixed()),
          0n,
        );
        expect((portfolio.cash.get('USD') ?? decimal('0')).times(100).toFixed()).toBe(String(cash));
        expect((portfolio.holdings.get(AAPL)?.quantity ?? decimal('0')).toFixed()).toBe(String(shares));
        expect(portfolio.holdings.has(AAPL)).toBe(shares !== 0n);
      }),
    );
  });

  it('keep the average cost between the cheapest and the most expensive fill', () => {
    fc.assert(
      fc.property(fc.array(someFill, { minLength: 1, maxLength: 30 }), (fills) => {
        const held = booked(...fills).holdings.get(AAPL);
        if (held === undefined) return;
        const prices = fills.map((fill) => fill.price.toNumber());
        const cost = held.averageCost?.toNumber();
        expect(cost).toBeGreaterThanOrEqual(Math.min(...prices) - 1e-9);
        expect(cost).toBeLessThanOrEqual(Math.max(...prices) + 1e-9);
      }),
    );
  });
});

describe('a position that was taken over at an unknown cost', () => {
  const taken = (quantity: string, averageCost: string | undefined): Portfolio =>
    portfolioOf({
      cash: { USD: decimal('0') },
      positions: [
        {
          ...{ symbol: AAPL, currency: 'USD', quantity: decimal(quantity), available: decimal(quantity) },
          ...{ averageCost: averageCost === undefined ? undefined : decimal(averageCost) },
          initial: decimal(quantity),
        },
      ],
    });
  const costOf = (portfolio: Portfolio) => portfolio.holdings.get(AAPL)?.averageCost?.toString();

  it.each([undefined, '0', '-3'])('is not changed by a purchase (stated: %s)', (stated) => {
    const after = [buy('100', '10'), sell('50', '12'), buy('10', '11')].reduce(
      bookFill,
      taken('100', stated),
    );
    expect(after.holdings.get(AAPL)?.quantity.toString()).toBe('160');
    expect(costOf(after)).toBeUndefined();
  });

  it('stays unknown through a split and a dividend', () => {
    const split = { symbol: AAPL, currency: 'USD', quantity: decimal('100'), amount: decimal('0') };
    const after = bookCorporateAction(taken('100', undefined), split);
    expect(costOf(bookFill(after, buy('100', '5')))).toBeUndefined();
  });

  it('is known again once the position was closed or turned round', () => {
    const flat = [sell('100', '10'), buy('20', '11')].reduce(bookFill, taken('100', undefined));
    expect(costOf(flat)).toBe('11');
    const reversed = [sell('150', '10'), sell('50', '12')].reduce(bookFill, taken('100', undefined));
    expect(costOf(reversed)).toBe('11');
  });

  it('is averaged if the venue states it', () => {
    expect(costOf(bookFill(taken('100', '8'), buy('100', '10')))).toBe('9');
  });

  it('of 0 in a snapshot of an earlier version is not averaged either', () => {
    const kept = new Map([[AAPL, { currency: 'USD', quantity: decimal('5'), averageCost: decimal('0') }]]);
    expect(costOf(bookFill({ cash: new Map(), holdings: kept }, buy('5', '10')))).toBeUndefined();
  });
});

describe('valuation', () => {
  const marks = {
    price: (symbol: string) => (symbol === AAPL ? 12 : 300),
    rate: (currency: string) => (currency === 'USD' ? 1 : 0.125),
  };
  const portfolio = (usd: string, shares: string): Portfolio => ({
    cash: new Map([
      ['USD', decimal(usd)],
      ['HKD', decimal('800')],
    ]),
    holdings: new Map([
      [AAPL, { currency: 'USD', quantity: decimal(shares), averageCost: decimal('1') }],
      [TENCENT, { currency: 'HKD', quantity: decimal('4'), averageCost: decimal('1') }],
    ]),
  });

  const valuate = (of: Portfolio, { price, rate }: Marks) => valueAt(estimated(of, rate), price);

  it('sums cash and positions at mark, each at its rate', () => {
    expect(valuate(portfolio('630', '10'), marks)).toEqual({ equity: 1_000, exposure: 0.27 });
  });

  it('subtracts a short position from equity and adds it to exposure', () => {
    expect(valuate(portfolio('870', '-10'), marks)).toEqual({ equity: 1_000, exposure: 0.27 });
  });

  it('is unknown if a price is missing, instead of wrong', () => {
    const { equity } = valuate(portfolio('630', '10'), { ...marks, price: () => Number.NaN });
    expect(equity).toBeNaN();
  });

  it('shows no exposure of an account that owns nothing', () => {
    expect(valuate(portfolio('-1000', '10'), marks).exposure).toBe(0);
    expect(valuate(EMPTY_PORTFOLIO, marks)).toEqual({ equity: 0, exposure: 0 });
  });
});

describe('an option that the owner trades on the account', () => {
  const call = securitySymbol('AAPL261218C250000.US');
  const rates: Marks['rate'] = () => 1;

  it('moves cash and is worth a hundred times its price', () => {
    const opening = portfolioOf({ cash: { USD: decimal('10000') }, positions: [] });
    const bought = bookFill(opening, { ...buy('2', '3.5', '1'), symbol: call });
    expect(bought.cash.get('USD')?.toString()).toBe('9299');
    expect(valueAt(estimated(bought, rates), () => 3.5).equity).toBe(9_999);
    expect(valueAt(estimated(bought, rates), () => 4).exposure).toBeCloseTo(800 / 10_099, 12);
    const sold = bookFill(bought, { ...sell('2', '4', '1'), symbol: call });
    expect(sold.cash.get('USD')?.toString()).toBe('10098');
    expect(sold.holdings.size).toBe(0);
  });
});
