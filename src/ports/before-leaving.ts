import type { Observable } from 'rxjs';
import type { Sending } from './broker.ts';
import { atOnce, inOrder, silent } from './steps.ts';

/**
 * Sends a change once it is written down, unless something speaks against it by then; for adapters that put no bytes on a
 * wire.
 */
export function beforeLeaving<T>(
  { sending, barred }: Sending,
  send: () => Observable<T>,
): Observable<T | { readonly kind: 'not-sent'; readonly message: string }> {
  return inOrder<T | { readonly kind: 'not-sent'; readonly message: string }>(
    ...(sending === undefined ? [] : [() => silent(sending(undefined))]),
    () => {
      const message = barred?.();
      return message === undefined ? send() : atOnce(() => ({ kind: 'not-sent' as const, message }));
    },
  );
}
