import { readdirSync, renameSync, rmdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '../broker/environment-error.ts';
import { assertInsideProject } from './inside-project.ts';
import { WORK_DIR } from './open-store.ts';
import { makeBacktestFolder } from './run-folder.ts';
import { pageFrom, type ReportedPage, RUN_FILE } from './run-source.ts';

/** Backtests that are kept by default: the newest of a project. */
export const KEPT_MAX = 50;
/** A record takes some 500 KB; a larger one is not kept. */
const RECORD_BYTES_MAX = 32 * 2 ** 20;

/** File in the folder of a record that may be removed for newer ones. */
export const REMOVABLE_FILE = 'removable.txt';
const REMOVABLE_TEXT = `This backtest was kept by "sluice backtest". It is removed once ${KEPT_MAX} newer ones are kept; delete this file to keep it.\n`;

/** Where a backtest is kept, or what to tell the user where it cannot be, as on a disk that is read-only. */
export type KeptBacktest = { readonly folder: string } | { readonly warning: string };

/** A backtest to keep: its page, its config as the user named it, and the options that changed it. */
export interface FinishedBacktest {
  readonly reported: ReportedPage;
  readonly path: string;
  readonly options: readonly string[];
}

/** Keeps a backtest in `.sluice/backtests`, and removes the oldest of those that were kept by default. */
export function keepFinished({ reported, path, options }: FinishedBacktest, project: string): KeptBacktest {
  try {
    const { source, ...page } = pageFrom({ ...reported, config: { ...reported.config, path } }, project);
    const text = `${JSON.stringify({ ...page, source: { ...source, options } })}\n`;
    if (text.length > RECORD_BYTES_MAX)
      throw new EnvironmentError(`its record has ${text.length} bytes, at most ${RECORD_BYTES_MAX} are kept`);
    const folder = writeRecord(text, path, project);
    removeOldest(project);
    return { folder };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return {
      warning: `This backtest is not kept for "sluice compare" and the dashboard: ${error.message}`,
    };
  }
}

/** The record appears whole or not at all: readers look for its file, which gets its name last. */
function writeRecord(text: string, config: string, project: string): string {
  const { path, shown } = makeBacktestFolder(project, config, Date.now());
  try {
    writeFileSync(join(path, REMOVABLE_FILE), REMOVABLE_TEXT, { mode: 0o600 });
    const unfinished = join(path, `${RUN_FILE}.part`);
    writeFileSync(unfinished, text, { mode: 0o600 });
    renameSync(unfinished, join(path, RUN_FILE));
  } catch (error) {
    rmSync(path, { recursive: true, force: true });
    throw error;
  }
  return shown;
}

/** Removes records beyond the newest ones. Several processes may do so at once: each removes what is still there. */
function removeOldest(project: string): void {
  const parent = join(project, WORK_DIR, 'backtests');
  assertInsideProject(project, parent, 'a run');
  const records = readdirSync(parent, { withFileTypes: true }).flatMap((entry) => {
    const folder = join(parent, entry.name);
    const made = entry.isDirectory()
      ? statSync(join(folder, REMOVABLE_FILE), { throwIfNoEntry: false })?.mtimeMs
      : undefined;
    return made === undefined ? [] : [{ folder, made }];
  });
  for (const { folder } of records.toSorted((one, other) => other.made - one.made).slice(KEPT_MAX))
    removeRecord(folder);
}

const OWN_FILES: readonly string[] = [REMOVABLE_FILE, RUN_FILE, `${RUN_FILE}.part`];

/** Removes a record; a folder with any other file stays. */
function removeRecord(folder: string): void {
  try {
    const files = readdirSync(folder);
    if (!files.every((name) => OWN_FILES.includes(name))) return;
    // The file that makes it removable goes last, so that a removal that was cut off is continued by the next one.
    for (const name of files.toSorted((one) => (one === REMOVABLE_FILE ? 1 : -1)))
      unlinkSync(join(folder, name));
    rmdirSync(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && GONE.includes(String(error.code)))) throw error;
  }
}

/** Another process removes the same record, or put a file there. */
const GONE: readonly string[] = ['ENOENT', 'ENOTEMPTY'];
