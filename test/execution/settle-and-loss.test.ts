import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { millis, SECOND_MS } from '#src/model/time.ts';
import type { SubmitAnswer } from '#src/ports/broker.ts';
import type { SettledOutcome } from '#src/ports/operator.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import type { OrderDraft, OrderDrafts } from '#src/strategy/order-draft.ts';
import { createEngineRig, type EngineRig } from '../fixtures/engine-rig.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import { restarted } from '../fixtures/restarting.ts';
import { runTo } from '../fixtures/time.ts';
import { buying, cancels, standing } from './a-buying-bot.ts';

/** A bot with a daily loss limit of 2 % that holds 60 AAPL.US from a close at 10 USD; pushes may be lost. */
function holding(): EngineRig {
  const rig = buying({ pushComplete: false, limits: { maxDailyLoss: decimal('0.02') } });
  rig.quote(10);
  rig.venue.execute('O-I1', { id: 'e1', quantity: '60', price: '9' });
  rig.venue.push('O-I1');
  rig.moment({ marks: [{ symbol: AAPL, close: 10 }] });
  return rig;
}

describe('losses', () => {
  it('kill at a close, although no order wants to open, and cancel what is open (I-15)', () => {
    const rig = holding();
    expect(standing(rig).state).toBe('active');
    rig.venue.answers.equity = '9700';
    rig.venue.hold({ AAPL: '60' }, '9460');
    rig.price(5);
    rig.moment({ marks: [{ symbol: AAPL, close: 5 }] });
    expect(standing(rig)).toMatchObject({ state: 'killed', by: 'gate', rule: 'daily-loss' });
    expect(cancels(rig)).toEqual(['cancel O-I1']);
  });

  it('kill within a minute between closes too, by the quotes: a bar may take a day (I-15)', () => {
    const rig = holding();
    rig.venue.answers.equity = '9760';
    rig.venue.hold({ AAPL: '60' }, '9460');
    rig.price(5, 10);
    runTo(rig.clock, millis(rig.clock.now() + 61 * SECOND_MS));
    expect(standing(rig)).toMatchObject({ state: 'killed', by: 'gate', rule: 'daily-loss' });
  });

  it("kill nothing while positions differ from the venue's, and cause a comparison of the books (F-D07, I-13)", () => {
    const rig = holding();
    rig.venue.answers.equity = '9700';
    rig.venue.hold({ AAPL: '120' }, '9460');
    rig.price(5);
    rig.moment({ marks: [{ symbol: AAPL, close: 5 }] });
    expect(standing(rig).state).not.toBe('killed');
    while (standing(rig).state !== 'halted') rig.clock.fireNext();
    expect(standing(rig)).toMatchObject({ by: 'books', rule: 'books-diverged' });
    expect(cancels(rig)).toEqual([]);
    expect(rig.clock.now()).toBeLessThan(60_000);
  });
});

describe('a loss that stays near its limit', () => {
  it('is judged at once when it comes near and when it passes it, otherwise 5 s apart: calls are few (I-15, I-17)', () => {
    const rig = buying({
      pushComplete: false,
      limits: { maxDailyLoss: decimal('1'), maxDrawdown: decimal('0.02') },
    });
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '60', price: '9' });
    rig.venue.push('O-I1');
    rig.venue.answers.equity = '9802';
    /** How often the account is read in this number of closes at a price. */
    const askedIn = (closes: number, price: number): number => {
      const asked = () => rig.venue.calls.filter((call) => call.startsWith('balance')).length;
      const before = asked();
      rig.price(price);
      for (let close = 0; close < closes; close++) rig.moment({ marks: [{ symbol: AAPL, close: price }] });
      return asked() - before;
    };
    expect(askedIn(50, 10)).toBe(0);
    expect(askedIn(50, 5.7)).toBe(1);
    expect(askedIn(1, 5.8) + askedIn(50, 5.7)).toBe(0);
    expect(askedIn(50, 5.5)).toBe(1);
    runTo(rig.clock, millis(rig.clock.now() + 5 * SECOND_MS));
    expect(askedIn(50, 5.5)).toBe(1);
    expect(standing(rig).state).toBe('active');
    rig.venue.answers.equity = '9799';
    runTo(rig.clock, millis(rig.clock.now() + 5 * SECOND_MS));
    expect(askedIn(1, 5.5)).toBe(1);
    expect(standing(rig)).toMatchObject({ state: 'reduce-only', rule: 'drawdown' });
  });
});

describe('while the bot does not know the equity', () => {
  it("losses are judged by the venue's own figure, a minute apart (I-15, F-D12)", () => {
    const rig = buying({ pushComplete: false, limits: { maxDrawdown: decimal('0.1') } });
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '60', price: '9' });
    rig.venue.push('O-I1');
    rig.moment({ marks: [{ symbol: AAPL, close: 10 }] });
    rig.price(Number.NaN);
    rig.venue.answers.equity = '8000';
    const asked = () => rig.venue.calls.filter((call) => call.startsWith('balance')).length;
    const before = asked();
    rig.moment({ marks: [{ symbol: AAPL, close: Number.NaN }] });
    rig.moment({ marks: [{ symbol: AAPL, close: Number.NaN }] });
    expect(rig.engine.equityNow()).toBeNaN();
    expect(asked() - before).toBe(1);
    expect(standing(rig)).toMatchObject({ state: 'reduce-only', rule: 'drawdown' });
  });
});

describe('an order that cannot be computed', () => {
  it('is left out with an alarm that gives the reason, once for each reason (F-G06)', () => {
    const reported: string[] = [];
    const rig = buying({
      strategy: { onQuote: (_quote, { orders }) => orders.buy(AAPL, 100, { type: 'LO', price: Number.NaN }) },
      onAlarm: ({ code, message }) => reported.push(`${code}: ${message}`),
    });
    rig.quote(10);
    rig.quote(10);
    expect(reported).toEqual([
      'order-left-out: An order in "AAPL.US" that the strategy wants was left out: price NaN is not a number',
    ]);
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
  });
});

describe('a position that should have an exit', () => {
  it.each<[string, ExitTerms, string]>([
    ['a stop without a valid price', { stop: { percent: 150 } }, '"stop" is 150 % down, want less than 100'],
    ['a trail that never moves', { trail: { percent: 100 } }, '"trail" is 100 % down, want less than 100'],
  ])('is not opened with %s, and an alarm gives the reason (F-G06)', (_what, exits, why) => {
    const reported: string[] = [];
    const rig = buying({
      strategy: { onQuote: (_quote, { orders }) => orders.bracket(orders.buy(AAPL, 100), exits) },
      onAlarm: ({ message }) => reported.push(message),
    });
    rig.quote(10);
    expect(reported).toEqual([`An order in "AAPL.US" that the strategy wants was left out: exit ${why}`]);
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
  });

  it.each<[string, ExitTerms, RegExp]>([
    ['a trail as text', { trail: { percent: '5%' } }, /returned an exits\.trail\.?\S* that is .*"5%"/],
    [
      'a stop of NaN',
      { stop: Number.NaN },
      /returned an exits\.stop that is NaN, want a price such as .* above zero/,
    ],
    [
      'a stop below zero',
      { stop: { percent: -5 } },
      /returned an exits\.stop that is \{ percent: -5 \}, want .* above zero/,
    ],
    [
      'no minutes',
      { afterMinutes: 0 },
      /returned an exits\.afterMinutes that is 0, want a number of minutes above zero/,
    ],
  ])('is not opened with %s, which fails the strategy (F-G06)', (_what, exits, why) => {
    const rig = buying({
      strategy: { onQuote: (_quote, { orders }) => orders.bracket(orders.buy(AAPL, 100), exits) },
    });
    rig.quote(10);
    expect(rig.status()).toMatch(why);
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
  });
});

describe('an algorithm with invalid terms', () => {
  it.each<[string, (orders: OrderDrafts) => OrderDraft, string]>([
    [
      'slices of zero minutes',
      (o) => o.twap(o.buy(AAPL, 100), { minutes: 0, parts: 4 }),
      'a twap of "AAPL.US"',
    ],
    ['an iceberg that shows nothing', (o) => o.iceberg(o.buy(AAPL, 100), { shown: 0 }), 'an iceberg of 100'],
    ['a leg of NaN shares', (o) => o.oco([o.buy(AAPL, 1), o.buy(AAPL, Number.NaN)]), 'quantity NaN'],
  ])('is left out with an alarm: %s (F-G06)', (_what, draft, why) => {
    const reported: string[] = [];
    const rig = buying({
      strategy: { onQuote: (_quote, { orders }) => draft(orders) },
      onAlarm: ({ message }) => reported.push(message),
    });
    rig.quote(10);
    expect(reported).toEqual([
      expect.stringContaining(`An order in "AAPL.US" that the strategy wants was left out: ${why}`),
    ]);
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
  });

  it('fails the strategy if it is a chase without a valid bound (F-G06)', () => {
    const rig = buying({
      strategy: {
        onQuote: (_quote, { orders }) =>
          orders.chase(orders.buy(AAPL, 1), { bound: { percent: Number.NaN }, minutes: 5, atEnd: 'cancel' }),
      },
    });
    rig.quote(10);
    expect(rig.status()).toMatch(/returned a bound that is \{ percent: NaN \}, want .* above zero/);
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
  });
});

describe('an operator who knows more than the venue reports', () => {
  function inDoubt(): EngineRig {
    const rig = buying({ pushComplete: false });
    rig.venue.answers.submit = () => of<SubmitAnswer>({ kind: 'unknown', message: 'timed out' });
    rig.quote(10);
    return rig;
  }
  const only = (rig: EngineRig) => [...rig.engine.state.live.values()][0]?.intentId ?? intentId('NONE');

  it('settles an order as dead, and its cash is free again (T-55)', () => {
    const rig = inDoubt();
    const id = only(rig);
    const outcomes = rig.command(
      { kind: 'settle', intentId: id, outcome: { kind: 'dead' } },
      'asked by phone',
    );
    expect(outcomes[0]?.kind).toBe('done');
    expect(rig.engine.state.live.size).toBe(0);
    expect(rig.engine.state.order(id)?.facets.submission.kind).toBe('settled');
  });

  it('settles an order as filled, and the books have it; more than is open is refused (T-55)', () => {
    const rig = inDoubt();
    const filled = (quantity: string) => ({
      kind: 'settle' as const,
      intentId: only(rig),
      outcome: { kind: 'filled' as const, quantity: decimal(quantity), price: decimal('9') },
    });
    expect(rig.command(filled('101'))[0]?.kind).toBe('refused');
    expect(rig.command(filled('100'))[0]?.kind).toBe('done');
    expect(rig.engine.state.portfolio.holdings.get(AAPL)?.quantity.toString()).toBe('100');
  });

  it.each([
    ['without a price', '100', '0', 'its price is 0, want one above zero'],
    ['of half a share', '9.5', '9', '9.5 is no whole number of shares'],
    ['with quantity and price swapped', '9', '100', '100 is worse than its limit of 9'],
  ])('does not settle an order as filled %s (T-55)', (_what, quantity, price, why) => {
    const rig = inDoubt();
    const outcome = { kind: 'filled' as const, quantity: decimal(quantity), price: decimal(price) };
    const command = { kind: 'settle' as const, intentId: only(rig), outcome };
    expect(rig.command(command)).toMatchObject([
      { kind: 'refused', message: expect.stringContaining(why) as string },
    ]);
    expect(rig.engine.state.portfolio.holdings.has(AAPL)).toBe(false);
  });

  it('does not guess the currency of a fill in a symbol that the config no longer names (T-55, I-13)', () => {
    const first = createEngineRig({
      symbols: [TENCENT],
      strategy: { onQuote: (_quote, { orders }) => orders.buy(TENCENT, 100, { type: 'LO', price: 9 }) },
    });
    first.venue.answers.submit = () => of<SubmitAnswer>({ kind: 'unknown', message: 'timed out' });
    first.start();
    first.quote(10);
    const rig = restarted([...first.journal.replay()]);
    const filled = { kind: 'filled' as const, quantity: decimal('100'), price: decimal('9') };
    const settle = (outcome: SettledOutcome) => rig.command({ kind: 'settle', intentId: only(rig), outcome });
    expect(settle(filled)).toMatchObject([
      { kind: 'refused', message: expect.stringContaining('the currency of 700.HK is not known') as string },
    ]);
    expect(rig.engine.state.portfolio.holdings.size).toBe(0);
    expect(settle({ kind: 'dead' })[0]?.kind).toBe('done');
  });

  it("adopts the venue's books after a divergence, and resumes (F-O04, F-B21)", () => {
    const rig = buying();
    rig.venue.hold({ AAPL: '40' }, '9600');
    rig.command({ kind: 'halt' });
    expect(rig.command({ kind: 'resume' })[0]?.kind).toBe('refused');
    expect(rig.command({ kind: 'adopt-books' }, 'bought by phone')[0]?.kind).toBe('done');
    expect(rig.command({ kind: 'resume' })[0]?.kind).toBe('done');
    expect(rig.engine.state.portfolio.holdings.get(AAPL)?.quantity.toString()).toBe('40');
  });
});

describe('a strategy that fails', () => {
  /** Buys at the first quote and throws at the second; returns the later calls to the venue. */
  function failing(whenStrategyFails?: 'keep' | 'cancel' | 'close', filled = false): readonly string[] {
    let quotes = 0;
    const rig = buying({
      ...(whenStrategyFails === undefined ? {} : { whenStrategyFails }),
      strategy: {
        onQuote: (_quote, { orders }) => {
          quotes += 1;
          if (quotes > 1) throw new Error('out of bars');
          return orders.buy(AAPL, 100, { type: 'LO', price: 9 });
        },
      },
    });
    rig.quote(10);
    if (filled) {
      rig.venue.execute('O-I1', { id: 'e1', quantity: '100', price: '9' });
      rig.venue.push('O-I1');
    }
    rig.venue.calls.length = 0;
    rig.quote(10);
    expect(rig.status()).toContain('out of bars');
    return rig.venue.calls.filter((call) => /^(cancel|submit)/.test(call));
  }

  it('has its orders cancelled, unless its config keeps them (I-16)', () => {
    expect(failing()).toEqual(['cancel O-I1']);
    expect(failing('cancel')).toEqual(['cancel O-I1']);
    expect(failing('keep')).toEqual([]);
  });

  it('fails with its signals as with its hooks: journaled, orders cancelled, and the run finished (I-16)', () => {
    const rig = buying({
      strategy: { onQuote: (_quote, { orders }) => orders.buy(AAPL, 100, { type: 'LO', price: 9 }) },
    });
    rig.quote(10);
    rig.moment({
      marks: [{ symbol: AAPL, close: 11 }],
      failure: { kind: 'failed', message: 'own indicator', stack: '' },
    });
    expect(rig.venue.calls.filter((call) => call.startsWith('cancel'))).toEqual(['cancel O-I1']);
    expect(rig.kinds()).toContain('strategy-failed');
    expect(rig.status()).toBe('own indicator');
  });

  it('has its positions closed where its config requires it (I-16)', () => {
    expect(failing('close', true)).toEqual(['submit I2']);
    expect(failing('cancel', true)).toEqual([]);
  });
});
