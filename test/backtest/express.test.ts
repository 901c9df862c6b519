import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Period } from '#src/model/period.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { sma } from '#src/signals/averages.ts';
import { crossover } from '#src/signals/cross.ts';
import type { StrategyContext } from '#src/strategy/context.ts';
import { defineStrategy, type Strategy, type StrategyDefinition } from '#src/strategy/define-strategy.ts';
import type { Decision } from '#src/strategy/order-draft.ts';
import { type TargetWeight, towardsTargets } from '#src/strategy/targets.ts';
import { setupOf, TWO_DOLLARS } from '../fixtures/backtest.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';

/** What a made-up strategy wants at one event, chosen by what it sees. */
interface Habit {
  readonly listens: 'signal' | 'bar';
  readonly wishes: readonly Wish[];
}
type Wish =
  | { readonly kind: 'weight'; readonly weight: number }
  | { readonly kind: 'quantity'; readonly quantity: number }
  | { readonly kind: 'buy' | 'sell'; readonly quantity: number }
  | {
      readonly kind: 'limit' | 'limit-out' | 'stop' | 'target';
      readonly quantity: number;
      readonly tenths: number;
    }
  | { readonly kind: 'close' | 'nothing' };

const someWish: fc.Arbitrary<Wish> = fc.oneof(
  fc.record({
    kind: fc.constant('weight' as const),
    weight: fc.constantFrom(0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.9),
  }),
  fc.record({ kind: fc.constant('quantity' as const), quantity: fc.integer({ min: 0, max: 400 }) }),
  fc.record({ kind: fc.constantFrom('buy' as const, 'sell' as const), quantity: fc.constantFrom(100, 200) }),
  fc.record({ kind: fc.constantFrom('close' as const, 'nothing' as const) }),
  fc.record({
    kind: fc.constantFrom('limit' as const, 'limit-out' as const, 'stop' as const, 'target' as const),
    quantity: fc.constantFrom(100, 200),
    tenths: fc.integer({ min: -1, max: 9 }),
  }),
);

const someHabit: fc.Arbitrary<Habit> = fc.record({
  listens: fc.constantFrom('signal' as const, 'bar' as const),
  wishes: fc.array(someWish, { minLength: 1, maxLength: 12 }),
});

const COUNTERS = {
  US: ['AAPL.US', 'TSLA.US', 'SPY.US'],
  HK: ['700.HK', '9988.HK', '5.HK'],
} as const;

interface Sample {
  readonly setup: Omit<RunSetup, 'strategy'>;
  readonly habit: Habit;
}

const someSample: fc.Arbitrary<Sample> = fc
  .record({
    market: fc.constantFrom('US' as const, 'HK' as const),
    count: fc.integer({ min: 1, max: 3 }),
    period: fc.constantFrom<Period>('1d', '1h', '30m'),
    charges: fc.constantFrom(TWO_DOLLARS, CHARGE_SCHEDULES.none, CHARGE_SCHEDULES.standard),
    cash: fc.constantFrom('10000', '250000.55', '3000000'),
    strict: fc.boolean(),
    limit: fc.boolean(),
    minutes: fc.constantFrom(undefined, 7.5, 30, 24 * 60),
    gaps: fc.boolean(),
    habit: someHabit,
  })
  .chain(({ market, count, period, charges, cash, strict, limit, minutes, gaps, habit }) => {
    const days = {
      from: calendarDay('2024-03-04'),
      to: calendarDay(period === '1d' ? '2024-05-31' : '2024-03-12'),
    };
    const symbols = COUNTERS[market].slice(0, count).map((name): SecuritySymbol => securitySymbol(name));
    const currency = market === 'US' ? 'USD' : 'HKD';
    return fc
      .tuple(
        ...symbols.map((symbol) =>
          someBarsOver(symbol, period, stampsOf(symbol, period, days), gaps ? 1 : 0),
        ),
      )
      .filter((history) => history.every(({ length }) => length > 3))
      .map((history: readonly BarColumns[]): Sample => {
        const limits = limitsOf(
          strict
            ? {
                maxPositionWeight: decimal('0.4'),
                maxGrossExposure: decimal('0.8'),
                maxOrderRate: 3,
                maxDrawdown: decimal('0.1'),
              }
            : {},
        );
        const maxOrderNotional = { amount: decimal('10000000'), currency };
        const { strategy: _strategy, ...setup } = setupOf(strategyOf(habit, []), history, {
          ...{ currency, cash: { [currency]: decimal(cash) }, charges, ...days },
          limits: { ...limits, maxOrderNotional },
          policy: {
            orderType: limit ? 'LO' : 'MO',
            offsetTicks: limit ? 3 : 0,
            cancelAfterMs: minutes === undefined ? undefined : minutes * 60_000,
          },
        });
        return { setup, habit };
      });
  });

/** Notes all that it is shown, so that two runs that tell it different things are told apart. */
function strategyOf({ listens, wishes }: Habit, seen: unknown[]): Strategy {
  let turn = 0;
  const decide = (
    event: { readonly symbol: SecuritySymbol; readonly time: number },
    context: StrategyContext,
  ): Decision => {
    const { now, equity, symbols, orders, position, lastPrice, value } = context;
    seen.push([
      event,
      now,
      equity,
      symbols.map((symbol) => [{ ...position(symbol) }, lastPrice(symbol), value(symbol, 'fast')]),
    ]);
    const { symbol } = event;
    const { quantity: held, openSells } = position(symbol);
    const free = Math.floor((held - openSells) / 100) * 100;
    const tenths = (away: number): string => (Math.round(lastPrice(symbol) * 10 + away) / 10).toFixed(1);
    const wish = wishes[turn % wishes.length];
    turn += 1;
    switch (wish?.kind) {
      case 'weight':
        return orders.targetWeight(symbol, wish.weight);
      case 'quantity':
        return [orders.targetQuantity(symbol, wish.quantity, 'because')];
      case 'buy':
        return orders.buy(symbol, wish.quantity);
      case 'sell':
        return free < 100 ? undefined : orders.sell(symbol, Math.min(free, wish.quantity));
      case 'limit':
        return orders.buy(symbol, wish.quantity, { type: 'LO', price: tenths(-wish.tenths) });
      case 'limit-out':
        return free < 100
          ? undefined
          : orders.sell(symbol, Math.min(free, wish.quantity), { type: 'LO', price: tenths(wish.tenths) });
      case 'stop':
      case 'target': {
        const triggerPrice = tenths(wish.kind === 'stop' ? -wish.tenths : wish.tenths);
        return free < 100
          ? undefined
          : orders.sell(symbol, free, { type: 'MIT', triggerPrice, timeInForce: 'day' });
      }
      case 'close':
        return orders.close(symbol);
      default:
        return undefined;
    }
  };
  return defineStrategy({
    name: 'habit',
    params: {},
    signals: ({ bars }) => ({ fast: sma(bars.close, 2), cross: crossover(bars.close, sma(bars.close, 3)) }),
    ...(listens === 'signal' ? { onSignal: decide } : { onBar: decide }),
  });
}

const runs = Number(process.env['SLUICE_RUNS'] ?? 60);

describe('a run that plain numbers carry', () => {
  it('is the run of the full engine: what the strategy sees, what it decides, each fill, and equity to the last bit', () => {
    const arrived = { yes: 0, no: 0 };
    fc.assert(
      fc.property(someSample, ({ setup, habit }) => {
        const [seen, seenInFull]: [unknown[], unknown[]] = [[], []];
        const full = runInFull({ ...setup, strategy: strategyOf(habit, seenInFull) });
        const express = runExpress({ ...setup, strategy: strategyOf(habit, seen) });
        arrived[express.kind === 'arrived' ? 'yes' : 'no'] += 1;
        expect(seenInFull.slice(0, seen.length)).toEqual(seen);
        const again: unknown[] = [];
        const told = runBacktest({ ...setup, strategy: strategyOf(habit, again) });
        expect(told.equity).toEqual(full.equity);
        expect(told.flow).toEqual(full.flow);
        expect(told.decisions).toEqual(full.decisions);
        expect(again).toEqual(seenInFull);
        if (express.kind === 'left') return;
        const { length, ...columns } = express.fills;
        const rows = full.decisions.flatMap((each) => (each.kind === 'order-filled' ? [each.fill] : []));
        expect(rows.map(({ time }) => time)).toEqual(Array.from(columns.time));
        expect(rows.map(({ price }) => price.toNumber())).toEqual(Array.from(columns.price));
        expect(rows.map(({ fee }) => fee.toNumber())).toEqual(Array.from(columns.fee));
        expect(rows.map(({ quantity }) => quantity.toNumber())).toEqual(Array.from(columns.quantity));
        expect(rows.map(({ side }) => (side === 'buy' ? 1 : -1))).toEqual(Array.from(columns.side));
        expect(
          rows.map(({ symbol }) => setup.securities.findIndex((each) => each.symbol === symbol)),
        ).toEqual(Array.from(columns.security));
        expect(rows).toHaveLength(length);
      }),
      { numRuns: runs, endOnFailure: Boolean(process.env['SLUICE_RUNS']) },
    );
    expect(arrived.yes).toBeGreaterThan(runs / 5);
    expect(arrived.no).toBeGreaterThan(0);
  });

  it('is that run too where targets stand for a hook, told by both engines as the hook of the same words is', () => {
    const arrived = { yes: 0, no: 0 };
    fc.assert(
      fc.property(
        someSample,
        fc.dictionary(someSignal, someTargets),
        fc.boolean(),
        ({ setup }, targets, bars) => {
          const hook = { ...setup, strategy: aiming({ onSignal: towardsTargets(() => targets) }, bars) };
          const aims = { ...setup, strategy: aiming({ targets: () => targets }, bars) };
          const full = runInFull(hook);
          const told = runBacktest(aims);
          expect(told.equity).toEqual(full.equity);
          expect(told.flow).toEqual(full.flow);
          expect(told.decisions).toEqual(full.decisions);
          const express = runExpress(aims);
          arrived[express.kind === 'arrived' ? 'yes' : 'no'] += 1;
          if (express.kind === 'arrived') expect(express.fills).toHaveLength(full.flow.fills);
        },
      ),
      { numRuns: Math.ceil(runs / 2), endOnFailure: Boolean(process.env['SLUICE_RUNS']) },
    );
    expect(arrived.yes).toBeGreaterThan(runs / 10);
    expect(arrived.no).toBeGreaterThan(0);
  });
});

const someSignal = fc.constantFrom('cross', 'over');
const someTarget = fc.option(
  fc.oneof(
    fc.constantFrom(0, 0.1, 0.25, 1 / 3, 0.9, -0.2),
    fc.record({ weight: fc.constantFrom(0, 0.2, 0.5), reason: fc.constantFrom('so', 'because') }),
  ),
  { nil: undefined, freq: 4 },
);
const someTargets = fc.record({ up: someTarget, down: someTarget }, { requiredKeys: [] }).map(withoutNothing);

function withoutNothing(each: {
  readonly up?: TargetWeight | undefined;
  readonly down?: TargetWeight | undefined;
}) {
  const { up, down } = each;
  return { ...(up === undefined ? {} : { up }), ...(down === undefined ? {} : { down }) };
}

function aiming(decides: Pick<StrategyDefinition, 'onSignal' | 'targets'>, bars: boolean): Strategy {
  return defineStrategy({
    name: 'aiming',
    params: {},
    signals: ({ bars: { close } }) => ({
      cross: crossover(close, sma(close, 3)),
      over: crossover(sma(close, 2), sma(close, 5)),
    }),
    ...decides,
    ...(bars
      ? {
          onBar: ({ symbol, bar }, { orders }) =>
            bar.close > bar.open ? orders.targetQuantity(symbol, 100) : undefined,
        }
      : {}),
  });
}
