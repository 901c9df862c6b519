import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Puts a file in another's place in one step, so that a crash leaves either of the two; the old one stays as `kept`, a name
 * that has to last before the other one leads elsewhere.
 */
export function replaceAtomically(path: string, copy: string, backup: string): void {
  const file = openSync(copy, 'r+', 0o600);
  fsyncSync(file);
  closeSync(file);
  if (!existsSync(backup)) linkSync(path, backup);
  syncFolder(path);
  renameSync(copy, path);
  syncFolder(path);
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
