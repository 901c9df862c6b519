import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, decimal } from '#src/model/decimal.ts';
import type { Numeric } from '#src/strategy/numeric.ts';
import { orderDrafts, type SizedDraft } from '#src/strategy/order-draft.ts';
import { type OrderStyle, sizeDraft } from '#src/strategy/sizing.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import { done, facts } from './sized.ts';

const market: OrderStyle = { type: 'MO', limitPrice: () => undefined };
const limit: OrderStyle = { type: 'LO', limitPrice: (side, last) => last.plus(side === 'buy' ? 1 : -1) };

const { targetWeight, targetQuantity, close, buy, sell } = orderDrafts;

describe('a target weight', () => {
  it('buys up to its share of the whole equity', () => {
    expect(done(targetWeight(AAPL, 0.5))).toBe('buy 50');
    expect(done(targetWeight(AAPL, 0.5), { held: decimal('20') })).toBe('buy 30');
    expect(done(targetWeight(AAPL, 0.5), { held: decimal('80') })).toBe('sell 30');
  });

  it('counts open orders as filled', () => {
    expect(done(targetWeight(AAPL, 0.5), { openBuys: decimal('30') })).toBe('buy 20');
    expect(done(targetWeight(AAPL, 0.5), { held: decimal('50'), openSells: decimal('50') })).toBe('buy 50');
    expect(done(targetWeight(AAPL, 0.5), { openBuys: decimal('50') })).toBe(
      '"AAPL.US" is within a lot of its target',
    );
  });

  it('sells no more than is held of a position while an entry still adds to it', () => {
    const partly = { held: decimal('9'), openBuys: decimal('21') };
    expect(done(close(AAPL), partly)).toBe('sell 9');
    expect(done(close(AAPL), { ...partly, openSells: decimal('4') })).toBe('sell 5');
    expect(done(close(AAPL), { ...partly, openSells: decimal('9') })).toContain('within a lot');
    expect(done(targetWeight(AAPL, 0.15), partly)).toBe('sell 9');
    expect(done(targetWeight(AAPL, 0.25), partly)).toBe('sell 5');
    expect(done(targetWeight(AAPL, -0.2), partly)).toBe('sell 50');
    expect(done(close(AAPL), { held: decimal('-9'), openSells: decimal('21') })).toBe('buy 9');
  });

  it('sells nothing without a position, and buys nothing back without a short position', () => {
    expect(done(close(AAPL), { openBuys: decimal('30') })).toContain('within a lot');
    expect(done(targetWeight(AAPL, 0.1), { openBuys: decimal('30') })).toContain('within a lot');
    expect(done(targetQuantity(AAPL, 20), { held: decimal('-10'), openBuys: decimal('50') })).toContain(
      'within a lot',
    );
    expect(done(close(AAPL), { openSells: decimal('30') })).toContain('within a lot');
    expect(done(close(AAPL), { held: decimal('10'), openSells: decimal('30') })).toContain('within a lot');
    expect(done(targetWeight(AAPL, -0.1), { openBuys: decimal('30') })).toBe('sell 40');
  });

  it('rounds to whole lots towards zero, on both sides', () => {
    expect(done(targetWeight(AAPL, 0.599))).toBe('buy 59');
    expect(done(targetWeight(AAPL, -0.599))).toBe('sell 59');
    const lots = { lotSize: 100, equity: decimal('100000') };
    expect(done(targetWeight(AAPL, 0.0399), lots)).toBe('buy 300');
    expect(done(targetWeight(AAPL, 0.0099), lots)).toBe('"AAPL.US" is within a lot of its target');
  });

  it('reverses a long position for a negative weight', () => {
    expect(done(targetWeight(AAPL, -0.5), { held: decimal('20') })).toBe('sell 70');
  });

  it("converts at the account's rate", () => {
    const hongKong = { symbol: TENCENT, lotSize: 100, lastPrice: decimal('300'), equity: decimal('100000') };
    const rate = decimal('1').div('7.8');
    expect(done(targetWeight(TENCENT, 1), { ...hongKong, rate })).toBe('buy 2600');
    expect(done(targetWeight(TENCENT, 1), { ...hongKong, rate: undefined })).toBe(
      'no exchange rate for "700.HK"',
    );
  });

  it('does nothing without a price, and treats 0 as none (F-D03)', () => {
    expect(done(targetWeight(AAPL, 0.5), { lastPrice: undefined })).toBe('no price of "AAPL.US" yet');
    expect(done(targetWeight(AAPL, 0.5), { lastPrice: decimal('0') })).toBe('no price of "AAPL.US" yet');
  });

  it('does nothing while equity is not known (F-D12)', () => {
    expect(done(targetWeight(AAPL, 0.5), { equity: new Decimal(Number.NaN) })).toContain(
      'equity is not known',
    );
  });

  it.each([[1.0001], [-1.0001], [Number.NaN], [Number.POSITIVE_INFINITY]])('refuses %s (F-G06)', (weight) => {
    expect(done(targetWeight(AAPL, weight))).toBe(
      `target weight ${weight} of "AAPL.US" is not between -1 and 1`,
    );
  });

  it('accepts the bounds themselves', () => {
    expect(done(targetWeight(AAPL, 1))).toBe('buy 100');
    expect(done(targetWeight(AAPL, -1))).toBe('sell 100');
  });
});

describe('a target quantity', () => {
  it('buys or sells the difference', () => {
    expect(done(targetQuantity(AAPL, 30), { held: decimal('10') })).toBe('buy 20');
    expect(done(targetQuantity(AAPL, '-5'), { held: decimal('10') })).toBe('sell 15');
    expect(done(targetQuantity(AAPL, decimal('10')), { held: decimal('10') })).toContain('within a lot');
  });

  it('needs no price, so that a position can always be closed', () => {
    expect(done(close(AAPL), { held: decimal('10'), lastPrice: undefined })).toBe('sell 10');
    expect(done(close(AAPL), { held: decimal('-10'), rate: undefined })).toBe('buy 10');
  });

  it('does not close twice what is already being sold', () => {
    expect(done(close(AAPL), { held: decimal('10'), openSells: decimal('10') })).toContain('within a lot');
  });
});

describe('a manual order', () => {
  it('keeps its quantity unchanged, and leaves lots to the gate', () => {
    expect(done(buy(AAPL, 7), { lotSize: 100 })).toBe('buy 7');
    expect(done(sell(AAPL, '2.5'))).toBe('sell 2.5');
  });

  it('reads a float by its shortest text', () => {
    expect(done(buy(AAPL, 0.1))).toBe('buy 0.1');
  });

  it.each<[Numeric]>([
    [0],
    [-1],
    [Number.NaN],
    [Number.NEGATIVE_INFINITY],
    ['1e9'],
    ['1,000'],
    [''],
    ['NaN'],
    [new Decimal(Number.NaN)],
  ])('refuses %s shares (F-G06)', (quantity) => {
    expect(done(buy(AAPL, quantity))).toBe(
      `quantity ${String(quantity)} of "AAPL.US" is not a positive number`,
    );
  });

  it('refuses prices that are not numbers', () => {
    expect(done(buy(AAPL, 1, { type: 'LO', price: 'ten' }))).toBe('price ten is not a number');
    expect(done(buy(AAPL, 1, { type: 'LIT', triggerPrice: Number.NaN }))).toBe(
      'trigger price NaN is not a number',
    );
    expect(done(buy(AAPL, 1, { type: 'TSLPPCT', trailingPercent: Number.NaN }))).toBe(
      'trailing percent NaN is not a number',
    );
  });

  it('accepts every figure of the terms as a number, a text or a Decimal', () => {
    const terms = {
      type: 'TSLPPCT',
      trailingPercent: 2.5,
      limitOffset: '0.1',
      monitorPrice: decimal('9'),
    } as const;
    expect(sizeDraft(buy(AAPL, 1, terms), facts(), limit)).toMatchObject({
      terms: {
        type: 'TSLPPCT',
        trailingPercent: decimal('2.5'),
        limitOffset: decimal('0.1'),
        monitorPrice: decimal('9'),
      },
    });
  });

  it("has the config's style if the author sets none", () => {
    expect(sizeDraft(buy(AAPL, 1), facts(), limit)).toMatchObject({
      terms: { type: 'LO', price: decimal('11'), timeInForce: 'day' },
      reason: 'buy 1 share',
    });
    expect(sizeDraft(sell(AAPL, 1), facts(), limit)).toMatchObject({ terms: { price: decimal('9') } });
  });

  it("has exactly the author's own terms", () => {
    const terms = { type: 'SLO', price: '9.95', triggerPrice: 9.9, timeInForce: 'gtc' } as const;
    expect(sizeDraft(sell(AAPL, 1, terms), facts(), limit)).toEqual({
      kind: 'order',
      reason: 'sell 1 share',
      terms: {
        symbol: AAPL,
        side: 'sell',
        type: 'SLO',
        quantity: decimal('1'),
        timeInForce: 'gtc',
        price: decimal('9.95'),
        triggerPrice: decimal('9.9'),
      },
    });
  });

  it('gets no invented limit price for its type', () => {
    const sized = sizeDraft(buy(AAPL, 1, { type: 'MO' }), facts(), limit);
    expect(sized.kind === 'order' && 'price' in sized.terms).toBe(false);
  });

  it('cannot change symbol, side or quantity through its terms', () => {
    const smuggled = { timeInForce: 'gtc' as const, symbol: TENCENT, side: 'sell', quantity: decimal('9') };
    const draft: SizedDraft = { kind: 'order', symbol: AAPL, side: 'buy', quantity: 1, terms: smuggled };
    expect(sizeDraft(draft, facts(), market)).toMatchObject({
      terms: { symbol: AAPL, side: 'buy', quantity: decimal('1') },
    });
  });
});

const whole = (max: number) => fc.integer({ min: 0, max }).map((count) => decimal(String(count)));

describe('sizing towards a target', () => {
  it('is in whole lots, never beyond the target, never a lot short of it, and sells no more than is held', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -10_000, max: 10_000 }),
        fc.constantFrom(1, 5, 100),
        fc.integer({ min: -10_000, max: 10_000 }).map((count) => decimal(String(count))),
        whole(5_000),
        whole(5_000),
        (target, lotSize, held, openBuys, openSells) => {
          const sized = sizeDraft(
            targetQuantity(AAPL, target),
            facts({ lotSize, held, openBuys, openSells }),
            market,
          );
          const bought =
            sized.kind === 'nothing'
              ? 0
              : sized.terms.quantity.toNumber() * (sized.terms.side === 'buy' ? 1 : -1);
          const wanted = target - held.plus(openBuys).minus(openSells).toNumber();
          const sellable =
            target < 0 ? Number.POSITIVE_INFINITY : Math.max(0, held.minus(openSells).toNumber());
          const payable =
            target > 0 ? Number.POSITIVE_INFINITY : Math.max(0, -held.plus(openBuys).toNumber());
          const missing = Math.min(payable, Math.max(-sellable, wanted)) - bought;
          expect(bought % lotSize).toBeCloseTo(0);
          expect(Math.abs(missing)).toBeLessThan(lotSize);
          expect(missing * wanted).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it('never spends more than the weight permits', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.constantFrom(1, 100),
        (weight, cents, lotSize) => {
          const lastPrice = decimal(String(cents)).div(100);
          const given = facts({ equity: decimal('100000'), lastPrice, lotSize });
          const sized = sizeDraft(targetWeight(AAPL, weight), given, market);
          if (sized.kind === 'nothing') return;
          const spent = sized.terms.quantity.times(lastPrice);
          expect(spent.lte(new Decimal(weight).times(100_000))).toBe(true);
        },
      ),
    );
  });
});
