import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Bytes that this thread holds, JavaScript objects and array buffers, if they are more than `bytesMax`; undefined if not.
 * What only looks held is collected before it is counted.
 */
export function heldBeyond(bytesMax: number): number | undefined {
  if (heldBytes() <= bytesMax) return undefined;
  collectGarbage();
  const held = heldBytes();
  return held > bytesMax ? held : undefined;
}

/** Bytes in use by what `getHeapStatistics` counts, garbage included. */
export function bytesOf(heap: { readonly used_heap_size: number; readonly external_memory: number }): number {
  return heap.used_heap_size + heap.external_memory;
}

function heldBytes(): number {
  return bytesOf(getHeapStatistics());
}

/** V8 hands out its collector only to contexts made while this flag is up. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect();
}
