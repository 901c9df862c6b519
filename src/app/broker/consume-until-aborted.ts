import { fromEvent, lastValueFrom, type Observable, takeUntil, tap } from 'rxjs';

/** Consumes a stream until it is aborted; rejects with the stream's error. */
export async function consumeUntilAborted<T>(
  stream: Observable<T>,
  { until, show }: { readonly until: AbortSignal; readonly show: (value: T) => void },
): Promise<void> {
  if (until.aborted) return;
  await lastValueFrom(
    stream.pipe(
      tap((value) => show(value)),
      takeUntil(fromEvent(until, 'abort')),
    ),
    { defaultValue: undefined },
  );
}
