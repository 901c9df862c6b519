import { MessageChannel } from 'node:worker_threads';
import type { HostPort } from '../sandbox/host-link.ts';

/**
 * Inside a worker: answers the questions of its host. An answer leaves one turn of the event loop after the author's code returned:
 * when promises that the code began go round in circles it never leaves, and when one of them fails the worker is gone before it does.
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
