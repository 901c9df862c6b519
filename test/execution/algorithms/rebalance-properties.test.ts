import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { TrackedOrder } from '#src/events/bot-state.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { isOpen } from '#src/execution/algorithms/children.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { CASH_ACCOUNT } from '#src/simulation/models.ts';
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
const runs = Number(process.env['SLUICE_RUNS'] ?? randomCases(20, 10));

const someShare = fc.integer({ min: 0, max: 60 }).map((percent) => percent / 100);
const someWeights = fc.dictionary(fc.constantFrom<string>(...SYMBOLS), someShare);

const someWorld = fc.record({
  period: fc.constantFrom('1d' as const, '1h' as const),
  wishes: fc.array(someWeights, { minLength: 2, maxLength: 6 }),
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
type World = typeof someWorld extends fc.Arbitrary<infer T> ? T : never;

const someHistory = (period: '1d' | '1h') =>
  fc.tuple(
    ...(SYMBOLS.map((symbol) => someBarsOver(symbol, period, stampsOf(symbol, period, DAYS))) as [
      ReturnType<typeof someBarsOver>,
    ]),
  );

function setupFor(world: World, history: RunSetup['history']): RunSetup {
  const { wishes, every } = world;
  let heard = 0;
  const strategy = defineStrategy({
    name: 'any-weights',
    params: {},
    onBars: (_event, { orders }) => {
      heard += 1;
      const weights = wishes[(heard / every) % wishes.length];
      return weights === undefined ? undefined : orders.rebalance(weights);
    },
  });
  const { orderType, cancelAfterMs, settledOnly, charges, limits, participation } = world;
  const fills = participation === undefined ? DEFAULT_RULES.fills : { ...DEFAULT_RULES.fills, participation };
  return setupOf(strategy, history, {
    ...{ charges, limits: limitsOf(limits), rules: { ...DEFAULT_RULES, fills } },
    ...{ from: DAYS.from, to: DAYS.to, margin: { ...CASH_ACCOUNT, settledOnly } },
    policy: { orderType, offsetTicks: 1, cancelAfterMs },
  });
}

interface Seen {
  sold: number;
  bought: number;
  less: number;
  held: number;
}

/** Folds a journal and checks every record. */
function look(events: readonly SluiceEvent[], atLimits: boolean, seen: Seen): void {
  const { state, apply } = createFold();
  for (const event of events) {
    if (event.kind === 'intent-drafted' && event.link?.slot.startsWith('buy'))
      expect(openBefore(state, event.link.algorithm)).toEqual([]);
    apply(event);
    if (event.kind === 'intent-drafted') {
      seen.less += event.link?.slot.endsWith('less') === true ? 1 : 0;
      seen[event.terms.side === 'buy' ? 'bought' : 'sold'] += 1;
    }
    if (event.kind !== 'order-filled') continue;
    // A market order may fill after a gap for more than was reserved.
    const owed = [...state.portfolio.cash.values()].filter((amount) => amount.isNegative());
    if (atLimits) expect(owed).toEqual([]);
    for (const { quantity } of state.portfolio.holdings.values()) expect(quantity.isNegative()).toBe(false);
  }
  for (const { spec } of state.algorithms.values()) expect(spec.kind).toBe('rebalance');
  expect(state.algorithms.size).toBeLessThan(2);
  seen.held += state.portfolio.holdings.size;
}

/** Unfinished sales of a rebalance, and orders that it cancels. */
function openBefore(
  { algorithms, order }: ReturnType<typeof createFold>['state'],
  id: NonNullable<TrackedOrder['link']>['algorithm'],
): readonly string[] {
  const algorithm = algorithms.get(id);
  const before = algorithm?.spec.kind === 'rebalance' ? algorithm.spec.before : [];
  const sales = [...(algorithm?.children ?? [])].flatMap(([slot, ids]) =>
    slot.startsWith('sell') ? ids : [],
  );
  return [...before, ...sales].filter((intent) => {
    const known = order(intent);
    return known !== undefined && isOpen(known);
  });
}

describe('consecutive rebalances with any weights', () => {
  it('never buy before their sales are over, never owe cash at limits, never sell what is not held, and leave no order', () => {
    const seen: Seen = { sold: 0, bought: 0, less: 0, held: 0 };
    fc.assert(
      fc.property(
        someWorld.chain((world) => fc.tuple(fc.constant(world), someHistory(world.period))),
        ([world, history]) => {
          const journal = createMemoryJournal();
          runBacktest(setupFor(world, history), { journal });
          look([...journal.replay()], world.orderType === 'LO', seen);
        },
      ),
      { numRuns: runs },
    );
    expect(seen.sold).toBeGreaterThan(runs);
    expect(seen.bought).toBeGreaterThan(runs);
    expect(seen.less).toBeGreaterThan(0);
    expect(seen.held).toBeGreaterThan(0);
  });
});
