import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../config/package-root.ts';

/** Version of the installed package. */
export function packageVersion(): string {
  const manifest: { readonly version?: unknown } = JSON.parse(
    readFileSync(join(packageRoot(), 'package.json'), 'utf8'),
  );
  return String(manifest.version);
}
