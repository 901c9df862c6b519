import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const ROOT = new URL('../oracles/data/prices/', import.meta.url);

/** The rows of a CSV in `test/oracles/data/prices` (gzip or not) after its header, split at commas. */
export function priceRows(path: string): readonly (readonly string[])[] {
  const bytes = readFileSync(new URL(path, ROOT));
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(','));
}
