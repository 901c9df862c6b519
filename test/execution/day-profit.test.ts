import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFold } from '#src/events/fold.ts';
import { dayProfit, equityOfResume, estimatedDayProfit } from '#src/execution/gate/day-profit.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import type { Millis } from '#src/model/time.ts';
import { createFakeVenue } from '../fixtures/fake-venue.ts';
import { AAPL, at, security, TENCENT } from '../fixtures/market.ts';
import { acked, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';

const MONDAY = at('2024-03-04T12:00:00-05:00');
const TUESDAY = at('2024-03-05T11:00:00-05:00');
const NOON = at('2024-03-05T12:00:00-05:00');

/** Equity that the day counts from at Tuesday noon, after a resume at 9,800 and a round trip that left nothing held. */
function countsFrom({ resumed, traded }: { readonly resumed: Millis; readonly traded: Millis }) {
  const fold = createFold();
  fold.apply({
    ...{ kind: 'gate-moved', at: resumed, state: 'active', by: 'operator', rule: 'resume', reason: 'seen' },
    equity: decimal('9800'),
  });
  for (const side of ['buy', 'sell'] as const) {
    const intent = intentOf(side, { terms: termsOf({ side }) });
    for (const event of acked(intent)) fold.apply(event);
    fold.apply(filled(fillOf(`E-${side}`, side, '100', '10', { intentId: intentId(side), time: traded })));
  }
  expect(fold.state.portfolio.holdings.size).toBe(0);
  return equityOfResume({ state: fold.state, now: () => NOON })?.toNumber();
}

/** A price between 1 and 1,000 in cents, and a trade of each symbol: some before the day began, some in it. */
const aPrice = fc.integer({ min: 100, max: 100_000 }).map((cents) => decimal((cents / 100).toFixed(2)));
const trades = fc.array(
  fc.record({
    symbol: fc.constantFrom(AAPL, TENCENT),
    side: fc.constantFrom('buy', 'sell'),
    quantity: fc.integer({ min: 1, max: 5_000 }),
    price: aPrice,
    time: fc.constantFrom(MONDAY, TUESDAY),
  }),
  { maxLength: 8 },
);

describe('the profit of a day', () => {
  it('is estimated as what it is exactly, and missing where that is', () => {
    fc.assert(
      fc.property(trades, fc.option(aPrice, { freq: 9 }), aPrice, aPrice, (fills, last, close, rate) => {
        const fold = createFold();
        for (const [place, { symbol, side, quantity, price, time }] of fills.entries()) {
          const id = `I${place}`;
          const intent = intentOf(id, { terms: termsOf({ symbol, side, quantity: decimal(`${quantity}`) }) });
          for (const event of acked(intent)) fold.apply(event);
          const fill = fillOf(`E${place}`, side, `${quantity}`, price.toFixed(), {
            ...{ intentId: intentId(id), time, symbol },
          });
          fold.apply(filled(fill));
        }
        const sources = {
          ...{ broker: createFakeVenue().broker, state: fold.state, currency: 'USD', now: () => NOON },
          security: (symbol: typeof AAPL) => security(symbol),
          reference: () => (last === null ? undefined : { value: last, at: NOON }),
          rate: () => rate,
          closeBefore: () => close,
        };
        const exact = dayProfit(sources)?.toNumber();
        const estimate = estimatedDayProfit(sources);
        if (exact === undefined) expect(estimate).toBeUndefined();
        else expect(Math.abs((estimate ?? Number.NaN) - exact)).toBeLessThan(1e-2);
      }),
    );
  });
});

describe('equity of a resume, while nothing is held', () => {
  it('is what the day of the resume counts from', () => {
    expect(countsFrom({ resumed: at('2024-03-05T10:00:00-05:00'), traded: TUESDAY })).toBe(9800);
  });

  it('has no value for a later day, with or without trades in it (I-15)', () => {
    expect(countsFrom({ resumed: MONDAY, traded: TUESDAY })).toBeUndefined();
    expect(countsFrom({ resumed: MONDAY, traded: at('2024-03-04T13:00:00-05:00') })).toBeUndefined();
  });
});
