import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const ROOT = new URL('../../../shared/market-data/', import.meta.url);

/** True when the real prices that some tests compare with lie beside the repository. */
export const hasSharedData = existsSync(new URL('calendar/US.csv', ROOT));

/** The rows of a shared CSV (gzip or not) behind its header, split at commas. */
export function sharedRows(path: string): readonly (readonly string[])[] {
  const bytes = readFileSync(new URL(path, ROOT));
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(','));
}
