import { getHeapStatistics, queryObjects } from 'node:v8';

/**
 * Bytes that this thread holds, JavaScript objects and array buffers, if they are more than `bytesMax`; undefined if not.
 * What only looks held is collected before it is counted.
 */
export function heapUsageAbove(bytesMax: number): number | undefined {
  if (heapUsage() <= bytesMax) return undefined;
  collectGarbage();
  const used = heapUsage();
  return used > bytesMax ? used : undefined;
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
