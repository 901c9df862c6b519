import { describe, expect, it } from 'vitest';
import { checkTerms } from '#src/markets/order-types.ts';
import { decimal } from '#src/model/decimal.ts';
import { ORDER_TYPES, type OrderTerms, type OrderType } from '#src/model/order.ts';
import { orderTypeRules, TYPED_FIELDS } from '#src/model/order-type-rules.ts';
import { type Market, securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';

const one = decimal('1');
const VALUES = {
  price: decimal('412.4'),
  triggerPrice: decimal('410'),
  limitOffset: one,
  trailingAmount: one,
  trailingPercent: one,
  limitDepthLevel: -1,
  monitorPrice: decimal('400'),
  triggerCount: 2,
} as const;

/** An order of a type with exactly its required fields, plus `more`. */
function terms(type: OrderType, more: Partial<OrderTerms> = {}): OrderTerms {
  const required = TYPED_FIELDS.filter((field) => orderTypeRules[type].fields[field] === 'required');
  return {
    symbol: securitySymbol('700.HK'),
    side: 'buy',
    type,
    quantity: decimal('100'),
    timeInForce: 'day',
    ...Object.fromEntries(required.map((field) => [field, VALUES[field]])),
    ...(type.startsWith('TSLP') ? { limitOffset: one } : {}),
    ...more,
  };
}

function without(from: OrderTerms, field: keyof OrderTerms): OrderTerms {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name !== field)) as unknown as OrderTerms;
}

describe('order types', () => {
  it.each(ORDER_TYPES)('%s is accepted at HK with its required fields', (type) => {
    expect(checkTerms(terms(type), 'HK')).toEqual([]);
  });

  it('are eleven in Hong Kong and six without auctions and queues', () => {
    const taken = (market: Market) =>
      ORDER_TYPES.filter((type) => checkTerms(terms(type), market).length === 0);
    expect(taken('HK')).toHaveLength(11);
    expect(taken('US')).toEqual(['LO', 'MO', 'LIT', 'MIT', 'TSLPAMT', 'TSLPPCT']);
    expect(taken('CRYPTO')).toEqual(taken('US'));
  });

  it.each(['ELO', 'AO', 'ALO', 'ODD', 'SLO'] as const)('%s is refused in the US', (type) => {
    expect(checkTerms(terms(type), 'US')[0]).toContain(`Order type ${type}`);
  });

  it('require every required field and refuse every forbidden one', () => {
    for (const type of ORDER_TYPES) {
      for (const field of TYPED_FIELDS) {
        const rule = orderTypeRules[type].fields[field] ?? 'forbidden';
        const full = { ...terms(type), [field]: VALUES[field] };
        const problems = checkTerms(rule === 'forbidden' ? full : without(full, field), 'HK');
        const named = problems.some((problem) => problem.includes(`"${field}"`));
        const offset = field === 'limitOffset' && type.startsWith('TSLP');
        expect(named, `${type} ${field}`).toBe(rule !== 'optional' || offset);
      }
    }
  });

  it('need no offset when a depth level sets the price', () => {
    const byLevel = without(terms('TSLPPCT', { limitDepthLevel: -1 }), 'limitOffset');
    expect(checkTerms(byLevel, 'US')).toEqual([]);
    expect(checkTerms({ ...byLevel, limitDepthLevel: 0 }, 'US')[0]).toContain('limitOffset');
  });

  it.each(['MO', 'AO', 'ALO', 'SLO', 'ODD'] as const)('%s works for a day only', (type) => {
    expect(checkTerms(terms(type, { timeInForce: 'gtc' }), 'HK')[0]).toContain('Time in force "gtc"');
  });

  it.each(['LO', 'ELO', 'LIT', 'MIT', 'TSLPAMT', 'TSLPPCT'] as const)('%s may work longer', (type) => {
    expect(checkTerms(terms(type, { timeInForce: 'gtc' }), 'HK')).toEqual([]);
  });

  it('have an expiry exactly when good till a date', () => {
    const expireDate = calendarDay('2025-12-31');
    expect(checkTerms(terms('LO', { timeInForce: 'gtd', expireDate }), 'HK')).toEqual([]);
    expect(checkTerms(terms('LO', { timeInForce: 'gtd' }), 'HK')).toHaveLength(1);
    expect(checkTerms(terms('LO', { expireDate }), 'HK')).toHaveLength(1);
  });

  it.each<[Partial<OrderTerms>, string]>([
    [{ quantity: decimal('0') }, 'quantity'],
    [{ price: decimal('-1') }, 'price'],
    [{ trailingPercent: decimal('100') }, 'trailingPercent'],
    [{ limitDepthLevel: 6 }, 'limitDepthLevel'],
    [{ limitDepthLevel: 0.5 }, 'limitDepthLevel'],
    [{ triggerCount: 4 }, 'triggerCount'],
    [{ limitOffset: decimal('-0.1') }, 'limitOffset'],
  ])('refuse a value out of bounds: %o', (bad, field) => {
    const type = field === 'price' ? 'LO' : 'TSLPPCT';
    expect(checkTerms(terms(type, bad), 'US').some((problem) => problem.includes(`"${field}" is`))).toBe(
      true,
    );
  });

  it('trade overnight with limits only, and depend on the session in the US only', () => {
    expect(checkTerms(terms('LO', { outsideRth: 'overnight' }), 'US')).toEqual([]);
    expect(checkTerms(terms('MO', { outsideRth: 'overnight' }), 'US')).toHaveLength(1);
    expect(checkTerms(terms('MO', { outsideRth: 'overnight' }), 'HK')).toEqual([]);
  });

  it('are never replaced if market or special limit', () => {
    const fixed = ORDER_TYPES.filter((type) => !orderTypeRules[type].replaceable);
    expect(fixed).toEqual(['MO', 'SLO']);
  });
});
