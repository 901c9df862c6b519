import fc from 'fast-check';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { createEngineRig } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { runTo } from '../fixtures/time.ts';

/** Half of 10,000 USD, at 10 USD per share. */
const SHARES_MAX = 500;

/** Orders for quotes that arrive while the venue still processes earlier ones. */
const someWorld = fc.record({
  asked: fc.array(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 }), {
    minLength: 2,
    maxLength: 6,
  }),
  everyMs: fc.nat(30),
  delayMs: fc.nat(40),
  answer: fc.constantFrom('accepted', 'unknown'),
});

describe('money', () => {
  it('is approved once, for any number of orders at one instant and any delay of answers (I-6)', () => {
    let [armed, denied] = [0, 0];
    fc.assert(
      fc.property(someWorld, ({ asked, everyMs, delayMs, answer }) => {
        let quotes = 0;
        const rig = createEngineRig({
          limits: { maxGrossExposure: decimal('0.5') },
          strategy: {
            onQuote: () => (asked[quotes++] ?? []).map((quantity) => orderDrafts.buy(AAPL, quantity)),
          },
        });
        const { submit } = rig.venue.answers;
        rig.venue.answers.delayMs = delayMs;
        if (answer === 'unknown')
          rig.venue.answers.submit = (order) => {
            submit(order);
            return of({ kind: 'unknown', message: 'no answer' });
          };
        rig.start();
        runTo(rig.clock, 1_000);
        for (const [index] of asked.entries()) {
          rig.quote(10);
          runTo(rig.clock, 1_000 + (index + 1) * everyMs);
        }
        runTo(rig.clock, 20_000);
        let reserved = decimal('0');
        const wanted = new Map<string, string>();
        for (const event of rig.journal.replay()) {
          if (event.kind === 'intent-drafted') wanted.set(event.intentId, String(event.terms.quantity));
          if (event.kind === 'intent-denied') denied += 1;
          if (event.kind !== 'intent-armed') continue;
          armed += 1;
          reserved = reserved.plus(wanted.get(event.intentId) ?? '0');
          expect(reserved.toNumber()).toBeLessThanOrEqual(SHARES_MAX);
        }
        expect(rig.status()).toBe('running');
      }),
      { numRuns: 100 },
    );
    expect(armed).toBeGreaterThan(100);
    expect(denied).toBeGreaterThan(100);
  });
});
