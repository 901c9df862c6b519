import type { DatabaseSync } from 'node:sqlite';
import { READABLE_VERSIONS } from './chain.ts';
import { JournalError } from './journal-error.ts';

/** Returns the file's version, 0 for a new one; throws if a newer program wrote it. */
export function readableVersion(database: DatabaseSync, path: string): number {
  const version = Number(pragma(database, 'user_version'));
  if (version !== 0 && !READABLE_VERSIONS.includes(version)) {
    throw new JournalError(
      'journal-version',
      `Journal "${path}" has version ${version}, this program reads versions up to ${Math.max(...READABLE_VERSIONS)}: use the program that wrote it`,
    );
  }
  return version;
}

/** Returns the first value of a pragma. */
export function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}
