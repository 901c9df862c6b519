import { closeSync, constants, fsync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A small file that says whether a bot's account is killed. It is written in place into room that it has had since the bot's
 * first start, so that it can be written when the disk is full, and by whoever may, when the bot itself hangs.
 */
export interface KillMark {
  /** Why a kill holds; undefined when none does. Cheap: one read of one block that is in memory. */
  read(): string | undefined;
  /** Returns at once; the disk has it a little later. */
  set(reason: string): void;
  clear(): void;
  close(): void;
}

const NAME = 'kill';
const ROOM = 4_096;
const OWNER_ONLY = 0o600;
const REASON_MAX = 500;
/** What the file begins with while nothing is killed. */
const ARMED = 'armed';
const MARKED = 'killed: ';

/** Path of an account's kill mark; anything written to its beginning but "armed" is a kill. */
export function killMarkPath(folder: string): string {
  return join(folder, NAME);
}

/** Opens the mark in a bot's folder, or makes it. Throws what the file system throws. */
export function openKillMark(folder: string): KillMark {
  const file = openSync(killMarkPath(folder), constants.O_RDWR | constants.O_CREAT, OWNER_ONLY);
  const first = Buffer.alloc(REASON_MAX);
  if (readSync(file, first, 0, 1, 0) === 0) write(ARMED);

  function write(text: string): void {
    const room = Buffer.alloc(ROOM, ' ');
    room.write(`${text}\n`);
    writeSync(file, room, 0, ROOM, 0);
    ftruncateSync(file, ROOM);
    // Nobody waits: a kill is not behind a slow disk, and a mark that a power cut undoes finds its bot gone as well.
    fsync(file, () => undefined);
  }

  return {
    read() {
      const length = readSync(file, first, 0, REASON_MAX, 0);
      const text = first.toString('utf8', 0, length).split('\n')[0]?.trim() ?? '';
      if (text === ARMED) return undefined;
      return text === '' ? 'the kill file is empty' : text.replace(MARKED, '');
    },
    set: (reason) => write(`${MARKED}${oneLine(reason)}`),
    clear: () => write(ARMED),
    close: () => closeSync(file),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, REASON_MAX - 10);
}
