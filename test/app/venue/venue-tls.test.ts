import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTls } from '#src/app/venue/venue-tls.ts';
import { SELF_SIGNED } from '../../venue/self-signed.ts';

let folder: string;
const file = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'));
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  writeFileSync(file('cert.pem'), SELF_SIGNED.cert);
  writeFileSync(file('key.pem'), SELF_SIGNED.key);
  writeFileSync(file('other.pem'), other.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(file('text.pem'), 'no PEM at all');
  writeFileSync(file('empty.pem'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the files of TLS', () => {
  it('are a certificate and its key, or none', () => {
    expect(readTls(file('cert.pem'), file('key.pem'))).toEqual(SELF_SIGNED);
    expect(readTls(undefined, undefined)).toBeUndefined();
  });

  it.each([
    ['cert.pem', undefined, '--tls-key is missing'],
    [undefined, 'key.pem', '--tls-cert is missing'],
    ['none.pem', 'key.pem', 'Cannot read --tls-cert'],
    ['key.pem', 'cert.pem', /^Cannot use --tls-cert ".*key.pem": want a certificate chain, as PEM$/],
    ['empty.pem', 'key.pem', 'want a certificate chain'],
    ['cert.pem', 'text.pem', 'want a private key without passphrase'],
    ['cert.pem', 'other.pem', 'want the key of the certificate in'],
  ])('are refused with a message about what is wrong: %s and %s', (cert, key, said) => {
    const named = (name: string | undefined): string | undefined => (name === undefined ? name : file(name));
    expect(() => readTls(named(cert), named(key))).toThrow(said);
  });
});
