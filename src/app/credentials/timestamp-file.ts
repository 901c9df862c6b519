import { createHash } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TimestampStore } from '../../broker/http/timestamps.ts';
import { isLoopback } from '../broker/api-target.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import { WORK_DIR } from '../storage/open-store.ts';

/** The last X-Timestamp of an app key at a venue, stored over restarts and shared by all processes of a project. */
export interface TimestampFile extends TimestampStore {
  readonly path: string;
  close(): void;
}

/** The app key, project and venue of the stored timestamps. */
export interface TimestampFileParts {
  readonly project: string;
  readonly origin: URL;
  readonly appKey: string;
}

const OWNER_ONLY = 0o600;
const PRIVATE_FOLDER = 0o700;
const NAME_CHARS = 24;
/** Fixed number of digits in the file, so that writing in place leaves nothing of the previous number. */
const DIGITS = 20;

/**
 * Opens or creates the file of an app key. Writes in place, in a few microseconds per request, and survives the
 * process; a power cut may lose the last ones. Throws EnvironmentError if the folder cannot be written. @see
 * docs/reliability.md, I-18
 */
export function openTimestampFile({ project, origin, appKey }: TimestampFileParts): TimestampFile {
  const name = createHash('sha256').update(`${origin.origin}\n${appKey}`).digest('hex').slice(0, NAME_CHARS);
  const folder = join(project, WORK_DIR, 'timestamps');
  const path = join(folder, name);
  const file = opened(folder, path);
  const room = Buffer.alloc(DIGITS);

  function last(): number {
    const length = readSync(file, room, 0, DIGITS, 0);
    const text = room.toString('latin1', 0, length);
    return /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 0;
  }

  return {
    path,
    last,
    save: (micros) => void writeSync(file, String(micros).padStart(DIGITS, '0'), 0),
    close: () => closeSync(file),
  };
}

/**
 * The same for one manual request. Venues on this machine come and go with their keys, so nothing is stored for them.
 * If the folder cannot be written, the request is sent without it, and a warning is printed.
 */
export function timestampFileForCommands(
  parts: TimestampFileParts & { readonly warn: (text: string) => void },
): TimestampFile | undefined {
  if (isLoopback(parts.origin)) return undefined;
  try {
    return openTimestampFile(parts);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    parts.warn(error.message);
    return undefined;
  }
}

function opened(folder: string, path: string): number {
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, OWNER_ONLY);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EnvironmentError(
      `Cannot keep the last X-Timestamp: ${why}\n  at ${path}\n  Check the folder's owner, its permissions and the free disk space`,
      { cause },
    );
  }
}
