import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** True if a path is a folder or below it, by name alone. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, resolve(path));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** True when a path is below a folder once links are resolved; a missing file counts as inside the folder that will contain it. */
export function isBelowRealPath(folder: string, path: string): boolean {
  const whole = resolve(path);
  if (!isThere(whole)) return dirname(whole) !== whole && isBelowRealPath(folder, dirname(whole));
  try {
    return isBelow(realpathSync(folder), realpathSync(whole));
  } catch {
    return false;
  }
}

/** A dangling link exists: writing to it creates its target. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
