import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { BotState } from '#src/events/bot-state.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { isOpen } from '#src/execution/algorithms/children.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import type { AlgorithmId } from '#src/model/algorithm.ts';
import { type Decimal, decimal, ZERO } from '#src/model/decimal.ts';
import { omitUndefined } from '#src/model/omit-undefined.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { AAPL, TENCENT } from '../../fixtures/market.ts';
import { randomCases } from '../../fixtures/random-cases.ts';
import { limitsOf } from '../../fixtures/risk.ts';
import { someBarsOver, stampsOf } from '../../fixtures/some-bars.ts';

const MSFT = securitySymbol('MSFT.US');
const SYMBOLS = [AAPL, MSFT, TENCENT] as const;
const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-22') };
const runs = Number(process.env['SLUICE_RUNS'] ?? randomCases(12, 10));

const someWeights = (least: number) =>
  fc.dictionary(
    fc.constantFrom<string>(...SYMBOLS),
    fc.integer({ min: least, max: 60 }).map((percent) => percent / 100),
  );

const worldFrom = (least: 0 | -60) =>
  fc.record({
    isShort: fc.constant(least < 0),
    period: fc.constantFrom('1d' as const, '1h' as const),
    targets: fc.array(someWeights(least), { minLength: 2, maxLength: 6 }),
    band: fc.constantFrom(undefined, undefined, 0.05),
    every: fc.integer({ min: 1, max: 5 }),
    limits: fc.record({
      marginHeadroom: fc.constantFrom(decimal('0'), decimal('0.05')),
      maxOrderRate: fc.constantFrom(1, 1_000),
    }),
    orderType: fc.constantFrom('MO' as const, 'LO' as const),
    cancelAfterMs: fc.constantFrom(undefined, 3_600_000),
    settledOnly: fc.boolean(),
    charges: fc.constantFrom(CHARGE_SCHEDULES.none, CHARGE_SCHEDULES.standard),
    participation: fc.constantFrom(undefined, 0.05),
  });
type World = ReturnType<typeof worldFrom> extends fc.Arbitrary<infer T> ? T : never;

const someHistory = (period: '1d' | '1h') =>
  fc.tuple(
    ...(SYMBOLS.map((symbol) => someBarsOver(symbol, period, stampsOf(symbol, period, DAYS))) as [
      ReturnType<typeof someBarsOver>,
    ]),
  );

const SHORT_LIMITS = {
  allowShort: true,
  useMargin: true,
  maxGrossExposure: decimal('3'),
  maxNetExposure: decimal('3'),
};

function setupFor(world: World, history: RunSetup['history']): RunSetup {
  const { targets, every, band, isShort } = world;
  let heard = 0;
  const strategy = defineStrategy({
    name: 'any-weights',
    params: {},
    onBars: (_event, { orders }) => {
      heard += 1;
      const weights = targets[(heard / every) % targets.length];
      return weights === undefined
        ? undefined
        : orders.rebalance(weights, undefined, omitUndefined({ band }));
    },
  });
  const { orderType, cancelAfterMs, settledOnly, charges, limits, participation } = world;
  const fills = participation === undefined ? DEFAULT_RULES.fills : { ...DEFAULT_RULES.fills, participation };
  return setupOf(strategy, history, {
    ...{ charges, rules: { ...DEFAULT_RULES, fills }, short: isShort },
    limits: limitsOf(isShort ? { ...limits, ...SHORT_LIMITS } : limits),
    ...{ from: DAYS.from, to: DAYS.to },
    margin: isShort ? MARGIN_ACCOUNT : { ...CASH_ACCOUNT, settledOnly },
    policy: { orderType, offsetTicks: 1, cancelAfterMs },
  });
}

interface Seen {
  sold: number;
  bought: number;
  less: number;
  held: number;
  short: number;
  turned: number;
}

/** Folds a journal and checks every record. */
function look(events: readonly SluiceEvent[], { orderType, isShort }: World, seen: Seen): void {
  const { state, apply } = createFold();
  for (const event of events) {
    if (event.kind === 'intent-drafted' && /^(?:buy|short)/.test(event.link?.slot ?? ''))
      expect(openBefore(state, event.link?.algorithm as AlgorithmId)).toEqual([]);
    const filled = event.kind === 'order-filled' ? event.fill.symbol : undefined;
    const before = heldIn(state, filled);
    apply(event);
    if (event.kind === 'intent-drafted') {
      seen.less += event.link?.slot.endsWith('less') === true ? 1 : 0;
      seen[event.terms.side === 'buy' ? 'bought' : 'sold'] += 1;
    }
    if (event.kind !== 'order-filled') continue;
    // A market order may fill after a gap for more than was reserved.
    const owed = [...state.portfolio.cash.values()].filter((amount) => amount.isNegative());
    if (orderType === 'LO' && !isShort) expect(owed).toEqual([]);
    const after = heldIn(state, filled);
    // No order turns a position round: it is closed first.
    expect(before.times(after).lt(0)).toBe(false);
    if (after.lt(0)) seen.short += 1;
    if (before.lt(0) && after.isZero()) seen.turned += 1;
    if (!isShort) expect(after.lt(0)).toBe(false);
  }
  for (const { spec } of state.algorithms.values()) expect(spec.kind).toBe('rebalance');
  expect(state.algorithms.size).toBeLessThan(2);
  seen.held += state.portfolio.holdings.size;
}

function heldIn({ portfolio }: Pick<BotState, 'portfolio'>, symbol: SecuritySymbol | undefined): Decimal {
  if (symbol === undefined) return ZERO;
  return portfolio.holdings.get(symbol)?.quantity ?? ZERO;
}

/** Unfinished orders of a rebalance that reduce positions, and orders that it cancels. */
function openBefore(
  { algorithms, order }: ReturnType<typeof createFold>['state'],
  id: AlgorithmId,
): readonly string[] {
  const algorithm = algorithms.get(id);
  const before = algorithm?.spec.kind === 'rebalance' ? algorithm.spec.before : [];
  const sales = [...(algorithm?.children ?? [])].flatMap(([slot, ids]) =>
    /^(?:sell|cover)/.test(slot) ? ids : [],
  );
  return [...before, ...sales].filter((intent) => {
    const known = order(intent);
    return known !== undefined && isOpen(known);
  });
}

describe('consecutive rebalances with any weights', () => {
  function lookAt(least: 0 | -60): Seen {
    const seen: Seen = { sold: 0, bought: 0, less: 0, held: 0, short: 0, turned: 0 };
    fc.assert(
      fc.property(
        worldFrom(least).chain((world) => fc.tuple(fc.constant(world), someHistory(world.period))),
        ([world, history]) => {
          const journal = createMemoryJournal();
          runBacktest(setupFor(world, history), { journal });
          look([...journal.replay()], world, seen);
        },
      ),
      { numRuns: runs },
    );
    return seen;
  }

  it('never buy before their sales are over, never owe cash at limits, never sell what is not held, and leave no order', () => {
    const seen = lookAt(0);
    expect(seen.sold).toBeGreaterThan(runs);
    expect(seen.bought).toBeGreaterThan(runs);
    expect(seen.less).toBeGreaterThan(0);
    expect(seen.held).toBeGreaterThan(0);
  });

  it('never open a position before all orders that reduce one are over, and turn none round in one order, long and short', () => {
    const seen = lookAt(-60);
    expect(seen.short).toBeGreaterThan(runs);
    expect(seen.turned).toBeGreaterThan(0);
    expect(seen.bought).toBeGreaterThan(runs);
  });
});
