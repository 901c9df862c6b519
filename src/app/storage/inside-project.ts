import { relative } from 'node:path';
import { isBelow, isReallyBelow } from '../../config/inside.ts';
import { EnvironmentError } from '../broker/environment-error.ts';

/**
 * Throws `EnvironmentError` where a path that lies in the project by name leads out of it by a link: a project that was made by
 * others would have us write over files of whoever runs it. A path that lies elsewhere by name is meant. `what` names what is
 * written there.
 * @see docs/reliability.md, S-15
 */
export function assertInsideProject(project: string, path: string, what: string): void {
  if (!isBelow(project, path) || isReallyBelow(project, path)) return;
  const shown = relative(project, path);
  throw new EnvironmentError(
    `Cannot write ${what} to "${shown}": a link on its way leads out of the project; remove the link, or name the place that it leads to`,
  );
}
