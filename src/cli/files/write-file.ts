import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { EnvironmentError } from '../../app/broker/environment-error.ts';
import { assertInsideProject } from '../../app/storage/inside-project.ts';

/** Files that a backtest writes on request, by option, and what they hold. */
export const WRITTEN_FILES = { fills: 'the fills', equity: 'the equity curve' } as const;
export type WrittenFile = keyof typeof WRITTEN_FILES;

/**
 * Writes a result file, creates its folders, and returns its path relative to the project. Throws `EnvironmentError`
 * if that is impossible, or if a link of the project leads out of it; `what` names the file: "the report".
 */
export function writeOutputFile(
  text: string,
  { project, path, what }: { readonly project: string; readonly path: string; readonly what: string },
): string {
  const whole = resolve(project, path);
  const shownPath = relative(project, whole) || '.';
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
