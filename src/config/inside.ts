import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** True when a path lies below a folder, or is it, by its name alone. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, resolve(path));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** True when a path lies below a folder with every link on its way resolved; what is not there yet lies where its folder does. */
export function isReallyBelow(folder: string, path: string): boolean {
  const whole = resolve(path);
  if (!isThere(whole)) return dirname(whole) !== whole && isReallyBelow(folder, dirname(whole));
  try {
    return isBelow(realpathSync(folder), realpathSync(whole));
  } catch {
    return false;
  }
}

/** A link to nothing is there, though its end is not: whoever writes to it makes that end. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
