import { mkdirSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { assertInsideProject } from './inside-project.ts';
import { WORK_DIR } from './open-store.ts';

/** Maximum number of folders of one config in one second; more indicate a loop. */
const FOLDERS_MAX = 1_000;

/** A new folder for one run, and its path for display. */
export interface RunFolder {
  readonly path: string;
  readonly shown: string;
}

/**
 * Creates `.sluice/runs/<config>-<UTC time>`, with a number appended if that exists; never one that was used before.
 */
export function makeRunFolder(project: string, config: string, machineNow: number): RunFolder {
  return makeFolder('runs', project, config, machineNow);
}

/** The same under `.sluice/backtests`, for a run without a journal. */
export function makeBacktestFolder(project: string, config: string, machineNow: number): RunFolder {
  return makeFolder('backtests', project, config, machineNow);
}

function makeFolder(kind: string, project: string, config: string, machineNow: number): RunFolder {
  const parent = join(project, WORK_DIR, kind);
  assertInsideProject(project, parent, 'a run');
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const stamp = new Date(machineNow).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const name = `${basename(config, extname(config))}-${stamp}`;
  for (let attempt = 0; attempt < FOLDERS_MAX; attempt += 1) {
    const path = join(parent, attempt === 0 ? name : `${name}-${attempt + 1}`);
    if (makeOnce(path)) return { path, shown: relative(project, path) };
  }
  throw new Error(`Cannot make a folder for this run: "${join(parent, name)}" and ${FOLDERS_MAX} more exist`);
}

function makeOnce(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
