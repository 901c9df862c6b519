import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEligible } from '#src/backtest/express/eligibility.ts';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { EquityCurve } from '#src/events/curve/curve-input.ts';
import { dayOf, midnightOf } from '#src/markets/sessions.ts';
import { type BarColumns, lowerBound } from '#src/model/bar.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Period } from '#src/model/period.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { addDays, calendarDay, type Millis, millis } from '#src/model/time.ts';
import { bars } from '#src/signals/bars.ts';
import { crossover } from '#src/signals/cross.ts';
import { series } from '#src/signals/node.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy, type Strategy } from '#src/strategy/define-strategy.ts';
import { setupOf, TWO_DOLLARS } from '../fixtures/backtest.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { randomCases } from '../fixtures/random-cases.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { eagerParams, SHIPPED, type ShippedStrategy } from '../fixtures/shipped-strategies.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';

const SYMBOLS = {
  US: ['AAPL.US', 'TSLA.US', 'SPY.US'].map(securitySymbol),
  HK: ['700.HK', '9988.HK', '5.HK'].map(securitySymbol),
};

/** One past with two futures from an instant on, which share no bar, figure or corporate action. */
interface Fork {
  readonly at: Millis;
  readonly one: Future;
  readonly other: Future;
  readonly setup: Partial<RunSetup>;
}
interface Future {
  readonly history: readonly BarColumns[];
  readonly actions: readonly CorporateAction[];
}

/**
 * The rows of one before an instant, and from then on the rows of the other at a multiple of their prices, in cents.
 */
function spliced(one: BarColumns, other: BarColumns, at: Millis, times: number): BarColumns {
  const [until, from] = [lowerBound(one, at), lowerBound(other, at)];
  const join = (column: keyof typeof COLUMNS): Float64Array =>
    Float64Array.from([
      ...one[column].subarray(0, until),
      ...other[column]
        .subarray(from)
        .map((value) => (column === 'time' ? value : Math.round(value * times * 100) / 100)),
    ]);
  const { symbol, period } = one;
  const joined = { time: join('time'), open: join('open'), high: join('high'), low: join('low') };
  return {
    ...{ symbol, period, length: joined.time.length, ...joined },
    ...{ close: join('close'), volume: join('volume') },
  };
}
const COLUMNS = { time: 0, open: 0, high: 0, low: 0, close: 0, volume: 0 };

/** Corporate actions after the fork: days after it, security, kind and figure. */
const someLater = fc.array(
  fc.record({
    kind: fc.constantFrom('split' as const, 'dividend' as const, 'delisting' as const),
    place: fc.nat(2),
    later: fc.integer({ min: 0, max: 20 }),
    figure: fc.constantFrom('0.5', '2', '3'),
  }),
  { maxLength: 5 },
);

const someFork = (withActions: boolean): fc.Arbitrary<Fork> =>
  fc
    .record({
      market: fc.constantFrom('US' as const, 'HK' as const),
      period: fc.constantFrom<Period>('1d', '1h'),
      later: fc.tuple(someLater, someLater),
      times: fc.constantFrom(0.1, 1, 10),
      share: fc.double({ min: 0.3, max: 0.9, noNaN: true }),
    })
    .chain(({ market, period, later, times, share }) => {
      const to = calendarDay(period === '1d' ? '2024-04-30' : '2024-03-14');
      const days = { from: calendarDay('2024-03-04'), to };
      const [first = securitySymbol('AAPL.US')] = SYMBOLS[market];
      const stamps = stampsOf(first, period, { from: calendarDay('2024-01-02'), to });
      const begins = stamps.findIndex((stamp) => stamp >= midnightOf(market, days.from));
      const at = stamps[begins + Math.floor((stamps.length - begins) * share)] ?? millis(0);
      const day = dayOf(market, at);
      const history = fc.tuple(...SYMBOLS[market].map((symbol) => someBarsOver(symbol, period, stamps)));
      const actions = (drawn: (typeof later)[number]): readonly CorporateAction[] =>
        !withActions
          ? []
          : drawn.map(({ kind, place, later: days, figure }) => {
              const symbol = SYMBOLS[market][place] ?? first;
              // An action applies from its day's first bar, and the day of the fork may have begun before it.
              const exDay = addDays(day, days + (period === '1d' ? 0 : 1));
              const common = { symbol, exDay };
              if (kind === 'split') return { ...common, kind, ratio: decimal(figure) };
              if (kind === 'dividend') return { ...common, kind, perShare: decimal(figure) };
              return { ...common, kind, price: decimal(figure) };
            });
      const currency = market === 'US' ? 'USD' : 'HKD';
      const rules = withActions ? { rules: { ...DEFAULT_RULES, corporateActions: true } } : {};
      return fc.tuple(history, history).map(
        ([past, future]): Fork => ({
          at,
          one: { history: past, actions: actions(later[0]) },
          other: {
            history: past.map((columns, place) => {
              const other = future[place] ?? columns;
              return spliced(columns, other, at, times);
            }),
            actions: actions(later[1]),
          },
          setup: {
            ...{
              ...days,
              period,
              currency,
              cash: { [currency]: decimal('100000') },
              charges: TWO_DOLLARS,
              ...rules,
            },
            limits: { ...limitsOf(), maxOrderNotional: { amount: decimal('10000000'), currency } },
          },
        }),
      );
    })
    .filter(({ one, other }) => [...one.history, ...other.history].every(({ length }) => length > 3));

const setupFor = (shipped: ShippedStrategy, fork: Fork, { history, actions }: Future): RunSetup =>
  setupOf(shipped.strategy, history, {
    ...{ ...fork.setup, params: eagerParams(shipped) },
    ...(actions.length === 0 ? {} : { corporateActions: actions }),
  });

const equityUntil = ({ time, value, exposure }: EquityCurve, at: Millis): readonly string[] =>
  [...time].flatMap((closed, i) => (closed < at ? [`${closed} ${value[i]} ${exposure[i]}`] : []));

/** All signals, decisions, orders, fills and payments before an instant, and the equity, by the full engine. */
function fullPast(setup: RunSetup, at: Millis): readonly string[] {
  const { decisions, equity } = runInFull(setup);
  const reported = decisions
    .filter((each) => (each.kind === 'signal' ? each.time : each.at) < at)
    .map((each) => JSON.stringify(each));
  return [...reported, ...equityUntil(equity, at)];
}

/** Every fill before an instant, and the equity, by plain numbers; undefined if they do not support this run. */
function expressPast(setup: RunSetup, at: Millis): readonly string[] | undefined {
  if (!isEligible(setup)) return undefined;
  const run = runExpress(setup);
  if (run.kind === 'bailed-out') return undefined;
  const { length, at: filledAt, security, quantity, price, fee } = run.fills;
  const fills = Array.from({ length }, (_, i) =>
    [filledAt, security, quantity, price, fee].map((column) => column[i]).join(' '),
  ).filter((_, i) => (filledAt[i] ?? 0) < at);
  return [...fills, ...equityUntil(run.equity(), at)];
}

/** Asserts that nothing before the fork depends on what comes after it; throws what the runs throw. */
function checkFork(shipped: ShippedStrategy, fork: Fork, seen: { full: number; express: number }): void {
  const [one, other] = [setupFor(shipped, fork, fork.one), setupFor(shipped, fork, fork.other)];
  const full = fullPast(one, fork.at);
  expectEqual(fullPast(other, fork.at), full);
  seen.full += full.filter((each) => each.includes('order-filled')).length;
  const [fast, otherFast] = [expressPast(one, fork.at), expressPast(other, fork.at)];
  if (fast === undefined || otherFast === undefined) return;
  expectEqual(otherFast, fast);
  seen.express += 1;
}

/** Strategies with hooks that plain numbers do not support. */
const FULL_ONLY = new Set(['strategies/cross-momentum.ts', 'strategies/momentum.ts']);
/** Decides nothing, so the future cannot change anything. */
const IDLE = 'templates/empty/strategies/my-strategy.ts';
const runs = Number(process.env['SLUICE_RUNS'] ?? randomCases(4, 3));

describe.each(SHIPPED.map((shipped) => [shipped.file, shipped] as const))('%s', (file, shipped) => {
  it.each([
    ['other bars', false],
    ['other bars, splits, dividends and delistings', true],
  ])(
    'decides and fills the same before an instant and has the same equity, however %s come after it',
    (_what, withActions) => {
      const seen = { full: 0, express: 0 };
      fc.assert(
        fc.property(someFork(withActions), (fork) => checkFork(shipped, fork, seen)),
        { numRuns: runs },
      );
      if (file !== IDLE) expect(seen.full).toBeGreaterThan(0);
      if (!withActions && !FULL_ONLY.has(file)) expect(seen.express).toBeGreaterThan(0);
    },
  );
});

/** A signal that reads the next bar. No public call allows that: its kernel is bound to bare columns. */
const tomorrow = series({
  name: 'tomorrow',
  inputs: [bars.close],
  bind: (close: Float64Array, out: Float64Array) => (from, to) => {
    for (let i = from; i < to; i++) out[i] = close[Math.min(i + 1, to - 1)] ?? Number.NaN;
  },
});

const peeking: Strategy = defineStrategy({
  name: 'peeking',
  params: {},
  signals: () => ({ rises: crossover(tomorrow, bars.close) }),
  onSignal: ({ symbol, direction }, { orders }) =>
    direction === 'up' ? orders.targetWeight(symbol, 0.3) : orders.close(symbol),
});

describe('a strategy that reads the future', () => {
  const shipped = { file: 'peeking.ts', strategy: peeking };
  const found = (withActions: boolean, check: (fork: Fork) => void) =>
    fc.check(fc.property(someFork(withActions), check), { numRuns: 30, endOnFailure: true, seed: 1 });

  it.each([false, true])(
    'at the next bar is caught in the full engine, with later actions: %s',
    (withActions) => {
      const result = found(withActions, (fork) => {
        const [one, other] = [setupFor(shipped, fork, fork.one), setupFor(shipped, fork, fork.other)];
        expectEqual(fullPast(other, fork.at), fullPast(one, fork.at));
      });
      expect(result.failed).toBe(true);
    },
  );

  it('at the next bar is caught in plain numbers', () => {
    let carried = 0;
    const result = found(false, (fork) => {
      const [one, other] = [setupFor(shipped, fork, fork.one), setupFor(shipped, fork, fork.other)];
      const past = expressPast(one, fork.at);
      if (past !== undefined) carried += 1;
      expectEqual(expressPast(other, fork.at), past);
    });
    expect(carried).toBeGreaterThan(0);
    expect(result.failed).toBe(true);
  });
});
