import { MessageChannel } from 'node:worker_threads';
import type { HostPort } from '../sandbox/host-link.ts';

/**
 * Answers the requests of the host, in a worker. An answer is sent one turn of the event loop after the author's
 * code returned, so that endless promises keep it from being sent, and a rejected one ends the worker first.
 */
export function serveRequests<Q, A>(port: HostPort, handle: (request: Q) => A): void {
  const turn = new MessageChannel();
  const pending: (() => void)[] = [];
  turn.port2.on('message', () => pending.shift()?.());
  port.on('message', ({ number, request }: { readonly number: number; readonly request: Q }) => {
    const answer = handle(request);
    pending.push(() => port.postMessage({ kind: 'answer', number, answer }));
    turn.port1.postMessage(undefined);
  });
}
