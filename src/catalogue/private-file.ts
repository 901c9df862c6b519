import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';

/** File mode: only the owner may read and write. */
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/**
 * Creates a file that only its owner may read, or restricts an existing one. It must be a regular file, not a link,
 * owned by the current user. Throws Error with what it is instead. @see docs/reliability.md, S-12
 */
export function makePrivate(path: string): void {
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const descriptor = openSync(path, flags, OWNER_ONLY);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error('it is a pipe or a device');
    const self = process.getuid?.();
    if (self !== undefined && stats.uid !== self)
      throw new Error(`it belongs to user ${stats.uid}, this program runs as user ${self}`);
    if ((stats.mode & OTHERS) !== 0) fchmodSync(descriptor, OWNER_ONLY);
  } finally {
    closeSync(descriptor);
  }
}
