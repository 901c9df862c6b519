import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { maskedAccount } from '../../wire/account-number.ts';
import { WORK_DIR } from './open-store.ts';

/** The folder of one account at one venue, and its path for display. */
export interface AccountFolder {
  readonly path: string;
  readonly shown: string;
}

const OWNER_ONLY = 0o700;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const DEPLOYMENT_LETTERS = 4;
const FOLDER_DIGITS = 12;

/**
 * Creates `.sluice/accounts/<host>-<port>-<account>`, for the account's journal and lease, readable only by its
 * owner. An account has the same folder at every start, whatever config trades it. An account's number is secret, so
 * a digest of it is used.
 */
export function accountFolder(project: string, origin: URL, account: string): AccountFolder {
  const port = origin.port === '' ? '' : `-${origin.port}`;
  const host = origin.hostname.replaceAll(/[^A-Za-z0-9.]/g, '_');
  const path = join(project, WORK_DIR, 'accounts', `${host}${port}-${folderWord(origin, account)}`);
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
  chmodSync(path, OWNER_ONLY);
  return { path, shown: relative(project, path) };
}

function folderWord(origin: URL, account: string): string {
  if (maskedAccount(account) === account) return account;
  return digestOf(origin, account).toString('hex').slice(0, FOLDER_DIGITS);
}

function digestOf(origin: URL, account: string): Buffer {
  return createHash('sha256').update(`${origin.host}\n${account}`).digest();
}

/**
 * The four letters that mark our orders on an account: the same for every project that trades it with this program,
 * so that orders of a lost journal are still recognised as ours (F-K11).
 */
export function deploymentFor(origin: URL, account: string): string {
  const digest = digestOf(origin, account);
  return [...digest.subarray(0, DEPLOYMENT_LETTERS)].map((byte) => BASE32[byte % BASE32.length]).join('');
}
