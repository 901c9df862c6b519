import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** File descriptors that a bot holds back while there are any, so that a cancel can leave when there are none (F-P06). */
export interface ReservedDescriptors {
  /** Takes those that are missing; throws what the file system throws. */
  hold(): void;
  /** Lets all of them go: whoever opens something next has room. */
  give(): void;
}

/** Two for connections, and room for a name that is looked up and for one that somebody else is quicker to take. */
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
