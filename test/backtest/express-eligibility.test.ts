import { describe, expect, it } from 'vitest';
import { isEligible } from '#src/backtest/express/eligibility.ts';
import { LIMIT_COVERAGE } from '#src/backtest/express/gate.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { LIMITS } from '#src/risk/limits.ts';
import { RULES } from '#src/risk/rules.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import type { OwnFills } from '#src/simulation/own-fills.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import type { StrategyContext } from '#src/strategy/context.ts';
import { defineStrategy, type Strategy } from '#src/strategy/define-strategy.ts';
import type { Decision } from '#src/strategy/order-draft.ts';
import { setupOf, TWO_DOLLARS } from '../fixtures/backtest.ts';
import { AAPL, columnsOf } from '../fixtures/market.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const UNKNOWN = securitySymbol('APPL.US');

describe('what plain numbers support', () => {
  it('covers every limit', () => {
    expect(Object.keys(LIMIT_COVERAGE).toSorted()).toEqual(Object.keys(LIMITS).toSorted());
  });

  it('covers every rule', () => {
    expect(RULES.map(({ name }) => name).toSorted()).toEqual(Object.keys(ANSWERED).toSorted());
  });

  it.each<[string, Partial<RunSetup>]>([
    ['credit that the gate may not use', { margin: MARGIN_ACCOUNT }],
    ['an account that the venue closes out', { margin: { ...CASH_ACCOUNT, closeOut: 'forced' } }],
    ['a restricted list', { limits: limitsOf({ restricted: [AAPL] }) }],
    ['latency', { rules: { ...DEFAULT_RULES, latency: { kind: 'fixed', ms: 5 } } }],
    [
      'limits that a price must trade through',
      { rules: { ...DEFAULT_RULES, fills: { ...DEFAULT_RULES.fills, limitFills: 'through' } } },
    ],
    ['a custom fill model', { rules: { ...DEFAULT_RULES, fills: { ...DEFAULT_RULES.fills, own: HALF } } }],
    ['two currencies', { cash: { USD: decimal('1'), HKD: decimal('1') } }],
    [
      'charges that are not rounded',
      {
        charges: {
          ...TWO_DOLLARS,
          rows: TWO_DOLLARS.rows.map((row) => ({ ...row, rounding: 'exact' as const })),
        },
      },
    ],
  ])('does not include %s', (_what, change) => {
    const inDollars = { cash: { USD: decimal('10000') } };
    expect(isEligible(setupOf(buyer(), [week], inDollars))).toBe(true);
    expect(isEligible(setupOf(buyer(), [week], { ...inDollars, ...change }))).toBe(false);
  });

  it.each<[string, unknown]>([
    ['a text', 'buy'],
    ['a promise', Promise.resolve(undefined)],
    ['an empty draft', [null]],
    ['a draft without a kind', { kind: 'all-in', symbol: AAPL }],
  ])('ends as the full engine ends when a hook returns %s', (_what, odd) => {
    const strategy = buyer(() => odd as Decision);
    const setup = setupOf(strategy, [week], { cash: { USD: decimal('10000') } });
    expect(() => runBacktest(setup)).toThrow(/^Strategy "buyer" returned/);
  });

  it.each([
    ['in plain numbers', {}],
    ['in the full engine', { rules: { ...DEFAULT_RULES, latency: { kind: 'fixed', ms: 5 } as const } }],
  ])(
    'ends %s if a hook reads a value of an unknown signal, or of a symbol that it does not trade',
    (_where, change: Partial<RunSetup>) => {
      const misspelt = buyer(({ value }) => void value(AAPL, 'fats'));
      const setup = setupOf(misspelt, [week], { cash: { USD: decimal('10000') }, ...change });
      expect(() => runBacktest(setup)).toThrow(
        /^Strategy "buyer" threw in onBar: "fats" is none of this strategy's signals \(it has none\)/,
      );
      const reads: readonly ((context: StrategyContext) => unknown)[] = [
        ({ position }) => position(UNKNOWN),
        ({ lastPrice }) => lastPrice(UNKNOWN),
        ({ lotSize }) => lotSize(UNKNOWN),
        ({ tickSize }) => tickSize(UNKNOWN, 10),
        ({ roundToTick }) => roundToTick(UNKNOWN, 10),
        ({ sharesFor }) => sharesFor(UNKNOWN, 1_000, 10),
        ({ value }) => value(UNKNOWN, 'any'),
      ];
      for (const read of reads) {
        const strategy = buyer((context) => void read(context as StrategyContext));
        expect(() =>
          runBacktest(setupOf(strategy, [week], { cash: { USD: decimal('10000') }, ...change })),
        ).toThrow(
          /^Strategy "buyer" threw in onBar: "APPL\.US" is none of the symbols of this strategy \(AAPL\.US\), did you mean "AAPL\.US"\?/,
        );
      }
    },
  );

  it('calls each hook once, also if plain numbers stop in the middle of the run', () => {
    let asked = 0;
    const remembers = buyer(({ orders }) => {
      asked += 1;
      return asked === 3
        ? orders.buy(AAPL, 100, { type: 'ELO', price: '1' })
        : orders.targetQuantity(AAPL, asked);
    });
    const { decisions, flow } = runBacktest(setupOf(remembers, [week], { cash: { USD: decimal('10000') } }), {
      decisions: true,
    });
    expect(asked).toBe(week.length);
    expect(flow.intents).toBe(decisions.filter(({ kind }) => kind === 'intent-drafted').length);
    expect(flow.intents).toBe(week.length);
  });

  it('reports an error that a hook threw, without calling it again', () => {
    let asked = 0;
    const throws = buyer(() => {
      asked += 1;
      throw new Error(`no ${asked}`);
    });
    const setup = setupOf(throws, [week], { cash: { USD: decimal('10000') } });
    expect(() => runBacktest(setup)).toThrow(/threw in onBar: no 1/);
    expect(asked).toBe(1);
  });
});

const stamps = stampsOf(AAPL, '1d', { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') });
const week = columnsOf(
  AAPL,
  '1d',
  stamps.map((stamp) => [stamp, 10, 11, 9, 10]),
);

const HALF: OwnFills = { label: 'half', doc: '', room: ({ volume }) => volume / 2 };

function buyer(decide: (context: StrategyContext) => Decision = () => undefined): Strategy {
  return defineStrategy({ name: 'buyer', params: {}, onBar: (_bar, context) => decide(context) });
}

/** How the express engine treats each rule of the gate; a test fails if a rule is missing here. */
const ANSWERED: Readonly<Record<string, string>> = {
  'gate-state': 'losses move the gate; whatever else would move it leaves',
  'symbol-halt': 'needs an alarm, which is not ordinary',
  'opening-stopped': 'the schedule sets it',
  'known-security': 'every security is tradable, of no option, in regular bars',
  'lot-and-tick': 'whole lots; a limit between ticks leaves',
  restricted: 'the list is empty',
  'no-short': 'compared',
  session: 'orders ask for regular hours',
  'unknown-order': 'every submit is answered',
  'order-rate': 'compared',
  'close-rate': 'compared',
  'duplicate-order': 'compared',
  'books-agree': 'the books are the venue',
  'unheard-quote': 'the market is on disk',
  'known-facts': 'a missing price leaves',
  'stale-quote': 'the symbol closed at this instant, else it leaves',
  'stale-estimate': 'answers come at once',
  'stale-balance': 'answers come at once',
  'stale-positions': 'the books are the venue',
  'stale-margin': 'answers come at once',
  'estimate-fits': 'asked for this very order',
  'crossed-book': 'there is no book',
  'quote-jump': 'the quote is the close',
  'daily-loss': 'compared',
  drawdown: 'compared',
  runaway: 'compared',
  'price-collar': 'compared',
  'max-order-notional': 'compared',
  'max-order-quantity': 'compared',
  'max-position-weight': 'compared',
  'max-position-quantity': 'compared',
  'max-gross-exposure': 'compared',
  'max-net-exposure': 'compared',
  'max-open-orders': 'compared',
  'buy-limit': 'compared',
  'margin-headroom': 'compared',
};
