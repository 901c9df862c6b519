import { describe, expect, it } from 'vitest';
import { createFold } from '#src/events/fold.ts';
import { gatherFacts } from '#src/execution/gate/gather-facts.ts';
import { decimal } from '#src/model/decimal.ts';
import type { OrderTerms } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import type { RiskFacts } from '#src/risk/facts.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { createCountedMarket } from '../fixtures/counted-market.ts';
import { factSourcesOf } from '../fixtures/fact-sources.ts';
import { createFakeVenue } from '../fixtures/fake-venue.ts';
import { AAPL, at, type BarRow, columnsOf, security, TENCENT } from '../fixtures/market.ts';
import { acked, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { only } from '../fixtures/tasks.ts';

const now = at('2024-03-05T10:00:00-05:00');

function world() {
  const venue = createFakeVenue();
  const fold = createFold();
  const sources = factSourcesOf(fold.state, {
    broker: venue.broker,
    now: () => now,
    security: (symbol) => (symbol === AAPL ? security(AAPL) : undefined),
    reference: () => ({ value: decimal('10'), at: now }),
  });
  const gather = (terms: Partial<OrderTerms> = {}): RiskFacts => {
    return only(gatherFacts(termsOf(terms), sources));
  };
  return { venue, fold, sources, gather };
}

describe('gathering facts', () => {
  it("requests exactly these parameters, in the account's currency (I-5)", () => {
    const { venue, gather } = world();
    const facts = gather({ type: 'LO', price: decimal('9.99') });
    expect(venue.calls).toEqual(['buyLimit AAPL.US', 'marginFactors AAPL.US', 'balance USD']);
    expect(facts.opens).toBe(true);
    expect(facts.unanswered).toEqual([]);
    expect(facts.opening?.buyLimit).toEqual({
      value: { cash: decimal('1000'), margin: decimal('1000') },
      at: now,
    });
    expect(facts.tick?.toString()).toBe('0.01');
  });

  it('names every request without an answer, and invents none', () => {
    const { venue, gather } = world();
    venue.answers.silent.add('buyLimit').add('balance');
    const facts = gather();
    expect(facts.opening).toBeUndefined();
    expect(facts.unanswered).toEqual(['buyLimit (500: down)', 'balance (500: down)']);
  });

  it('requests nothing for an order that only reduces', () => {
    const { venue, fold, gather } = world();
    for (const event of acked(intentOf('BOUGHT'))) fold.apply(event);
    fold.apply(filled(fillOf('e1', 'buy', '100', '10', { intentId: intentOf('BOUGHT').id })));
    const facts = gather({ side: 'sell', quantity: decimal('100') });
    expect(facts).toMatchObject({ opens: false, opening: undefined, unanswered: [], held: decimal('100') });
    expect(venue.calls).toEqual([]);
  });

  it('counts open orders: a second sell of the same shares would open (I-6)', () => {
    const { fold, gather } = world();
    for (const event of acked(intentOf('BOUGHT'))) fold.apply(event);
    fold.apply(filled(fillOf('e1', 'buy', '100', '10', { intentId: intentOf('BOUGHT').id })));
    const selling = intentOf('SELLING', { terms: termsOf({ side: 'sell', quantity: decimal('60') }) });
    for (const event of acked(selling)) fold.apply(event);
    expect(gather({ side: 'sell', quantity: decimal('40') }).opens).toBe(false);
    expect(gather({ side: 'sell', quantity: decimal('41') })).toMatchObject({
      opens: true,
      openSells: decimal('60'),
      openOrders: 2,
    });
  });

  it('counts buying back a short position as a reduction, up to its size', () => {
    const { fold, gather } = world();
    for (const event of acked(intentOf('SOLD', { terms: termsOf({ side: 'sell' }) }))) fold.apply(event);
    fold.apply(filled(fillOf('e1', 'sell', '100', '10', { intentId: intentOf('SOLD').id })));
    expect(gather({ quantity: decimal('100') }).opens).toBe(false);
    expect(gather({ quantity: decimal('101') }).opens).toBe(true);
  });

  it('has no facts of a symbol that the bot does not know', () => {
    const { gather } = world();
    expect(gather({ symbol: TENCENT, price: decimal('9') })).toMatchObject({
      security: undefined,
      rate: undefined,
      tick: undefined,
    });
  });

  it('needs no price step for an order without a price', () => {
    expect(world().gather().tick).toBeUndefined();
  });

  it('sends no request before it runs', () => {
    const { venue, sources } = world();
    const facts = gatherFacts(termsOf(), sources);
    expect(venue.calls).toEqual([]);
    only(facts);
    expect(venue.calls).toHaveLength(3);
  });

  it('accepts a price below zero without an error', () => {
    expect(world().gather({ side: 'sell', price: decimal('-1') }).now).toBe(millis(now));
  });
});

describe('a margin ratio that is cached to save calls', () => {
  const OPEN = at('2024-03-04T09:30:00-05:00');
  const MINUTE = 60_000;
  const rows = Array.from(
    { length: 20 },
    (_, index): BarRow => [OPEN + index * MINUTE, 10, 10.05, 9.95, 10, 1e6],
  );
  const buyer = defineStrategy({
    name: 'buyer',
    onBar: ({ symbol }, { orders }) => orders.buy(symbol, 1),
  });

  it.each([30, 90, 900])('is requested again before it is too old for the limit of %d s', (seconds) => {
    const run = createCountedMarket(
      setupOf(buyer, [columnsOf(AAPL, '1m', rows)], {
        limits: limitsOf({ maxMarginAge: millis(seconds * 1_000) }),
      }),
    );
    run.start();
    run.until(OPEN + 20 * MINUTE);
    const denied = run.events.flatMap((event) => (event.kind === 'intent-denied' ? [event.rule] : []));
    expect(denied).toEqual([]);
    expect(run.executions().length).toBeGreaterThan(15);
  });
});
