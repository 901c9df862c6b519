import {
  concat,
  concatMap,
  defer,
  EMPTY,
  from,
  ignoreElements,
  map,
  merge,
  type Observable,
  share,
  tap,
} from 'rxjs';
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
import type { SignalProgram } from '../signals/program.ts';
import type { ShareChange } from '../signals/share-change.ts';
import type { MarketEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import type { Timers } from '../strategy/timers.ts';
import { createBarBuilder } from './bar-builder.ts';
import { closings } from './closings.ts';
import { createSymbolSignals, type SymbolSignals } from './symbol-signals.ts';
import { timerMoments } from './timer-moments.ts';

/** What a live signal source is made of. */
export interface LiveSignalSourceParts {
  readonly clock: Clock;
  readonly feed: QuoteFeed;
  readonly program: SignalProgram;
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

/** Folds every quote into its bar, closes bars by market time, and runs the strategy's signal graph on each. */
export function createLiveSignalSource(parts: LiveSignalSourceParts): SignalSource {
  const { clock, feed, program, symbols, period, listensTo } = parts;
  const signals = new Map(
    symbols.map((symbol) => {
      const changes = parts.shareChanges?.get(symbol) ?? [];
      return [symbol, createSymbolSignals(program, { changes, now: () => clock.now() })];
    }),
  );
  const spanOf = (symbol: SecuritySymbol, at: Millis) => barSpan(marketOf(symbol), period, at);
  const builder = createBarBuilder(symbols, spanOf, clock.now());
  const seen = { quotes: 0, bars: 0 };

  function of(symbol: SecuritySymbol): SymbolSignals {
    const known = signals.get(symbol);
    if (known === undefined) throw new Error(`Quote of "${symbol}", which was not subscribed`);
    return known;
  }

  const warmUp$ = defer(() => (program.warmup === 0 ? EMPTY : from(symbols))).pipe(
    concatMap((symbol) => feed.history({ symbol, period, before: parts.from, count: program.warmup })),
    tap((bars) => {
      for (const bar of bars) of(bar.symbol).push(bar);
    }),
    ignoreElements(),
  );

  const quotes$ = defer(() => feed.quotes(symbols)).pipe(
    tap((quote) => {
      seen.quotes += 1;
      builder.add(quote, period);
    }),
    concatMap((quote) => (listensTo.has('quote') ? [quoteMoment(quote)] : [])),
  );

  const markets = [...new Set(symbols.map(marketOf))];
  const closes$ = closings(clock, (after) => {
    const next = Math.min(...markets.map((market) => nextClose(market, period, after)));
    return next > parts.until ? NEVER : millis(next);
  }).pipe(map(closeBars));

  function closeBars(time: Millis): Moment {
    const closed = builder.close(time);
    seen.bars += closed.length;
    return {
      time,
      marks: closed.map((bar) => ({ symbol: bar.symbol, close: bar.close })),
      events: [...closed.flatMap((bar) => eventsOf(bar, time)), ...together(closed, time)],
    };
  }

  /** Bars of one instant as one event; a symbol that was warming until this bar is left out. */
  function together(closed: readonly Bar[], time: Millis): readonly MarketEvent[] {
    const bars = listensTo.has('bars') ? closed.filter((bar) => of(bar.symbol).decides()) : [];
    return bars.length === 0 ? [] : [{ kind: 'bars', time, bars }];
  }

  function eventsOf(bar: Bar, time: Millis): readonly MarketEvent[] {
    const { symbol, time: barTime, close } = bar;
    const { decides, raised } = of(symbol).push(bar);
    if (!decides) return [];
    const heard: MarketEvent[] = listensTo.has('bar') ? [{ kind: 'bar', symbol, time, bar }] : [];
    const said = raised.map((raw) => ({ kind: 'signal' as const, symbol, time, barTime, close, ...raw }));
    return [...heard, ...said];
  }

  function quoteMoment(quote: Quote): Moment {
    const time = clock.now();
    return { time, marks: [], events: [{ kind: 'quote', symbol: quote.symbol, time, quote }] };
  }

  const timers$ = timerMoments({ timers: parts.timers ?? {}, symbols, clock, until: parts.until });
  const moments$: Observable<Moment> = concat(warmUp$, merge(quotes$, closes$, timers$)).pipe(share());
  return {
    moments$,
    seen: () => seen,
    lastPrice: (symbol) => of(symbol).lastClose(),
    closeBefore: (symbol, at) => of(symbol).closeBefore(at),
    values: (symbol) => of(symbol).values(),
  };
}

/** When the bar closes that runs at `after`, or the first one of the next session. */
function nextClose(market: Market, period: Period, after: Millis): Millis {
  const running = barSpan(market, period, after);
  if (running !== undefined) return running.close;
  return barSpan(market, period, nextOpen(market, after))?.close ?? NEVER;
}
