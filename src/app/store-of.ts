import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { packageRoot } from '../config/package-root.ts';
import { type BarStore, openBarStore } from '../market-data/store.ts';

/** Folder for whatever runs leave behind, inside the project. */
export const WORK_DIR = '.sluice';

/**
 * Opens a folder of bars as a config names it: the project's own, else the one of that name which ships with the package,
 * so that shipped configs run anywhere. Parsed bars are cached in the project.
 */
export function storeOf(project: string, dir: string): BarStore {
  const own = resolve(project, dir);
  const shipped = join(packageRoot(), dir);
  const found = !existsSync(own) && !isAbsolute(dir) && existsSync(shipped) ? shipped : own;
  return openBarStore({ dir: found, cacheDir: join(project, WORK_DIR, 'cache') });
}
