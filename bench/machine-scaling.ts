import { Worker } from 'node:worker_threads';

const LOOP_MS = 500;
/** Counts multiplications for some time, after uncounted rounds that compile it. */
const LOOP = `
const { parentPort, workerData } = require('node:worker_threads');
function count(ms) {
  const until = performance.now() + ms;
  let value = 1;
  let rounds = 0;
  while (performance.now() < until) {
    for (let step = 0; step < 10_000; step += 1) value = (value * 1.000001) % 7;
    rounds += value > 0 ? 1 : 0;
  }
  return rounds;
}
count(workerData / 5);
parentPort.postMessage(count(workerData));
`;

/**
 * How many times the work of one loop two parallel loops do: 2 on two idle cores, 1 if other programs use one of
 * them. Without it, a ratio of two jobs to one measures the machine as much as the program.
 */
export async function machineScaling(): Promise<number> {
  const one = await loop();
  const [first, second] = await Promise.all([loop(), loop()]);
  return (first + second) / one;
}

function loop(): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(LOOP, { eval: true, workerData: LOOP_MS });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
