/**
 * Entry point of the thread that exchanges messages with the process of a fill model, while the simulated venue waits
 * for the answer. No code of an author runs here.
 */
import { type MessagePort, workerData } from 'node:worker_threads';
import { type FillRequest, fillProtocol } from '../../hosts/plugins/fill-messages.ts';
import { startRpcWorker } from '../../hosts/workers/rpc-worker.ts';
import { WORKER_LIMITS } from '../../hosts/workers/worker-limits.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import type { FillThreadData } from './fill-process.ts';

const { setup, port, answered } = workerData as FillThreadData & { readonly port: MessagePort };
const talk = fillProtocol(setup, WORKER_LIMITS);
const started = await startRpcWorker(talk, { clock: createSystemClock(), limits: WORKER_LIMITS });

if (started.kind === 'fault') post({ kind: 'fault', what: started.what });
else {
  const { ready, thread } = started;
  port.on('message', (request: FillRequest | 'close') => {
    if (request === 'close') void thread.close().then(() => port.close());
    else thread.request(request, post);
  });
  post({ kind: 'ready', hooks: ready });
}

/** The venue sleeps until the count rises, and reads the message then. */
function post(message: object): void {
  port.postMessage(message);
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
}
