import { describe, expect, it } from 'vitest';
import { createInProcessHost, DRAFTS_MAX } from '#src/hosts/in-process.ts';
import { Decimal } from '#src/model/decimal.ts';
import { millis } from '#src/model/time.ts';
import { observed } from '#src/ports/observed.ts';
import type { StrategyAnswer } from '#src/ports/strategy-host.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { AAPL, quoteOf } from '../fixtures/market.ts';

const snapshot = { now: millis(7), equity: 1_000, symbols: {} };
const start = { kind: 'start', time: millis(7) } as const;

/** What the host says when the strategy's onStart does this; the result is of any type, as a plugin's may be. */
function answerTo(onStart: () => unknown): StrategyAnswer {
  const strategy = defineStrategy({ name: 'odd', params: {}, onStart: onStart as () => undefined });
  const host = createInProcessHost({ strategy, params: {}, symbols: [AAPL] });
  const answers: StrategyAnswer[] = [];
  observed(host.ask({ event: start, snapshot })).subscribe((answer) => answers.push(answer));
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
  it('hands on one draft, several, or none', () => {
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

  it('asks the hook of the event, with the context of that moment', () => {
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
    observed(
      host.ask({ event: { kind: 'quote', symbol: AAPL, time, quote: quoteOf(AAPL, 7, 10) }, snapshot }),
    ).subscribe();
    expect(asked).toEqual(['quote', 7, 1_000, [AAPL]]);
  });

  it('asks only once somebody subscribes', () => {
    let asked = 0;
    const strategy = defineStrategy({
      name: 'shy',
      params: {},
      onStart: () => {
        asked += 1;
      },
    });
    const host = createInProcessHost({ strategy, params: {}, symbols: [] });
    const answer$ = host.ask({ event: start, snapshot });
    expect(asked).toBe(0);
    observed(answer$).subscribe();
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
      'Strategy "odd" returned a Promise (hooks are plain functions: remove "async"), want what context.orders gives (in onStart)';
    expect(failure(async () => buy)).toBe(message);
    expect(failure(() => Promise.reject(new Error('too late to hear')))).toBe(message);
    await Promise.resolve();
  });

  it.each<[string, unknown]>([
    ['a number', 1],
    ['a text', 'buy'],
    ['true', true],
    ['a function', () => buy],
    ['an empty object', {}],
    ['a draft of no kind', { ...buy, kind: 'purchase' }],
    ['a draft without a symbol', { ...buy, symbol: undefined }],
    ['an order without a side', { ...buy, side: undefined }],
    ['an order of a third side', { ...buy, side: 'hold' }],
    ['an order without a quantity', { ...buy, quantity: undefined }],
    ['an order of a bigint', { ...buy, quantity: 1n }],
    ['an order with odd terms', { ...buy, terms: 'LO' }],
    ['an order with an odd price', { ...buy, terms: { type: 'LO', price: null } }],
    ['a weight as a text', { kind: 'target-weight', symbol: AAPL, weight: '0.5' }],
    ['a target of nothing', { kind: 'target-quantity', symbol: AAPL }],
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
      /^Strategy "odd" (returned .+, want what context\.orders gives \(in onStart\)|threw in onStart: gotcha \(at .+\))$/,
    );
  });

  it.each([
    ['terms', { ...buy, terms: { limit: 5 } }, '"limit" in the terms of an order, want any of type, '],
    [
      'exits',
      { ...buy, exits: { stopLoss: { percent: 5 } } },
      '"stopLoss" in the exits of an order, want any of stop, target, trail, breakEven, afterMinutes, beforeCloseMinutes',
    ],
    ['exits', { ...buy, exits: { stopp: 5 } }, '"stopp" in the exits of an order, want '],
  ])(
    'fails at a name that there is not in the %s of an order: it meant something (F-G06)',
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
      observed(
        createInProcessHost({ strategy, params: {}, symbols: [AAPL] }).ask({ event: start, snapshot }),
      ).subscribe((answer) => answers.push(answer));
      expect(answers).toEqual([
        expect.objectContaining({
          kind: 'failed',
          message: expect.stringContaining(`Strategy "odd" declares ${what}`),
        }),
      ]);
    },
  );

  it('takes prices as texts in exits, and leaves the value of a number to sizing', () => {
    const exits = { stop: '95.5', target: { percent: '2' }, trail: { amount: Number.NaN } };
    expect(answerTo(() => ({ ...buy, exits }))).toEqual({ kind: 'drafts', drafts: [{ ...buy, exits }] });
  });

  it('says what it returned, printable and not endless', () => {
    expect(failure(() => ({ kind: 'buy', amount: '\u001b[31m7' }))).toBe(
      'Strategy "odd" returned an object with kind: buy, amount: \\u001b[31m7, want what context.orders gives (in onStart)',
    );
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, index]));
    expect(failure(() => wide).length).toBeLessThan(300);
    expect(failure(() => [undefined])).toContain('returned undefined in a list');
  });

  it('may ask for so many orders at once and not one more (I-23, F-G04)', () => {
    const many = (count: number) => failure(() => Array.from({ length: count }, () => buy));
    expect(many(DRAFTS_MAX)).toBe(`${DRAFTS_MAX} drafts`);
    expect(many(DRAFTS_MAX + 1)).toBe(
      `Strategy "odd" returned ${DRAFTS_MAX + 1} orders at once, most is ${DRAFTS_MAX} (in onStart)`,
    );
  });

  it('may write figures as numbers, texts and Decimals, whatever their value: sizing judges them', () => {
    const figures = [1, '1', new Decimal(1), Number.NaN, 'one'];
    expect(failure(() => figures.map((quantity) => orderDrafts.buy(AAPL, quantity)))).toBe('5 drafts');
  });
});
