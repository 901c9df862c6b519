import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { chmodSync, mkdirSync } from 'node:fs';
import { homedir, networkInterfaces } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { accountNumber } from '../../wire/account-number.ts';
import { isLoopback } from '../broker/api-target.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const OWNER_ONLY = 0o700;
const NAME_CHARS = 24;
const LOOKUP_MS = 500;
/**
 * Brokers number their accounts; accounts with names are those of embedded venues, which all use the same few names.
 */
const NUMBER = /^\d+$/;

/**
 * Folder of state that all processes of a user share across projects: `SLUICE_STATE_DIR`, otherwise
 * `$XDG_STATE_HOME/sluice`, otherwise `~/.local/state/sluice`.
 */
export function userStateFolder(environment: Environment): string {
  const { SLUICE_STATE_DIR: own, XDG_STATE_HOME: base } = environment;
  if (own !== undefined && own !== '') return resolve(own);
  const parent = base !== undefined && isAbsolute(base) ? base : join(homedir(), '.local', 'state');
  return join(parent, 'sluice');
}

/** Creates a folder in the user's state, readable only by its owner. Throws errors of the file system. */
export function makeStateFolder(environment: Environment, ...names: readonly string[]): string {
  const root = userStateFolder(environment);
  const path = join(root, ...names);
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
  for (const each of [root, path]) chmodSync(each, OWNER_ONLY);
  return path;
}

/**
 * Identifies an account independently of its address. An account with a number is identified by the number; one with
 * a name belongs to a venue, and a venue of this machine is identified by its port, however the machine is called.
 */
export async function accountKey(origin: URL, account: string): Promise<string> {
  const place = NUMBER.test(account) ? '' : await venueKey(origin);
  return digestOf(`account\n${place}\n${accountNumber(account)}`);
}

/** Identifies credentials independently of their address; venues of this machine may share theirs. */
export async function credentialsKey(origin: URL, appKey: string): Promise<string> {
  const place = (await isThisMachine(origin)) ? await venueKey(origin) : '';
  return digestOf(`credentials\n${place}\n${appKey}`);
}

async function venueKey(origin: URL): Promise<string> {
  const { protocol, port } = origin;
  const shownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return (await isThisMachine(origin)) ? shownPort : `${origin.hostname}:${shownPort}`;
}

async function isThisMachine(origin: URL): Promise<boolean> {
  if (isLoopback(origin)) return true;
  const name = origin.hostname.replaceAll(/[[\]]/g, '');
  const found = await Promise.race([lookup(name, { all: true }).catch(() => []), lookupTimeout()]);
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return found.some(
    ({ address }) =>
      address.startsWith('127.') || address === '::1' || own.some((each) => each.address === address),
  );
}

/** A kill does not wait for a name server that does not answer. */
function lookupTimeout(): Promise<[]> {
  return new Promise((resolve) => void setTimeout(() => resolve([]), LOOKUP_MS).unref());
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, NAME_CHARS);
}
