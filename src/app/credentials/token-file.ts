import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { Credentials } from '../../wire/signature.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import { WORK_DIR } from '../storage/open-store.ts';

/** A token that replaced that of the environment. */
export interface StoredToken {
  readonly accessToken: string;
  /** As the venue stated it, RFC 3339; '' if it did not. */
  readonly expiresAt: string;
}

/** The file with the renewal of one token of the environment, if it was renewed. */
export interface TokenFile {
  readonly path: string;
  /** Undefined if nothing was renewed. Throws EnvironmentError if others may read the file, or it is damaged. */
  read(): StoredToken | undefined;
  /** Returns when the token would survive a power cut. Throws EnvironmentError. */
  write(token: StoredToken): void;
  /** Runs a renewal that no other process of this project can run at the same time. Throws EnvironmentError. */
  withLock<T>(work: () => Promise<T>): Promise<T>;
}

const stored = z.object({ accessToken: z.string().min(1), expiresAt: z.string() });

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
const NAME_CHARS = 24;
const FILE_BYTES_MAX = 65_536;

/**
 * The file of a venue, an app key and the access token of the environment, inside the project's work folder. A new
 * token in the environment has its own file, so that the newer of the two is used. @see docs/reliability.md, I-19,
 * S-12, F-F04
 */
export function tokenFile(project: string, origin: URL, { appKey, accessToken }: Credentials): TokenFile {
  const name = createHash('sha256').update(`${origin.origin}\n${appKey}\n${accessToken}`).digest('hex');
  const path = join(project, WORK_DIR, 'tokens', `${name.slice(0, NAME_CHARS)}.json`);
  return {
    path,
    read: () => readToken(path),
    write: (token) => withFileErrors(path, () => writeToken(path, token)),
    withLock: (work) => withLockFile(path, work),
  };
}

function readToken(path: string): StoredToken | undefined {
  const text = withFileErrors(path, () => {
    finishInterruptedWrite(path);
    return privateText(path);
  });
  if (text === undefined) return undefined;
  const token = tokenIn(text);
  if (token === undefined) {
    throw new EnvironmentError(
      `Cannot read the renewed access token: it is damaged\n  in ${path}\n  Get a new token from the broker, set SLUICE_ACCESS_TOKEN to it, and remove the file`,
    );
  }
  return token;
}

function tokenIn(text: string): StoredToken | undefined {
  try {
    return stored.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * A renewal that was killed after the venue had answered, so that the old token was invalid, may have left the new
 * one complete in its temporary file: it is moved into place, and the renewal is complete. An incomplete file is
 * useless, and its marker stays for the operator; then the old token is tried, because the venue may never have
 * answered. @see docs/reliability.md, F-P10
 */
function finishInterruptedWrite(path: string): void {
  const prefix = `${basename(path)}.`;
  for (const name of namesIn(dirname(path))) {
    const pid = name.startsWith(prefix) ? LEFT.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid === undefined || isAnother(Number(pid))) continue;
    const beside = join(dirname(path), name);
    const text = privateText(beside);
    if (text === undefined || tokenIn(text) === undefined) continue;
    moveIntoPlace(beside, path);
    rmSync(lockPath(path), { force: true });
  }
}

/** Temporary file of a process that is writing a token. */
const LEFT = /^(\d+)\.tmp$/;

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** True if the process exists and is not this one. */
function isAnother(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH';
  }
}

/** Never follows a link, and reads only what its owner alone can read. */
function privateText(path: string): string | undefined {
  const descriptor = openIfThere(path);
  if (descriptor === undefined) return undefined;
  try {
    const { mode, size } = fstatSync(descriptor);
    if ((mode & OTHERS) !== 0) {
      throw new EnvironmentError(
        `Cannot use the renewed access token: others can read its file (mode ${(mode & 0o777).toString(8)}), want 600\n  in ${path}\n  Get a new token if others were on this machine, otherwise "chmod 600" the file`,
      );
    }
    return size > FILE_BYTES_MAX ? '' : readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function writeToken(path: string, token: StoredToken): void {
  const beside = `${path}.${process.pid}.tmp`;
  const descriptor = openSync(beside, 'w', PRIVATE_FILE);
  try {
    fchmodSync(descriptor, PRIVATE_FILE);
    writeFileSync(descriptor, JSON.stringify(token));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  moveIntoPlace(beside, path);
}

/** Returns when the file would be found in its place after a power cut. */
function moveIntoPlace(beside: string, path: string): void {
  renameSync(beside, path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function lockPath(path: string): string {
  return `${path}.renewing`;
}

/**
 * The marker is created in the token's folder, so that a folder without write access is detected before the old token
 * becomes invalid.
 */
async function withLockFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  const mark = lockPath(path);
  withFileErrors(path, () => mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER }));
  try {
    closeSync(openSync(mark, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw notUsable(path, error);
    throw new EnvironmentError(
      `Cannot renew the access token: another renewal is in progress or was interrupted\n  its lock file is ${mark}\n  Try "sluice ping"; if no renewal is running, remove the lock file. A token that no longer opens the account must be created again on the broker's site`,
    );
  }
  try {
    return await work();
  } finally {
    rmSync(mark, { force: true });
  }
}

function withFileErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof EnvironmentError ? error : notUsable(path, error);
  }
}

function notUsable(path: string, cause: unknown): EnvironmentError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EnvironmentError(
    `Cannot use the file of the renewed access token: ${why}\n  at ${path}\n  Check the folder's owner, its permissions and the free disk space`,
    { cause },
  );
}
