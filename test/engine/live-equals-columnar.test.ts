import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createColumnarSignalSource } from '#src/backtest/columnar-signal-source.ts';
import { cutColumns } from '#src/backtest/setup.ts';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { barClose } from '#src/markets/bar-span.ts';
import { dayKind } from '#src/markets/calendar.ts';
import { midnightOf } from '#src/markets/sessions.ts';
import type { BarColumns } from '#src/model/bar.ts';
import type { Period } from '#src/model/period.ts';
import { marketOf, type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { addDays, calendarDay, type Millis, millis, NEVER } from '#src/model/time.ts';
import type { MarketBatch, SignalSource } from '#src/ports/signal-source.ts';
import { bars } from '#src/signals/bars.ts';
import { crossover, every, threshold } from '#src/signals/cross.ts';
import { ema, sma } from '#src/signals/indicators/averages.ts';
import { rsi } from '#src/signals/indicators/momentum.ts';
import { compileSignals, type SignalProgram } from '#src/signals/program.ts';
import type { SplitAdjustment } from '#src/signals/split-adjustment.ts';
import type { StrategyEvent } from '#src/strategy/strategy-event.ts';
import { createFakeFeed } from '../fixtures/fake-feed.ts';
import { createInProcessSignals } from '../fixtures/in-process-signals.ts';
import { liveSourceOfOne } from '../fixtures/live-source.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';
import { runTo } from '../fixtures/time.ts';

const HSBC = securitySymbol('5.HK');
const COIN = securitySymbol('BTC.COIN');

/** Weeks with a lunch break each day in Hong Kong, a half day in both markets, and one or two holidays. */
const WEEKS = [
  { from: calendarDay('2024-12-23'), to: calendarDay('2024-12-27') },
  { from: calendarDay('2024-11-27'), to: calendarDay('2024-12-02') },
  { from: calendarDay('2024-03-07'), to: calendarDay('2024-03-12') },
];

interface World {
  readonly period: Period;
  /** In the config's order of symbols; begins before `start`. */
  readonly history: readonly BarColumns[];
  readonly start: Millis;
  readonly until: Millis;
  readonly program: SignalProgram;
  readonly listensTo: ReadonlySet<StrategyEvent['kind']>;
  readonly shareChanges: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>;
}

const someSignals = fc
  .record({
    fast: fc.integer({ min: 1, max: 4 }),
    more: fc.integer({ min: 1, max: 6 }),
    level: fc.integer({ min: 20, max: 80 }),
    average: fc.constantFrom(sma, ema),
    which: fc.subarray(['cross', 'strength', 'all'] as const),
  })
  .map(({ fast, more, level, average, which }) => {
    const slow = fast + more;
    const [quick, calm] = [average(bars.close, fast), average(bars.close, slow)];
    const all = {
      cross: crossover(quick, calm),
      strength: threshold(rsi(bars.close, slow), { below: level, above: level }),
      all: every(bars),
    };
    const chosen = which.map((name) => [name, all[name]] as const);
    return compileSignals({ ...Object.fromEntries(chosen), quick, calm });
  });

const someWorld: fc.Arbitrary<World> = fc
  .record({
    days: fc.constantFrom(...WEEKS),
    period: fc.constantFrom<Period>('15m', '30m', '1h', '1d'),
    symbols: fc.shuffledSubarray<SecuritySymbol>([TENCENT, HSBC, AAPL, COIN], { minLength: 1 }),
    warm: fc.nat(3),
    program: someSignals,
    hears: fc.subarray(['bar', 'bars', 'signal'] as const),
  })
  .chain(({ days, period, symbols, warm, program, hears }) => {
    const start = millis(
      Math.min(...symbols.map((symbol) => midnightOf(marketOf(symbol), addDays(days.from, warm)))),
    );
    const columns = symbols.map((symbol) => someBarsOver(symbol, period, stampsOf(symbol, period, days)));
    const until = millis(midnightOf('US', addDays(days.to, 2)));
    const splits = fc.array(fc.record({ day: fc.nat(5), ratio: fc.constantFrom(2, 7, 0.1, 1.5) }), {
      maxLength: 2,
    });
    return fc
      .tuple(fc.tuple(...columns), fc.tuple(...symbols.map(() => splits)))
      .map(([history, changes]) => ({
        ...{ period, history, start, until, program, listensTo: new Set(hears) },
        shareChanges: new Map(
          history.map((bars, at) => [bars.symbol, changesIn(bars, days, changes[at] ?? [])]),
        ),
      }));
  });

/** Splits at the first bar of some of these days, including warm-up days. */
function changesIn(
  bars: BarColumns,
  { from }: (typeof WEEKS)[number],
  splits: readonly { readonly day: number; readonly ratio: number }[],
): readonly SplitAdjustment[] {
  return splits
    .toSorted((one, other) => one.day - other.day)
    .flatMap(({ day, ratio }) => {
      const barsFrom = midnightOf(marketOf(bars.symbol), addDays(from, day));
      const stamp = bars.time.find((time) => time >= barsFrom);
      return stamp === undefined ? [] : [{ barsFrom, at: millis(stamp), ratio }];
    });
}

/** A batch with the values of the source for every symbol at that instant. */
interface Said extends Pick<MarketBatch, 'time' | 'events'> {
  readonly known: readonly unknown[];
}

function watch(source: SignalSource, { history }: World, said: Said[]): void {
  source.batches$.subscribe(({ time, events }) => {
    if (events.length === 0) return;
    const known = history.map(({ symbol }) => [symbol, source.lastPrice(symbol), source.values(symbol)]);
    said.push({ time, events, known });
  });
}

function live(world: World): readonly Said[] {
  const clock = new VirtualClock(world.start);
  const said: Said[] = [];
  const source = liveSourceOfOne({
    clock,
    feed: createFakeFeed(clock, world.history),
    signals: createInProcessSignals('some', world.program, world.shareChanges),
    symbols: world.history.map(({ symbol }) => symbol),
    period: world.period,
    from: world.start,
    until: world.until,
    listensTo: world.listensTo,
    splitAdjustments: world.shareChanges,
  });
  watch(source, world, said);
  runTo(clock, world.until);
  return said;
}

function columnar(world: World): readonly Said[] {
  const said: Said[] = [];
  let closedThrough = millis(world.start - 1);
  const source = createColumnarSignalSource({
    program: world.program,
    columns: world.history.map((bars) => cutColumns(bars, world.start, world.program.warmup).columns),
    listensTo: world.listensTo,
    closedThrough: () => closedThrough,
    now: () => closedThrough,
    splitAdjustments: world.shareChanges,
  });
  watch(source, world, said);
  while (source.nextCloseAt() !== NEVER) {
    closedThrough = source.nextCloseAt();
    source.close();
  }
  return said;
}

describe('the live signal source and the columnar one', () => {
  it('emit the same signals, in the same order, at the same times', () => {
    let signals = 0;
    fc.assert(
      fc.property(someWorld, (world) => {
        const said = live(world);
        signals += said.length;
        expect(said).toEqual(columnar(world));
      }),
      { numRuns: 100 },
    );
    expect(signals).toBeGreaterThan(100);
  });

  it('close at lunch, at the end of a half day and of a full one, and at nothing else', () => {
    const days = { from: calendarDay('2024-12-24'), to: calendarDay('2024-12-27') };
    expect([dayKind('HK', days.from), dayKind('US', days.from)]).toEqual(['half', 'half']);
    const closes = (symbol: SecuritySymbol) =>
      stampsOf(symbol, '1h', days).map((stamp) =>
        new Date(barClose(marketOf(symbol), '1h', stamp)).toISOString().slice(5, 16),
      );
    expect(closes(TENCENT)).toEqual([
      ...['12-24T02:30', '12-24T03:30', '12-24T04:00'],
      ...['12-27T02:30', '12-27T03:30', '12-27T04:00', '12-27T06:00', '12-27T07:00', '12-27T08:00'],
    ]);
    expect(closes(AAPL).slice(0, 5)).toEqual([
      ...['12-24T15:30', '12-24T16:30', '12-24T17:30', '12-24T18:00'],
      '12-26T15:30',
    ]);
  });
});
