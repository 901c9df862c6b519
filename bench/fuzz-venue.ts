/**
 * `node bench/fuzz-venue.ts [--count 1000000] [--seed 1]`: feeds malformed inputs to every reader of untrusted wire
 * data. Intended for nightly runs; `npm test` feeds fewer. Exits with 1 if a reader throws anything but its own
 * error, takes longer than a second for one input, or leaks memory.
 */
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HostileInputs } from '../test/venue/hostile-inputs.ts';

const SLOW_MS = 1_000;
/** Allowed growth of the heap after a million inputs and a garbage collection; readers keep nothing. */
const KEPT_BYTES_MAX = 64 * 2 ** 20;
setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

function heapUsed(): number {
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}

const { values: options } = parseArgs({
  options: { count: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
});
const count = Number(options.count);
const seed = Number(options.seed);

const inputs = new HostileInputs(seed);
for (let warm = 0; warm < 10_000; warm += 1) inputs.feedOne();
const heapBefore = heapUsed();
const began = performance.now();
let slowest = 0;
let failures = 0;
for (let fed = 0; fed < count; fed += 1) {
  const start = performance.now();
  try {
    inputs.feedOne();
  } catch (error) {
    failures += 1;
    process.stderr.write(
      `Input ${fed} of seed ${seed}: ${error instanceof Error ? error.stack : String(error)}\n`,
    );
  }
  slowest = Math.max(slowest, performance.now() - start);
}
const seconds = (performance.now() - began) / 1_000;
const kept = heapUsed() - heapBefore;
process.stdout.write(
  `${count} malformed inputs of seed ${seed} in ${seconds.toFixed(1)} s: ${failures} failures, slowest ${slowest.toFixed(1)} ms, heap grew by ${(kept / 2 ** 20).toFixed(1)} MB\n`,
);
if (failures > 0 || slowest > SLOW_MS || kept > KEPT_BYTES_MAX) process.exitCode = 1;
