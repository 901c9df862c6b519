import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { EnvironmentError } from '../../app/broker/environment-error.ts';
import { assertInsideProject } from '../../app/storage/inside-project.ts';

/**
 * Writes what a command made, in folders that are made on the way, and returns its path as seen from the project. Throws
 * `EnvironmentError` where that cannot be, and where a link of the project leads out of it; `what` names it: "the report".
 */
export function writeMade(
  text: string,
  { project, path, what }: { readonly project: string; readonly path: string; readonly what: string },
): string {
  const whole = resolve(project, path);
  const shownPath = relative(project, whole);
  assertInsideProject(project, whole, what);
  try {
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const wanted = 'want a file in a folder that may be written, with space on its disk';
    throw new EnvironmentError(`Cannot write ${what} to "${shownPath}": ${why}; ${wanted}`, { cause });
  }
  return shownPath;
}
