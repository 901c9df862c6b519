import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDelivered } from '#src/hosts/notifier/notifier-messages.ts';
import { readRuleAnswer } from '#src/hosts/rules/rule-worker.ts';
import { readDecision } from '#src/hosts/strategy/read-draft.ts';
import {
  decimalOf,
  decimalText,
  packPlain,
  packRequest,
  unpackPlain,
  unpackRequest,
} from '#src/hosts/strategy/request-codec.ts';
import { readStrategyAnswer, readStrategyReady } from '#src/hosts/strategy/worker-messages.ts';
import { readMessage } from '#src/hosts/workers/rpc-worker.ts';
import type { Bar } from '#src/model/bar.ts';
import { Decimal, decimal } from '#src/model/decimal.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { AAPL } from '../fixtures/market.ts';
import { barQuestion, someQuestion, startQuestion } from '../fixtures/questions.ts';
import { someFigure } from '../fixtures/some-figures.ts';

describe('the codec between threads', () => {
  it('restores a request field by field in the same order', () => {
    fc.assert(
      fc.property(someQuestion, (question) => {
        const crossed = unpackRequest(structuredClone(packRequest(question)));
        expect(crossed).toEqual(question);
        expect(Object.keys(crossed.event)).toEqual(Object.keys(question.event));
      }),
    );
  });

  it('restores a signal whose value is called "decimal"', () => {
    const named = { kind: 'signal', values: { decimal: 1.5 }, at: { decimal: decimal('2.50') } };
    expect(unpackPlain(structuredClone(packPlain(named)))).toEqual(named);
  });

  it('restores every Decimal to its last digit, as a Decimal', () => {
    fc.assert(
      fc.property(someFigure, (figure) => {
        const read = decimalOf(decimalText(figure));
        expect(read?.eq(figure)).toBe(true);
        expect(read?.constructor).toBe(Decimal);
      }),
    );
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, '1e-500', '1e400'];
    for (const value of odd) {
      const figure = new Decimal(value);
      expect(decimalOf(decimalText(figure))?.valueOf()).toBe(figure.valueOf());
    }
  });

  it.each(['', ' 1', '1,000', '0x10', '1_0', 'Infinity1', '--1', '1.', '.5', 7, null, undefined, {}])(
    'restores no Decimal from another notation: %j',
    (text) => {
      expect(decimalOf(text)).toBeUndefined();
    },
  );

  it('restores a draft with its figures as the author wrote them', () => {
    const price = decimal('412.40');
    const drafts = [
      orderDrafts.buy(AAPL, price, { type: 'LO', price, limitOffset: decimal('-0.1'), triggerPrice: '7' }),
      orderDrafts.sell(AAPL, '100'),
      orderDrafts.targetQuantity(AAPL, -5, 'short'),
      orderDrafts.targetWeight(AAPL, Number.NaN),
      orderDrafts.targetNotional(AAPL, '20000 USD'),
      orderDrafts.bracket(orderDrafts.targetRisk(AAPL, { share: 0.01, atr: Number.NaN, multiple: 2 }), {
        stop: { amount: '2.5' },
      }),
      orderDrafts.twap(orderDrafts.targetNotional(AAPL, '-1 HKD', 'short'), { minutes: 5, parts: 2 }),
      orderDrafts.rebalance({ [AAPL]: 0.5 }, 'monthly'),
      orderDrafts.rebalance({}),
    ];
    const crossed = unpackPlain(structuredClone(packPlain(drafts)));
    expect(readDecision(crossed, 10)).toEqual({ kind: 'drafts', drafts });
  });
});

describe('the value that a hook returned', () => {
  const order = orderDrafts.buy(AAPL, 1);
  const odd = (value: unknown): boolean => readDecision(value, 10).kind === 'odd';

  it('is read once and copied: getters, proxies and later changes reach no further (F-G06)', () => {
    let reads = 0;
    const draft = {
      ...order,
      get quantity() {
        reads += 1;
        return reads;
      },
    };
    const read = readDecision([draft, new Proxy({ ...order }, {})], 10);
    expect(read).toEqual({ kind: 'drafts', drafts: [order, order] });
    expect(reads).toBe(1);
  });

  it('loses terms that are encoded elsewhere, and is invalid with a field that no draft has', () => {
    const terms = { type: 'LO', symbol: 'AAPL.US', side: 'sell', quantity: 7 };
    expect(odd({ ...order, urgent: true })).toBe(true);
    expect(readDecision({ ...order, terms }, 10)).toEqual({
      kind: 'drafts',
      drafts: [{ ...order, terms: { type: 'LO' } }],
    });
  });

  it.each<[string, unknown]>([
    ['a term of the wrong type', { ...order, terms: { limitOffset: true } }],
    ['a term that only looks like a Decimal', { ...order, terms: { limitOffset: { s: 1, e: 0, d: [1] } } }],
    ['a forged Decimal', { ...order, quantity: { toStringTag: '[object Decimal]', valueOf: () => '0x1' } }],
    ['a figure of 101 characters', { ...order, quantity: '1'.repeat(101) }],
    ['a Decimal of 101 digits', { ...order, quantity: new Decimal('1'.repeat(101)) }],
    ['a reason of 1001 characters', { ...order, reason: 'x'.repeat(1_001) }],
    ['a reason that is no text', { ...order, reason: 7 }],
    ['a rebalance without weights', { kind: 'rebalance', symbol: AAPL }],
    ['weights in a list', orderDrafts.rebalance([0.5] as never)],
    ['a weight that is no number', orderDrafts.rebalance({ [AAPL]: '0.5' as never })],
    ['weights of 1,001 symbols', orderDrafts.rebalance(many(1_001))],
  ])('is invalid with %s (F-G06, I-23)', (_what, value) => {
    expect(odd(value)).toBe(true);
  });

  it('is valid right at the limits (I-23)', () => {
    expect(odd({ ...order, quantity: '1'.repeat(100), reason: 'x'.repeat(1_000) })).toBe(false);
    expect(odd(orderDrafts.rebalance(many(1_000)))).toBe(false);
  });

  it('is drafts or invalid, for any value (F-G06)', () => {
    fc.assert(
      fc.property(fc.anything({ withProxy: false } as object), (value) => {
        expect(['drafts', 'odd']).toContain(readDecision(value, 10).kind);
      }),
    );
  });
});

describe('a message from a thread in which foreign code runs', () => {
  const event = { kind: 'event', request: startQuestion(1) } as const;
  const readers = [
    readRuleAnswer,
    (value: unknown) => readDelivered(value, (text) => text),
    (value: unknown) => readStrategyAnswer(value, event, 10),
    (value: unknown) => readStrategyAnswer(value, { kind: 'bars', bars: [] }, 10),
    (value: unknown) => readStrategyAnswer(value, { kind: 'nodes' }, 10),
    (value: unknown) => readStrategyAnswer(value, { kind: 'series', symbol: AAPL }, 10),
  ];

  it('is valid or dropped, whatever it is (F-G06)', () => {
    const someAnswer = fc.record({
      kind: fc.constantFrom('drafts', 'failed', 'ready', 'over', 'carried', 'answer'),
      answer: fc.anything(),
      number: fc.anything(),
      drafts: fc.anything(),
      message: fc.anything(),
      stack: fc.anything(),
      name: fc.anything(),
      facts: fc.anything(),
      graph: fc.anything(),
      state: fc.anything(),
    });
    const kinds = ['drafts', 'failed', 'carried', 'pass', 'deny', 'readings', 'nodes', 'series'];
    fc.assert(
      fc.property(fc.oneof(fc.anything(), someAnswer), (value) => {
        const message = readMessage(value);
        if (message?.kind === 'answer') expect(message.number).toBeTypeOf('number');
        if (message?.kind === 'over') expect(message.what).toBeTypeOf('string');
        expect(['ok', 'odd']).toContain(readStrategyReady(value).kind);
        for (const read of readers) expect([undefined, ...kinds]).toContain(read(value)?.kind);
      }),
    );
  });

  it.each([{ toString: 0 }, Object.create(null), '1', undefined])(
    'is dropped with %o for a number',
    (number) => {
      expect(readMessage({ kind: 'answer', number, answer: { kind: 'pass' } })).toBeUndefined();
    },
  );

  it('is dropped with an answer to another request', () => {
    const quiet = { kind: 'readings', readings: [{ isWarmedUp: true, signals: [] }] };
    const bars = (length: number) =>
      ({ kind: 'bars', bars: Array.from({ length }, (_, time) => someBar(time)) }) as const;
    expect(readStrategyAnswer(quiet, bars(1), 10)).toEqual(quiet);
    expect(readStrategyAnswer(quiet, bars(2), 10)).toBeUndefined();
    expect(readStrategyAnswer(quiet, event, 10)).toBeUndefined();
    expect(readStrategyAnswer(quiet, { kind: 'nodes' }, 10)).toBeUndefined();
    expect(readStrategyAnswer(quiet, { kind: 'series', symbol: AAPL }, 10)).toBeUndefined();
  });

  it('is dropped with drafts that our own part of the thread would have refused', () => {
    const message = (drafts: unknown) => readStrategyAnswer({ kind: 'drafts', drafts }, event, 2);
    const draft = packPlain(orderDrafts.buy(AAPL, decimal('1')));
    expect(message([draft, draft])).toMatchObject({ drafts: [{ quantity: decimal('1') }, {}] });
    expect(message([draft, draft, draft])).toBeUndefined();
    expect(message([{ kind: 'order' }])).toBeUndefined();
    expect(message([{ kind: 'order', quantity: { decimal: 'one' } }])).toBeUndefined();
    expect(message('buy')).toBeUndefined();
  });
});

function someBar(time: number): Bar {
  const { event } = barQuestion(time);
  if (event.kind !== 'bar') throw new Error('A question about a bar has another event');
  return event.bar;
}

function many(symbols: number): Readonly<Record<string, number>> {
  return Object.fromEntries(Array.from({ length: symbols }, (_, at) => [`S${at}.US`, 0]));
}
