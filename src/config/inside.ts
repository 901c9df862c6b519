import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** True if a path is a folder or below it, by name only. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, resolve(path));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * True if a path is below a folder after links are resolved; a missing file counts as inside the folder that would
 * contain it.
 */
export function isBelowRealPath(folder: string, path: string): boolean {
  const whole = resolve(path);
  if (!isThere(whole)) return dirname(whole) !== whole && isBelowRealPath(folder, dirname(whole));
  try {
    return isBelow(realpathSync(folder), realpathSync(whole));
  } catch {
    return false;
  }
}

/** A dangling link counts as existing: writing to it would create its target. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
