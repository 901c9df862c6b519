import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { ExitColumns } from '#src/events/curve/exit-columns.ts';
import { FILLED_BY, type FillColumns, UNITS } from '#src/events/curve/fill-columns.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import type { Schedule } from '#src/execution/operator/schedule.ts';
import { barCloses } from '#src/markets/bar-span.ts';
import { type Decimal, decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { omitUndefined } from '#src/model/omit-undefined.ts';
import { marketOf } from '#src/model/symbol.ts';
import { DAY_MS, millis } from '#src/model/time.ts';
import { wholeSeconds } from '#src/model/whole-seconds.ts';
import { denialsOf } from '#src/reports/denials.ts';
import { type ExitReason, exitReasonsOf } from '#src/reports/exit-reasons.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { priceLevels } from '#src/reports/price-levels.ts';
import { crossover } from '#src/signals/cross.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy, type Strategy, type StrategyDefinition } from '#src/strategy/define-strategy.ts';
import { onSignalOfTargets, type SignalTargets, type TargetWeight } from '#src/strategy/targets.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { expectSeenFirst } from '../fixtures/outcomes.ts';
import {
  type Behaviour,
  type Sample,
  someBehaviour,
  someLongHolder,
  someLongLivedOrders,
  someMinuteSlicer,
  someMinutes,
  someRotation,
  someSample,
  someScalingIn,
  someScalingInWithoutExits,
  someSlicer,
  someTimeExits,
  strategyOf,
} from '../fixtures/random-behaviours.ts';
import { readTimeOf } from '../fixtures/schedule.ts';
import { venueFacts } from '../fixtures/venue-facts.ts';

const runs = Number(process.env['SLUICE_RUNS'] ?? 36);

describe('a run in plain numbers', () => {
  it('equals the reference engine in what the strategy sees and decides, each fill, and equity to the last bit', () => {
    const completed = { yes: 0, no: 0 };
    fc.assert(
      fc.property(someSample, (sample) => {
        const express = runAlike(sample);
        completed[express.kind === 'completed' ? 'yes' : 'no'] += 1;
      }),
      { numRuns: runs, endOnFailure: Boolean(process.env['SLUICE_RUNS']) },
    );
    expect(completed.yes).toBeGreaterThan(runs / 5);
    expect(completed.no).toBeGreaterThan(0);
  });

  it('equals the reference engine up to its last event if plain numbers do not complete it', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(someSample.filter(hasExits), { numRuns: Math.ceil(runs / 5), seed: 5 });
    const left = samples.filter((sample) => runAlike(sample, 'to-the-end').kind === 'bailed-out');
    expect(left.length).toBeGreaterThan(samples.length / 4);
  });

  it('equals the reference engine if positions are closed by time', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(
      fc.record({ sample: someSample.filter(isFilledByHalfHours), behaviour: someTimeExits }),
      {
        numRuns: Math.ceil(runs / 4),
        seed: 1,
      },
    );
    const leaving = samples.filter(({ sample: { setup }, behaviour }) => {
      const [seen, seenInFull]: [unknown[], unknown[]] = [[], []];
      const full = runInFull({ ...setup, strategy: strategyOf(behaviour, seenInFull) });
      const record = runBacktest({ ...setup, strategy: strategyOf(behaviour, seen) });
      expectEqual(seen, seenInFull);
      expectEqual(resultOf(record), resultOf(full));
      return record.fillColumns?.by.includes(FILLED_BY.indexOf('close')) === true;
    });
    expect(leaving.length).toBeGreaterThan(samples.length / 4);
  });

  it.each([
    ['half hours', someSample.filter(isFilledByHalfHours), someScalingIn, 5],
    [
      'minutes with orders that end after one',
      someMinutes,
      fc.oneof(someScalingIn, someScalingInWithoutExits),
      10,
    ],
  ])(
    'equals the reference engine if positions with exits are bought in several entries and sold in parts, over %s',
    (_what, someBars, someOrders, oneIn) => {
      // Fixed seed, so that enough samples are of this kind.
      const samples = fc.sample(fc.record({ sample: someBars, behaviour: someOrders }), {
        numRuns: Math.ceil(runs / 4),
        seed: 1,
      });
      const scaled = { carried: 0, several: 0, again: 0 };
      for (const { sample, behaviour } of samples) {
        const express = runAlike({ ...sample, behaviour });
        if (express.kind === 'bailed-out') continue;
        scaled.carried += 1;
        if (overlaps(express.exits)) scaled.several += 1;
        if (express.alarms.some(({ code }) => code === 'exits-missing')) scaled.again += 1;
      }
      expect(scaled.carried).toBeGreaterThan(samples.length / oneIn);
      expect(scaled.several).toBeGreaterThan(samples.length / oneIn / 4);
      expect(scaled.again).toBeGreaterThan(0);
    },
  );

  it.each([
    ['half hours and hours', someSample.filter(isIntraday), someTimes(9, 16)],
    ['minutes', someMinutes, someTimes(9, 10)],
  ])(
    'equals the reference engine if a schedule stops opening, cancels orders and closes positions, over %s',
    (_what, someBars, someHours) => {
      // Fixed seed, so that enough samples are of this kind.
      const samples = fc.sample(fc.record({ sample: someBars, schedule: someHours }), {
        numRuns: Math.ceil(runs / 2),
        seed: 3,
      });
      const seen = { completed: 0, stopped: 0 };
      for (const { sample, schedule } of samples) {
        const express = runAlike({ ...sample, setup: { ...sample.setup, schedule } });
        if (express.kind === 'bailed-out') continue;
        seen.completed += 1;
        if (express.denials.has('opening-stopped')) seen.stopped += 1;
      }
      expect(seen.completed).toBeGreaterThan(samples.length / 4);
      expect(seen.stopped).toBeGreaterThan(samples.length / 8);
    },
  );

  it.each([
    ['over half hours and hours', someSample.filter(isIntraday), someSlicer],
    ['over minutes', someMinutes, someMinuteSlicer],
  ])(
    'equals the reference engine if orders are sliced, within bars, in breaks and after the last tick, %s',
    (_what, someBars, someOrders) => {
      // Fixed seed, so that enough samples are of this kind.
      const samples = fc.sample(fc.record({ sample: someBars, behaviour: someOrders }), {
        numRuns: Math.ceil(runs / 3),
        seed: 2,
      });
      const parts = { carried: 0, missed: 0 };
      for (const { sample, behaviour } of samples) {
        const express = runAlike({ ...sample, behaviour });
        if (express.kind === 'bailed-out' || express.fills.length < 2 || !behaviour.requests.some(hasParts))
          continue;
        parts.carried += 1;
        if (express.alarms.some(({ code }) => code === 'slices-missed')) parts.missed += 1;
      }
      expect(parts.carried).toBeGreaterThan(samples.length / 8);
      expect(parts.missed).toBeGreaterThan(0);
    },
  );

  it('equals the reference engine if limit orders and triggers work for longer than a day, with exits and without', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(
      fc.record({ sample: someSample.filter(isNotCancelled), behaviour: someLongLivedOrders }),
      {
        numRuns: Math.ceil(runs / 2),
        seed: 1,
      },
    );
    const waited = samples.filter(({ sample, behaviour }) => {
      const express = runAlike({ ...sample, behaviour });
      return express.kind === 'completed' && waitsForDays(express);
    });
    expect(waited.length).toBeGreaterThan(samples.length / 8);
  });

  it('equals the reference engine if a strategy rebalances several symbols, and buys with the proceeds of its sales', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(fc.record({ sample: someSample.filter(hasSeveral), behaviour: someRotation }), {
      numRuns: Math.ceil(runs / 2),
      seed: 3,
    });
    const rotating = samples.filter(({ sample, behaviour }) => {
      const express = runAlike({ ...sample, behaviour });
      return express.kind === 'completed' && buysUponSales(express);
    });
    expect(rotating.length).toBeGreaterThan(samples.length / 4);
  });

  it('equals the reference engine if ticks have too few shares for an order, which is charged for all of its fills together', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(someSample.filter(sharesPrints), { numRuns: Math.ceil(runs / 4), seed: 2 });
    const inParts = samples.filter((sample) => {
      const express = runAlike(sample);
      return express.kind === 'completed' && new Set(express.fills.order).size < express.fills.length;
    });
    expect(inParts.length).toBeGreaterThan(samples.length / 5);
  });

  it.each([
    ['half hours', someSample.filter(isIntraday)],
    ['minutes', someMinutes],
  ])(
    'equals the reference engine if entries and their exits are filled in parts, over %s',
    (_what, someBars) => {
      // Fixed seed, so that enough samples are of this kind.
      const samples = fc.sample(
        fc.record({
          sample: someBars,
          behaviour: someLongHolder,
          participation: fc.constantFrom(0.1, 0.2, 0.3),
        }),
        { numRuns: Math.ceil(runs / 2), seed: 5 },
      );
      const inParts = { entries: 0, exits: 0 };
      for (const { sample, behaviour, participation } of samples) {
        const express = runAlike({ setup: withParticipation(sample.setup, participation), behaviour });
        if (express.kind === 'bailed-out') continue;
        if (hasFillsInParts(express.fills, (by) => by === 0)) inParts.entries += 1;
        if (hasFillsInParts(express.fills, (by) => by > 0)) inParts.exits += 1;
      }
      expect(inParts.entries).toBeGreaterThan(samples.length / 8);
      expect(inParts.exits).toBeGreaterThan(0);
    },
  );

  it('equals the reference engine if entries with exits are filled in parts between other orders, over minutes', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(
      fc.record({
        sample: someMinutes,
        behaviour: fc.oneof(someScalingIn, someTimeExits, someBehaviour),
        participation: fc.constantFrom(0.1, 0.2, 0.3, 0.5),
      }),
      { numRuns: runs * 2, seed: 43 },
    );
    const inParts = samples.filter(({ sample, behaviour, participation }) => {
      const express = runAlike({ setup: withParticipation(sample.setup, participation), behaviour });
      return express.kind === 'completed' && hasFillsInParts(express.fills, (by) => by === 0);
    });
    expect(inParts.length).toBeGreaterThan(samples.length / 20);
  });

  it('equals the reference engine if the only exit of a position is a stop that a gain brings to the entry price', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(fc.record({ sample: someMinutes, behaviour: someLongHolder }), {
      numRuns: Math.ceil(runs / 2),
      seed: 5,
    });
    const carried = samples.filter(({ sample, behaviour }) => {
      const setup = withParticipation(sample.setup, undefined);
      const express = runAlike({ setup, behaviour: { ...behaviour, exits: { breakEven: { percent: 1 } } } });
      return express.kind === 'completed' && express.fills.by.includes(FILLED_BY.indexOf('stop'));
    });
    expect(carried.length).toBeGreaterThan(samples.length / 4);
  });

  it.each([
    ['half hours, hours and days', someSample],
    ['minutes', someMinutes],
  ])(
    'equals the reference engine if the strategy handles the start and the events of its orders, over %s',
    (_what, someBars) => {
      // Fixed seed, so that enough samples are of this kind.
      const samples = fc.sample(someBars.filter(isWithoutExits), { numRuns: Math.ceil(runs / 3), seed: 4 });
      const carried = samples.filter(({ setup, behaviour }) => {
        const express = runAlike({ setup, behaviour: { ...behaviour, notesOrders: true } });
        return express.kind === 'completed' && express.fills.length > 0;
      });
      expect(carried.length).toBeGreaterThan(samples.length / 3);
    },
  );

  it('equals the reference engine if sales are sent from onFill', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(someSample.filter(sellsAtFills), { numRuns: Math.ceil(runs / 3), seed: 2 });
    const carried = samples.filter((sample) => {
      const express = runAlike(sample);
      return express.kind === 'completed' && express.decidedInside.inside > 0;
    });
    expect(carried.length).toBeGreaterThan(samples.length / 4);
  });

  it('equals the reference engine if limits on losses stop the gate, and an operator resumes it and closes', () => {
    // Fixed seed, so that enough samples are of this kind.
    const someBars = someSample.filter(
      ({ setup, behaviour }) =>
        setup.rules?.fills.participation === undefined && behaviour.exits === undefined,
    );
    const samples = fc.sample(fc.record({ sample: someBars, limits: someLossLimits }), {
      numRuns: Math.ceil(runs / 2),
      seed: 6,
    });
    const carried = { stopped: 0, resumed: 0 };
    for (const { sample, limits } of samples) {
      const { maxDrawdown, maxDailyLoss, operator } = limits;
      const tight = { ...sample.setup.limits, maxDrawdown, maxDailyLoss };
      const express = runAlike({ ...sample, setup: { ...sample.setup, limits: tight, operator } });
      if (express.kind === 'bailed-out') continue;
      if (express.gate.state !== 'active') carried.stopped += 1;
      if ((express.stops?.length ?? 0) > 0 && express.gate.state === 'active') carried.resumed += 1;
    }
    expect(carried.stopped).toBeGreaterThan(samples.length / 10);
    expect(carried.resumed).toBeGreaterThan(0);
  });

  it('equals the reference engine with a target table, and both equal the hook with the same decisions', () => {
    const completed = { yes: 0, no: 0 };
    fc.assert(
      fc.property(
        someSample,
        fc.dictionary(someSignal, someTargets),
        fc.boolean(),
        fc.boolean(),
        ({ setup }, targets, bars, stops) => {
          // A loss of a thousandth in a day stops the gate.
          const limits = stops ? { ...setup.limits, maxDailyLoss: decimal('0.001') } : setup.limits;
          const express = heldAlike({ ...setup, limits }, targets, bars);
          completed[express.kind === 'completed' ? 'yes' : 'no'] += 1;
        },
      ),
      { numRuns: Math.ceil(runs / 2), endOnFailure: Boolean(process.env['SLUICE_RUNS']) },
    );
    expect(completed.yes).toBeGreaterThan(0);
    expect(completed.no).toBeGreaterThan(0);
  });

  it('equals the reference engine if orders fill at the instant of their signal', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(someSample.filter(fillsAtOnce), { numRuns: 24, seed: 1 });
    const atOnce = samples.filter(({ setup }) => {
      const express = heldAlike(setup, IN_AND_OUT, false);
      return express.kind === 'completed' && express.fills.at.some((at) => closesOf(setup).has(at));
    });
    expect(atOnce.length).toBeGreaterThan(10);
  });
});

/**
 * Runs a sample through both engines, which must agree; returns the result of plain numbers. A run that the express
 * engine leaves is compared up to there, or to its end.
 */
/** A schedule with times from one hour to another; each may be absent. */
function someTimes(first: number, last: number): fc.Arbitrary<Schedule> {
  const someTime = fc
    .tuple(fc.integer({ min: first, max: last }), fc.constantFrom(0, 10, 30, 31, 45, 50))
    .map(([hour, minute]) => readTimeOf(`${minute} ${hour} * * 1-5`));
  const often = fc.option(someTime, { nil: undefined, freq: 3 });
  return fc
    .record({ start: often, stop: often, flatten: often, cancelAll: fc.option(someTime, { nil: undefined }) })
    .map((times) => omitUndefined(times));
}

function runAlike(
  { setup, behaviour }: Sample,
  ifLeft: 'up-to-there' | 'to-the-end' = 'up-to-there',
): ReturnType<typeof runExpress> {
  const [seen, seenInFull]: [unknown[], unknown[]] = [[], []];
  const express = runExpress({ ...setup, strategy: strategyOf(behaviour, seen) });
  if (express.kind === 'bailed-out' && ifLeft === 'up-to-there') {
    expectSeenFirst(setup, (into) => strategyOf(behaviour, into), seen);
    return express;
  }
  const [alarms, alarmsInFull]: [Alarm[], Alarm[]] = [[], []];
  const full = runInFull(
    { ...setup, strategy: strategyOf(behaviour, seenInFull) },
    { onAlarm: (alarm) => alarmsInFull.push(alarm) },
  );
  expectEqual(seenInFull.slice(0, seen.length), seen);
  const again: unknown[] = [];
  const record = runBacktest(
    { ...setup, strategy: strategyOf(behaviour, again) },
    { onAlarm: (alarm) => alarms.push(alarm) },
  );
  expectEqual(alarms, alarmsInFull);
  expectEqual(record.equity, full.equity);
  expectEqual(record.flow, full.flow);
  expectEqual(record.fills.map(venueFacts), full.fills.map(venueFacts));
  expectEqual(priceLevels(record), priceLevels(full));
  expectEqual(denialsOf(record), denialsOf(full));
  expectEqual(
    record.assumptions.filter((text) => !text.startsWith('Amounts above')),
    full.assumptions,
  );
  expectEqual(exitsOf(record), exitsOf(full));
  expectEqual(record.gate, full.gate);
  expectEqual(record.stops, full.stops);
  expectEqual(again, seenInFull);
  if (express.kind === 'bailed-out') return express;
  const { length, ...columns } = express.fills;
  const rows = full.decisions.flatMap((each) => (each.kind === 'order-filled' ? [each.fill] : []));
  expectEqual(
    rows.map(({ time }) => time),
    Array.from(columns.at, (at) => wholeSeconds(millis(at))),
  );
  expectEqual(
    rows.map(({ price }) => price.toNumber()),
    Array.from(columns.price),
  );
  expectEqual(
    rows.map(({ fee }) => fee.times(UNITS).toNumber()),
    Array.from(columns.fee),
  );
  expectEqual(
    rows.map(({ side, quantity }) => quantity.times(side === 'buy' ? 1 : -1).toNumber()),
    Array.from(columns.quantity),
  );
  expect(rows.map(({ symbol }) => setup.securities.findIndex((each) => each.symbol === symbol))).toEqual(
    Array.from(columns.security),
  );
  expect(rows).toHaveLength(length);
  const charged = new Map<string, Decimal>();
  for (const { code, amount } of rows.flatMap(({ charges }) => charges))
    charged.set(code, amount.plus(charged.get(code) ?? 0));
  expectEqual(new Map(record.chargeSums?.map(({ code, amount }) => [code, amount])), charged);
  return express;
}

function withParticipation(setup: Sample['setup'], participation: number | undefined): Sample['setup'] {
  const { rules = DEFAULT_RULES } = setup;
  return { ...setup, rules: { ...rules, fills: { ...rules.fills, participation } } };
}

/** Whether an order has several fills, among the orders of these roles (indices of FILLED_BY). */
function hasFillsInParts({ length, by, order }: FillColumns, isMeant: (by: number) => boolean): boolean {
  const seen = new Set<number>();
  for (let row = 0; row < length; row += 1) {
    if (!isMeant(by[row] as number)) continue;
    if (seen.has(order[row] as number)) return true;
    seen.add(order[row] as number);
  }
  return false;
}

const isIntraday = ({ setup }: Sample): boolean => setup.period !== '1d';

const isWithoutExits = ({ behaviour }: Sample): boolean => behaviour.exits === undefined;

const hasExits = ({ behaviour }: Sample): boolean => behaviour.exits !== undefined;

const hasSeveral = ({ setup }: Sample): boolean => setup.securities.length > 1;

/** Whether an order to buy was sent at the instant at which one to sell was filled, as a rebalance does. */
function buysUponSales({
  fills,
  sentAt,
}: Extract<ReturnType<typeof runExpress>, { kind: 'completed' }>): boolean {
  const rows = Array.from({ length: fills.length }, (_, row) => row);
  const sold = new Set(rows.flatMap((row) => ((fills.quantity[row] as number) < 0 ? [fills.at[row]] : [])));
  return rows.some((row) => {
    const order = fills.order[row] as number;
    return (fills.quantity[row] as number) > 0 && sold.has(sentAt[order]);
  });
}

const isNotCancelled = ({ setup }: Sample): boolean => setup.policy.cancelAfterMs === undefined;

/** Whether an order was filled more than a day after it was sent. */
function waitsForDays({
  fills,
  sentAt,
}: Extract<ReturnType<typeof runExpress>, { kind: 'completed' }>): boolean {
  return fills.order
    .subarray(0, fills.length)
    .some(
      (order, row) => fills.by[row] === 0 && (fills.at[row] as number) - (sentAt[order] as number) > DAY_MS,
    );
}

const hasParts = (request: Behaviour['requests'][number]): boolean => 'parts' in request && request.parts > 1;

/** Whether two stops, or two targets, of one symbol worked at the same time: those of two entries. */
function overlaps({ length, security, kind, from, to }: ExitColumns): boolean {
  for (let row = 0; row < length; row += 1)
    for (let other = 0; other < row; other += 1)
      if (
        security[row] === security[other] &&
        kind[row] === kind[other] &&
        (from[row] as number) < (to[other] as number)
      )
        return true;
  return false;
}

/** Whether orders of one security are sent both at closes and at fills. */
function sellsAtFills({ setup, behaviour }: Sample): boolean {
  return behaviour.atFill === 'orders' && behaviour.exits === undefined && setup.securities.length === 1;
}

/** Whether there are many orders, with a participation so small that some are filled in parts. */
function sharesPrints({ setup, behaviour }: Sample): boolean {
  return setup.rules?.fills.participation === 0.2 && behaviour.calledOn === 'bar';
}

/** Parts of a run's record in which both engines must agree. */
function resultOf(record: RunRecord) {
  const { equity, flow, assumptions } = record;
  const trades = performanceOf(record).trades.closed;
  return {
    ...{ equity, flow, assumptions, trades },
    ...{ denials: denialsOf(record), exits: exitsOf(record), levels: priceLevels(record) },
    fills: record.fills.map(venueFacts),
  };
}

/** Whether bars are half an hour long and fill each order at once. */
const isFilledByHalfHours = ({ setup }: Pick<Sample, 'setup'>): boolean =>
  setup.period === '30m' && setup.rules?.fills.participation === undefined;

function exitsOf(record: RunRecord): readonly ExitReason[] {
  return performanceOf(record).trades.closed.map(exitReasonsOf(record));
}

/**
 * Runs a strategy with targets and one with an equivalent hook through both engines; returns the result of plain
 * numbers for the targets.
 */
function heldAlike(
  setup: Sample['setup'],
  targets: SignalTargets,
  bars: boolean,
): ReturnType<typeof runExpress> {
  const hook = { ...setup, strategy: aiming({ onSignal: onSignalOfTargets(() => targets) }, bars) };
  const targetDrafts = { ...setup, strategy: aiming({ targets: () => targets }, bars) };
  const full = runInFull(hook);
  const record = runBacktest(targetDrafts);
  expectEqual(record.equity, full.equity);
  expectEqual(record.flow, full.flow);
  expectEqual(record.fills.map(venueFacts), full.fills.map(venueFacts));
  const express = runExpress(targetDrafts);
  if (express.kind === 'completed') expect(express.fills).toHaveLength(full.flow.fills);
  return express;
}

/** Targets that one signal alone changes, within every limit of the samples. */
const IN_AND_OUT = { cross: { up: 0.25, down: 0 } };

/**
 * Whether a run has one security, and market orders that the next bar of the session fills at the instant of their
 * signal.
 */
function fillsAtOnce({ setup }: Pick<Sample, 'setup'>): boolean {
  return setup.securities.length === 1 && setup.policy.orderType === 'MO' && setup.period !== '1d';
}

function closesOf({ history: [bars], securities: [security], period }: Sample['setup']): ReadonlySet<number> {
  if (bars === undefined || security === undefined) throw new Error('A run has bars');
  return new Set(barCloses(marketOf(security.symbol), period, bars.time));
}

/** Limits so tight that most runs reach one. */
const someLossLimits = fc.record({
  maxDrawdown: fc.constantFrom('0.0001', '0.001', '0.005', '0.02', '1').map(decimal),
  maxDailyLoss: fc.constantFrom('0.001', '0.01', '1', '1').map(decimal),
  operator: fc.constantFrom('next-day' as const, 'absent' as const),
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
