import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { millis } from '../model/time.ts';
import { type CatalogueKey, KEY_SCHEMES, type KeySource } from './key.ts';
import { transact } from './store-database.ts';
import { CatalogueStoreError } from './store-error.ts';

/** Maximum number of keys in a catalogue; every request is compared with all of them. */
export const KEYS_MAX = 256;

/** The keys in the catalogue's file, as digests. */
export interface KeyStore extends KeySource {
  /** Stores a key; throws CatalogueStoreError (`store-key`) if it exists or there are 256. */
  addKey(key: CatalogueKey): void;
  /** Revokes all keys of a principal; returns how many were still valid. */
  revokeKeys(principal: string): number;
}

/** The keys of an open catalogue. */
export function createKeyStore(database: DatabaseSync): KeyStore {
  const all = database.prepare('SELECT * FROM keys');
  const count = database.prepare('SELECT count(*) AS count FROM keys');
  const insert = database.prepare(
    'INSERT INTO keys (digest, scheme, principal, may_write, expires_at, revoked) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const revoke = database.prepare('UPDATE keys SET revoked = 1 WHERE principal = ? AND revoked = 0');

  function addKey(key: CatalogueKey): void {
    const held = Number(count.get()?.['count']);
    if (held >= KEYS_MAX) {
      throw new CatalogueStoreError('store-key', `Cannot add a key: the catalogue has ${held}, its most`);
    }
    try {
      const flags = [key.mayWrite, key.revoked].map(Number) as [number, number];
      insert.run(key.digest, key.scheme, key.principal, flags[0], key.expiresAt ?? null, flags[1]);
    } catch (cause) {
      const message = `Cannot add a key of "${key.principal}": want a digest of 32 bytes that is not there yet`;
      throw new CatalogueStoreError('store-key', message, { cause });
    }
  }

  return {
    keys: () => all.all().map(keyOf),
    addKey: (key) => transact(database, () => addKey(key)),
    revokeKeys: (principal) => Number(revoke.run(principal).changes),
  };
}

function keyOf(row: Record<string, SQLOutputValue>): CatalogueKey {
  const scheme = KEY_SCHEMES.find((known) => known === row['scheme']);
  const digest = row['digest'];
  if (scheme === undefined || !(digest instanceof Uint8Array)) {
    const message = `Cannot read a key of the catalogue: its scheme is "${row['scheme']}", want ${KEY_SCHEMES.join(' or ')}`;
    throw new CatalogueStoreError('store-key', message);
  }
  return {
    scheme,
    digest,
    principal: String(row['principal']),
    mayWrite: row['may_write'] === 1n,
    expiresAt: row['expires_at'] === null ? undefined : millis(Number(row['expires_at'])),
    revoked: row['revoked'] === 1n,
  };
}
