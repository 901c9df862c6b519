import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TlsOption } from '../../venue/server/web-server.ts';
import { VenueError } from '../../venue/venue-error.ts';

/**
 * Reads a certificate chain and its private key from PEM files; undefined if neither is given. Throws VenueError
 * (`bad-option`) if one is missing, cannot be read, is invalid, or does not match the other.
 */
export function readTls(certFile: string | undefined, keyFile: string | undefined): TlsOption | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    const missing = certFile === undefined ? '--tls-cert' : '--tls-key';
    throw new VenueError('bad-option', `Cannot serve TLS: ${missing} is missing, want both files as PEM`);
  }
  const [cert, key] = [textOf('--tls-cert', certFile), textOf('--tls-key', keyFile)];
  requireUsable('--tls-cert', certFile, 'a certificate chain', () => new X509Certificate(cert));
  requireUsable('--tls-key', keyFile, 'a private key without passphrase', () => createPrivateKey(key));
  requireUsable('--tls-key', keyFile, `the key of the certificate in "${certFile}"`, () =>
    createSecureContext({ cert, key }),
  );
  return { cert, key };
}

/** Errors of OpenSSL about an invalid file name neither the file nor what is expected. */
function requireUsable(option: string, file: string, wanted: string, use: () => unknown): void {
  try {
    use();
  } catch (cause) {
    const message = `Cannot use ${option} "${file}": want ${wanted}, as PEM`;
    throw new VenueError('bad-option', message, { cause });
  }
}

function textOf(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new VenueError('bad-option', `Cannot read ${option} "${file}": ${reason}`, { cause });
  }
}
