import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_NAME } from '../../model/package-name.ts';
import { remembered } from '../remembered.ts';

/**
 * Folder of the installed package: the nearest parent of this file whose package.json is named
 * "@sluice-trading/sluice", in the repository as well as in a published copy.
 */
export function packageRoot(): string {
  return remembered('package root', foundRoot);
}

function foundRoot(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && fieldIn(manifest, 'name') === PACKAGE_NAME) return folder;
    if (dirname(folder) === folder) {
      throw new Error(
        `Cannot find the package "${PACKAGE_NAME}": no package.json of that name above "${start}"`,
      );
    }
  }
}

/** Version of the installed package. */
export function packageVersion(): string {
  return String(fieldIn(join(packageRoot(), 'package.json'), 'version'));
}

function fieldIn(manifest: string, field: 'name' | 'version'): unknown {
  const content: Readonly<Record<string, unknown>> | null = JSON.parse(readFileSync(manifest, 'utf8'));
  return content?.[field];
}
