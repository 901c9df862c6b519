import { concatMap, defer, finalize, from, lastValueFrom, type Observable, of } from 'rxjs';
import type { WorkerHost, WorkerHostOptions } from '../../hosts/strategy/worker.ts';
import type { Bar } from '../../model/bar.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { SignalEvaluator, StrategyHost } from '../../ports/strategy-host.ts';
import type { Request } from '../../ports/task.ts';
import { toObservable } from '../../ports/to-observable.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import type { Activity } from '../clock/activity.ts';

/** A strategy that will replace the running one. */
export type NextStrategy = Pick<WorkerHostOptions, 'file' | 'params'>;

/** Requests the newest closed bars of a symbol, ascending. */
export type History = (symbol: SecuritySymbol, count: number) => Observable<readonly Bar[]>;

/** Why a strategy cannot replace the running one, which continues. */
class SwapError extends Error {
  override readonly name = 'SwapError';
}

/** A host whose strategy can be replaced while the bot runs. */
export interface ReloadableHost {
  readonly host: StrategyHost;
  readonly signals: SignalEvaluator;
  readonly facts: StrategyFacts;
  /**
   * Warms the next one up and puts it in place between two requests. New requests wait while the open ones are
   * answered and the next one receives the bars of its warm-up. If it does not fit or fails, rejects, keeps the old one
   * and closes the next one.
   */
  swap(next: WorkerHost, history: History, activity: Activity): Promise<void>;
  close(): Promise<void>;
}

/** Starts with the first strategy. */
export function reloadableHost(first: WorkerHost, symbols: readonly SecuritySymbol[]): ReloadableHost {
  let current = first;
  /**
   * The newest bar of each symbol that the running one received: the next one receives bars up to it, and continues
   * from there.
   */
  const newest = new Map<SecuritySymbol, Bar>();
  const listensTo = new Set(first.listensTo);
  /** Bars that the running one receives while the next one is warmed up; undefined at other times. */
  let passing: Bar[] | undefined;
  let underWay = 0;
  /** Called when the running one has no request open. */
  let onQuiet: () => void = () => undefined;
  /** Resolves when the running one is replaced or kept; requests wait for it. Undefined while they are sent at once. */
  let settled: Promise<void> | undefined;
  let isClosed = false;

  /** Sends a request to the strategy that runs when it is sent. */
  function asked<T>(request: (to: WorkerHost) => Request<T>): Observable<T> {
    const send = (): Observable<T> => {
      underWay += 1;
      return toObservable(request(current)).pipe(
        finalize(() => {
          underWay -= 1;
          if (underWay === 0) onQuiet();
        }),
      );
    };
    return defer(() => (settled === undefined ? send() : from(settled).pipe(concatMap(send))));
  }

  async function swap(next: WorkerHost, history: History, activity: Activity): Promise<void> {
    const release = activity.hold();
    const before = current;
    const missed: Bar[] = [];
    let settle: () => void = () => undefined;
    passing = missed;
    try {
      assertFits(current, next);
      const reached = await warm(next, { symbols, newest: new Map(newest), history });
      // A busy strategy receives its next request at once, so it would never be without one.
      settled = new Promise((resolve) => {
        settle = resolve;
      });
      if (underWay > 0)
        await new Promise<void>((resolve) => {
          onQuiet = resolve;
        });
      const bars = missed.filter(({ symbol, time }) => time > (reached.get(symbol) ?? -1));
      if (bars.length > 0 && next.signals.warmup > 0) await fed(next, bars);
      if (isClosed) throw new SwapError('the bot ends');
      current = next;
      listensTo.clear();
      for (const kind of next.listensTo) listensTo.add(kind);
    } finally {
      onQuiet = () => undefined;
      passing = undefined;
      settled = undefined;
      settle();
      release();
      await (current === next ? before : next).close();
    }
  }

  return {
    facts: first.facts,
    host: {
      listensTo,
      declaredState: first.declaredState,
      call: (request) => asked((to) => to.call(request)),
    },
    signals: {
      warmup: first.signals.warmup,
      evaluate: (bars) =>
        asked((to) => {
          for (const bar of bars) newest.set(bar.symbol, bar);
          passing?.push(...bars);
          return to.signals.evaluate(bars);
        }),
      values: (symbol, now) => current.signals.values(symbol, now),
      series: (symbol) => ({
        subscribe: (listener) => (current.signals.series?.(symbol) ?? of(undefined)).subscribe(listener),
      }),
      nodes: () => ({
        subscribe: (listener) => (current.signals.nodes?.() ?? of(undefined)).subscribe(listener),
      }),
    },
    swap,
    close: () => {
      isClosed = true;
      return current.close();
    },
  };
}

/** What was set up at the start of the run cannot change. */
function assertFits(current: WorkerHost, next: WorkerHost): void {
  const [was, is] = [current.facts.timers ?? {}, next.facts.timers ?? {}];
  if (JSON.stringify(was) !== JSON.stringify(is))
    throw new SwapError('it declares other timers, which are set at the start');
  if (current.listensTo.has('quote') !== next.listensTo.has('quote'))
    throw new SwapError('it has "onQuote" where the one that runs has none, or the other way round');
  const versions = [current, next].map(({ declaredState }) => declaredState?.initial.version);
  if (versions[0] !== versions[1])
    throw new SwapError('it remembers something else: the version of its state is another');
}

/**
 * Passes each symbol's history up to the newest bar that the running one received. Returns the time of the last bar
 * that was passed, by symbol.
 */
async function warm(
  next: WorkerHost,
  {
    symbols,
    newest,
    history,
  }: {
    readonly symbols: readonly SecuritySymbol[];
    readonly newest: ReadonlyMap<SecuritySymbol, Bar>;
    readonly history: History;
  },
): Promise<ReadonlyMap<SecuritySymbol, number>> {
  const { warmup } = next.signals;
  const reached = new Map<SecuritySymbol, number>();
  if (warmup === 0) return reached;
  for (const symbol of symbols) {
    const last = newest.get(symbol);
    const known = await lastValueFrom(history(symbol, warmup + 1));
    // Before the first bar it is unknown whether the newest one is still to arrive, so it is not passed.
    const bars =
      last === undefined ? known.slice(0, -1) : [...known.filter(({ time }) => time < last.time), last];
    const fitting = bars.slice(-warmup);
    if (fitting.length > 0) await fed(next, fitting);
    reached.set(symbol, fitting.at(-1)?.time ?? -1);
  }
  return reached;
}

async function fed(next: WorkerHost, bars: readonly Bar[]): Promise<void> {
  const reading = await lastValueFrom(toObservable(next.signals.evaluate(bars)));
  if (reading.kind === 'failed') throw new SwapError(reading.message);
}
