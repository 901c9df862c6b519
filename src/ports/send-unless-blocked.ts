import type { SendHooks } from './broker.ts';
import type { Request } from './task.ts';

/** Proof that no byte of a change was sent. */
interface NotSent {
  readonly kind: 'not-sent';
  readonly message: string;
}

/** Calls the hooks of a change and sends it unless they block it; for adapters that send no bytes. */
export function sendUnlessBlocked<T>(
  { beforeSend, blockedReason }: SendHooks,
  send: () => Request<T>,
): Request<T | NotSent> {
  return {
    subscribe: (listener) => {
      beforeSend?.(undefined);
      const message = blockedReason?.();
      if (message === undefined) return send().subscribe(listener);
      listener.next({ kind: 'not-sent', message });
      listener.complete();
      return { unsubscribe: () => undefined };
    },
  };
}
