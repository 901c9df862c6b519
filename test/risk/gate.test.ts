import { describe, expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import { createFold } from '#src/events/fold.ts';
import { decimal } from '#src/model/decimal.ts';
import { type IntentId, intentId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { createEngineRig } from '../fixtures/engine-rig.ts';
import { AAPL, at } from '../fixtures/market.ts';
import { acked, drafted, filled, fillOf, intentOf, termsOf } from '../fixtures/orders.ts';
import { balanceOf } from '../fixtures/risk.ts';
import { answered, createGateRig, type GateRig, MORNING } from './a-gate.ts';

const quoteAt = (time: number, price = '10') => ({ value: decimal(price), at: millis(time) });

/** The rule that denied the next order, or "approved"; a denial is recorded. */
function ask(rig: GateRig, id = 'I'): string {
  const verdict = rig.judge(intentOf(id));
  if (verdict.kind === 'approved') return 'approved';
  const { rule, reason, numbers } = verdict;
  rig.fold.apply(drafted(intentOf(id)));
  rig.fold.apply({ kind: 'intent-denied', at: rig.world.now, intentId: intentId(id), rule, reason, numbers });
  return rule;
}

describe('a quote that is too old', () => {
  it('is pulled once, and the fresh one is used (I-5)', () => {
    const rig = createGateRig({
      pull: ({ world }) => {
        world.quote = quoteAt(world.now);
      },
    });
    rig.world.quote = quoteAt(MORNING - 3_001);
    expect(ask(rig)).toBe('approved');
    expect(rig.pulled).toEqual([AAPL]);
  });

  it('denies when the venue has no newer one: quotes froze, the socket is up (F-D01, I-9)', () => {
    const rig = createGateRig();
    rig.world.quote = quoteAt(MORNING - 3_001);
    expect(ask(rig)).toBe('stale-quote');
    expect(rig.pulled).toEqual([AAPL]);
  });

  it('does not trade on quotes that arrive late in a burst: their own stamp counts (F-D02)', () => {
    const rig = createGateRig();
    rig.world.quote = quoteAt(MORNING - 30_000);
    expect(ask(rig)).toBe('stale-quote');
  });

  it('is pulled if there is none', () => {
    const rig = createGateRig();
    rig.world.quote = undefined;
    expect(ask(rig)).toBe('known-facts');
    expect(rig.pulled).toEqual([AAPL]);
  });

  it('does not age while its market is closed, and continues after', () => {
    const rig = createGateRig();
    rig.world.quote = quoteAt(at('2024-03-05T15:59:59-05:00'));
    rig.world.now = at('2024-03-06T09:30:02-05:00');
    expect(ask(rig)).toBe('approved');
    rig.world.now = at('2024-03-06T09:30:02.001-05:00');
    expect(ask(rig)).toBe('stale-quote');
  });

  it('is valid as long as the venue states', () => {
    const rig = createGateRig();
    rig.world.quote = { ...quoteAt(MORNING - 60_000), standsUntil: MORNING };
    expect(ask(rig)).toBe('approved');
    rig.world.now = millis(MORNING + 3_001);
    expect(ask(rig)).toBe('stale-quote');
  });

  it('is not requested for an order that only reduces', () => {
    const rig = createGateRig();
    hold(rig, '100');
    rig.world.quote = quoteAt(0);
    const close = intentOf('CLOSE', { terms: termsOf({ side: 'sell' }) });
    expect(rig.judge(close).kind).toBe('approved');
    expect(rig.pulled).toEqual([]);
  });
});

function hold(rig: GateRig, quantity: string, time = 0): void {
  for (const event of acked(intentOf('BOUGHT', { terms: termsOf({ quantity: decimal(quantity) }) })))
    rig.fold.apply(event);
  const fill = fillOf('e1', 'buy', quantity, '10', { intentId: 'BOUGHT' as IntentId, time: millis(time) });
  rig.fold.apply(filled(fill));
}

describe('positions at a venue that does not push every change', () => {
  it('are compared before an opening order, and not again for a while', () => {
    const rig = createGateRig({ pushComplete: false });
    const asked = () => rig.venue.calls.filter((call) => call === 'positions').length;
    expect([ask(rig), ask(rig), asked()]).toEqual(['approved', 'approved', 1]);
    rig.world.now = millis(MORNING + 60_001);
    rig.world.quote = quoteAt(rig.world.now);
    expect([ask(rig), asked()]).toEqual(['approved', 2]);
  });

  it('pause opens at the first difference, with both numbers (I-13)', () => {
    const rig = createGateRig({ pushComplete: false });
    hold(rig, '100');
    expect(rig.judge(intentOf())).toMatchObject({
      rule: 'books-agree',
      reason: "Our books are not known to be the venue's: AAPL.US is 100 here and 0 at the venue",
    });
  });

  it('are compared again at once while they differ, so that opening orders wait for nothing once they agree (I-13)', () => {
    const rig = createGateRig({ pushComplete: false });
    hold(rig, '100');
    expect(ask(rig)).toBe('books-agree');
    rig.venue.hold({ AAPL: '100' }, '9000');
    expect(ask(rig)).toBe('approved');
  });

  it('do not count for cash: the last complete comparison is valid until another differs (I-13)', () => {
    let found = ['cash USD is 10000 here and 9000 at the venue'];
    let calls = 5;
    const rig = createGateRig({
      pushComplete: false,
      books: () => ({ value: found, at: millis(MORNING - 1_000) }),
      budget: {
        ...{ acquire: () => () => undefined, hasReservation: () => false },
        ...{ release: () => undefined, hasCapacity: () => true },
        ...{ setProtection: () => undefined, setUrgent: () => undefined },
        reserve: (_kind, places) => {
          calls -= places;
          return calls >= 0;
        },
        used: () => ({
          cancel: 0,
          protect: 0,
          read: 0,
          open: 0,
          others: 0,
          reserved: 10,
          max: 28,
          windowMs: 31_000,
        }),
      },
    });
    expect(ask(rig)).toBe('books-agree');
    expect([rig.venue.calls, calls]).toEqual([[], 5]);
    found = [];
    expect(ask(rig)).toBe('approved');
  });

  it('do not confirm the cash if calls are not counted (I-13)', () => {
    const differs = { value: ['cash USD is 10000 here and 9000 at the venue'], at: millis(MORNING - 1_000) };
    const rig = createGateRig({ pushComplete: false, books: () => differs });
    expect(ask(rig)).toBe('books-agree');
    expect(ask(rig)).toBe('books-agree');
  });

  it('open nothing while the venue does not report them', () => {
    const rig = createGateRig({ pushComplete: false });
    rig.venue.answers.silent.add('positions');
    expect(ask(rig)).toBe('stale-positions');
  });
});

describe('the state of the gate', () => {
  const LOST = { balance: () => answered(balanceOf({ equity: decimal('9700') })) };

  it('is changed by a breach before the denial is emitted, and denies the next order (I-15)', () => {
    const rig = createGateRig({ limits: { maxDailyLoss: decimal('0.02') }, broker: LOST });
    hold(rig, '100');
    rig.world.quote = quoteAt(MORNING, '7');
    expect(ask(rig, 'A')).toBe('daily-loss');
    expect(rig.events.at(-1)).toMatchObject({
      kind: 'gate-moved',
      state: 'killed',
      by: 'gate',
      rule: 'daily-loss',
      equity: decimal('9700'),
    });
    expect(ask(rig, 'B')).toBe('gate-state');
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
  });

  it('halts after the configured number of breaches, and denies every order from then on (F-G04)', () => {
    const rig = createGateRig({ limits: { maxBreaches: 3, maxOrderQuantity: decimal('1') } });
    const verdicts = ['A', 'B', 'C', 'D'].map((id) => ask(rig, id));
    expect(verdicts).toEqual([...Array(3).fill('max-order-quantity'), 'gate-state']);
    expect(rig.state.gate.standing).toMatchObject({ state: 'halted', rule: 'repeated-breach' });
  });

  it('counts losses and breaches again after an operator resumed', () => {
    const limits = { maxDailyLoss: decimal('0.02'), maxDrawdown: decimal('0.02') };
    const rig = createGateRig({ limits, broker: LOST });
    hold(rig, '100');
    rig.world.quote = quoteAt(MORNING, '7');
    ask(rig, 'A');
    const resume = { to: 'active', by: 'operator', rule: 'resume', reason: 'seen and understood' } as const;
    expect(rig.resume({ ...resume, reason: '' })?.kind).toBe('refused');
    expect(rig.resume(resume)?.kind).toBe('moved');
    expect(rig.state.gate).toMatchObject({ peakEquity: decimal('9700'), denials: [] });
    expect(ask(rig, 'B')).toBe('approved');
  });

  it('survives a restart: the journal contains all of it (I-14, I-21)', () => {
    const rig = createGateRig({ limits: { maxBreaches: 1, maxOrderQuantity: decimal('1') } });
    ask(rig, 'A');
    const again = createFold();
    for (const event of rig.events) again.apply(decodeEvent(encodeEvent(event)));
    expect(again.state.gate.standing).toEqual(rig.state.gate.standing);
    expect(again.state.gate.standing.state).toBe('halted');
    again.apply({
      kind: 'run-started',
      at: rig.world.now,
      schema: 1,
      strategy: 's',
      config: 'c',
      currency: 'USD',
      cash: {},
      positions: [],
    });
    expect(again.state.gate.standing.state).toBe('halted');
  });

  it('keeps the highest equity at which an order was judged', () => {
    let equity = '10000';
    const rig = createGateRig({
      broker: { balance: () => answered(balanceOf({ equity: decimal(equity) })) },
      limits: { maxDrawdown: decimal('0.1') },
    });
    const at = (now: string): string => {
      equity = now;
      return ask(rig);
    };
    expect([at('10000'), at('12000'), at('11000'), at('10799')]).toEqual([
      'approved',
      'approved',
      'approved',
      'drawdown',
    ]);
    expect(rig.state.gate.peakEquity?.toString()).toBe('12000');
    expect(rig.state.gate.standing.state).toBe('reduce-only');
    expect(rig.events.filter(({ kind }) => kind === 'equity-peaked')).toHaveLength(2);
  });
});

describe('the cash of two intents at one instant', () => {
  it("is spent once: the second is judged with the first one's reservation (I-6)", () => {
    const buy = { kind: 'order' as const, symbol: AAPL, side: 'buy' as const, quantity: 60 };
    const rig = createEngineRig({
      strategy: { onQuote: () => [buy, buy] },
      limits: { maxPositionQuantity: decimal('100') },
    });
    rig.start();
    rig.quote(10);
    expect(rig.kinds().filter((kind) => /^intent-(armed|denied)$/.test(kind))).toEqual([
      'intent-armed',
      'intent-denied',
    ]);
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toEqual(['submit I1']);
  });
});
