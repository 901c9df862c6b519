import { Observable, Subject } from 'rxjs';
import type { Quote } from '../../model/quote.ts';
import type { OrderHint } from '../../ports/broker.ts';

/** How many frames the venue sent in one step. */
export interface FrameCounts {
  readonly quote: number;
  readonly trade: number;
}

/**
 * Holds what arrives on the sockets until a step is complete, then passes it on in a fixed order: order changes
 * first, then quotes. Otherwise two sockets would race, and runs would differ.
 */
export interface SteppedInbox {
  quotes(arriving: Observable<Quote>): Observable<Quote>;
  hints(arriving: Observable<OrderHint>): Observable<OrderHint>;
  /** Waits for that many more frames on each socket, passes them on, and waits for `settled` in between. */
  release(counts: FrameCounts, settled: () => Promise<void>): Promise<void>;
}

/** Starts empty. */
export function createSteppedInbox(): SteppedInbox {
  const quotes = createInboxQueue<Quote>();
  const hints = createInboxQueue<OrderHint>();
  return {
    quotes: quotes.buffer,
    hints: hints.buffer,
    async release(counts, settled) {
      const [changed, quoted] = await Promise.all([hints.take(counts.trade), quotes.take(counts.quote)]);
      for (const hint of changed) {
        hints.emit(hint);
        await settled();
      }
      for (const quote of quoted) quotes.emit(quote);
      if (quoted.length > 0) await settled();
    },
  };
}

interface InboxQueue<T> {
  buffer(arriving: Observable<T>): Observable<T>;
  take(count: number): Promise<readonly T[]>;
  emit(item: T): void;
}

function createInboxQueue<T>(): InboxQueue<T> {
  const waiting: T[] = [];
  const out$ = new Subject<T>();
  let wanted:
    | { readonly count: number; resolve(items: readonly T[]): void; reject(error: unknown): void }
    | undefined;

  let broken: { readonly error: unknown } | undefined;

  function resolveWaiting(): void {
    if (broken !== undefined) wanted?.reject(broken.error);
    if (wanted === undefined || waiting.length < wanted.count) return;
    const { count, resolve } = wanted;
    wanted = undefined;
    resolve(waiting.splice(0, count));
  }

  return {
    buffer: (arriving) =>
      new Observable((subscriber) => {
        subscriber.add(out$.subscribe(subscriber));
        subscriber.add(
          arriving.subscribe({
            next: (item) => {
              waiting.push(item);
              resolveWaiting();
            },
            error: (error: unknown) => {
              broken = { error };
              resolveWaiting();
              subscriber.error(error);
            },
          }),
        );
      }),
    take: (count) =>
      new Promise((resolve, reject) => {
        wanted = { count, resolve, reject };
        resolveWaiting();
      }),
    emit: (item) => out$.next(item),
  };
}
