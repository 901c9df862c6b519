import { chmodSync, closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { JournalError } from './journal-error.ts';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** Identity of the file that a path led to when the journal was opened. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number;
}

/**
 * Creates the file, or checks that it is ours: not a link, owned by the user of this process, and readable by no
 * other user. Throws JournalError (`journal-open`). @see docs/reliability.md, S-24
 */
export function ownFile(path: string): FileIdentity {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, OWNER_ONLY);
    const { uid, mode, dev, ino } = fstatSync(descriptor);
    const self = process.getuid?.();
    if (self !== undefined && uid !== self)
      throw new Error(`it belongs to user ${uid}, this program runs as user ${self}`);
    if ((mode & OTHERS) !== 0) chmodSync(path, OWNER_ONLY);
    return { device: dev, inode: ino };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new JournalError('journal-open', `Cannot open journal "${path}": ${why}`, { cause });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Throws JournalError if the path leads to another file or to none: records written there would be lost (F-K08). */
export function assertInPlace(path: string, { device, inode }: FileIdentity): void {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now?.ino === inode && now.dev === device) return;
  const what = now === undefined ? 'it was moved or deleted' : 'another file took its place';
  throw new JournalError('journal-append', `Cannot write journal "${path}": ${what} while it was open`);
}
