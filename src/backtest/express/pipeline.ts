import { filter, map, Observable, type OperatorFunction, Subject, takeUntil, tap } from 'rxjs';
import { type Millis, NEVER } from '../../model/time.ts';
import type { SupportedDraft } from './supported-draft.ts';
import type { SymbolCursor } from './symbol-cursor.ts';

/** The orders of one decision: a single draft, or several in sequence. */
export type Drafts = SupportedDraft | readonly SupportedDraft[];

/** Passes an event on; false once a later stage has failed. */
export type Emit = (cursor: SymbolCursor) => boolean;

/** The stages of a backtest in plain numbers. Each is a synchronous function that does one thing. */
interface PlainStages {
  /** Instants at which bars close or timers are due, in order; then NEVER, for what the last orders come to. */
  readonly closes$: Observable<Millis>;
  /** The venue: everything that happens to orders before an instant. */
  readonly fill: (at: Millis) => void;
  /** Marks positions at the closes of an instant and compares losses with their limits. */
  readonly mark: (at: Millis) => void;
  /** Bars and signals of an instant: calls `emit` with the cursor of a symbol for each event that it reports, until that returns false. */
  readonly report: (at: Millis, emit: Emit) => void;
  /** Calls the strategy with the event that a cursor reports and returns its drafts. */
  readonly decide: (cursor: SymbolCursor) => Drafts | undefined;
  /** Sizes drafts; the risk gate judges each, and those that it approves are sent to the venue. */
  readonly place: (drafts: Drafts) => void;
}

/**
 * Connects the stages as `engine/pipeline.ts` does on paper and live: market data -> signals -> strategy -> risk gate and executor.
 * Here the market is columns of bars, and every stage answers at once. Emits the drafts that were placed.
 */
export function plainPipeline({
  closes$,
  fill,
  mark,
  report,
  decide,
  place,
}: PlainStages): Observable<Drafts> {
  return closes$.pipe(
    tap(fill),
    tap(mark),
    events(report),
    map(decide),
    filter((drafts) => drafts !== undefined),
    tap(place),
  );
}

/** Emits the events of each instant; unlike `mergeMap` it creates no stream for an instant. */
function events(report: PlainStages['report']): OperatorFunction<Millis, SymbolCursor> {
  return (instants$) =>
    new Observable((subscriber) => {
      const emit: Emit = (cursor) => {
        subscriber.next(cursor);
        return !subscriber.closed;
      };
      // A source that emits everything while it is subscribed to has to learn at once that a later stage failed.
      const stopped$ = new Subject<void>();
      subscriber.add(() => stopped$.next());
      instants$.pipe(takeUntil(stopped$)).subscribe({
        next: (at) => {
          try {
            report(at, emit);
          } catch (error) {
            subscriber.error(error);
          }
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}

/**
 * Closes that one call of the loop emits. A loop that runs once a run is compiled again in the middle of each run; one that is
 * called again and again is compiled once and for all.
 */
const STRETCH = 256;

/** The instants at which symbols report something, or a timer is due, in order, and NEVER in the end. */
export function closesOf(
  cursors: readonly SymbolCursor[],
  timers: { readonly nextAt: Millis },
): Observable<Millis> {
  const nextAt = (): Millis => {
    const close = nextCloseAt(cursors);
    return Math.min(timers.nextAt, close) as Millis;
  };
  return new Observable((subscriber) => {
    const emitStretch = (): void => {
      for (let count = 0; count < STRETCH && !subscriber.closed; count += 1) {
        const at = nextAt();
        if (at === NEVER) return;
        subscriber.next(at);
      }
    };
    while (!subscriber.closed && nextAt() !== NEVER) emitStretch();
    subscriber.next(NEVER);
    subscriber.complete();
  });
}

function nextCloseAt(cursors: readonly SymbolCursor[]): Millis {
  let next = NEVER;
  for (let place = 0; place < cursors.length; place += 1) {
    const { nextAt } = cursors[place] as SymbolCursor;
    if (nextAt < next) next = nextAt;
  }
  return next;
}
