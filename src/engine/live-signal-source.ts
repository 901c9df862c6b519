import { concat, concatMap, defer, EMPTY, from, map, merge, type Observable, of, share, tap } from 'rxjs';
import { barSpan } from '../markets/bar-span.ts';
import { nextOpen } from '../markets/sessions.ts';
import type { Bar } from '../model/bar.ts';
import type { Period } from '../model/period.ts';
import type { Quote } from '../model/quote.ts';
import { type Market, marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { QuoteFeed } from '../ports/quote-feed.ts';
import type { Moment, SignalSource } from '../ports/signal-source.ts';
import { eachAs } from '../ports/steps.ts';
import type { BarReading, SignalDrive, SignalReadings, StrategyFailure } from '../ports/strategy-host.ts';
import type { ShareChange } from '../signals/share-change.ts';
import type { MarketEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import type { Timers } from '../strategy/timers.ts';
import { createBarBuilder } from './bar-builder.ts';
import { closings } from './closings.ts';
import { createSymbolCloses, type SymbolCloses } from './symbol-closes.ts';
import { timerMoments } from './timer-moments.ts';

/** What a live signal source is made of. */
export interface LiveSignalSourceParts {
  readonly clock: Clock;
  readonly feed: QuoteFeed;
  /** The strategy's signal graph, where the strategy runs. */
  readonly signals: SignalDrive;
  readonly symbols: readonly SecuritySymbol[];
  readonly period: Period;
  /** Bars that opened before this instant only warm up. */
  readonly from: Millis;
  /** No bar closes after this instant; NEVER for a bot that runs on. */
  readonly until: Millis;
  /** What the strategy wants to hear of besides signals. */
  readonly listensTo: ReadonlySet<StrategyEvent['kind']>;
  /** The strategy's timers; none when absent. */
  readonly timers?: Timers;
  /** When shares of a symbol change; never for a symbol that is not in it. */
  readonly shareChanges?: ReadonlyMap<SecuritySymbol, readonly ShareChange[]>;
}

/**
 * Folds every quote into its bar, closes bars by market time, and has the strategy's signal graph read each. The graph may
 * take its time to answer; moments keep their order all the same, and closing prices are known at once.
 */
export function createLiveSignalSource(parts: LiveSignalSourceParts): SignalSource {
  const { clock, feed, signals, symbols, period, listensTo } = parts;
  const closes = new Map(
    symbols.map((symbol) => {
      const changes = parts.shareChanges?.get(symbol) ?? [];
      return [symbol, createSymbolCloses({ changes, now: () => clock.now() })];
    }),
  );
  const spanOf = (symbol: SecuritySymbol, at: Millis) => barSpan(marketOf(symbol), period, at);
  const builder = createBarBuilder(symbols, spanOf, clock.now());
  const seen = { quotes: 0, bars: 0 };

  function closesOf(symbol: SecuritySymbol): SymbolCloses {
    const known = closes.get(symbol);
    if (known === undefined) throw new Error(`Quote of "${symbol}", which was not subscribed`);
    return known;
  }

  /** Closes count at once; what the graph says of them comes when it comes. */
  function read(bars: readonly Bar[]): Observable<SignalReadings | StrategyFailure> {
    for (const bar of bars) closesOf(bar.symbol).add(bar);
    return signals.take(bars);
  }

  const warmUp$ = defer(() => (signals.warmup === 0 ? EMPTY : from(symbols))).pipe(
    concatMap((symbol) => feed.history({ symbol, period, before: parts.from, count: signals.warmup })),
    concatMap((bars) => (bars.length === 0 ? EMPTY : read(bars))),
    concatMap((said) => (said.kind === 'failed' ? [failed(clock.now(), [], said)] : [])),
  );

  const quotes$ = defer(() => feed.quotes(symbols)).pipe(
    tap((quote) => {
      seen.quotes += 1;
      builder.add(quote, period);
    }),
    concatMap((quote) => (listensTo.has('quote') ? [of(quoteMoment(quote))] : [])),
  );

  const markets = [...new Set(symbols.map(marketOf))];
  const closes$ = closings(clock, (after) => {
    const next = Math.min(...markets.map((market) => nextClose(market, period, after)));
    return next > parts.until ? NEVER : millis(next);
  }).pipe(map(closeBars));

  function closeBars(time: Millis): Observable<Moment> {
    const closed = builder.close(time);
    seen.bars += closed.length;
    if (closed.length === 0) return of({ time, marks: [], events: [] });
    return eachAs(read(closed), (said) =>
      said.kind === 'failed' ? failed(time, closed, said) : closeMoment(time, closed, said.readings),
    );
  }

  function closeMoment(time: Millis, closed: readonly Bar[], readings: readonly BarReading[]): Moment {
    const events = closed.flatMap((bar, at) => eventsOf(bar, time, readings[at]));
    const together = barsTogether(closed, readings, time);
    return { time, marks: closed.map(markOf), events: [...events, ...together] };
  }

  /** Bars of one instant as one event; a symbol that was warming until this bar is left out. */
  function barsTogether(
    closed: readonly Bar[],
    readings: readonly BarReading[],
    time: Millis,
  ): readonly MarketEvent[] {
    const bars = listensTo.has('bars') ? closed.filter((_, at) => readings[at]?.decides === true) : [];
    return bars.length === 0 ? [] : [{ kind: 'bars', time, bars }];
  }

  function eventsOf(bar: Bar, time: Millis, reading: BarReading | undefined): readonly MarketEvent[] {
    const { symbol, time: barTime, close } = bar;
    if (reading?.decides !== true) return [];
    const heard: MarketEvent[] = listensTo.has('bar') ? [{ kind: 'bar', symbol, time, bar }] : [];
    const said = reading.raised.map((raw) => ({
      ...{ kind: 'signal' as const, symbol, time, barTime, close },
      ...raw,
    }));
    return [...heard, ...said];
  }

  function quoteMoment(quote: Quote): Moment {
    const time = clock.now();
    return { time, marks: [], events: [{ kind: 'quote', symbol: quote.symbol, time, quote }] };
  }

  const timers$ = timerMoments({ timers: parts.timers ?? {}, symbols, clock, until: parts.until }).pipe(
    map((moment) => of(moment)),
  );
  // A reading that is late is waited for: it has a deadline of the host's, so what queues here is bounded by that.
  const market$ = merge(quotes$, closes$, timers$).pipe(concatMap((moment$) => moment$));
  const moments$: Observable<Moment> = concat(warmUp$, market$).pipe(share());
  return {
    moments$,
    seen: () => seen,
    lastPrice: (symbol) => closesOf(symbol).last(),
    closeBefore: (symbol, at) => closesOf(symbol).before(at),
    values: (symbol) => signals.values(symbol, clock.now()),
  };
}

function failed(time: Millis, closed: readonly Bar[], failure: StrategyFailure): Moment {
  return { time, marks: closed.map(markOf), events: [], failure };
}

const markOf = ({ symbol, close }: Bar) => ({ symbol, close });

/** When the bar closes that runs at `after`, or the first one of the next session. */
function nextClose(market: Market, period: Period, after: Millis): Millis {
  const running = barSpan(market, period, after);
  if (running !== undefined) return running.close;
  return barSpan(market, period, nextOpen(market, after))?.close ?? NEVER;
}
