import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** File descriptors that a bot reserves, so that it can send a cancel when the process has no others (F-P06). */
export interface ReservedDescriptors {
  /** Reserves missing descriptors; throws errors of the file system. */
  reserve(): void;
  /** Releases all of them for the next files or connections of the process. */
  release(): void;
}

/** Two for connections, one for a name lookup, and one that another part of the process may take first. */
const RESERVED_COUNT = 4;

/** Reserves the descriptors. Throws errors of the file system. */
export function reserveFileDescriptors(): ReservedDescriptors {
  const held: number[] = [];
  function reserve(): void {
    while (held.length < RESERVED_COUNT) held.push(openSync(devNull, 'r'));
  }
  reserve();
  return {
    reserve,
    release: () => {
      for (const descriptor of held.splice(0)) closeSync(descriptor);
    },
  };
}
