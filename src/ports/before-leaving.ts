import type { Sending } from './broker.ts';
import type { Question } from './task.ts';

/** Proof that no byte of a change was sent. */
interface NotSent {
  readonly kind: 'not-sent';
  readonly message: string;
}

/** Records a change and sends it, unless it is forbidden by then; for adapters that send no bytes. */
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
