import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file by another in one step, so that a crash leaves one of the two. The old one remains as `kept`; this
 * name must be durable before the replacement.
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
