/** The program of a thread that posts messages in the name of others, and ends at once. */
import { workerData } from 'node:worker_threads';

const { port } = workerData;
port.once('message', () => {
  port.postMessage({ kind: 'trial', thread: 7, trial: 1 });
  port.postMessage({ kind: 'thread-ended', thread: 1, end: { kind: 'late', call: 'another call' } });
  port.postMessage({ kind: 'shared-changed' });
  port.postMessage({ kind: 'closed-off' });
  port.postMessage({ kind: 'trial', thread: 7, trial: 2 });
  process.exit(3);
});
port.postMessage({ kind: 'closed-off' });
