import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BotState } from '#src/events/bot-state.ts';
import type { ForeignCharged, OrderCharged } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { dayProfit, equityAtResume } from '#src/execution/gate/day-profit.ts';
import { strategyState } from '#src/execution/gate/gather-facts.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId, orderId } from '#src/model/order.ts';
import type { Millis } from '#src/model/time.ts';
import { factSourcesOf } from '../fixtures/fact-sources.ts';
import { AAPL, at, TENCENT } from '../fixtures/market.ts';
import { acked, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';

const MONDAY = at('2024-03-04T12:00:00-05:00');
const TUESDAY = at('2024-03-05T11:00:00-05:00');
const NOON = at('2024-03-05T12:00:00-05:00');

/** The day's opening equity at Tuesday noon, after a resume at 9,800 and a round trip that left no position. */
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
  return equityAtResume({ state: fold.state, now: () => NOON })?.toNumber();
}

/** A price between 1 and 1,000 in cents. */
const aPrice = fc.integer({ min: 100, max: 100_000 }).map((cents) => decimal((cents / 100).toFixed(2)));
/** Trades of the bot and of others on the account, before and after the beginning of the day. */
const someTrades = fc.array(
  fc.record({
    symbol: fc.constantFrom(AAPL, TENCENT),
    side: fc.constantFrom('buy', 'sell'),
    quantity: fc.integer({ min: 1, max: 5_000 }),
    price: aPrice,
    fee: fc.integer({ min: 0, max: 2_000 }).map((cents) => decimal((cents / 100).toFixed(2))),
    time: fc.constantFrom(MONDAY, TUESDAY),
    isForeign: fc.boolean(),
    isChargedLater: fc.boolean(),
  }),
  { maxLength: 8 },
);
/** Known prices of a symbol; each of them may be missing. */
const somePrices = fc.record({
  last: fc.option(aPrice, { freq: 9, nil: undefined }),
  dayOpen: fc.option(aPrice, { freq: 3, nil: undefined }),
  closeBefore: fc.option(aPrice, { freq: 3, nil: undefined }),
});
type Trade = typeof someTrades extends fc.Arbitrary<readonly (infer T)[]> ? T : never;
type Prices = typeof somePrices extends fc.Arbitrary<infer T> ? T : never;

/** State after such trades and later charges. */
function stateAfter(trades: readonly Trade[]) {
  const fold = createFold();
  const charges: (OrderCharged | ForeignCharged)[] = [];
  for (const [place, trade] of trades.entries()) {
    const { symbol, side, quantity, price, time, isForeign, isChargedLater } = trade;
    const id = `I${place}`;
    const ofOrder = { at: NOON, currency: 'USD', fee: trade.fee };
    const ours = { ...ofOrder, kind: 'order-charged', intentId: intentId(id), charges: [] } as const;
    const theirs = { ...ofOrder, kind: 'foreign-charged', orderId: orderId(`O-${id}`) } as const;
    if (isChargedLater) charges.push(isForeign ? theirs : ours);
    const fee = isChargedLater ? decimal('0') : trade.fee;
    const more = { symbol, time, fee, orderId: orderId(`O-${id}`) };
    const fill = fillOf(`E${place}`, side, `${quantity}`, price.toFixed(), {
      ...more,
      intentId: intentId(id),
    });
    if (isForeign) {
      const { intentId: _ours, ...theirs } = fill;
      fold.apply({ kind: 'foreign-filled', at: time, fill: theirs });
      continue;
    }
    const intent = intentOf(id, { terms: termsOf({ symbol, side, quantity: decimal(`${quantity}`) }) });
    for (const event of acked(intent)) fold.apply(event);
    fold.apply(filled(fill));
  }
  return { fold, charges };
}

/**
 * The profit of a symbol by definition: the position's value now, minus the value of the position at the beginning of
 * the day, minus what the day's trades paid. Undefined if a required price is missing.
 */
function profitOf(trades: readonly Trade[], { last, dayOpen, closeBefore }: Prices): number | undefined {
  const signed = ({ side, quantity }: Trade) => (side === 'buy' ? quantity : -quantity);
  const held = trades.reduce((sum, trade) => sum + signed(trade), 0);
  const today = trades.filter(({ time }) => time === TUESDAY);
  const heldBefore = held - today.reduce((sum, trade) => sum + signed(trade), 0);
  const paid = today.reduce(
    (sum, trade) => sum + signed(trade) * trade.price.toNumber() + trade.fee.toNumber(),
    0,
  );
  // Without a quote there is no opening price of the day either.
  const before = closeBefore ?? (last === undefined ? undefined : dayOpen);
  if ((held !== 0 && last === undefined) || (heldBefore !== 0 && before === undefined)) return undefined;
  return held * (last?.toNumber() ?? 0) - heldBefore * (before?.toNumber() ?? 0) - paid;
}

describe('the profit of a day', () => {
  it('consists of prices, trades and charges of the bot and of others, including later charges (I-15)', () => {
    const seen = { known: 0, unknown: 0, byOpen: 0, foreign: 0, later: 0 };
    fc.assert(
      fc.property(someTrades, somePrices, aPrice, (trades, prices, rate) => {
        const { last, dayOpen, closeBefore } = prices;
        const quote = last && { value: last, at: NOON, ...(dayOpen === undefined ? {} : { dayOpen }) };
        const { fold, charges } = stateAfter(trades);
        const sources = factSourcesOf(fold.state, {
          now: () => NOON,
          reference: () => quote,
          rateOf: () => rate,
          closeBefore: () => closeBefore,
        });
        const made = [AAPL, TENCENT].map((symbol) =>
          profitOf(
            trades.filter((trade) => trade.symbol === symbol),
            prices,
          ),
        );
        const profit = made.some((each) => each === undefined)
          ? undefined
          : made.reduce<number>((sum, each) => sum + (each ?? 0), 0) * rate.toNumber();
        dayProfit(sources);
        for (const charge of charges) fold.apply(charge);
        const found = dayProfit(sources)?.toNumber();
        if (profit === undefined) expect(found).toBeUndefined();
        else expect(Math.abs((found ?? Number.NaN) - profit)).toBeLessThan(1e-2);
        seen[profit === undefined ? 'unknown' : 'known'] += 1;
        if (profit !== undefined && closeBefore === undefined && trades.some(({ time }) => time === MONDAY))
          seen.byOpen += 1;
        if (trades.some(({ isForeign, time }) => isForeign && time === TUESDAY)) seen.foreign += 1;
        if (profit !== undefined && charges.some(({ fee }) => !fee.isZero())) seen.later += 1;
      }),
      { numRuns: 300 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
  });
});

describe('the profit of a day with a split', () => {
  it.each(['2', '0.1', '3'])(
    "counts the day's trades before it in new shares, of the account and of a strategy (%s, F-D07, I-15)",
    (ratio) => {
      const fold = createFold();
      const trade = (
        id: string,
        side: 'buy' | 'sell',
        quantity: string,
        price: string,
        time: Millis,
      ): void => {
        const intent = intentOf(id, {
          strategy: 'one',
          terms: termsOf({ side, quantity: decimal(quantity) }),
        });
        for (const event of acked(intent)) fold.apply(event);
        const more = { intentId: intent.id, orderId: orderId(`O-${id}`), time, fee: decimal('0') };
        fold.apply(filled(fillOf(`E-${id}`, side, quantity, price, more)));
      };
      const profit = (price: string) => {
        const before = price === '30' ? decimal('30') : decimal('30').div(ratio);
        return [fold.state, strategyState(fold.state, 'one')].map((state) =>
          dayProfit(
            factSourcesOf(state, {
              now: () => NOON,
              reference: () => ({ value: decimal(price).div(price === '30' ? '1' : ratio), at: NOON }),
              rateOf: () => decimal('1'),
              closeBefore: () => before,
            }),
          )?.toNumber(),
        );
      };
      trade('held', 'buy', '400', '25', MONDAY);
      trade('more', 'buy', '100', '28', TUESDAY);
      const { intentId: _ours, ...byHand } = fillOf('E-hand', 'sell', '50', '31', {
        ...{ time: TUESDAY, orderId: orderId('O-hand'), fee: decimal('0') },
      });
      fold.apply({ kind: 'foreign-filled', at: TUESDAY, fill: byHand });
      expect(profit('30')).toEqual([250, 250]);
      const held = decimal('450').times(ratio);
      fold.apply({
        ...{ kind: 'corporate-action', at: NOON, action: 'split', symbol: AAPL, currency: 'USD' },
        ...{ quantity: held.minus('450'), averageCost: decimal('25').div(ratio), amount: decimal('0') },
        terms: { ratio: decimal(ratio), price: decimal('30').div(ratio) },
      });
      // Each old share is worth 31 now, one more than before.
      for (const found of profit('31')) expect(found).toBeCloseTo(250 + 450, 6);
    },
  );
});

describe('the profit of a day of one of several strategies', () => {
  it('includes its later charges, and its part of those of a manual trade that closes its position (I-15)', () => {
    const fold = createFold();
    const profit = () => {
      const state = strategyState(fold.state, 'one');
      const sources = factSourcesOf(state, {
        now: () => NOON,
        reference: () => ({ value: decimal('10'), at: NOON }),
        rateOf: () => decimal('1'),
        closeBefore: () => decimal('10'),
      });
      return dayProfit(sources)?.toNumber();
    };
    const charged = { at: NOON, currency: 'USD', fee: decimal('3') };
    for (const strategy of ['one', 'two']) {
      const intent = intentOf(strategy, {
        strategy,
        terms: termsOf({ side: 'buy', quantity: decimal('100') }),
      });
      for (const event of acked(intent)) fold.apply(event);
      const fill = {
        intentId: intent.id,
        orderId: orderId(`O-${strategy}`),
        time: TUESDAY,
        fee: decimal('0'),
      };
      fold.apply(filled(fillOf(`E-${strategy}`, 'buy', '100', '10', fill)));
    }
    expect(profit()).toBe(0);
    fold.apply({ ...charged, kind: 'order-charged', intentId: intentId('one'), charges: [] });
    expect(profit()).toBe(-3);
    fold.apply({ ...charged, kind: 'order-charged', intentId: intentId('two'), charges: [] });
    expect(profit()).toBe(-3);
    const { intentId: _ours, ...byHand } = fillOf('E-hand', 'sell', '200', '10', {
      time: TUESDAY,
      fee: decimal('0'),
    });
    fold.apply({ kind: 'foreign-filled', at: TUESDAY, fill: { ...byHand, orderId: orderId('O-hand') } });
    fold.apply({ ...charged, kind: 'foreign-charged', orderId: orderId('O-hand') });
    expect(profit()).toBe(-4.5);
  });

  it('includes its part of a dividend, which is no profit of the day before (I-15)', () => {
    const fold = createFold();
    for (const [strategy, quantity] of [['one', '100'] as const, ['two', '300'] as const]) {
      const intent = intentOf(strategy, { strategy, terms: termsOf({ quantity: decimal(quantity) }) });
      for (const event of acked(intent)) fold.apply(event);
      const fill = { intentId: intent.id, orderId: orderId(`O-${strategy}`), time: MONDAY };
      fold.apply(filled(fillOf(`E-${strategy}`, 'buy', quantity, '10', fill)));
    }
    const terms = { perShare: decimal('0.5') };
    const booked = { kind: 'corporate-action', at: TUESDAY, action: 'dividend', symbol: AAPL } as const;
    const nothing = { currency: 'USD', quantity: decimal('0') };
    fold.apply({ ...booked, ...nothing, terms, amount: decimal('200') });
    const profit = (state: BotState, now: Millis) =>
      dayProfit(
        factSourcesOf(state, {
          now: () => now,
          reference: () => ({ value: decimal('9.5'), at: now }),
          rateOf: () => decimal('1'),
          closeBefore: () => decimal(now === NOON ? '10' : '9.5'),
        }),
      )?.toNumber();
    expect([profit(fold.state, NOON), profit(strategyState(fold.state, 'one'), NOON)]).toEqual([0, 0]);
    const wednesday = at('2024-03-06T12:00:00-05:00');
    expect(profit(fold.state, wednesday)).toBe(0);
  });
});

describe('the equity at a resume without positions', () => {
  it('is the opening equity of that day', () => {
    expect(countsFrom({ resumed: at('2024-03-05T10:00:00-05:00'), traded: TUESDAY })).toBe(9800);
  });

  it('has no value for a later day, with or without trades in it (I-15)', () => {
    expect(countsFrom({ resumed: MONDAY, traded: TUESDAY })).toBeUndefined();
    expect(countsFrom({ resumed: MONDAY, traded: at('2024-03-04T13:00:00-05:00') })).toBeUndefined();
  });
});
