import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const [file, fast, slow, charge] = [process.argv[2], ...process.argv.slice(3).map(Number)];
const NOT_INSTALLED = 3;

/** Loads a library from the folder that the environment names, or ends. */
export async function library(name) {
  const require = createRequire(join(process.env['SLUICE_BENCH_MODULES'], 'x.js'));
  try {
    return await import(require.resolve(name));
  } catch (error) {
    console.log(`${name}: ${String(error.code ?? error.message).slice(0, 100)}`);
    process.exit(NOT_INSTALLED);
  }
}

/** Time, open, high, low, close and volume of W1's bars. */
export function columns() {
  const bytes = readFileSync(file);
  const all = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const length = all.length / 6;
  const [time, open, high, low, close, volume] = [0, 1, 2, 3, 4, 5].map((at) =>
    all.subarray(at * length, (at + 1) * length),
  );
  return { length, time, open, high, low, close, volume };
}

/** Prints the median of some rounds as one line of JSON. */
export async function tell(run, bars, rounds) {
  const times = [];
  let fills;
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    fills = await run();
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  console.log(
    JSON.stringify({ ms: times[times.length >> 1], bars, ...(fills === undefined ? {} : { fills }) }),
  );
}
