import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../config/plugins/package-root.ts';
import { contentType, type PageFiles } from '../../dashboard/page-files.ts';

/** Folder of the page in the published package; a clone has none. */
const PUBLISHED = 'dashboard';
const SOURCES = 'src/dashboard/page';
const BUNDLER = '.ci/bundle-dashboard.ts';
const CACHE = 'node_modules/.cache/sluice-dashboard';

/**
 * The page's files: those of the published package, or bundled from a clone's sources at first use and kept under
 * `node_modules/.cache`. Throws if there is neither a page nor a bundler.
 */
export async function pageFiles(): Promise<PageFiles> {
  const folder = await folderOf(packageRoot());
  return new Map(
    readdirSync(folder).flatMap((name) => {
      const type = contentType(name);
      if (type === undefined) return [];
      return [
        [name === 'index.html' ? '/' : `/${name}`, { type, body: readFileSync(join(folder, name)) }] as const,
      ];
    }),
  );
}

async function folderOf(root: string): Promise<string> {
  const published = join(root, PUBLISHED);
  if (existsSync(published)) return published;
  const sources = globSync(`${SOURCES}/*`, { cwd: root }).toSorted();
  if (sources.length === 0 || !existsSync(join(root, BUNDLER)))
    throw new Error(`Cannot show the dashboard: its page is missing in "${published}"; install sluice again`);
  const hash = createHash('sha256');
  for (const path of [...sources, BUNDLER, 'package-lock.json'])
    hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  const cache = join(root, CACHE);
  const folder = join(cache, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  // Two processes may bundle at once: each in its own folder, and the first result is used.
  const made = mkdtempSync(join(cache, 'making-'));
  try {
    await promisify(execFile)(process.execPath, [join(root, BUNDLER), made], { cwd: root });
    if (!existsSync(folder)) renameSync(made, folder);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot bundle the page of the dashboard: ${why}; run "npm ci" in "${root}"`, { cause });
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}
