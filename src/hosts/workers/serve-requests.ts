import { MessageChannel } from 'node:worker_threads';
import type { HostPort } from '../sandbox/host-link.ts';

/**
 * Answers the questions of the host, in a worker. An answer is sent one turn of the event loop after the author's
 * code returned, so that endless promises keep it from being sent, and a rejected one ends the worker first.
 */
export function serveRequests<Q, A>(port: HostPort, answerTo: (question: Q) => A): void {
  const turn = new MessageChannel();
  const held: (() => void)[] = [];
  turn.port2.on('message', () => held.shift()?.());
  port.on('message', ({ number, question }: { readonly number: number; readonly question: Q }) => {
    const answer = answerTo(question);
    held.push(() => port.postMessage({ kind: 'answer', number, answer }));
    turn.port1.postMessage(undefined);
  });
}
