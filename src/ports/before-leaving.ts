import type { Sending } from './broker.ts';
import type { Question } from './task.ts';

/** Proof that no byte of a change left. */
interface NotSent {
  readonly kind: 'not-sent';
  readonly message: string;
}

/**
 * Sends a change once it is written down, unless it is forbidden by then; for adapters that put no bytes on a
 * wire.
 */
export function beforeLeaving<T>(
  { sending, barred }: Sending,
  send: () => Question<T>,
): Question<T | NotSent> {
  return {
    subscribe: (listener) => {
      sending?.(undefined);
      const message = barred?.();
      if (message === undefined) return send().subscribe(listener);
      listener.next({ kind: 'not-sent', message });
      listener.complete();
      return { unsubscribe: () => undefined };
    },
  };
}
