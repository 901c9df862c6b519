import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/** Puts a file in another's place in one step, so that a crash leaves either of the two; the old one stays as `kept`. */
export function takePlace(path: string, copy: string, kept: string): void {
  const file = openSync(copy, 'r+', 0o600);
  fsyncSync(file);
  closeSync(file);
  if (!existsSync(kept)) linkSync(path, kept);
  renameSync(copy, path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
