import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { StrategyError } from '#src/engine/strategy-error.ts';
import { curveOf } from '#src/events/curve/curve-figures.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { midnightOf } from '#src/markets/sessions.ts';
import { type BarColumns, barAt } from '#src/model/bar.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Period } from '#src/model/period.ts';
import type { SecuritySymbol } from '#src/model/symbol.ts';
import { calendarDay, DAY_MS, HOUR_MS } from '#src/model/time.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { trialOutcome } from '#src/research/trial.ts';
import { crossover, first, threshold } from '#src/signals/cross.ts';
import { sub } from '#src/signals/indicators/arithmetic.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import type { FillModel } from '#src/simulation/models.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy, type StrategyDefinition } from '#src/strategy/define-strategy.ts';
import type { QuoteEvent } from '#src/strategy/strategy-event.ts';
import { equityOf, fillsOf, setupOf, TWO_DOLLARS } from '../fixtures/backtest.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { AAPL, at, type BarRow, columnsOf, TENCENT } from '../fixtures/market.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { readTimeOf } from '../fixtures/schedule.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';

const monday = midnightOf('US', calendarDay('2024-03-04'));
/** Five days of AAPL.US, Monday to Friday. */
const week = columnsOf(AAPL, '1d', [
  [monday, 10, 11, 9, 10.5],
  [monday + DAY_MS, 11, 12, 10, 11.5],
  [monday + 2 * DAY_MS, 12, 13, 11, 12],
  [monday + 3 * DAY_MS, 11, 12, 10, 10],
  [monday + 4 * DAY_MS, 9, 10, 8, 9.5],
]);

const hold = defineStrategy({
  name: 'hold',
  params: {},
  signals: ({ bars }) => ({ start: first(bars) }),
  onSignal: (signal, { orders }) => orders.targetWeight(signal.symbol, 0.5),
});

const levels = defineStrategy({
  name: 'levels',
  params: {},
  signals: ({ bars }) => ({ level: threshold(bars.close, { above: 11, below: 10.25 }) }),
  onSignal: ({ direction, symbol }, { orders }) =>
    direction === 'up' ? orders.targetWeight(symbol, 0.5) : orders.close(symbol),
});

const inDollars = { cash: { USD: decimal('10000') }, charges: TWO_DOLLARS };

describe('a backtest computed by hand', () => {
  it('ends although a schedule closes a position after the last bar, where no order can fill', () => {
    const alarms: string[] = [];
    // Bars end at noon of a day whose schedule closes positions before the end of trading.
    const morning = columnsOf(
      AAPL,
      '1h',
      [0, 1, 2].map((hour): BarRow => [at('2024-03-04T14:30Z') + hour * HOUR_MS, 10, 11, 9, 10]),
    );
    const schedule = { flatten: readTimeOf('50 15 * * 1-5') };
    const record = runBacktest(setupOf(hold, [morning], { ...inDollars, schedule }), {
      onAlarm: ({ code }) => alarms.push(code),
    });
    expect(record.fills).toHaveLength(1);
    expect(new Set(alarms)).toEqual(new Set(['flatten-incomplete']));
  });

  it('buys and holds: decided at the first close, filled at the next open, marked at every close', () => {
    const record = runBacktest(setupOf(hold, [week], inDollars));
    // 5,000 / 10.5 are 476 shares; 10,000 - 476 x 11 - 2 leave 4,762 in cash.
    expect(fillsOf(record)).toEqual(['03-05T14:30 buy 476 at 11, fee 2']);
    expect(equityOf(record)).toEqual([
      '03-04T21:00 10000',
      '03-05T21:00 10236',
      '03-06T21:00 10474',
      '03-07T21:00 9522',
      '03-08T21:00 9284',
    ]);
    expect(record.equity.exposure[1]).toBeCloseTo(5_474 / 10_236, 12);
    expect(record).toMatchObject({
      mode: 'backtest',
      strategy: 'hold',
      currency: 'USD',
      initialEquity: 10_000,
      from: monday,
      flow: { bars: 5, signals: 1, intents: 1, denied: 0, orders: 1, fills: 1 },
    });
    expect(new Date(record.to).toISOString()).toBe('2024-03-08T21:00:00.000Z');
  });

  it('has the figures of a trial without its equity at each close, which needs a second pass over all bars', () => {
    const record = runBacktest(setupOf(hold, [week], inDollars));
    const equity = vi.spyOn(record, 'equity', 'get');
    expect(trialOutcome(record, { keepDays: true }).figures.finalEquity).toBe(9_284);
    expect(equity).not.toHaveBeenCalled();
  });

  it('buys above one level and sells below another', () => {
    const record = runBacktest(setupOf(levels, [week], inDollars));
    // In: 5,000 / 11.5 are 434 shares, 434 x 12 + 2. Out: 434 x 9 - 2.
    expect(fillsOf(record)).toEqual(['03-06T14:30 buy 434 at 12, fee 2', '03-08T14:30 sell 434 at 9, fee 2']);
    expect(equityOf(record)).toEqual([
      '03-04T21:00 10000',
      '03-05T21:00 10000',
      '03-06T21:00 9998',
      '03-07T21:00 9130',
      '03-08T21:00 8694',
    ]);
  });

  it('values a close before a fill at the next tick of the same instant', () => {
    const minutes = columnsOf(AAPL, '1m', [
      [at('2024-03-04T09:30:00-05:00'), 10, 10, 10, 10],
      [at('2024-03-04T09:31:00-05:00'), 20, 20, 20, 20],
      [at('2024-03-04T09:32:00-05:00'), 30, 30, 30, 30],
    ]);
    const one = defineStrategy({
      ...{ name: 'one', params: {} },
      signals: ({ bars }) => ({ start: first(bars) }),
      onSignal: (signal, { orders }) => orders.buy(signal.symbol, 100),
    });
    const record = runBacktest(setupOf(one, [minutes], inDollars));
    expect(fillsOf(record)).toEqual(['03-04T14:31 buy 100 at 20, fee 2']);
    expect(equityOf(record)).toEqual(['03-04T14:31 10000', '03-04T14:32 9998', '03-04T14:33 10998']);
    expect([...record.equity.exposure].map((share) => share > 0)).toEqual([false, true, true]);
  });

  it('never fills a limit order beyond its limit, and expires the rest at the close', () => {
    const policy = { orderType: 'LO', offsetTicks: 0, cancelAfterMs: undefined } as const;
    const record = runBacktest(setupOf(hold, [week], { ...inDollars, policy }));
    // 10.5 is reached on Tuesday on the way from 12 to its low of 10, or from 11 to it: filled at the limit itself.
    expect(fillsOf(record)).toEqual([expect.stringMatching(/^03-05T.* buy 476 at 10\.5, fee 2$/)]);
  });

  it('begins to decide on its first day, and warms up before it', () => {
    const average = defineStrategy({
      ...{ name: 'average', params: {} },
      signals: ({ bars }) => ({ over: crossover(bars.close, sma(bars.close, 2)) }),
      onSignal: (signal, { orders }) =>
        orders.targetWeight(signal.symbol, signal.direction === 'up' ? 0.5 : 0),
    });
    const wednesday = calendarDay('2024-03-06');
    const record = runBacktest(setupOf(average, [week], { ...inDollars, from: wednesday }), {
      decisions: true,
    });
    expect(record.from).toBe(midnightOf('US', wednesday));
    expect(equityOf(record)[0]).toContain('03-06');
    const signals = record.decisions.filter(({ kind }) => kind === 'signal');
    expect(signals.map((signal) => ('time' in signal ? new Date(signal.time).getUTCDate() : 0))).toEqual([7]);
  });

  it('records the whole run, and the journal ends with the reason', () => {
    const journal = createMemoryJournal();
    const record = runBacktest(setupOf(hold, [week], inDollars), { journal, journalPath: 'here.db' });
    const kinds = [...journal.replay()].map(({ kind }) => kind);
    expect(kinds.slice(0, 5)).toEqual([
      ...['run-started', 'intent-drafted', 'intent-armed', 'submit-sending', 'submit-acked'],
    ]);
    expect(kinds.at(-1)).toBe('run-ended');
    expect(record.journal).toBe('here.db');
  });

  it('lists what its models leave out', () => {
    const record = runBacktest(setupOf(hold, [week], inDollars));
    expect(record.assumptions.join('\n')).toMatch(
      /No market impact, no spread[\s\S]*no queue position[\s\S]*two-dollars/,
    );
    expect(record.assumptions).toContain('AAPL.US is GENERATED data: it is evidence of no real market');
  });
});

describe('a strategy that fails in a backtest', () => {
  const failing = (change: Partial<StrategyDefinition>) =>
    setupOf(
      defineStrategy({ name: 'bad', params: {}, onStart: () => undefined, ...change }),
      [week],
      inDollars,
    );

  it.each(['onStart', 'onBar', 'onQuote', 'onStop'])(
    'throws what %s threw, and journals it (I-16)',
    (hook) => {
      const journal = createMemoryJournal();
      const setup = failing({
        [hook]: () => {
          throw new Error('no idea');
        },
      });
      expect(() => runBacktest(setup, { journal })).toThrow(`Strategy "bad" threw in ${hook}: no idea`);
      expect(() => runBacktest(setup)).toThrow(StrategyError);
      expect([...journal.replay()].map(({ kind }) => kind).slice(-2)).toEqual([
        'strategy-failed',
        'run-ended',
      ]);
    },
  );

  it('is stopped if it answers its own denials without end (I-15, I-23)', () => {
    const limits = limitsOf({ maxOpenOrders: 0 });
    const again: StrategyDefinition['onOrder'] = (event, { orders }) => orders.buy(event.symbol, 1);
    const setup = failing({ onBar: (event, { orders }) => orders.buy(event.symbol, 1), onOrder: again });
    expect(() => runBacktest({ ...setup, limits })).toThrow('reacts to its own orders without end');
  });
});

const days = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };

/** Two symbols in two markets and currencies, hourly, with charges and lots. */
const someHistory = fc.tuple(
  someBarsOver(AAPL, '1h', stampsOf(AAPL, '1h', days)),
  someBarsOver(TENCENT, '1h', stampsOf(TENCENT, '1h', days)),
);
const somePolicy = fc.record({
  orderType: fc.constantFrom('MO' as const, 'LO' as const),
  offsetTicks: fc.nat(2),
  cancelAfterMs: fc.constantFrom(undefined, 1_000, 1_800_000, 5_400_000),
});

/** Trades on a fast cross, sends new orders on fills, and holds few shares of each symbol. */
const crossing: StrategyDefinition = {
  name: 'crossing',
  params: {},
  signals: ({ bars }) => ({ cross: crossover(sma(bars.close, 1), sma(bars.close, 3)) }),
  onSignal: ({ direction, symbol }, { orders }) => orders.targetWeight(symbol, direction === 'up' ? 0.3 : 0),
  onFill: ({ symbol, fill }, { orders }) =>
    fill.side === 'buy' ? orders.targetWeight(symbol, 0.35) : undefined,
};

const crossingSetup = (
  history: readonly BarColumns[],
  policy: RunSetup['policy'],
  change: Partial<StrategyDefinition> = {},
): RunSetup =>
  setupOf(defineStrategy({ ...crossing, ...change }), history, {
    policy,
    charges: CHARGE_SCHEDULES.standard,
  });

/** The result of a run, without counts of passing events. */
const outcome = (setup: RunSetup) => {
  const { decisions, equity } = runBacktest(setup, { decisions: true });
  return { decisions, equity };
};

describe('any backtest', () => {
  it('has the same result when it is repeated (I-26)', () => {
    fc.assert(
      fc.property(someHistory, somePolicy, (history, policy) => {
        const setup = crossingSetup(history, policy);
        expectEqual(runBacktest(setup), runBacktest(setup));
      }),
      { numRuns: 20 },
    );
  });

  it('has the same trades and equity whether the strategy has hooks for every bar and quote or none in between', () => {
    const none = () => undefined;
    let fills = 0;
    fc.assert(
      fc.property(someHistory, somePolicy, (history, policy) => {
        const sparse = outcome(crossingSetup(history, policy));
        fills += sparse.decisions.filter(({ kind }) => kind === 'order-filled').length;
        expectEqual(outcome(crossingSetup(history, policy, { onBar: none })), sparse);
        expectEqual(outcome(crossingSetup(history, policy, { onQuote: none })), sparse);
      }),
      { numRuns: 25 },
    );
    expect(fills).toBeGreaterThan(25);
  });

  it('decides nothing by later data (I-26, F-D11)', () => {
    const policy = { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined } as const;
    const decisionsOf = (history: readonly BarColumns[]) => outcome(crossingSetup(history, policy)).decisions;
    fc.assert(
      fc.property(someHistory, someHistory, fc.nat(), (past, future, which) => {
        const decided = decisionsOf(past);
        const last = decided[which % decided.length];
        if (last === undefined) return;
        const known = timeOf(last);
        const mixed = past.map((bars, index) => changedAfter(bars, future[index] ?? bars, known));
        const untilThen = (decisions: typeof decided) => decisions.filter((each) => timeOf(each) <= known);
        expectEqual(untilThen(decisionsOf(mixed)), untilThen(decided));
      }),
      { numRuns: 30 },
    );
  });

  it('never fills outside the range of the current bar', () => {
    fc.assert(
      fc.property(someHistory, somePolicy, (history, policy) => {
        for (const decision of outcome(crossingSetup(history, policy)).decisions) {
          if (decision.kind !== 'order-filled') continue;
          const { symbol, time, price } = decision.fill;
          const bars = history.find((columns) => columns.symbol === symbol) ?? history[0];
          const index = bars.time.findLastIndex((opens) => opens <= time);
          expect(price.toNumber()).toBeLessThanOrEqual(bars.high[index] as number);
          expect(price.toNumber()).toBeGreaterThanOrEqual(bars.low[index] as number);
        }
      }),
      { numRuns: 20 },
    );
  });
});

/**
 * Bars with only what was known at an instant: a bar that is open then keeps its open and whether it has volume;
 * later bars differ.
 */
function changedAfter(past: BarColumns, future: BarColumns, known: number): BarColumns {
  const before = rowsOf(past).filter(([opens]) => opens < known);
  const opening = rowsOf(past)
    .filter(([opens]) => opens === known)
    .map(
      ([opens, open, , , , volume]): BarRow => [opens, open, open, open / 2, open / 2, volume === 0 ? 0 : 1],
    );
  const after = rowsOf(future).filter(([opens]) => opens > known);
  return columnsOf(past.symbol, past.period, [...before, ...opening, ...after]);
}

function rowsOf(bars: BarColumns): readonly BarRow[] {
  return Array.from({ length: bars.length }, (_, index) => {
    const { time, open, high, low, close, volume } = barAt(bars, index);
    return [time, open, high, low, close, volume];
  });
}

function timeOf(decision: ReturnType<typeof outcome>['decisions'][number]): number {
  return decision.kind === 'signal' ? decision.time : decision.at;
}

describe('a backtest over extended hours', () => {
  /**
   * Quarter hours of New York, 04:00 to 20:00 on five days, each a cent above the previous one, so that no hourly
   * signal crosses.
   */
  const rising = columnsOf(
    AAPL,
    '15m',
    Array.from({ length: 5 * 64 }, (_, index): BarRow => {
      const close = 100 + index / 100;
      const opens = at('2024-03-04T04:00:00-05:00') + Math.floor(index / 64) * DAY_MS;
      return [opens + (index % 64) * 15 * 60_000, close, close, close, close];
    }),
  );
  const crosses = defineStrategy({
    name: 'crosses',
    params: {},
    signals: ({ bars }) => ({
      cross: crossover(
        bars.close,
        bars.every('1h', (hour) => sub(hour.close, 0.005)),
      ),
    }),
    onSignal: ({ symbol }, { orders }) => orders.targetWeight(symbol, 0.5),
  });

  it('counts the trading days of the market, also where the last close of a day is after midnight UTC', () => {
    const rules = { ...DEFAULT_RULES, fills: { ...DEFAULT_RULES.fills, sessions: 'extended' as const } };
    const setup = setupOf(crosses, [rising], { ...inDollars, rules });
    for (const record of [runBacktest(setup), runInFull(setup)]) {
      const { day, time } = curveOf(record).daily;
      expect(day).toEqual(['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07', '2024-03-08']);
      expect(new Date(time.at(-1) ?? 0).toISOString()).toBe('2024-03-09T01:00:00.000Z');
      expect(performanceOf(record).returns).toBe(5);
    }
  });

  it.each<Partial<FillModel>>([{ sessions: 'extended' }, { sessions: 'all' }, { hours: 'bars' }])(
    'has no cross on the first hour that its signals are built on, in both engines: %o',
    (hours) => {
      const rules = { ...DEFAULT_RULES, fills: { ...DEFAULT_RULES.fills, ...hours } };
      const setup = setupOf(crosses, [rising], { ...inDollars, rules });
      for (const { flow } of [runBacktest(setup), runInFull(setup)])
        expect(flow).toMatchObject({ signals: 0, orders: 0 });
    },
  );
});

describe('a backtest over two markets', () => {
  const from = calendarDay('2024-03-06');
  const week = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-07') };
  const barsOn = (symbol: SecuritySymbol, period: Period, price: number) =>
    columnsOf(
      symbol,
      period,
      stampsOf(symbol, period, week).map((stamp): BarRow => [stamp, price, price, price, price]),
    );

  it.each<readonly [Period, firstBars: readonly string[], closes: number]>([
    ['1h', ['700.HK 2024-03-06T01:30', 'AAPL.US 2024-03-06T14:30'], 2 * (6 + 7)],
    ['1d', ['700.HK 2024-03-05T16:00', 'AAPL.US 2024-03-06T05:00'], 4],
  ])("begins with each market's own first day, in both engines: %s bars", (period, firstBars, closes) => {
    const seen = new Map<string, string>();
    const quotes: number[] = [];
    const watch = (hearsQuotes: boolean) =>
      defineStrategy({
        name: 'watch',
        params: {},
        signals: ({ bars }) => ({ mean: sma(bars.close, 2) }),
        onBar: ({ symbol, bar }, { value }) => {
          expect(value(symbol, 'mean')).toBe(symbol === AAPL ? 10 : 300);
          if (!seen.has(symbol)) seen.set(symbol, new Date(bar.time).toISOString().slice(0, 16));
        },
        ...(hearsQuotes
          ? { onQuote: ({ symbol, time }: QuoteEvent) => void (symbol === AAPL && quotes.push(time)) }
          : {}),
      });
    const history = [barsOn(AAPL, period, 10), barsOn(TENCENT, period, 300)];
    const setup = (hearsQuotes: boolean) => setupOf(watch(hearsQuotes), history, { from, to: week.to });
    for (const run of [
      () => runBacktest(setup(false)),
      () => runInFull(setup(false)),
      () => runInFull(setup(true)),
    ]) {
      seen.clear();
      const { equity, from: begin } = run();
      expect([...seen].map(([symbol, first]) => `${symbol} ${first}`)).toEqual(firstBars);
      expect(equity.time).toHaveLength(closes);
      expect(new Date(begin).toISOString()).toBe('2024-03-05T16:00:00.000Z');
    }
    expect(Math.min(...quotes)).toBe(at('2024-03-06T09:30:00-05:00'));
  });
});
