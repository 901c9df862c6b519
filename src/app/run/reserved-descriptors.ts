import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** File descriptors that a bot holds back while there are any, so that a cancel can leave when there are none (F-P06). */
export interface ReservedDescriptors {
  /** Takes those that are missing; throws what the file system throws. */
  hold(): void;
  /** Releases all of them, for the next files or connections that the process opens. */
  give(): void;
}

/** Two for connections, one for a name lookup, and one that another part of the process may take first. */
const HELD = 4;

/** Holds them from now on. Throws what the file system throws. */
export function reserveFileDescriptors(): ReservedDescriptors {
  const held: number[] = [];
  function hold(): void {
    while (held.length < HELD) held.push(openSync(devNull, 'r'));
  }
  hold();
  return {
    hold,
    give: () => {
      for (const descriptor of held.splice(0)) closeSync(descriptor);
    },
  };
}
