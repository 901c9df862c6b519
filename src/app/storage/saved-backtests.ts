import { readdirSync, renameSync, rmdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '../broker/environment-error.ts';
import { codeFiles } from './content-hash.ts';
import { assertInsideProject } from './inside-project.ts';
import { WORK_DIR } from './open-store.ts';
import { makeBacktestFolder } from './run-folder.ts';
import { pageFrom, type ReportedPage, RUN_FILE } from './run-source.ts';

/** Number of backtests that are kept by default: the newest of a project. */
export const KEPT_MAX = 50;
/** A record has about 500 KB; a larger one is not kept. */
const RECORD_BYTES_MAX = 32 * 2 ** 20;

/** File that marks the folder of a record that may be removed for newer ones. */
export const REMOVABLE_FILE = 'removable.txt';
const REMOVABLE_TEXT = `This backtest was kept by "sluice backtest". It is removed once ${KEPT_MAX} newer ones are kept; delete this file to keep it.\n`;

/** Folder of a kept backtest, or a message if it cannot be kept, for example on a read-only disk. */
export type KeptBacktest = { readonly folder: string } | { readonly warning: string };

/** A backtest to keep: its page, its config as given by the user, and the options that changed it. */
export interface FinishedBacktest {
  readonly reported: ReportedPage;
  /** Start of its command, epoch milliseconds: code that changed since then may not be the code that ran. */
  readonly startedAt: number;
  readonly path: string;
  readonly options: readonly string[];
}

/** Keeps a backtest in `.sluice/backtests`, and removes the oldest of those that were kept by default. */
export function saveFinishedBacktest(
  { reported, startedAt, path, options }: FinishedBacktest,
  project: string,
): KeptBacktest {
  try {
    const changed = codeFiles(reported.files.codeFiles).files.find(
      (file) => statSync(file).mtimeMs > startedAt,
    );
    if (changed !== undefined)
      throw new EnvironmentError(`"${changed}" was saved while it ran, so its figures may be of other code`);
    const page = pageFrom(reported);
    const text = `${JSON.stringify({ ...page, source: { ...page.source, options } })}\n`;
    if (text.length > RECORD_BYTES_MAX)
      throw new EnvironmentError(`its record has ${text.length} bytes, at most ${RECORD_BYTES_MAX} are kept`);
    const folder = writeRecord(text, path, project);
    removeOldest(project, folder);
    return { folder };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return {
      warning: `This backtest is not kept for "sluice compare" and the dashboard: ${error.message}`,
    };
  }
}

/** The record appears completely or not at all: readers look for its file, which is renamed last. */
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

/**
 * Removes records beyond the newest ones, but never the one just `made`, whatever the clocks. Several processes may
 * do so at once: each removes what still exists. A record that may not be read or removed, such as one of another
 * user, stays.
 */
function removeOldest(project: string, made: string): void {
  const parent = join(project, WORK_DIR, 'backtests');
  assertInsideProject(project, parent, 'a run');
  const records = readdirSync(parent, { withFileTypes: true }).flatMap((entry) => {
    const folder = join(parent, entry.name);
    const time = entry.isDirectory() ? savedAt(folder) : undefined;
    return time === undefined ? [] : [{ folder, time: folder === join(project, made) ? Infinity : time }];
  });
  for (const { folder } of records.toSorted((one, other) => other.time - one.time).slice(KEPT_MAX))
    removeRecord(folder);
}

/** Time at which a record was kept, from the file that marks it as removable; undefined for any other folder. */
function savedAt(folder: string): number | undefined {
  try {
    return statSync(join(folder, REMOVABLE_FILE), { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return undefined;
  }
}

const OWN_FILES: readonly string[] = [REMOVABLE_FILE, RUN_FILE, `${RUN_FILE}.part`];

/** Removes a record; a folder with any other file is kept. */
function removeRecord(folder: string): void {
  try {
    const files = readdirSync(folder);
    if (!files.includes(REMOVABLE_FILE) || !files.every((name) => OWN_FILES.includes(name))) return;
    // The marker file is deleted last, so that the next removal completes an interrupted one.
    for (const name of files.toSorted((one) => (one === REMOVABLE_FILE ? 1 : -1)))
      unlinkSync(join(folder, name));
    rmdirSync(folder);
  } catch (error) {
    // Another process removes the same record or put a file there, or the record is not ours to remove.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
