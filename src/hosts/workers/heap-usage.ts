import { getHeapStatistics, queryObjects } from 'node:v8';

/**
 * Returns a problem, to follow "holds", if this thread holds more than `bytesMax` after garbage collection; undefined
 * otherwise. `when` names the moment, such as `a question`.
 */
export function heapProblem(bytesMax: number, when: string): string | undefined {
  if (heapUsage() <= bytesMax) return undefined;
  collectGarbage();
  const used = heapUsage();
  if (used <= bytesMax) return undefined;
  const [held, most] = [used, bytesMax].map((bytes) => Math.ceil(bytes / 2 ** 20));
  return `${held} MB of memory after ${when}, most is ${most} MB`;
}

/** Returns the bytes in use according to `getHeapStatistics`, garbage included. */
export function bytesOf(heap: { readonly used_heap_size: number; readonly external_memory: number }): number {
  return heap.used_heap_size + heap.external_memory;
}

function heapUsage(): number {
  return bytesOf(getHeapStatistics());
}

/** A class without instances. */
class NoInstances {}

/** Forces a full collection without a V8 flag: a query for objects begins with one. */
function collectGarbage(): void {
  queryObjects(NoInstances, { format: 'count' });
}
