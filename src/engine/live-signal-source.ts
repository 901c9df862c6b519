import {
  concat,
  concatMap,
  defer,
  EMPTY,
  filter,
  forkJoin,
  from,
  map,
  merge,
  Observable,
  of,
  share,
  tap,
} from 'rxjs';
import { barSessions, nextBarClose, sessionBarSpan } from '../markets/trading-sessions.ts';
import type { Bar } from '../model/bar.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Period } from '../model/period.ts';
import type { Quote } from '../model/quote.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { QuoteFeed } from '../ports/quote-feed.ts';
import type { MarketBatch, SignalSource } from '../ports/signal-source.ts';
import type { BarReading, SignalEvaluator, SignalReadings, StrategyFailure } from '../ports/strategy-host.ts';
import { toObservable } from '../ports/to-observable.ts';
import type { SplitAdjustment } from '../signals/split-adjustment.ts';
import type { MarketEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import type { Timers } from '../strategy/timers.ts';
import { createBarBuilder } from './bar-builder.ts';
import { createSymbolCloses, type SymbolCloses } from './symbol-closes.ts';
import { timerBatches } from './timer-batches.ts';

/** The market data of one strategy. */
export interface SourceStrategy {
  /** Its name among several; absent in a bot with one. */
  readonly name?: string;
  /** The strategy's signal graph, where the strategy runs. */
  readonly signals: SignalEvaluator;
  readonly symbols: readonly SecuritySymbol[];
  /** What the strategy subscribes to in addition to signals. */
  readonly listensTo: ReadonlySet<StrategyEvent['kind']>;
  /** The strategy's timers; none when absent. */
  readonly timers?: Timers;
}

/** Dependencies of a live signal source. */
export interface LiveSignalSourceParts {
  readonly clock: Clock;
  readonly feed: QuoteFeed;
  /** The market data of each strategy, in the order in which they are called. */
  readonly strategies: readonly SourceStrategy[];
  /** What the bot trades, all strategies together. */
  readonly symbols: readonly SecuritySymbol[];
  readonly period: Period;
  /** The sessions whose bars are built; regular trading alone when absent. */
  readonly sessions?: TradingSessions;
  /** Bars that opened before this instant only warm up. */
  readonly from: Millis;
  /** No bar closes after this instant; NEVER for a bot that runs on. */
  readonly until: Millis;
  /** When shares of a symbol change; never for a symbol that is not in it. */
  readonly splitAdjustments?: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>;
}

/**
 * Adds every quote to its bar, closes bars by market time, and evaluates the strategy's signal graph on each. The graph
 * may answer later; batches keep their order, and closing prices are known at once.
 */
export function createLiveSignalSource(parts: LiveSignalSourceParts): SignalSource {
  const { clock, feed, strategies, symbols, period, sessions = 'regular' } = parts;
  const closes = new Map(
    symbols.map((symbol) => {
      const changes = parts.splitAdjustments?.get(symbol) ?? [];
      return [symbol, createSymbolCloses({ changes, now: () => clock.now() })];
    }),
  );
  const spanOf = (symbol: SecuritySymbol, at: Millis) =>
    sessionBarSpan(marketOf(symbol), period, at, sessions);
  const builder = createBarBuilder(symbols, spanOf, clock.now());
  const counts = { quotes: 0, bars: 0 };

  function closesOf(symbol: SecuritySymbol): SymbolCloses {
    const known = closes.get(symbol);
    if (known === undefined) throw new Error(`Quote of "${symbol}", which was not subscribed`);
    return known;
  }

  /** Records closes at once, and emits the readings of the signal graphs when they arrive. */
  function readSignals(bars: readonly Bar[], selectBars: BarSelector): Observable<readonly MemberReading[]> {
    for (const bar of bars) closesOf(bar.symbol).add(bar);
    const strategyReadings = strategies.flatMap((strategy) => {
      const own = selectBars(strategy, bars);
      if (own.length === 0) return [];
      return [
        toObservable(strategy.signals.evaluate(own)).pipe(
          map((reading): MemberReading => ({ strategy, bars: own, reading })),
        ),
      ];
    });
    return strategyReadings.length === 0 ? of([]) : forkJoin(strategyReadings);
  }

  const warmUp$ = defer(() => from(symbols)).pipe(
    concatMap((symbol) => {
      const count = warmupOf(symbol, strategies);
      return count === 0 ? EMPTY : feed.history({ symbol, period, before: parts.from, count, sessions });
    }),
    concatMap((bars) => (bars.length === 0 ? EMPTY : readSignals(bars, warmupBars))),
    concatMap((readings) => failuresIn(readings, clock.now())),
  );

  const quotes$ = defer(() => feed.quotes(symbols)).pipe(
    tap((quote) => {
      counts.quotes += 1;
      builder.add(quote, period);
    }),
    map(quoteBatch),
    filter((batch) => batch !== undefined),
    map((batch) => of(batch)),
  );

  const markets = [...new Set(symbols.map(marketOf))];
  const closes$ = barCloses(clock, (after) => {
    const next = Math.min(...markets.map((market) => nextBarClose(market, period, after, sessions) ?? NEVER));
    return next > parts.until ? NEVER : millis(next);
  }).pipe(map(closeBars));

  const startedAt = clock.now();

  /** Bars are built from quotes as they come, or read where no quotes come. */
  function closeBars(time: Millis): Observable<MarketBatch> {
    if (feed.closedBars === undefined) return batchOf(time, builder.close(time));
    return feed
      .closedBars({ symbols, period, at: time, from: startedAt, sessions })
      .pipe(concatMap((bars) => batchOf(time, bars)));
  }

  function batchOf(time: Millis, closed: readonly Bar[]): Observable<MarketBatch> {
    counts.bars += closed.length;
    if (closed.length === 0) return of({ time, marks: [], events: [] });
    return readSignals(closed, ownBars).pipe(
      concatMap((readings) => {
        const { marks, events } = closeBatch(time, closed, readings);
        const [failure = { time }, ...others] = failuresIn(readings, time);
        return [{ ...failure, marks, events }, ...others];
      }),
    );
  }

  /** Undefined if no strategy subscribes to quotes of the symbol. */
  function quoteBatch(quote: Quote): MarketBatch | undefined {
    const subscribers = strategies.filter(
      ({ listensTo, symbols: own }) => listensTo.has('quote') && own.includes(quote.symbol),
    );
    if (subscribers.length === 0) return undefined;
    const time = clock.now();
    const event = { kind: 'quote', symbol: quote.symbol, time, quote } as const;
    return { time, marks: [], events: subscribers.flatMap(({ name }) => forStrategy(name, [event])) };
  }

  const timers$ = merge(
    ...strategies.map(({ name, timers = {}, symbols: own }) =>
      timerBatches({ timers, symbols: own, clock, until: parts.until }).pipe(
        map((batch) => of({ ...batch, events: forStrategy(name, batch.events) })),
      ),
    ),
  );
  // A reading that is late is waited for: it has a deadline of the host's, so what queues here is bounded by that.
  const market$ = merge(quotes$, closes$, timers$).pipe(concatMap((batch$) => batch$));
  const batches$: Observable<MarketBatch> = concat(warmUp$, market$).pipe(share());
  return {
    batches$,
    received: () => counts,
    lastPrice: (symbol) => closesOf(symbol).last(),
    closeBefore: (symbol, at) => closesOf(symbol).before(at),
    recentBars: (symbol) => closesOf(symbol).recent(),
    values: (symbol) => strategies[0]?.signals.values(symbol, clock.now()) ?? {},
  };
}

/**
 * Emits each instant at which bars close, in phase `close` of the clock: `nextAfter` gives the next one after an instant.
 * Completes when that is NEVER.
 */
export function barCloses(clock: Clock, nextAfter: (after: Millis) => Millis): Observable<Millis> {
  return new Observable((subscriber) => {
    let cancel: Cancel | undefined;
    const scheduleNext = (after: Millis): void => {
      const next = nextAfter(after);
      if (next === NEVER) {
        subscriber.complete();
        return;
      }
      cancel = clock.at(next, 'close', () => {
        subscriber.next(next);
        if (!subscriber.closed) scheduleNext(next);
      });
    };
    scheduleNext(clock.now());
    return () => cancel?.();
  });
}

/** The output of one strategy's signal graph for its part of the bars. */
interface MemberReading {
  readonly strategy: SourceStrategy;
  readonly bars: readonly Bar[];
  readonly reading: SignalReadings | StrategyFailure;
}

/** Selects a strategy's bars. */
type BarSelector = (strategy: SourceStrategy, bars: readonly Bar[]) => readonly Bar[];

const ownBars: BarSelector = ({ symbols }, bars) => bars.filter(({ symbol }) => symbols.includes(symbol));

/** The newest of its symbols' past bars, as many as warm it up. */
const warmupBars: BarSelector = (strategy, bars) =>
  strategy.signals.warmup === 0 ? [] : ownBars(strategy, bars).slice(-strategy.signals.warmup);

function warmupOf(symbol: SecuritySymbol, strategies: readonly SourceStrategy[]): number {
  return strategies.reduce(
    (most, { signals, symbols }) => (symbols.includes(symbol) ? Math.max(most, signals.warmup) : most),
    0,
  );
}

/** Returns the batch of bars that close at one time, with the events of each strategy in turn. */
function closeBatch(time: Millis, closed: readonly Bar[], readings: readonly MemberReading[]): MarketBatch {
  const events = readings.flatMap(({ strategy, bars, reading }) =>
    reading.kind === 'failed'
      ? []
      : forStrategy(strategy.name, readingEvents(strategy, bars, reading.readings, time)),
  );
  return { time, marks: closed.map(markOf), events };
}

function readingEvents(
  { listensTo }: SourceStrategy,
  bars: readonly Bar[],
  readings: readonly BarReading[],
  time: Millis,
): readonly MarketEvent[] {
  const each = bars.flatMap((bar, at) => eventsOf(bar, time, readings[at], listensTo));
  // A symbol that was warming until this bar is left out.
  const barsTogether = listensTo.has('bars') ? bars.filter((_, at) => readings[at]?.isWarmedUp === true) : [];
  return barsTogether.length === 0 ? each : [...each, { kind: 'bars', time, bars: barsTogether }];
}

function eventsOf(
  bar: Bar,
  time: Millis,
  reading: BarReading | undefined,
  listensTo: SourceStrategy['listensTo'],
): readonly MarketEvent[] {
  const { symbol, time: barTime, close } = bar;
  if (reading?.isWarmedUp !== true) return [];
  const session = barSessions(marketOf(symbol), bar.period)(barTime);
  const barEvents: MarketEvent[] = listensTo.has('bar')
    ? [{ kind: 'bar', symbol, time, bar, ...omitUndefined({ session }) }]
    : [];
  const signalEvents = reading.signals.map((raw) => ({
    kind: 'signal' as const,
    symbol,
    time,
    barTime,
    close,
    ...raw,
  }));
  return [...barEvents, ...signalEvents];
}

function failuresIn(readings: readonly MemberReading[], time: Millis): readonly MarketBatch[] {
  return readings.flatMap(({ strategy: { name }, reading }) => {
    if (reading.kind !== 'failed') return [];
    return [{ time, marks: [], events: [], failure: reading, ...omitUndefined({ strategy: name }) }];
  });
}

/** Marks events with the strategy that they are for. */
function forStrategy(name: string | undefined, events: readonly MarketEvent[]): readonly MarketEvent[] {
  return name === undefined ? events : events.map((event) => ({ ...event, strategy: name }));
}

const markOf = ({ symbol, close }: Bar) => ({ symbol, close });
