import { describe, expect, it } from 'vitest';
import { formatAmount, toAmount, toDecimal } from '#src/model/amount.ts';
import { Decimal, decimal, ZERO } from '#src/model/decimal.ts';
import { executionId } from '#src/model/order.ts';
import type { Security } from '#src/model/security.ts';
import { calendarDay, DAY_MS, millis } from '#src/model/time.ts';
import { AccountBooks } from '#src/simulation/books/account-books.ts';
import { sumByCurrency } from '#src/simulation/books/ledger.ts';
import { seeded } from '../signals/some-bars.ts';
import { at, security } from './world.ts';

const OPERATIONS = 100_000;
const START = at('2020-01-02T10:00:00-05:00');
const SECURITIES = ['AAPL.US', 'IBM.US', '700.HK', '5.HK'].map((symbol) => security(symbol));
const OPENING = { USD: decimal('1000000'), HKD: decimal('5000000') };

/** The account's expected content, kept in the simplest way: cash by currency, shares by symbol. */
class Plain {
  readonly cash = new Map<string, Decimal>(Object.entries(OPENING));
  readonly shares = new Map<string, Decimal>();
  /** All cash flows that are no change of price, by currency. */
  readonly flows = new Map<string, Decimal>(Object.entries(OPENING));

  move(currency: string, amount: Decimal): void {
    this.cash.set(currency, (this.cash.get(currency) ?? ZERO).plus(amount));
  }

  flow(currency: string, amount: Decimal): void {
    this.flows.set(currency, (this.flows.get(currency) ?? ZERO).plus(amount));
  }

  held(symbol: string): Decimal {
    return this.shares.get(symbol) ?? ZERO;
  }
}

/** One random operation on both. */
function operate(books: AccountBooks, plain: Plain, random: () => number, step: number): void {
  const pick = SECURITIES[Math.floor(random() * SECURITIES.length)] as Security;
  const { symbol, currency } = pick;
  const time = millis(START + Math.floor(step / 200) * DAY_MS);
  const price = new Decimal(Math.floor(random() * 100_000) + 1).div(1000);
  const kind = random();
  if (kind < 0.89) {
    const side = random() < 0.5 ? 'buy' : 'sell';
    const quantity = new Decimal(Math.floor(random() * 5_000) + 1);
    const fee = new Decimal(Math.floor(random() * 5_000)).div(100);
    const fill = { price: toAmount(price), quantity: toAmount(quantity), fee: toAmount(fee), at: time };
    books.book({ executionId: executionId(`e${step}`), symbol, side }, pick, fill);
    const signed = side === 'buy' ? quantity : quantity.neg();
    plain.shares.set(symbol, plain.held(symbol).plus(signed));
    plain.move(currency, signed.times(price).neg().minus(fee));
  } else if (kind < 0.91) {
    const amount = new Decimal(Math.floor((random() - 0.5) * 10_000)).div(100);
    const move = { currency, amount, at: time };
    books.postCash(
      random() < 0.5 ? { kind: 'debit-interest', ...move } : { kind: 'borrow-fee', symbol, ...move },
    );
    plain.move(currency, amount);
  } else if (kind < 0.94) {
    const amount = new Decimal(Math.floor((random() - 0.4) * 1_000_000)).div(100);
    books.deposit(currency, toAmount(amount), time);
    plain.move(currency, amount);
    plain.flow(currency, amount);
  } else if (kind < 0.97) {
    books.payDividend({ symbol, perShare: price.div(100) }, time);
    plain.move(currency, plain.held(symbol).times(price.div(100)));
  } else if (kind < 0.975) {
    books.delist(symbol, price, time);
    plain.move(currency, plain.held(symbol).times(price));
    plain.shares.set(symbol, new Decimal(0));
  } else if (kind < 0.999) {
    const ratio = new Decimal(['2', '3', '0.1', '1.5'][Math.floor(random() * 4)] ?? '2');
    books.split(symbol, { ratio, price: toAmount(price), at: time });
    const exact = plain.held(symbol).times(ratio);
    plain.shares.set(symbol, exact.trunc());
    plain.move(currency, exact.minus(exact.trunc()).times(price));
  } else if (kind < 0.9991) {
    for (const each of books.currencies()) {
      plain.flow(each, toDecimal(books.cash(each)).neg());
      plain.cash.set(each, ZERO);
    }
    books.writeOff(time);
  } else {
    const quantity = new Decimal(Math.floor(random() * 200) - 100);
    if (quantity.isZero()) return;
    const day = calendarDay('2024-01-02');
    books.adjust(pick, { quantity: toAmount(quantity), price: toAmount(price), day, at: time });
    plain.shares.set(symbol, plain.held(symbol).plus(quantity));
    plain.flow(currency, quantity.times(price));
  }
}

describe('the books of an account', () => {
  const books = new AccountBooks(OPENING, START);
  const plain = new Plain();
  const random = seeded(20_240);

  it('balance to exactly zero after each of 100,000 random operations, and equal simple sums', () => {
    for (let step = 0; step < OPERATIONS; step++) {
      operate(books, plain, random, step);
      for (const [currency, sum] of sumByCurrency(books.balances())) {
        if (sum !== 0) expect(`step ${step}: ${currency} ${formatAmount(sum)}`).toBe('zero');
      }
      if (step % 500 !== 0) continue;
      for (const [currency, cash] of plain.cash)
        expect(formatAmount(books.cash(currency))).toBe(cash.toString());
      for (const { symbol } of SECURITIES)
        expect(formatAmount(books.held(symbol))).toBe(plain.held(symbol).toString());
    }
  });

  it('explain the whole profit by entries: realized, dividends, charges and interest, and price minus cost for positions', () => {
    const balance = (account: string, currency: string): Decimal =>
      toDecimal(
        books.balances().find((row) => row.account === account && row.currency === currency)?.amount ?? 0,
      );
    for (const currency of ['USD', 'HKD']) {
      const held = SECURITIES.filter((each) => each.currency === currency);
      const mark = new Decimal('12.345');
      const value = held.reduce((sum, { symbol }) => sum.plus(plain.held(symbol).times(mark)), ZERO);
      const cost = held.reduce((sum, { symbol }) => sum.plus(balance(`position:${symbol}`, currency)), ZERO);
      const profit = (plain.cash.get(currency) ?? ZERO).plus(value).minus(plain.flows.get(currency) ?? ZERO);
      const entries = balance('realized', currency)
        .neg()
        .minus(balance('dividends', currency))
        .minus(balance('charges', currency))
        .minus(balance('interest', currency))
        .minus(balance('borrowing', currency));
      const adjusted = balance('adjustments', currency).neg();
      const flows = (plain.flows.get(currency) ?? ZERO).minus(OPENING[currency as 'USD' | 'HKD']);
      const deposits = balance('deposits', currency).plus(balance('written-off', currency)).neg();
      const explained = entries.plus(value.minus(cost)).plus(adjusted.plus(deposits).minus(flows));
      expect(profit.minus(explained).abs().toFixed(2)).toBe('0.00');
      expect(profit.isZero()).toBe(false);
    }
  });
});
