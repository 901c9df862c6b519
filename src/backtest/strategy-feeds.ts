import { filter, map, merge, type Observable, type OperatorFunction, Subject } from 'rxjs';
import type { Member } from '../engine/member.ts';
import { timerBatches } from '../engine/timer-batches.ts';
import { createInProcessHost } from '../hosts/strategy/in-process.ts';
import type { BarColumns } from '../model/bar.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { MarketBatch } from '../ports/signal-source.ts';
import type { StrategyHost } from '../ports/strategy-host.ts';
import { compileSignals } from '../signals/program.ts';
import type { MarketEvent } from '../strategy/strategy-event.ts';
import { type ColumnarSignalSource, createColumnarSignalSource } from './columnar-signal-source.ts';
import { splitAdjustments } from './due-actions.ts';
import { barsBegin, cutColumns, dataEnd, programOf, type RunColumns, type RunSetup } from './setup.ts';

/** Historical events for one or several strategies, with one feed each. */
interface StrategyFeeds {
  /** Host of the only strategy; with several, that of the first, which is not called. */
  readonly host: StrategyHost;
  /** Undefined in a bot with one strategy. */
  readonly members: readonly Member[] | undefined;
  readonly source: ColumnarSignalSource;
  /** Bars of each security, including the longest warm-up. */
  readonly runBars: readonly RunColumns[];
  /** Number of bars that any strategy's signals need of a symbol before their first value. */
  readonly warmupOf: (symbol: SecuritySymbol) => number;
}

interface StrategyFeedParts {
  readonly clock: Clock;
  readonly closedThrough: () => Millis;
  readonly visibleBars: (bars: BarColumns) => BarColumns;
}

/** Returns whether any strategy of a run handles quotes. */
export function receivesQuotes({ strategy, members }: RunSetup): boolean {
  return (members ?? [{ strategy }]).some((each) => each.strategy.onQuote !== undefined);
}

/** Creates one feed per strategy; at equal times they run in the config's order. */
export function createStrategyFeeds(setup: RunSetup, parts: StrategyFeedParts): StrategyFeeds {
  const [first, ...others] = strategySetups(setup).map((strategySetup) =>
    createFeed(setup, strategySetup, parts),
  );
  if (first === undefined) throw new Error('A run without a strategy');
  const { members } = setup;
  if (members === undefined)
    return {
      host: first.host,
      members: undefined,
      source: first.source,
      runBars: first.runBars,
      warmupOf: () => first.warmup,
    };
  const feeds = [first, ...others];
  const warmupOf = (symbol: SecuritySymbol): number =>
    Math.max(...feeds.map(({ warmup }, at) => (members[at]?.symbols.includes(symbol) === true ? warmup : 0)));
  const runBars = setup.history.map((bars) =>
    cutColumns(bars, barsBegin(bars, setup.from), warmupOf(bars.symbol)),
  );
  return {
    host: first.host,
    runBars,
    warmupOf,
    members: members.map(({ name, symbols, policy, limits }, at) => {
      const { host, source } = feeds[at] ?? first;
      return { name, symbols, policy, limits, host, values: source.values };
    }),
    source: combineSources(
      feeds.map(({ source }) => source),
      members.map(({ name }) => name),
      createPriceSource(setup, runBars, parts),
    ),
  };
}

interface StrategySetup extends Pick<RunSetup, 'strategy' | 'params' | 'securities' | 'history'> {}

function strategySetups(setup: RunSetup): readonly StrategySetup[] {
  const { strategy, params, securities, history, members } = setup;
  return (
    members?.map((member) => {
      const at = member.symbols.map((symbol) => securities.findIndex((each) => each.symbol === symbol));
      return {
        strategy: member.strategy,
        params: member.params,
        securities: at.flatMap((place) => securities[place] ?? []),
        history: at.flatMap((place) => history[place] ?? []),
      };
    }) ?? [{ strategy, params, securities, history }]
  );
}

interface StrategyFeed {
  readonly host: StrategyHost;
  readonly source: ColumnarSignalSource;
  readonly runBars: readonly RunColumns[];
  readonly warmup: number;
}

function createFeed(
  setup: RunSetup,
  strategySetup: StrategySetup,
  { clock, closedThrough, visibleBars }: StrategyFeedParts,
): StrategyFeed {
  const symbols = strategySetup.securities.map(({ symbol }) => symbol);
  const { strategy, params } = strategySetup;
  const host = createInProcessHost({ strategy, params, symbols });
  const program = programOf({ ...setup, ...strategySetup });
  const runBars = strategySetup.history.map((bars) =>
    cutColumns(bars, barsBegin(bars, setup.from), program.warmup),
  );
  const source = createColumnarSignalSource({
    program,
    columns: runBars.map(({ columns }) => visibleBars(columns)),
    listensTo: host.listensTo,
    closedThrough,
    now: () => clock.now(),
    splitAdjustments: splitAdjustments(setup),
  });
  const timers$ = timerBatches({
    timers: strategy.timers ?? {},
    symbols,
    clock,
    until: dataEnd(setup),
  });
  const batches$: Observable<MarketBatch> = merge(source.batches$, timers$);
  return { host, source: { ...source, batches$ }, runBars, warmup: program.warmup };
}

/** Creates a source of prices for all symbols of the bot. */
function createPriceSource(
  setup: RunSetup,
  runBars: readonly RunColumns[],
  { clock, closedThrough, visibleBars }: StrategyFeedParts,
): ColumnarSignalSource {
  return createColumnarSignalSource({
    program: compileSignals({}),
    columns: runBars.map(({ columns }) => visibleBars(columns)),
    listensTo: new Set(),
    closedThrough,
    now: () => clock.now(),
    splitAdjustments: splitAdjustments(setup),
  });
}

function combineSources(
  sources: readonly ColumnarSignalSource[],
  names: readonly string[],
  prices: ColumnarSignalSource,
): ColumnarSignalSource {
  const nextCloseAt = (): Millis => millis(Math.min(NEVER, ...sources.map((source) => source.nextCloseAt())));
  const each$ = merge(...sources.map((source, at) => source.batches$.pipe(tagWithStrategy(names[at] ?? ''))));
  let quotes = 0;
  /** Events of the feeds while closes of one time are collected; undefined otherwise. */
  let collected: MarketEvent[] | undefined;
  const closes$ = new Subject<MarketBatch>();
  return {
    ...prices,
    batches$: merge(
      each$.pipe(
        filter(({ events }) => {
          collected?.push(...events);
          return collected === undefined;
        }),
      ),
      closes$,
    ),
    received: () => ({ ...prices.received(), quotes }),
    nextCloseAt,
    close() {
      const time = nextCloseAt();
      const events: MarketEvent[] = [];
      collected = events;
      for (const source of sources) if (source.nextCloseAt() === time) source.close();
      collected = undefined;
      if (events.length > 0) closes$.next({ time, marks: [], events });
    },
    quote(quote, at) {
      quotes += 1;
      for (const source of sources) if (source.trades(quote.symbol)) source.quote(quote, at);
    },
    trades: prices.trades,
  };
}

/** Adds the strategy to every batch and event, and removes marks, which belong to the account. */
function tagWithStrategy(strategy: string): OperatorFunction<MarketBatch, MarketBatch> {
  return map((batch) => ({
    ...batch,
    marks: [],
    strategy,
    events: batch.events.map((event) => ({ ...event, strategy })),
  }));
}
