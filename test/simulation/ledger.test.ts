import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Amount, add, amount, formatAmount, multiply, ONE, scale } from '#src/model/amount.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import { exchangeRates } from '#src/simulation/books/exchange-rates.ts';
import { applyFill, type Holding } from '#src/simulation/books/holdings.ts';
import { Ledger, sumByCurrency } from '#src/simulation/books/ledger.ts';

describe('the ledger', () => {
  const posting = (account: string, currency: string, sum: string) => ({
    account,
    currency,
    amount: amount(sum),
  });

  it('refuses a transaction that does not balance, and books nothing of it', () => {
    const ledger = new Ledger();
    const postings = [posting('cash', 'USD', '1'), posting('opening', 'HKD', '-1')];
    expect(() => ledger.post({ time: millis(0), text: 'Wrong', postings })).toThrow(
      'Transaction "Wrong" does not balance: USD sums to 1, not 0',
    );
    expect(ledger.balances()).toEqual([]);
  });

  it('keeps one balance per account and currency', () => {
    const ledger = new Ledger();
    const postings = [
      posting('cash', 'USD', '0.1'),
      posting('cash', 'USD', '0.2'),
      posting('opening', 'USD', '-0.3'),
    ];
    ledger.post({ time: millis(0), text: 'Opening', postings });
    expect(ledger.balance('cash', 'USD')).toBe(amount('0.3'));
    expect(ledger.balance('cash', 'HKD')).toBe(0);
    expect(sumByCurrency(ledger.balances()).get('USD')).toBe(0);
  });
});

describe('a holding', () => {
  const day = calendarDay('2024-03-05');
  const trade = (before: Holding | undefined, side: 'buy' | 'sell', quantity: string, price: string) =>
    applyFill(before, { side, quantity: amount(quantity), price: amount(price), day });
  const reported = ({ holding, realized }: ReturnType<typeof trade>) =>
    [holding.quantity, holding.cost, realized].map((each) => formatAmount(each));

  it('averages its cost while it grows', () => {
    const first = trade(undefined, 'buy', '100', '10').holding;
    expect(reported(trade(first, 'buy', '100', '20'))).toEqual(['200', '3000', '0']);
  });

  it('realizes against average cost while it shrinks', () => {
    const held = trade(undefined, 'buy', '300', '10').holding;
    expect(reported(trade(held, 'sell', '100', '12'))).toEqual(['200', '2000', '200']);
  });

  it('realizes a short position in reverse', () => {
    const sold = trade(undefined, 'sell', '100', '10').holding;
    expect(reported({ holding: sold, realized: 0 })).toEqual(['-100', '-1000', '0']);
    expect(reported(trade(sold, 'buy', '100', '9'))).toEqual(['0', '0', '100']);
  });

  it('reverses in one fill', () => {
    const held = trade(undefined, 'buy', '100', '10').holding;
    expect(reported(trade(held, 'sell', '150', '12'))).toEqual(['-50', '-600', '200']);
  });

  it('keeps its value from the beginning of the day', () => {
    const monday = trade(undefined, 'buy', '100', '10').holding;
    const tuesday = { side: 'buy', quantity: amount('50'), price: amount('10') } as const;
    const next = applyFill(monday, { ...tuesday, day: calendarDay('2024-03-06') }).holding;
    expect(next.initial).toBe(amount('100'));
  });

  it('loses nothing to rounding: inflows and outflows are cost plus realized', () => {
    const aFill = fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      quantity: fc.integer({ min: 1, max: 1_000_000 }),
      ticks: fc.integer({ min: 1, max: 10_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(aFill, { maxLength: 30 }), (fills) => {
        let held: Holding | undefined;
        let paid: Amount = 0;
        let realized: Amount = 0;
        for (const { side, quantity, ticks } of fills) {
          const price = ticks * 100;
          const change = applyFill(held, { side, quantity: quantity * ONE, price, day });
          held = change.holding;
          realized = add(realized, change.realized);
          paid = add(paid, multiply(price, quantity * (side === 'buy' ? ONE : -ONE), 'exact'));
        }
        expect(held?.cost ?? 0).toBe(add(paid, realized));
      }),
    );
  });
});

describe('exchange rates', () => {
  const rates = exchangeRates({ USDHKD: decimal('7.8') });

  it('are returned in both directions and for a currency itself', () => {
    const converted = (from: string, to: string, sum: string): string =>
      formatAmount(scale(amount(sum), rates.rate(from, to), 'half-up'));
    expect(converted('USD', 'HKD', '100')).toBe('780');
    expect(converted('HKD', 'USD', '780')).toBe('100');
    expect(converted('HKD', 'USD', '1000')).toBe('128.205128');
    expect(converted('SGD', 'SGD', '12.34')).toBe('12.34');
  });

  it('name the pairs that are missing', () => {
    expect(() => rates.rate('SGD', 'USD')).toThrow(
      'Cannot convert SGD into USD: fx has no "SGDUSD" and no "USDSGD"',
    );
    expect(() => exchangeRates({ USDHKD: decimal('0') })).toThrow('want a positive number');
  });
});
