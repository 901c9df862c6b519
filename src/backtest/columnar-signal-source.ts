import { Subject } from 'rxjs';
import type { BarColumns } from '../model/bar.ts';
import type { Quote } from '../model/quote.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { type Millis, NEVER } from '../model/time.ts';
import type { MarketBatch, SignalSource } from '../ports/signal-source.ts';
import type { SignalProgram } from '../signals/program.ts';
import type { SplitAdjustment } from '../signals/split-adjustment.ts';
import type { MarketEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import { type BarCursor, createBarCursor } from './bar-cursor.ts';

interface ColumnarSourceParts {
  readonly program: SignalProgram;
  /** One table per symbol, in the config's order, including warm-up bars. */
  readonly columns: readonly BarColumns[];
  readonly listensTo: ReadonlySet<StrategyEvent['kind']>;
  /** Time up to which closes have been processed. */
  readonly closedThrough: () => Millis;
  readonly now: () => Millis;
  /** By symbol; no entry: no splits. */
  readonly splitAdjustments?: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>;
}

/** A signal source that knows its next event, so that the run can jump to it. */
export interface ColumnarSignalSource extends SignalSource {
  /** When the next bar or signal is due; NEVER after the last. */
  nextCloseAt(): Millis;
  /** Emits the events of that time. */
  close(): void;
  /** Whether the source has the symbol. */
  trades(symbol: SecuritySymbol): boolean;
  /** Emits a quote, if the strategy handles quotes. */
  quote(quote: Quote, at: Millis): void;
}

/** Creates a source that evaluates the signal graph and emits its signals in time order. */
export function createColumnarSignalSource(parts: ColumnarSourceParts): ColumnarSignalSource {
  const { program, listensTo, closedThrough } = parts;
  const batches$ = new Subject<MarketBatch>();
  const handles = { eachBar: listensTo.has('bar'), barsTogether: listensTo.has('bars') };
  const barCursors = parts.columns.map((columns) => {
    const splits = parts.splitAdjustments?.get(columns.symbol) ?? [];
    return createBarCursor({ columns, program, splits, now: parts.now, handles });
  });
  const bySymbol = new Map(barCursors.map((barCursor) => [barCursor.columns.symbol, barCursor]));
  let quotes = 0;

  let nextAt = earliestClose();

  function earliestClose(): Millis {
    let next = NEVER;
    for (const barCursor of barCursors) if (barCursor.nextAt() < next) next = barCursor.nextAt();
    return next;
  }

  function cursorOf(symbol: SecuritySymbol): BarCursor {
    const barCursor = bySymbol.get(symbol);
    if (barCursor === undefined) throw new Error(`No bars of "${symbol}" in this backtest`);
    return barCursor;
  }

  return {
    batches$,
    nextCloseAt: () => nextAt,
    close() {
      const time = nextAt;
      const closed = barCursors.filter((barCursor) => barCursor.nextAt() === time);
      const bars = handles.barsTogether ? closed.map((barCursor) => barCursor.nextBar()) : [];
      const events = closed.flatMap((barCursor) => barCursor.take(time));
      if (bars.length > 0) events.push({ kind: 'bars', time, bars });
      nextAt = earliestClose();
      // Custom indicators are evaluated on every bar, and most bars have no signal.
      if (events.length > 0) batches$.next({ time, marks: [], events });
    },
    quote(quote, at) {
      quotes += 1;
      if (!listensTo.has('quote')) return;
      const event: MarketEvent = { kind: 'quote', symbol: quote.symbol, time: at, quote };
      batches$.next({ time: at, marks: [], events: [event] });
    },
    trades: (symbol) => bySymbol.has(symbol),
    received: () => ({
      quotes,
      bars: barCursors.reduce((sum, barCursor) => sum + barCursor.columns.length, 0),
    }),
    lastPrice: (symbol) => cursorOf(symbol).closeAt(closedThrough()),
    closeBefore: (symbol, at) => cursorOf(symbol).closeBefore(at),
    values: (symbol) => cursorOf(symbol).valuesAt(closedThrough()),
  };
}
