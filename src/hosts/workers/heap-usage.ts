import { getHeapStatistics, queryObjects } from 'node:v8';

/**
 * What is wrong when this thread holds more than `bytesMax` of JavaScript objects and array buffers, in words that follow "holds";
 * undefined otherwise. Garbage is collected before it is counted. `when` names the moment: `a question`.
 */
export function heapProblem(bytesMax: number, when: string): string | undefined {
  if (heapUsage() <= bytesMax) return undefined;
  collectGarbage();
  const used = heapUsage();
  if (used <= bytesMax) return undefined;
  const [held, most] = [used, bytesMax].map((bytes) => Math.ceil(bytes / 2 ** 20));
  return `${held} MB of memory after ${when}, most is ${most} MB`;
}

/** Bytes in use by what `getHeapStatistics` counts, garbage included. */
export function bytesOf(heap: { readonly used_heap_size: number; readonly external_memory: number }): number {
  return heap.used_heap_size + heap.external_memory;
}

function heapUsage(): number {
  return bytesOf(getHeapStatistics());
}

/** Of which there are no instances. */
class Nothing {}

/** A query for objects begins with a full collection, without a flag of V8. Processes and threads of plugins are started without its experimental warning. */
function collectGarbage(): void {
  queryObjects(Nothing, { format: 'count' });
}
