import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { millis } from '#src/model/time.ts';
import type { RecentFacts } from '#src/risk/facts.ts';
import { termsOf } from '../fixtures/orders.ts';
import { openingOf } from '../fixtures/risk.ts';
import { seconds } from '../fixtures/time.ts';
import { at, CLOSING, sells, shares, verdictName, verdictOn } from './judging.ts';

const now = seconds(100);

function recent(change: Partial<RecentFacts>) {
  return { recent: { orders: [], denials: [], unattendedFills: 0, ...change }, ...young() };
}

/** Facts gathered at `now`, all of that time. */
function young() {
  const { buyLimit, margin, balance, asked } = openingOf();
  return {
    now,
    reference: { value: decimal('10'), at: now },
    books: { value: [], at: now },
    opening: {
      asked,
      buyLimit: { ...buyLimit, at: now },
      margin: { ...margin, at: now },
      balance: { ...balance, at: now },
    },
  };
}

const passed = (second: number, change = {}) => ({ at: seconds(second), terms: termsOf(change) });

describe('order-rate', () => {
  it('counts the last minute and this order, and permits its limit (I-15, F-G04)', () => {
    const orders = [passed(40), passed(41, shares('1')), passed(99, shares('2'))];
    expect(verdictName({}, recent({ orders }), { maxOrderRate: 3 })).toBe('approved');
    expect(verdictName({}, recent({ orders }), { maxOrderRate: 2 })).toBe(
      'order-rate: Would be order number 3 within a minute, limit is 2',
    );
  });

  it('never delays a close because of orders in other symbols or on the other side', () => {
    const orders = [passed(90), passed(91), passed(92)];
    expect(verdictName(sells('100'), { ...recent({ orders }), ...CLOSING }, { maxOrderRate: 1 })).toBe(
      'approved',
    );
  });

  it('does not permit a position to be sold in a thousand pieces', () => {
    const orders = [passed(90, sells('1')), passed(91, sells('1'))];
    expect(verdictName(sells('1'), { ...recent({ orders }), ...CLOSING }, { maxOrderRate: 2 })).toBe(
      'close-rate: Would be order number 3 to sell "AAPL.US" within a minute, limit is 2',
    );
  });
});

describe('duplicate-order', () => {
  const limits = { maxRepeats: 2, repeatWindow: 30_000 };

  it('counts the same symbol, side, price and quantity within its window, and permits its limit (I-15)', () => {
    const twice = [passed(60, at('10')), passed(71, at('10')), passed(72, at('10'))];
    expect(verdictName(at('10'), recent({ orders: twice.slice(0, 2) }), limits)).toBe('approved');
    expect(verdictName(at('10'), recent({ orders: twice }), limits)).toBe(
      'duplicate-order: Would be the same order for the 3rd time within 30 s, limit is 2',
    );
  });

  it.each([at('10.01'), at('10', '101'), shares('100'), { ...at('10'), side: 'sell' as const }])(
    'treats another price, quantity, type or side as another order',
    (other) => {
      const orders = [passed(98, other), passed(99, other)];
      expect(verdictName(at('10'), recent({ orders }), limits)).toBe('approved');
    },
  );
});

describe('repeated breaches', () => {
  const denial = (second: number, rule = 'max-order-notional') => ({ at: seconds(second), rule });
  const limits = { maxBreaches: 3, maxOrderQuantity: decimal('1') };

  it('halt the gate with the first one beyond the limit (I-15, F-G04)', () => {
    const before = verdictOn({}, recent({ denials: [denial(99)] }), limits);
    expect(before).toMatchObject({ kind: 'denied', rule: 'max-order-quantity' });
    expect(before).not.toHaveProperty('transition');
    expect(verdictOn({}, recent({ denials: [denial(98), denial(99)] }), limits)).toMatchObject({
      transition: {
        to: 'halted',
        by: 'gate',
        rule: 'repeated-breach',
        reason: '3 orders denied by limits within 1 min, limit is 3',
      },
    });
  });

  it('are not counted outside the window, or if only facts were missing', () => {
    const old = [denial(39), denial(40)];
    const missing = [denial(98, 'known-facts'), denial(99, 'stale-quote'), denial(99, 'gate-state')];
    for (const denials of [old, missing]) {
      expect(verdictOn({}, recent({ denials }), limits)).not.toHaveProperty('transition');
    }
  });

  it('halt nothing because of a denied close', () => {
    const denials = [denial(98), denial(99)];
    const verdict = verdictOn(
      { ...at('1'), side: 'sell' },
      { ...recent({ denials }), ...CLOSING },
      {
        ...limits,
        priceCollar: decimal('0.05'),
      },
    );
    expect(verdict).toMatchObject({ kind: 'denied', rule: 'price-collar' });
    expect(verdict).not.toHaveProperty('transition');
  });
});

describe('runaway', () => {
  it('kills after this many unreviewed fills (I-15)', () => {
    expect(verdictName({}, recent({ unattendedFills: 5 }), { maxUnattendedFills: 5 })).toBe('approved');
    expect(verdictOn({}, recent({ unattendedFills: 6 }), { maxUnattendedFills: 5 })).toMatchObject({
      rule: 'runaway',
      reason: '6 fills within 24 h and no operator in between, limit is 5',
      transition: { to: 'killed', by: 'gate', rule: 'runaway' },
    });
  });
});

describe('daily-loss', () => {
  const limits = { maxDailyLoss: decimal('0.02') };
  const lost = (profit: string, equity = '9800') => ({
    dayProfit: decimal(profit),
    opening: openingOf({ balance: { equity: decimal(equity) } }),
  });

  it("kills beyond its share of the day's first equity, not at it (I-15)", () => {
    expect(verdictName({}, lost('-200'), limits)).toBe('approved');
    expect(verdictOn({}, lost('-200.01', '9799.99'), limits)).toMatchObject({
      rule: 'daily-loss',
      reason: 'The day has cost 2.0001% of equity, limit is 2%',
      transition: { to: 'killed', by: 'gate', rule: 'daily-loss' },
    });
  });

  it("counts from an operator's resume on the same day", () => {
    const resumed = { ...lost('-500'), resumedEquity: decimal('9800') };
    expect(verdictName({}, resumed, limits)).toBe('approved');
    expect(verdictName({}, { ...resumed, resumedEquity: decimal('10001') }, limits)).toContain('daily-loss');
  });

  it('is not guessed: an opening order is denied when it is unknown, and the gate stays', () => {
    const verdict = verdictOn({}, { dayProfit: undefined }, limits);
    expect(verdict).toMatchObject({
      rule: 'known-facts',
      reason: expect.stringContaining('loss of the day'),
    });
    expect(verdict).not.toHaveProperty('transition');
  });

  it('needs no price of the day before after an operator resumed on the same day', () => {
    const resumed = { dayProfit: undefined, resumedEquity: decimal('10000') };
    expect(verdictName({}, resumed, limits)).toBe('approved');
    expect(verdictName({}, { ...resumed, resumedEquity: decimal('10205') }, limits)).toContain('daily-loss');
  });

  it('passes closes, which request no balance', () => {
    expect(verdictName(sells('100'), { ...CLOSING, dayProfit: decimal('-9999') }, limits)).toBe('approved');
  });
});

describe('drawdown', () => {
  const limits = { maxDrawdown: decimal('0.2') };
  const from = (peak: string) => ({ peakEquity: decimal(peak) });

  it('passes only closes beyond its share of the peak, not at it', () => {
    expect(verdictName({}, from('12500'), limits)).toBe('approved');
    expect(verdictOn({}, from('12501'), limits)).toMatchObject({
      rule: 'drawdown',
      transition: { to: 'reduce-only', by: 'gate', rule: 'drawdown' },
    });
  });

  it('is zero at a new peak, or before there was one', () => {
    expect(verdictName({}, from('9999'), limits)).toBe('approved');
    expect(verdictName({}, { peakEquity: undefined }, limits)).toBe('approved');
  });
});

describe('unknown-order', () => {
  it('denies orders from its side, and opening orders in its symbol (I-6, F-N01)', () => {
    expect(verdictName({}, { unknownSides: ['buy'] })).toBe(
      'unknown-order: An older order of "AAPL.US" to buy is unknown',
    );
    expect(verdictName({}, { unknownSides: ['sell'] })).toContain('unknown-order');
    expect(verdictName(sells('10'), { ...CLOSING, unknownSides: ['sell'] })).toContain('unknown-order');
    expect(verdictName(sells('10'), { ...CLOSING, unknownSides: ['buy'] })).toBe('approved');
  });
});

describe('a verdict', () => {
  it('is valid until the first of its facts is too old, or the session changes (I-5)', () => {
    const verdict = verdictOn({}, { session: { kind: 'regular', until: seconds(60) } });
    expect(verdict).toMatchObject({ kind: 'approved', freshUntil: seconds(3) });
    const soon = verdictOn({}, { session: { kind: 'regular', until: millis(2_500) } });
    expect(soon).toMatchObject({ freshUntil: 2_500 });
  });

  it('without ageing facts stays valid', () => {
    expect(verdictOn(sells('100'), CLOSING)).not.toHaveProperty('freshUntil');
  });
});
