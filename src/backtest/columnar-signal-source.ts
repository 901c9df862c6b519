import { Subject } from 'rxjs';
import { barCloser } from '../markets/bar-span.ts';
import { type Bar, type BarColumns, barAt, lowerBound } from '../model/bar.ts';
import type { Quote } from '../model/quote.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';
import type { Moment, SignalSource } from '../ports/signal-source.ts';
import { type SignalsAcross, signalsAcross } from '../signals/across-changes.ts';
import type { SignalProgram } from '../signals/program.ts';
import { type ShareChange, sharesSince } from '../signals/share-change.ts';
import type { MarketEvent, StrategyEvent } from '../strategy/strategy-event.ts';

/** What a columnar signal source is made of. */
export interface ColumnarSourceParts {
  readonly program: SignalProgram;
  /** One table per symbol, in the config's order, beginning with the bars that only warm up. */
  readonly columns: readonly BarColumns[];
  readonly listensTo: ReadonlySet<StrategyEvent['kind']>;
  /** The newest instant whose closes have happened. */
  readonly closedThrough: () => Millis;
  readonly now: () => Millis;
  /** When shares of a symbol change; never for a symbol that is not in it. */
  readonly shareChanges?: ReadonlyMap<SecuritySymbol, readonly ShareChange[]>;
}

/** A signal source that knows when it has something to say next, so that the run can jump there. */
export interface ColumnarSignalSource extends SignalSource {
  /** When the next bar closes that somebody wants to hear of; NEVER after the last. */
  nextCloseAt(): Millis;
  /** Emits that instant's moment. */
  close(): void;
  /** Hands a print's quote on to a strategy that listens to quotes. */
  quote(quote: Quote, at: Millis): void;
}

/** Drives the signal graph column by column and hands over what it raised, instant by instant. */
export function createColumnarSignalSource(parts: ColumnarSourceParts): ColumnarSignalSource {
  const { program, listensTo, closedThrough } = parts;
  const moments$ = new Subject<Moment>();
  const hears = { each: listensTo.has('bar'), together: listensTo.has('bars') };
  const tracks = parts.columns.map((columns) => {
    const changes = parts.shareChanges?.get(columns.symbol) ?? [];
    return createTrack({ columns, program, changes, now: parts.now, hears });
  });
  const bySymbol = new Map(tracks.map((track) => [track.columns.symbol, track]));
  let quotes = 0;

  function nextCloseAt(): Millis {
    let next = NEVER;
    for (const track of tracks) if (track.nextAt() < next) next = track.nextAt();
    return next;
  }

  function trackOf(symbol: SecuritySymbol): Track {
    const track = bySymbol.get(symbol);
    if (track === undefined) throw new Error(`No bars of "${symbol}" in this backtest`);
    return track;
  }

  return {
    moments$,
    nextCloseAt,
    close() {
      const time = nextCloseAt();
      const closed = tracks.filter((track) => track.nextAt() === time);
      const bars = hears.together ? closed.map((track) => track.nextBar()) : [];
      const events = closed.flatMap((track) => track.take(time));
      if (bars.length > 0) events.push({ kind: 'bars', time, bars });
      moments$.next({ time, marks: [], events });
    },
    quote(quote, at) {
      quotes += 1;
      if (!listensTo.has('quote')) return;
      const event: MarketEvent = { kind: 'quote', symbol: quote.symbol, time: at, quote };
      moments$.next({ time: at, marks: [], events: [event] });
    },
    seen: () => ({ quotes, bars: tracks.reduce((sum, track) => sum + track.columns.length, 0) }),
    lastPrice: (symbol) => trackOf(symbol).closeAt(closedThrough()),
    closeBefore: (symbol, at) => trackOf(symbol).closeAt(at),
    values: (symbol) => trackOf(symbol).valuesAt(closedThrough()),
  };
}

/** One symbol's way through its bars. */
interface Track {
  readonly columns: BarColumns;
  nextAt(): Millis;
  /** The bar that `take` would take, where each is taken. */
  nextBar(): Bar;
  take(time: Millis): readonly MarketEvent[];
  closeAt(through: Millis): number;
  valuesAt(through: Millis): Readonly<Record<string, number>>;
}

interface TrackParts extends Pick<ColumnarSourceParts, 'program' | 'now'> {
  readonly columns: BarColumns;
  readonly changes: readonly ShareChange[];
  readonly hears: { readonly each: boolean; readonly together: boolean };
}

function createTrack({ columns, program, changes, now, hears }: TrackParts): Track {
  const everyBar = hears.each || hears.together;
  const { symbol, period } = columns;
  const closes = barCloser(marketOf(symbol), period);
  const signals: SignalsAcross = signalsAcross(program, columns, changes, program.warmup);
  let event = 0;
  let bar = program.warmup;
  let nextAt = dueAt();

  function nextIndex(): number {
    return everyBar ? bar : (signals.bars[event] ?? columns.length);
  }

  function dueAt(): Millis {
    const index = nextIndex();
    return index < columns.length ? closeOf(index) : NEVER;
  }

  function closeOf(index: number): Millis {
    return closes(millis(columns.time[index] as number));
  }

  let looked = { through: NEVER, index: columns.length - 1 };

  /** Index of the newest bar that closed at or before `through`; -1 before the first. */
  function closedIndex(through: Millis): number {
    if (through === looked.through) return looked.index;
    const index = lowerBound(columns, through + 1) - 1;
    const closed = index >= 0 && closeOf(index) > through ? index - 1 : index;
    looked = { through, index: closed };
    return closed;
  }

  return {
    columns,
    nextAt: () => nextAt,
    nextBar: () => barAt(columns, nextIndex()),
    take(time) {
      const index = nextIndex();
      const events: MarketEvent[] = hears.each
        ? [{ kind: 'bar', symbol, time, bar: barAt(columns, index) }]
        : [];
      const barTime = millis(columns.time[index] as number);
      const close = columns.close[index] as number;
      for (; signals.bars[event] === index; event += 1) {
        const { name, direction, strength, values } = signals.at(event);
        events.push({ kind: 'signal', symbol, time, barTime, close, name, direction, strength, values });
      }
      bar = index + 1;
      nextAt = dueAt();
      return events;
    },
    closeAt(through) {
      const index = closedIndex(through);
      const close = columns.close[index] ?? Number.NaN;
      return changes.length === 0 || index < 0
        ? close
        : close / sharesSince(changes, columns.time[index] as number, now());
    },
    valuesAt(through) {
      const index = closedIndex(through);
      return Object.fromEntries(
        program.names.map((name) => [name, index < 0 ? Number.NaN : signals.value(name, index, now())]),
      );
    },
  };
}
