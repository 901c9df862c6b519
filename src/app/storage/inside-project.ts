import { realpathSync } from 'node:fs';
import { parse, relative, sep } from 'node:path';
import { isBelow, isBelowRealPath } from '../../config/inside.ts';
import { EnvironmentError } from '../broker/environment-error.ts';

/**
 * Throws `EnvironmentError` if a path inside the project leads out of it by a link: a project from others could
 * overwrite files of the user. A path that is written as outside the project is allowed. `what` names what is written
 * there. @see docs/reliability.md, S-15
 */
export function assertInsideProject(project: string, path: string, what: string): void {
  if (!isBelow(project, path) || isBelowRealPath(project, path)) return;
  const shownPath = relative(project, path);
  throw new EnvironmentError(
    `Cannot write ${what} to "${shownPath}": a link on its way leads out of the project; remove the link, or name the place that it leads to`,
  );
}

/**
 * Returns a message with paths inside the project written relative to it, also if the project is reached by a link.
 */
export function withProjectPaths(message: string, project: string): string {
  let text = message;
  for (const folder of new Set([project, realpathSync(project)]))
    if (folder !== parse(folder).root) text = text.replaceAll(`${folder}${sep}`, '');
  return text;
}
