import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, decimal } from '#src/model/decimal.ts';
import type { Side } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { judge } from '#src/risk/risk-gate.ts';
import { AAPL, security } from '../fixtures/market.ts';
import { intentOf, termsOf } from '../fixtures/orders.ts';
import { factsOf, limitsOf, openingOf } from '../fixtures/risk.ts';
import { at, sells, shares, verdictName, verdictOn } from './judging.ts';

describe('the gate', () => {
  it('approves exactly the given intent, with every number that it used (I-4)', () => {
    const intent = intentOf('I', { terms: termsOf(at('10')) });
    const facts = factsOf({ opening: openingOf({ asked: intent.terms }) });
    const verdict = judge(intent, facts, limitsOf());
    expect(verdict.kind).toBe('approved');
    expect(verdict.intent).toBe(intent);
    expect(verdict.numbers).toEqual([
      { name: 'quantity', value: '100 shares', limit: 'multiple of 1 share' },
      { name: 'price', value: '10 USD', limit: 'multiple of 0.01 USD' },
      { name: 'session', value: 'regular', limit: 'any' },
      { name: 'farthest session', value: 'rth-only', limit: 'rth-only' },
      { name: 'orders within a minute', value: '1 order', limit: '1000 orders' },
      { name: 'same orders within 1 min', value: '1 order', limit: '1000 orders' },
      { name: 'age of quote', value: '0 ms', limit: '3 s' },
      { name: 'age of buy-limit estimate', value: '0 ms', limit: '5 s' },
      { name: 'age of account balance', value: '0 ms', limit: '10 s' },
      { name: 'age of comparison of positions', value: '0 ms', limit: '1 min' },
      { name: 'age of margin ratio', value: '0 ms', limit: '15 min' },
      { name: 'estimate asked for', value: 'buy AAPL.US LO at 10', limit: 'buy AAPL.US LO at 10' },
      { name: 'distance of quote from newest close', value: '0%', limit: '10000%' },
      { name: 'loss of the day', value: '0%', limit: '10000%' },
      { name: 'drawdown', value: '0%', limit: '10000%' },
      { name: 'fills within 24 h without an operator', value: '0 fills', limit: '10000 fills' },
      { name: 'distance from quote', value: '0%', limit: '10000%' },
      { name: 'order notional', value: '1000.00 USD', limit: '1000000.00 USD' },
      { name: 'order quantity', value: '100 shares', limit: '1000000000 shares' },
      { name: 'position weight', value: '10%', limit: '10000%' },
      { name: 'position', value: '100 shares', limit: '1000000000 shares' },
      { name: 'gross exposure', value: '10%', limit: '10000%' },
      { name: 'net exposure', value: '10%', limit: '10000%' },
      { name: 'open orders', value: '1 order', limit: '1000 orders' },
      { name: 'quantity', value: '100 shares', limit: 'buy limit 1000 shares' },
      { name: 'initial margin of the order', value: '1000.00 USD', limit: 'buy power 10000.00 USD less 0%' },
    ]);
  });

  it('reports the first rule that denies, and keeps the numbers up to it', () => {
    const verdict = verdictOn(
      shares('5000'),
      {},
      { maxOrderNotional: { amount: decimal('1'), currency: 'USD' } },
    );
    expect(verdict).toMatchObject({ kind: 'denied', rule: 'max-order-notional' });
    expect(verdict.numbers.map(({ name }) => name)).toContain('quantity');
    expect(verdict.numbers.at(-1)).toEqual({
      name: 'order notional',
      value: '50000.00 USD',
      limit: '1.00 USD',
    });
  });
});

describe('known-security and known-facts', () => {
  it('deny symbols that the venue does not know or does not permit to trade', () => {
    expect(verdictName({}, { security: undefined })).toBe(
      'known-security: No facts about "AAPL.US": the venue does not know it',
    );
    expect(verdictName({}, { security: security(AAPL, { tradable: false }) })).toBe(
      'known-security: "AAPL.US" is not tradable',
    );
    expect(verdictName({}, { security: security(AAPL, { multiplier: 100 }) })).toBe(
      'known-security: "AAPL.US" is a contract on 100 shares: limits count shares, trade it by hand',
    );
  });

  it('deny an opening order whose facts are missing, each by its name', () => {
    expect(
      verdictName({}, { unanswered: ['buyLimit (500: down)', 'balance (500: down)'], opening: undefined }),
    ).toBe('known-facts: No answer about buyLimit (500: down), balance (500: down)');
    expect(verdictName({}, { reference: undefined })).toBe('known-facts: No quote of "AAPL.US"');
    expect(verdictName({}, { rate: undefined })).toBe('known-facts: No exchange rate for USD');
  });

  it('deny an opening order while the account has a currency without a rate, and pass a reduction (F-D12)', () => {
    expect(verdictName({}, { currenciesWithoutRate: ['JPY'] })).toBe(
      'known-facts: No fresh exchange rate for JPY, which the account has: equity is not known',
    );
    expect(verdictName(sells('100'), { opens: false, held: decimal('100'), currenciesWithoutRate: [] })).toBe(
      'approved',
    );
  });

  it.each(['0', '-1'])('deny an opening order at a last price of %s (I-9, F-D03)', (price) => {
    const reference = { value: decimal(price), at: millis(0) };
    expect(verdictName({}, { reference })).toBe(
      `known-facts: Last price ${price} of "AAPL.US" is not a price`,
    );
  });

  it('pass a reduction without any of them', () => {
    const blind = { opens: false, reference: undefined, rate: undefined, opening: undefined };
    expect(verdictName(sells('100'), { ...blind, held: decimal('100'), unanswered: ['balance'] })).toBe(
      'approved',
    );
  });
});

describe('lot-and-tick', () => {
  const lots = { security: security(AAPL, { lotSize: 100 }) };

  it('accepts whole lots and nothing between (F-B36)', () => {
    expect(verdictName(shares('200'), lots)).toBe('approved');
    expect(verdictName(shares('199'), lots)).toBe(
      'lot-and-tick: Quantity 199 of "AAPL.US" is not a multiple of its lot of 100',
    );
    expect(verdictName(shares('200.5'), lots)).toContain('lot-and-tick');
  });

  it('permits odd lots in their own order type', () => {
    expect(verdictName({ ...shares('7'), type: 'ODD' }, lots)).toBe('approved');
  });

  it.each(['0', '-100'])('refuses %s shares', (quantity) => {
    expect(verdictName(shares(quantity))).toBe(`lot-and-tick: Quantity ${quantity} is not positive`);
  });

  it('refuses a quantity that is not a number (F-G06)', () => {
    expect(verdictName({ quantity: new Decimal(Number.NaN) })).toContain('lot-and-tick');
  });

  it('accepts prices on a price step and nothing between (F-B36)', () => {
    expect(verdictName(at('10.01'))).toBe('approved');
    expect(verdictName(at('10.011'))).toBe(
      'lot-and-tick: Price 10.011 of "AAPL.US" is not on its tick of 0.01',
    );
  });
});

describe('price-collar', () => {
  const limits = { priceCollar: decimal('0.05') };

  it('permits its limit on both sides, and not one price step beyond (I-15)', () => {
    expect(verdictName(at('10.5'), {}, limits)).toBe('approved');
    expect(verdictName(at('9.5'), {}, limits)).toBe('approved');
    expect(verdictName(at('10.51'), {}, limits)).toBe(
      'price-collar: Price 10.51 is 5.1% from the last price 10',
    );
    expect(verdictName(at('9.49'), {}, limits)).toBe(
      'price-collar: Price 9.49 is 5.1% from the last price 10',
    );
  });

  it('measures a target from its trigger, and the immediately executable part from the quote', () => {
    const held = { held: decimal('100') };
    const waiting = (side: Side, price: string, triggerPrice: string) =>
      verdictName({ ...at(price), side, type: 'LIT', triggerPrice: decimal(triggerPrice) }, held, limits);
    expect(waiting('sell', '12', '12')).toBe('approved');
    expect(waiting('sell', '11.4', '12')).toBe('approved');
    expect(waiting('sell', '11.39', '12')).toBe(
      'price-collar: Price 11.39 is 5.0833% from the trigger price 12',
    );
    expect(waiting('buy', '8', '8')).toBe('approved');
    expect(waiting('buy', '8.41', '8')).toBe('price-collar: Price 8.41 is 5.125% from the trigger price 8');
    expect(waiting('sell', '8', '8')).toBe('price-collar: Price 8 is 20% from the last price 10');
    expect(waiting('buy', '12', '12')).toBe('price-collar: Price 12 is 20% from the last price 10');
    expect(waiting('sell', '8', '10')).toBe('price-collar: Price 8 is 20% from the last price 10');
  });

  it('also applies to orders that only reduce, once there is a price', () => {
    const closing = { opens: false, held: decimal('100'), opening: undefined };
    expect(verdictName({ ...at('1'), side: 'sell' }, closing, limits)).toContain('price-collar');
  });
});

describe('max-order-notional', () => {
  const limits = { maxOrderNotional: { amount: decimal('1000'), currency: 'USD' } };

  it('permits its limit and not one share beyond (I-15)', () => {
    expect(verdictName(shares('100'), {}, limits)).toBe('approved');
    expect(verdictName(shares('101'), {}, limits)).toBe(
      'max-order-notional: Order is worth 1010.00 USD, limit is 1000.00 USD',
    );
  });

  it("uses an order's own price before the last one, and the account's currency", () => {
    expect(verdictName(at('10.01'), {}, limits)).toContain('max-order-notional: Order is worth 1001.00 USD');
    expect(verdictName(shares('800'), { rate: decimal('0.125') }, limits)).toBe('approved');
    expect(verdictName(shares('801'), { rate: decimal('0.125') }, limits)).toContain('1001.25 USD');
  });

  it('permits orders that only reduce', () => {
    expect(
      verdictName(sells('500'), { opens: false, held: decimal('500'), opening: undefined }, limits),
    ).toBe('approved');
  });
});

describe('max-position-weight', () => {
  const limits = { maxPositionWeight: decimal('0.2') };

  it('permits its limit and not one share beyond (I-15)', () => {
    expect(verdictName(shares('200'), {}, limits)).toBe('approved');
    expect(verdictName(shares('201'), {}, limits)).toBe(
      'max-position-weight: "AAPL.US" would make up 20.1% of equity, limit is 20%',
    );
  });

  it('counts positions, and every open order as filled (I-6)', () => {
    const facts = { held: decimal('50'), openBuys: decimal('50') };
    expect(verdictName(shares('100'), facts, limits)).toBe('approved');
    expect(verdictName(shares('101'), facts, limits)).toContain('20.1%');
  });

  it('does not count on an open sell (I-6)', () => {
    const facts = { held: decimal('150'), openSells: decimal('150') };
    expect(verdictName(shares('51'), facts, limits)).toContain('max-position-weight');
  });

  it("values at the higher of the order's price and the last", () => {
    expect(verdictName(at('11', '182'), {}, limits)).toContain('20.02%');
    expect(verdictName(at('9', '201'), {}, limits)).toContain('20.1%');
  });

  it('denies an account without equity', () => {
    const opening = openingOf({ balance: { equity: decimal('0') } });
    expect(verdictName(shares('1'), { opening }, limits)).toBe('max-position-weight: Equity is 0');
  });
});

describe('max-open-orders', () => {
  it('counts this order too, and permits its limit (I-15)', () => {
    expect(verdictName({}, { openOrders: 4 }, { maxOpenOrders: 5 })).toBe('approved');
    expect(verdictName({}, { openOrders: 5 }, { maxOpenOrders: 5 })).toBe(
      'max-open-orders: Would be open order number 6, limit is 5',
    );
  });

  it('never blocks a reduction', () => {
    const closing = { opens: false, held: decimal('100'), opening: undefined, openOrders: 99 };
    expect(verdictName(sells('100'), closing, { maxOpenOrders: 1 })).toBe('approved');
  });
});

describe('no-short', () => {
  it('sells what is held and free, and not one share more', () => {
    const facts = { opens: false, opening: undefined, held: decimal('150'), openSells: decimal('50') };
    expect(verdictName(sells('100'), facts)).toBe('approved');
    expect(verdictName(sells('101'), facts)).toBe(
      'no-short: Wants to sell 101 of "AAPL.US", held and free is 100',
    );
  });

  it('does not sell the shares of an open purchase', () => {
    expect(verdictName(sells('1'), { openBuys: decimal('100') })).toContain('no-short');
  });
});

const upTo = (max: number) => fc.integer({ min: 0, max }).map((count) => decimal(String(count)));

describe('any order', () => {
  it('is not approved if it could exceed a limit (I-6)', () => {
    fc.assert(
      fc.property(
        fc.record({ quantity: upTo(2_000), held: upTo(500), openBuys: upTo(500), openSells: upTo(500) }),
        fc.record({ cash: upTo(2_000), weight: upTo(100), notional: upTo(20_000), orders: fc.nat(4) }),
        ({ quantity, ...held }, { cash, weight, notional, orders }) => {
          const limits = {
            maxOrderNotional: { amount: notional, currency: 'USD' },
            maxPositionWeight: weight.div(100),
            maxOpenOrders: 3,
          };
          const opening = openingOf({ cash: cash.toString() });
          const verdict = verdictOn({ quantity }, { ...held, opening, openOrders: orders }, limits);
          if (verdict.kind === 'denied') return;
          const worst = held.held.plus(held.openBuys).plus(quantity).times(10);
          expect(quantity.gt(0)).toBe(true);
          expect(quantity.times(10).lte(notional)).toBe(true);
          expect(worst.lte(limits.maxPositionWeight.times(10_000))).toBe(true);
          expect(quantity.lte(cash)).toBe(true);
          expect(orders).toBeLessThan(3);
        },
      ),
    );
  });
});
