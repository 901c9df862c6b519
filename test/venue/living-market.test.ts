import { describe, expect, it } from 'vitest';
import { Decimal, decimal } from '#src/model/decimal.ts';
import type { Quote } from '#src/model/quote.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import type { Simulation } from '#src/simulation/simulation.ts';
import { deepBook } from '#src/venue/quotes/order-book.ts';
import { during, livingSimulation, paper, terms } from './living-market.ts';
import { at } from './rising-minutes.ts';

const APPLE = securitySymbol('AAPL.US');
const TENCENT = securitySymbol('700.HK');

function bookOf(simulation: Simulation, symbol = APPLE) {
  const [security, quote] = [simulation.security(symbol), simulation.quote(symbol)];
  if (security === undefined || quote === undefined) throw new Error('no quote');
  const { asks, bids } = deepBook(security, quote.last, simulation.now());
  const [ask, next] = asks;
  const [bid] = bids;
  if (ask === undefined || next === undefined || bid === undefined) throw new Error('no book');
  return { ask, next, bid, last: quote.last };
}

function quotesOf(simulation: Simulation, ms: number, symbol = APPLE): readonly Quote[] {
  return during(simulation, ms).flatMap((event) =>
    event.kind === 'quote' && event.quote.symbol === symbol ? [event.quote] : [],
  );
}

const submitted = (simulation: Simulation, ...order: Parameters<typeof terms>): string => {
  const submission = paper(simulation).submit(terms(...order), '');
  if (submission.kind === 'refused') throw new Error(submission.message);
  during(simulation, 1);
  return submission.orderId;
};

describe('trades of a synthetic market', () => {
  it('come at least every three seconds, with increasing volumes and times', () => {
    const simulation = livingSimulation();
    during(simulation, 60_000);
    const quotes = quotesOf(simulation, 300_000);
    expect(quotes.length).toBeGreaterThanOrEqual(95);
    for (const [index, quote] of quotes.slice(1).entries()) {
      const before = quotes[index] as Quote;
      expect(quote.time - before.time).toBeLessThanOrEqual(3_000);
      expect(quote.dayVolume.minus(before.dayVolume).toString()).toBe(quote.volume.toString());
      expect(quote.last.gte(quote.dayLow) && quote.last.lte(quote.dayHigh)).toBe(true);
    }
  });

  it('stay between the two adjacent ticks', () => {
    const simulation = livingSimulation();
    during(simulation, 60_000);
    const prices = quotesOf(simulation, 60_000).map(({ last }) => last.toNumber());
    const [from, until] = [Math.min(...prices), Math.max(...prices)];
    expect(until - from).toBeLessThan(2);
    expect(new Set(prices).size).toBeGreaterThan(4);
  });
});

describe('orders against the book', () => {
  it('a limit at the ask fills at once, at the ask', () => {
    const simulation = livingSimulation();
    during(simulation, 5_000);
    const { ask } = bookOf(simulation);
    const id = submitted(simulation, 'AAPL.US', 'LO', 'buy', 1, { price: ask.price });
    expect(paper(simulation).executionsToday()).toMatchObject([{ orderId: id, price: ask.price }]);
  });

  it('a limit above the ask takes level after level, cheapest first, as far as each is filled', () => {
    const simulation = livingSimulation();
    during(simulation, 5_000);
    const { ask: first, next: second } = bookOf(simulation);
    const quantity = first.quantity.plus(1).toNumber();
    submitted(simulation, 'AAPL.US', 'LO', 'buy', quantity, { price: first.price.plus(2) });
    expect(paper(simulation).executionsToday()).toMatchObject([
      { price: first.price, quantity: first.quantity },
      { price: second.price, quantity: new Decimal(1) },
    ]);
  });

  it('a limit for more than is shown fills in part, and the rest within seconds as more is shown', () => {
    const simulation = livingSimulation();
    during(simulation, 5_000);
    const { ask } = bookOf(simulation);
    const quantity = ask.quantity.plus(5).toNumber();
    submitted(simulation, 'AAPL.US', 'LO', 'buy', quantity, { price: ask.price });
    const [order] = paper(simulation).ordersToday();
    expect(order).toMatchObject({ status: 'PartialFilledStatus', executedQuantity: ask.quantity });
    during(simulation, 120_000);
    const [later] = paper(simulation).ordersToday();
    expect(later?.executedQuantity.gt(order?.executedQuantity as Decimal)).toBe(true);
  });

  it('the quantity that was taken is missing for the rest of its second', () => {
    const simulation = livingSimulation();
    during(simulation, 5_000);
    const { ask, next } = bookOf(simulation);
    const price = ask.price.plus(1);
    submitted(simulation, 'AAPL.US', 'LO', 'buy', ask.quantity.toNumber(), { price });
    submitted(simulation, 'AAPL.US', 'LO', 'buy', 1, { price });
    expect(paper(simulation).executionsToday().at(-1)?.price.eq(next.price)).toBe(true);
  });

  it('a market sale gets the bid; a limit between the sides waits', () => {
    const simulation = livingSimulation();
    during(simulation, 5_000);
    submitted(simulation, 'AAPL.US', 'MO', 'buy', 10);
    during(simulation, 2_000);
    const { bid, last } = bookOf(simulation);
    const sale = submitted(simulation, 'AAPL.US', 'MO', 'sell', 1);
    const execution = paper(simulation)
      .executionsToday()
      .find(({ orderId }) => orderId === sale);
    expect(execution?.price.eq(bid.price)).toBe(true);
    const resting = submitted(simulation, 'AAPL.US', 'LO', 'buy', 1, { price: last.minus(1) });
    expect(paper(simulation).ordersToday()[0]).toMatchObject({ orderId: resting, status: 'NewStatus' });
  });

  it('a special limit order takes what is available and ends', () => {
    const simulation = livingSimulation();
    during(simulation, 5_000);
    const { ask } = bookOf(simulation, TENCENT);
    const quantity = ask.quantity.plus(100).toNumber();
    submitted(simulation, '700.HK', 'SLO', 'buy', quantity, { price: ask.price });
    const [order] = paper(simulation).ordersToday();
    expect(order?.status).toBe('CanceledStatus');
    expect(order?.executedQuantity.toString()).toBe(ask.quantity.toString());
  });
});

describe('auctions', () => {
  it('round the clock: an auction order fills when the next minute opens', () => {
    const simulation = livingSimulation();
    during(simulation, 5_000);
    submitted(simulation, '700.HK', 'AO', 'buy', 100);
    expect(paper(simulation).executionsToday()).toEqual([]);
    during(simulation, 60_000);
    expect(paper(simulation).ordersToday()).toMatchObject([{ status: 'FilledStatus' }]);
  });

  it('in real hours: at the opening of the day, an at-auction limit that missed it keeps working', () => {
    const simulation = livingSimulation('real', at('2026-03-05T08:50:00+08:00'));
    submitted(simulation, '700.HK', 'AO', 'buy', 100);
    submitted(simulation, '700.HK', 'ALO', 'buy', 100, { price: decimal('300') });
    during(simulation, 41 * 60_000);
    const [limit, market] = paper(simulation).ordersToday();
    expect(market).toMatchObject({ status: 'FilledStatus' });
    expect(limit).toMatchObject({ status: 'NewStatus', terms: { type: 'ALO' } });
    const [execution] = paper(simulation).executionsToday();
    expect(new Date(execution?.time ?? 0).toISOString()).toBe('2026-03-05T01:30:00.000Z');
  });
});
