import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Import, importsOf } from './imports.ts';
import { type Masks, mask } from './masks.ts';

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, '../..');

/** Files of the repository that are tracked, or new and not ignored. Paths from its root, with slashes. */
export const FILES: readonly string[] = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
  { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 },
)
  .split('\0')
  .filter((path) => path !== '' && statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile() === true)
  .sort();

/** Text of a file by its path from the root. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** A source file; each file is read once. */
export interface Source extends Masks {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

const read = new Map<string, Source>();

/** The source file at a path from the root. */
export function sourceOf(path: string): Source {
  const known = read.get(path);
  if (known !== undefined) return known;
  const text = textOf(path);
  const masks = mask(text);
  const source = { path, text, ...masks, imports: importsOf(masks) };
  read.set(path, source);
  return source;
}

/** Whether a program writes this file, which excludes it from the rules here. */
export function isGenerated(path: string): boolean {
  return path.startsWith('src/wire/gen/');
}

const isSource = (path: string): boolean => path.endsWith('.ts') || path.endsWith('.tsx');

/** Code that ships: `src/` and `strategies/`. */
export const PRODUCT: readonly Source[] = FILES.filter(
  (path) => isSource(path) && (path.startsWith('src/') || path.startsWith('strategies/')),
).map(sourceOf);

/** The module of a file of `src/`; undefined outside modules. */
export function moduleOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

/** The folder within its module of a file of `src/`; undefined in the module's own folder. */
export function innerOf(path: string): string | undefined {
  return /^src\/[^/]+\/([^/]+)\//.exec(path)?.[1];
}

/** Target of a relative specifier, as a path from the root; undefined for a package. */
export function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#src/')) return posix.join('src', specifier.slice('#src/'.length));
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
}
