import { describe, expect, it } from 'vitest';
import { createFold } from '#src/events/fold.ts';
import { equityOfResume } from '#src/execution/gate/day-profit.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import type { Millis } from '#src/model/time.ts';
import { at } from '../fixtures/market.ts';
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

describe('equity of a resume, while nothing is held', () => {
  it('is what the day of the resume counts from', () => {
    expect(countsFrom({ resumed: at('2024-03-05T10:00:00-05:00'), traded: TUESDAY })).toBe(9800);
  });

  it('has no value for a later day, with or without trades in it (I-15)', () => {
    expect(countsFrom({ resumed: MONDAY, traded: TUESDAY })).toBeUndefined();
    expect(countsFrom({ resumed: MONDAY, traded: at('2024-03-04T13:00:00-05:00') })).toBeUndefined();
  });
});
