import { describe, expect, it } from 'vitest';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { decimal } from '#src/model/decimal.ts';
import type { OrderTerms } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis, NEVER } from '#src/model/time.ts';
import { createSimulation } from '#src/simulation/create-simulation.ts';
import { LiveColumns, rescaledVolume } from '#src/simulation/market/live-columns.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import { security } from '../fixtures/market.ts';

const APPLE = securitySymbol('AAPL.US');
/** Wednesday, 5 November 2025, 10:30 in New York. */
const START = Date.parse('2025-11-05T15:30:00Z');

function aLiveMarket({ soFar = true } = {}) {
  const simulation = createSimulation({
    securities: [security(APPLE, { lotSize: 1 })],
    bars: [
      new LiveColumns(
        APPLE,
        soFar
          ? { time: millis(START - 60_000), open: 99, high: 104, low: 98, last: 100, volume: 5_000 }
          : undefined,
      ),
    ],
    start: millis(START),
    accounts: [{ id: 'a', currency: 'USD', cash: { USD: decimal('1000000') }, fx: {} }],
    quotes: true,
    models: {
      ...{ fills: PRINT_FILLS, charges: CHARGE_SCHEDULES.none },
      ...{ latency: NO_LATENCY, margin: CASH_ACCOUNT },
    },
    seed: 1,
  });
  const account = simulation.account('a');
  if (account === undefined) throw new Error('No account');
  const settle = (until: number): void => {
    for (;;) {
      const own = simulation.nextVenueEventAt();
      const print = simulation.nextPrintAt();
      if (Math.min(own, print) > until) break;
      if (own <= print) simulation.stepVenueEvent();
      else simulation.stepPrint();
    }
    if (until > simulation.now()) simulation.moveTo(millis(until));
  };
  return {
    simulation,
    /** A price this number of seconds after the start, with all its effects. */
    price(after: number, price: number, volume = 100) {
      const time = millis(START + after * 1_000);
      settle(time - 1);
      expect(simulation.append({ symbol: APPLE, time, price, volume })).toBe(true);
      settle(time);
    },
    settle: (after: number) => settle(START + after * 1_000),
    submit(terms: Partial<OrderTerms>) {
      const order: OrderTerms = {
        ...{ symbol: APPLE, side: 'buy', type: 'LO', quantity: decimal('10'), timeInForce: 'day', ...terms },
      };
      const answer = account.submit(order, '');
      if (answer.kind === 'refused') throw new Error(answer.message);
      settle(simulation.now());
      return answer.orderId;
    },
    split: (ratio: number) =>
      simulation.inject({ kind: 'split', symbol: APPLE, ratio: decimal(String(ratio)) }),
    held: () => account.positions().map(({ quantity }) => quantity.toNumber()),
    order: (id: ReturnType<typeof account.ordersToday>[number]['orderId']) => {
      const { status, executedPrice } = account.order(id) ?? {};
      return [status, executedPrice?.toString()];
    },
  };
}

describe('a market with live prices', () => {
  it('begins with the day so far, and adds up later prices', () => {
    const market = aLiveMarket();
    expect(market.simulation.quote(APPLE)).toMatchObject({
      last: decimal('100'),
      dayVolume: decimal('5000'),
    });
    expect(market.simulation.nextPrintAt()).toBe(NEVER);
    market.price(1, 105, 300);
    const quote = market.simulation.quote(APPLE);
    const figures = [quote?.last, quote?.dayOpen, quote?.dayHigh, quote?.dayLow, quote?.dayVolume].map(
      String,
    );
    expect(figures).toEqual(['105', '99', '105', '98', '5300']);
    expect(quote?.time).toBe(START + 1_000);
  });

  it('fills a market order at the current price, and at the next one while the feed is down (I-9)', () => {
    const market = aLiveMarket();
    expect(market.order(market.submit({ type: 'MO' }))).toEqual(['FilledStatus', '100']);
    market.settle(5);
    market.simulation.invalidatePrices();
    market.settle(6);
    const waiting = market.submit({ type: 'MO' });
    market.settle(600);
    expect(market.order(waiting)).toEqual(['NewStatus', undefined]);
    market.price(601, 103);
    expect(market.order(waiting)).toEqual(['FilledStatus', '103']);
  });

  it('fills a working limit order at its limit when the price passes it, however long it waited', () => {
    const market = aLiveMarket();
    const order = market.submit({ price: decimal('97') });
    for (let after = 1; after <= 50; after += 1) market.price(after, 98 + (after % 3));
    expect(market.order(order)).toEqual(['NewStatus', undefined]);
    market.price(51, 96.5);
    expect(market.order(order)).toEqual(['FilledStatus', '97']);
  });

  it('triggers a stop at the price that reaches it, and a trailing one from the best price', () => {
    const market = aLiveMarket();
    const stop = market.submit({ type: 'MIT', triggerPrice: decimal('108') });
    market.submit({ type: 'MO', quantity: decimal('10') });
    const trail = market.submit({
      ...{ side: 'sell', type: 'TSLPAMT', trailingAmount: decimal('4'), limitOffset: decimal('1') },
    });
    for (const [index, price] of [103, 107, 104, 106].entries()) market.price(index + 1, price);
    expect(market.order(stop)).toEqual(['VarietiesNotReported', undefined]);
    expect(market.order(trail)).toEqual(['VarietiesNotReported', undefined]);
    market.price(10, 103);
    expect(market.order(trail)[0]).toBe('FilledStatus');
    market.price(11, 108.5);
    expect(market.order(stop)).toEqual(['FilledStatus', '108.5']);
  });

  it('does not trigger a stop at the first price after it, but from the side of that price', () => {
    const market = aLiveMarket({ soFar: false });
    const above = market.submit({ type: 'MIT', triggerPrice: decimal('108') });
    const below = market.submit({ type: 'LIT', triggerPrice: decimal('95'), price: decimal('96') });
    const equal = market.submit({ type: 'MIT', triggerPrice: decimal('100') });
    market.price(1, 100);
    expect(market.order(equal)).toEqual(['FilledStatus', '100']);
    expect([market.order(above)[0], market.order(below)[0]]).toEqual(Array(2).fill('VarietiesNotReported'));
    market.price(2, 94);
    market.price(3, 109);
    expect(market.order(below)).toEqual(['FilledStatus', '94']);
    expect(market.order(above)).toEqual(['FilledStatus', '109']);
  });

  it('continues after a split by an operator: prices before and after count new shares', () => {
    const market = aLiveMarket();
    market.submit({ type: 'MO', quantity: decimal('11') });
    const limit = market.submit({ price: decimal('96') });
    const stop = market.submit({ type: 'MIT', triggerPrice: decimal('110') });
    market.price(1, 104, 300);
    market.split(2.5);
    const quote = market.simulation.quote(APPLE);
    expect([quote?.last, quote?.dayOpen, quote?.dayVolume].map(String)).toEqual(['41.6', '39.6', '13250']);
    // 27.5 new shares: the half is paid out.
    expect(market.held()).toEqual([27]);
    market.price(2, 100, 250);
    expect(market.simulation.quote(APPLE)).toMatchObject({
      last: decimal('40'),
      dayVolume: decimal('13875'),
    });
    expect(market.order(limit)[0]).toBe('NewStatus');
    market.price(3, 95);
    expect(market.order(limit)).toEqual(['FilledStatus', '38.4']);
    market.price(4, 111);
    expect(market.order(stop)).toEqual(['FilledStatus', '44.4']);
    market.split(2);
    market.price(5, 100);
    expect(market.simulation.quote(APPLE)?.last.toString()).toBe('20');
  });

  it('invents no trade by a split, and loses none', () => {
    expect([0, 1, 300].map((volume) => rescaledVolume(volume, 0.25))).toEqual([0, 4, 1_200]);
    expect([0, 1, 300].map((volume) => rescaledVolume(volume, 4))).toEqual([0, 1, 75]);
  });

  it('rejects a price that is invalid, too late, or of an unlisted symbol', () => {
    const { simulation } = aLiveMarket();
    const tick = { symbol: APPLE, time: millis(START + 1), price: 100, volume: 1 };
    expect(() => simulation.append({ ...tick, price: 0 })).toThrow(RangeError);
    expect(() => simulation.append({ ...tick, price: Number.NaN })).toThrow(RangeError);
    expect(() => simulation.append({ ...tick, time: millis(START - 60_000) })).toThrow(RangeError);
    expect(simulation.append({ ...tick, symbol: securitySymbol('TSLA.US') })).toBe(false);
  });

  it('stores more prices than its initial capacity', () => {
    const market = aLiveMarket();
    for (let after = 1; after <= 3_000; after += 1) market.price(after, 100 + (after % 2));
    expect(market.simulation.quote(APPLE)).toMatchObject({ last: decimal('100'), time: START + 3_000_000 });
  });
});
