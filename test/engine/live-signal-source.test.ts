import { defer, of, Subject, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { MINUTE_MS, millis, NEVER } from '#src/model/time.ts';
import type { MarketBatch } from '#src/ports/signal-source.ts';
import type { SignalReadings } from '#src/ports/strategy-host.ts';
import { bars } from '#src/signals/bars.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { compileSignals } from '#src/signals/program.ts';
import { createFakeFeed } from '../fixtures/fake-feed.ts';
import { createInProcessSignals } from '../fixtures/in-process-signals.ts';
import { liveSourceOfOne, type SingleStrategyParts } from '../fixtures/live-source.ts';
import { AAPL, at, columnsOf, TENCENT } from '../fixtures/market.ts';
import { runTo } from '../fixtures/time.ts';

const open = at('2024-03-05T09:30:00-05:00');
const minute = (count: number) => millis(open + count * MINUTE_MS);
const history = columnsOf(
  AAPL,
  '1m',
  [10, 11, 12, 13, 14].map((price, index) => [minute(index), price, price, price, price]),
);

/** A live source from minute 2 on, and the batches that it emitted. */
function listen(change: Partial<SingleStrategyParts> = {}) {
  const clock = new VirtualClock(minute(2));
  const moments: MarketBatch[] = [];
  const errors: unknown[] = [];
  const source = liveSourceOfOne({
    clock,
    feed: createFakeFeed(clock, [history]),
    signals: createInProcessSignals('averages', compileSignals({ average: sma(bars.close, 2) })),
    symbols: [AAPL],
    period: '1m',
    from: minute(2),
    until: NEVER,
    listensTo: new Set(['bar']),
    ...change,
  });
  const subscription = source.batches$.subscribe({
    next: (moment) => moments.push(moment),
    error: (error: unknown) => errors.push(error),
  });
  const closes = () => moments.map(({ time }) => (time - open) / MINUTE_MS);
  return { clock, source, moments, errors, subscription, closes };
}

describe('the live signal source', () => {
  it('warms up with history, and decides nothing while warming', () => {
    const { clock, source, moments } = listen();
    expect(moments).toEqual([]);
    expect(source.lastPrice(AAPL)).toBe(11);
    expect(source.received()).toEqual({ quotes: 0, bars: 0 });
    runTo(clock, minute(3));
    expect(source.values(AAPL)).toEqual({ average: 11.5 });
  });

  it('closes bars by market time, whether or not another quote comes', () => {
    const { clock, source, moments, closes } = listen();
    runTo(clock, minute(5));
    expect(closes()).toEqual([3, 4, 5]);
    expect(moments[0]).toMatchObject({
      marks: [{ symbol: AAPL, close: 12 }],
      events: [{ kind: 'bar', time: minute(3), bar: { time: minute(2), close: 12, volume: 4_000 } }],
    });
    expect(source.received()).toEqual({ quotes: 12, bars: 3 });
    expect(source.lastPrice(AAPL)).toBe(14);
  });

  it('closes the bar that ends at its last instant, and none after it', () => {
    const { clock, closes } = listen({ until: minute(4) });
    runTo(clock, minute(10));
    expect(closes()).toEqual([3, 4]);
    const early = listen({ until: millis(minute(4) - 1) });
    runTo(early.clock, minute(10));
    expect(early.closes()).toEqual([3]);
  });

  it('emits closes without a bar, without marking them', () => {
    const { clock, moments } = listen();
    runTo(clock, minute(7));
    expect(moments.slice(3)).toEqual([
      { time: minute(6), marks: [], events: [] },
      { time: minute(7), marks: [], events: [] },
    ]);
  });

  it('emits quotes only for a strategy that listens to them', () => {
    const { clock, moments } = listen({ listensTo: new Set(['quote']) });
    runTo(clock, millis(minute(3) - 1));
    expect(moments.map(({ events }) => events.map(({ kind }) => kind))).toEqual(
      Array.from({ length: 4 }, () => ['quote']),
    );
  });

  it('reports once why the signals have ended, and continues marking closes (I-16)', () => {
    const failure = { kind: 'failed' as const, message: 'own indicator', stack: '' };
    let asked = 0;
    const signals = {
      values: () => ({}),
      warmup: 0,
      evaluate: () => {
        asked += 1;
        return of(failure);
      },
    };
    const { clock, source, moments } = listen({ signals });
    runTo(clock, minute(3));
    expect(asked).toBe(1);
    expect(moments).toEqual([{ time: minute(3), marks: [{ symbol: AAPL, close: 12 }], events: [], failure }]);
    expect(source.lastPrice(AAPL)).toBe(12);
  });

  it('keeps batches in order while signals are slow, and knows closing prices at once', () => {
    const answers: Subject<SignalReadings>[] = [];
    const signals = {
      values: () => ({}),
      warmup: 0,
      evaluate: () =>
        defer(() => {
          const answer = new Subject<SignalReadings>();
          answers.push(answer);
          return answer;
        }),
    };
    const { clock, source, moments } = listen({ signals, listensTo: new Set(['bar', 'quote'] as const) });
    runTo(clock, minute(3));
    const before = moments.length;
    runTo(clock, minute(4));
    expect(moments).toHaveLength(before);
    expect(source.lastPrice(AAPL)).toBe(13);
    expect(answers).toHaveLength(1);
    answers[0]?.next({ kind: 'readings', readings: [{ isWarmedUp: true, signals: [] }] });
    answers[0]?.complete();
    expect(moments[before]).toMatchObject({ time: minute(3), events: [{ kind: 'bar' }] });
    expect(moments.slice(before + 1).map(({ events }) => events[0]?.kind)).not.toContain('bar');
    expect(answers).toHaveLength(2);
  });

  it('knows nothing of a symbol that it does not follow', () => {
    const { source } = listen();
    expect(() => source.lastPrice(TENCENT)).toThrow('Quote of "700.HK", which was not subscribed');
  });

  it('ends with the error of the feed, and leaves no timer without a subscriber', () => {
    const clock = new VirtualClock(minute(2));
    const broken = { ...createFakeFeed(clock, [history]), history: () => throwError(() => 'no history') };
    expect(listen({ feed: broken }).errors).toEqual(['no history']);
    const { clock: own, subscription } = listen();
    subscription.unsubscribe();
    expect(own.next()).toBeUndefined();
  });
});
