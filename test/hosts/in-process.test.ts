import { describe, expect, it } from 'vitest';
import { createInProcessHost, DRAFTS_MAX } from '#src/hosts/strategy/in-process.ts';
import { Decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import type { StrategyAnswer } from '#src/ports/strategy-host.ts';
import { toObservable } from '#src/ports/to-observable.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { AAPL, quoteOf } from '../fixtures/market.ts';

const snapshot = { now: millis(7), equity: 1_000, symbols: {} };
const start = { kind: 'start', time: millis(7) } as const;

/** The host's result for an onStart that returns this; the value has any type, as a plugin's may. */
function answerTo(onStart: () => unknown): StrategyAnswer {
  const strategy = defineStrategy({ name: 'odd', params: {}, onStart: onStart as () => undefined });
  const host = createInProcessHost({ strategy, params: {}, symbols: [AAPL] });
  const answers: StrategyAnswer[] = [];
  toObservable(host.call({ event: start, snapshot })).subscribe((answer) => answers.push(answer));
  const [answer] = answers;
  if (answer === undefined || answers.length !== 1)
    throw new Error(`Got ${answers.length} answers, want one`);
  return answer;
}

const failure = (onStart: () => unknown): string => {
  const answer = answerTo(onStart);
  return answer.kind === 'failed' ? answer.message : `${answer.drafts.length} drafts`;
};

const buy = orderDrafts.buy(AAPL, 1);

describe('the in-process host', () => {
  it('returns one draft, several, or none', () => {
    expect(answerTo(() => buy)).toEqual({ kind: 'drafts', drafts: [buy] });
    expect(answerTo(() => [buy, orderDrafts.close(AAPL)])).toMatchObject({ drafts: [buy, { quantity: 0 }] });
    expect(answerTo(() => undefined)).toEqual({ kind: 'drafts', drafts: [] });
    expect(answerTo(() => [])).toEqual({ kind: 'drafts', drafts: [] });
  });

  it('listens to exactly the hooks that the strategy has', () => {
    const none = () => undefined;
    const strategy = defineStrategy({ name: 'two', params: {}, onBar: none, onFill: none });
    const host = createInProcessHost({ strategy, params: {}, symbols: [AAPL] });
    expect([...host.listensTo].sort()).toEqual(['bar', 'fill']);
  });

  it('calls the hook of the event, with the context of that moment', () => {
    const asked: unknown[] = [];
    const strategy = defineStrategy({
      name: 'two',
      params: {},
      onQuote: (event, context) => {
        asked.push(event.kind, context.now, context.equity, context.symbols);
      },
      onStart: () => {
        asked.push('start');
      },
    });
    const host = createInProcessHost({ strategy, params: {}, symbols: [AAPL] });
    const time = millis(7);
    toObservable(
      host.call({ event: { kind: 'quote', symbol: AAPL, time, quote: quoteOf(AAPL, 7, 10) }, snapshot }),
    ).subscribe();
    expect(asked).toEqual(['quote', 7, 1_000, [AAPL]]);
  });

  it('calls the strategy only once there is a subscriber', () => {
    let asked = 0;
    const strategy = defineStrategy({
      name: 'shy',
      params: {},
      onStart: () => {
        asked += 1;
      },
    });
    const host = createInProcessHost({ strategy, params: {}, symbols: [] });
    const answer$ = host.call({ event: start, snapshot });
    expect(asked).toBe(0);
    toObservable(answer$).subscribe();
    expect(asked).toBe(1);
  });
});

describe('a strategy that misbehaves', () => {
  it('fails with what it threw, where, and its stack (I-16, F-G02)', () => {
    const answer = answerTo(() => {
      throw new RangeError('index out of bars');
    });
    expect(answer).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(
        /^Strategy "odd" threw in onStart: index out of bars \(at .*in-process\.test\.ts:\d+:\d+\)$/,
      ),
      stack: expect.stringContaining('in-process.test.ts'),
    });
  });

  it.each([
    ['a text', 'oops', 'oops'],
    ['undefined', undefined, 'undefined'],
    ['an object', { code: 7 }, '[object Object]'],
  ])('fails when it throws %s (F-G02)', (_what, thrown, shown) => {
    expect(
      failure(() => {
        throw thrown;
      }),
    ).toBe(`Strategy "odd" threw in onStart: ${shown}`);
  });

  it('fails when a hook is async, and its rejection ends nothing (F-G02, F-G03)', async () => {
    const message =
      'Strategy "odd" returned a Promise (hooks are plain functions: remove "async"), want what context.orders gives, or undefined for nothing (in onStart)';
    expect(failure(async () => buy)).toBe(message);
    expect(failure(() => Promise.reject(new Error('too late to hear')))).toBe(message);
    await Promise.resolve();
  });

  it.each<[unknown, string]>([
    [
      false,
      'returned a boolean (false), want what context.orders gives, or undefined for nothing (in onStart)',
    ],
    [
      { orders: buy },
      'returned { orders } without a state, want the orders themselves, or { state, orders }',
    ],
    [[[buy]], 'returned a list within a list, want what'],
    [
      { ...buy, symbol: 'AAPL' },
      'returned an order in "AAPL", which is none of its symbols (AAPL.US), did you mean "AAPL.US"? (in onStart)',
    ],
    [
      { kind: 'rebalance', weights: { 'AAPL.US': 0.5, '700.HK': 0.5 } },
      'returned an order in "700.HK", which is none of its symbols (AAPL.US) (in onStart)',
    ],
  ])('names what it returned and what is expected: %j', (returned, message) => {
    expect(failure(() => returned)).toContain(`Strategy "odd" ${message}`);
  });

  it.each<[string, unknown]>([
    ['a number', 1],
    ['a text', 'buy'],
    ['true', true],
    ['a function', () => buy],
    ['an empty object', {}],
    ['a draft without a kind', { ...buy, kind: 'purchase' }],
    ['a draft without a symbol', { ...buy, symbol: undefined }],
    ['an order without a side', { ...buy, side: undefined }],
    ['an order with an unknown side', { ...buy, side: 'hold' }],
    ['an order without a quantity', { ...buy, quantity: undefined }],
    ['an order with a bigint quantity', { ...buy, quantity: 1n }],
    ['an order with odd terms', { ...buy, terms: 'LO' }],
    ['an order with an odd price', { ...buy, terms: { type: 'LO', price: null } }],
    ['a weight as a text', { kind: 'target-weight', symbol: AAPL, weight: '0.5' }],
    ['a target without a value', { kind: 'target-quantity', symbol: AAPL }],
    ['a list within a list', [[buy]]],
    ['a list with a gap', [buy, undefined]],
    ['a list with null', [null]],
    [
      'a getter that throws',
      {
        ...buy,
        get quantity() {
          throw new Error('gotcha');
        },
      },
    ],
  ])('fails when it returns %s (I-16, F-G06)', (_what, value) => {
    expect(failure(() => value)).toMatch(
      /^Strategy "odd" (returned .+, want .+ \(in onStart\)|threw in onStart: gotcha \(at .+\))$/,
    );
  });

  it.each([
    [
      'terms',
      { ...buy, terms: { limit: 5 } },
      '"limit" in the terms of an order (did you mean "price"?), want any of type, ',
    ],
    [
      'exits',
      { ...buy, exits: { stopLoss: { percent: 5 } } },
      '"stopLoss" in the exits of an order (did you mean "stop"?), want any of stop, target, trail, breakEven, afterMinutes, beforeCloseMinutes',
    ],
    [
      'exits',
      { ...buy, exits: { stopp: 5 } },
      '"stopp" in the exits of an order (did you mean "stop"?), want any of stop, target, ',
    ],
  ])(
    'fails at an unknown name in the %s of an order, which might have a meaning (F-G06)',
    (_where, draft, what) => {
      expect(failure(() => draft)).toContain(`Strategy "odd" returned ${what}`);
    },
  );

  const wrongExits: readonly (readonly [unknown, string])[] = [
    [
      { stop: '2%' },
      'an exits.stop that is "2%", want a price such as 95.5, { percent: 2 } (2 %) or { amount: 1.5 }',
    ],
    [{ stop: { percent: '2%' } }, 'an exits.stop that is { percent: "2%" }, want a price'],
    [
      { target: { percent: 2, amount: 1 } },
      'an exits.target that is { percent: 2, amount: 1 }, want a price',
    ],
    [{ target: true }, 'an exits.target that is true, want a price'],
    [{ stop: -1 }, 'an exits.stop that is -1, want a price such as 95.5, '],
    [{ stop: 0 }, 'an exits.stop that is 0, want a price such as 95.5, '],
    [{ stop: Number.NaN }, 'an exits.stop that is NaN, want a price such as 95.5, '],
    [{ target: '-3' }, 'an exits.target that is "-3", want a price such as 95.5, '],
    [{ stop: { percent: 0 } }, 'an exits.stop that is { percent: 0 }, want a price such as 95.5, '],
    [{ trail: { amount: Number.NaN } }, 'an exits.trail that is { amount: NaN }, want { percent: 2 }'],
    [
      { stop: { percent: 2, of: 'entry' } },
      'an exits.stop that is { percent: 2, of: "entry" }, want a price',
    ],
    [{ afterMinutes: 0 }, 'an exits.afterMinutes that is 0, want a number of minutes above zero'],
    [
      { beforeCloseMinutes: Number.POSITIVE_INFINITY },
      'an exits.beforeCloseMinutes that is Infinity, want a number',
    ],
    [{ trail: 5 }, 'an exits.trail that is 5, want { percent: 2 } (2 %) or { amount: 1.5 }'],
    [{ breakEven: { pct: 1 } }, 'an exits.breakEven that is { pct: 1 }, want { percent: 2 }'],
    [{ afterMinutes: '30' }, 'an exits.afterMinutes that is "30", want a number of minutes'],
    [
      { beforeCloseMinutes: [5] },
      'an exits.beforeCloseMinutes that is a list of 1, want a number of minutes',
    ],
    ['2%', 'exits that are "2%", want an object such as { stop: { percent: 2 } }'],
    [null, 'exits that are null, want an object'],
  ];

  it.each(wrongExits)('fails at exits of a wrong form in a draft: %j (F-G06)', (exits, what) => {
    expect(failure(() => ({ ...buy, exits }))).toContain(`Strategy "odd" returned ${what}`);
  });

  it.each(wrongExits)(
    'fails at exits of a wrong form that the strategy declares, before it has an order: %j (F-G06)',
    (exits, what) => {
      const strategy = defineStrategy({
        name: 'odd',
        params: {},
        exits: () => exits as ExitTerms,
        onStart: () => undefined,
      });
      const answers: StrategyAnswer[] = [];
      toObservable(
        createInProcessHost({ strategy, params: {}, symbols: [AAPL] }).call({ event: start, snapshot }),
      ).subscribe((answer) => answers.push(answer));
      expect(answers).toEqual([
        expect.objectContaining({
          kind: 'failed',
          message: expect.stringContaining(`Strategy "odd" declares ${what}`),
        }),
      ]);
    },
  );

  it('accepts decimals as texts in exits', () => {
    const exits = { stop: '95.5', target: { percent: '2' }, trail: { amount: 1.5 } };
    expect(answerTo(() => ({ ...buy, exits }))).toEqual({ kind: 'drafts', drafts: [{ ...buy, exits }] });
  });

  it('reports what it returned, printable and of limited length', () => {
    expect(failure(() => ({ kind: 'buy', amount: '\u001b[31m7' }))).toBe(
      'Strategy "odd" returned an object with kind: buy, amount: \\u001b[31m7, want what context.orders gives, or undefined for nothing (in onStart)',
    );
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, index]));
    expect(failure(() => wide).length).toBeLessThan(300);
    expect(failure(() => [undefined])).toContain('returned undefined in a list');
  });

  it('may submit up to the maximum number of orders at once (I-23, F-G04)', () => {
    const many = (count: number) => failure(() => Array.from({ length: count }, () => buy));
    expect(many(DRAFTS_MAX)).toBe(`${DRAFTS_MAX} drafts`);
    expect(many(DRAFTS_MAX + 1)).toBe(
      `Strategy "odd" returned ${DRAFTS_MAX + 1} orders at once, most is ${DRAFTS_MAX} (in onStart)`,
    );
  });

  it('may write figures as numbers, decimal texts and Decimals; the value of a number is for sizing', () => {
    const figures = [1, '1', new Decimal(1), Number.NaN];
    expect(failure(() => figures.map((quantity) => orderDrafts.buy(AAPL, quantity)))).toBe('4 drafts');
  });

  it.each<[unknown, string]>([
    [
      { ...buy, exit: { stop: { percent: 2 } } },
      '"exit" in a draft of kind "order" (did you mean "exits"?), want any of symbol, reason, exits, side, quantity, terms',
    ],
    [
      { kind: 'order', symbol: AAPL, side: 'buy', qty: 10 },
      '"qty" in a draft of kind "order" (did you mean "quantity"?), want any of symbol, ',
    ],
    [
      { kind: 'order', symbol: AAPL, side: 'buy' },
      'a draft of kind "order" without "quantity", want a number, ',
    ],
    [
      { ...buy, quantity: '10 shares' },
      'a quantity that is "10 shares", want a number, or a decimal text such as "10.5"',
    ],
    [
      { ...buy, terms: { type: 'LO', price: '10 USD' } },
      'a terms.price that is "10 USD", want a number, or a decimal',
    ],
    [{ ...buy, terms: { type: 'LIMIT' } }, 'a terms.type that is "LIMIT", want "LO" or "ELO" or "MO"'],
    [
      { ...buy, terms: { timeInForce: 'ioc' } },
      'a terms.timeInForce that is "ioc", want "day" or "gtc" or "gtd"',
    ],
    [{ ...buy, terms: { outsideRth: 'night' } }, 'a terms.outsideRth that is "night", want "rth-only"'],
    [{ ...buy, side: 'hold' }, 'a side that is "hold", want "buy" or "sell"'],
    [{ kind: 'target-weight', symbol: AAPL, weight: '0.5' }, 'a weight that is "0.5", want a number'],
    [
      { kind: 'target-notional', symbol: AAPL, notional: '20000' },
      'a notional that is "20000", want an amount such as "20000 USD"',
    ],
    [
      { ...orderDrafts.twap(buy, { minutes: 5, parts: 2 }), exits: { stop: { percent: 2 } } },
      '"exits" in a draft of kind "slices", want any of symbol, ',
    ],
    [
      { ...orderDrafts.twap(buy, { minutes: 5, parts: 2 }), order: { ...buy, quantiy: 1 } },
      '"quantiy" in a draft of kind "order" (did you mean "quantity"?), want any of ',
    ],
    [
      { ...orderDrafts.twap(buy, { minutes: 5, parts: 2 }), symbol: '700.HK' },
      'a draft of kind "slices" about another symbol than the order in it: AAPL.US, want one symbol',
    ],
    [
      { ...orderDrafts.cancel({ symbol: AAPL, intentId: intentId('I1') }), price: 7 },
      '"price" in a draft of kind "cancel", want any of',
    ],
  ])(
    'fails at an invalid draft that was written by hand, with what was found and what is expected: %j (F-G06)',
    (draft, what) => {
      expect(failure(() => draft)).toContain(`Strategy "odd" returned ${what}`);
    },
  );
});
