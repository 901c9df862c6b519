import { readFileSync } from 'node:fs';
import { VenueError } from '../venue/venue-error.ts';
import type { TlsOption } from '../venue/venue-options.ts';

/**
 * Reads a certificate chain and its private key from PEM files; undefined when neither is named. Throws VenueError
 * (`bad-option`) when one is missing or cannot be read.
 */
export function readTls(certFile: string | undefined, keyFile: string | undefined): TlsOption | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    const missing = certFile === undefined ? '--tls-cert' : '--tls-key';
    throw new VenueError('bad-option', `Cannot serve TLS: ${missing} is missing, want both files as PEM`);
  }
  return { cert: textOf('--tls-cert', certFile), key: textOf('--tls-key', keyFile) };
}

function textOf(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new VenueError('bad-option', `Cannot read ${option} "${file}": ${reason}`, { cause });
  }
}
