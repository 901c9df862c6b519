import { filter, map, Observable, type OperatorFunction, Subject, takeUntil, tap } from 'rxjs';
import { type Millis, NEVER } from '../../model/time.ts';
import type { SupportedDraft } from './supported-draft.ts';
import type { SymbolCursor } from './symbol-cursor.ts';

/** The orders of one decision: a single draft, or several in sequence. */
export type Drafts = SupportedDraft | readonly SupportedDraft[];

/** Passes an event on; returns false when a later stage has failed. */
export type Emit = (cursor: SymbolCursor) => boolean;

/** The synchronous stages of an express backtest. */
interface ExpressStages {
  /** Times at which bars close or timers are due, ascending; finally NEVER, for the outcome of the last orders. */
  readonly times$: Observable<Millis>;
  /** Venue: processes order events before a time. */
  readonly fill: (at: Millis) => void;
  /** Values positions at the closes of a time and checks loss limits. */
  readonly mark: (at: Millis) => void;
  /** Market data and signals: calls `emit` with the cursor of each event at a time, until it returns false. */
  readonly report: (at: Millis, emit: Emit) => void;
  /** Calls the strategy with a cursor's event and returns its drafts. */
  readonly decide: (cursor: SymbolCursor) => Drafts | undefined;
  /** Sizes and judges drafts, and sends the approved orders to the venue. */
  readonly place: (drafts: Drafts) => void;
}

/**
 * Connects the stages like `engine/pipeline.ts`: market data -> signals -> strategy -> risk gate and executor. Every
 * stage is synchronous. Emits the placed drafts.
 */
export function expressPipeline({
  times$,
  fill,
  mark,
  report,
  decide,
  place,
}: ExpressStages): Observable<Drafts> {
  return times$.pipe(
    tap(fill),
    tap(mark),
    events(report),
    map(decide),
    filter((drafts) => drafts !== undefined),
    tap(place),
  );
}

/** Emits the events of each time; unlike `mergeMap` it creates no inner streams. */
function events(report: ExpressStages['report']): OperatorFunction<Millis, SymbolCursor> {
  return (instants$) =>
    new Observable((subscriber) => {
      const emit: Emit = (cursor) => {
        subscriber.next(cursor);
        return !subscriber.closed;
      };
      // A synchronous source must learn at once that a later stage failed.
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
 * Times per call of the emitting loop. V8 would recompile a loop that runs once per run; a function that is called
 * repeatedly is compiled once.
 */
const TIMES_PER_CALL = 256;

/** Emits the times of symbols' events and timers in order, and finally NEVER. */
export function eventTimes(
  cursors: readonly SymbolCursor[],
  timers: { readonly nextAt: Millis },
): Observable<Millis> {
  const nextAt = (): Millis => {
    const close = nextCloseAt(cursors);
    return Math.min(timers.nextAt, close) as Millis;
  };
  return new Observable((subscriber) => {
    const emitSome = (): void => {
      for (let count = 0; count < TIMES_PER_CALL && !subscriber.closed; count += 1) {
        const at = nextAt();
        if (at === NEVER) return;
        subscriber.next(at);
      }
    };
    while (!subscriber.closed && nextAt() !== NEVER) emitSome();
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
