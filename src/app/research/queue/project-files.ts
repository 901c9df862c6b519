import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isBelow } from '../../../config/inside.ts';
import { packageRoot } from '../../../config/plugins/package-root.ts';
import { isOwnImport } from '../../../model/package-name.ts';
import type { Period } from '../../../model/period.ts';
import { ResearchError } from '../../../research/research-error.ts';
import { codeFiles } from '../../storage/content-hash.ts';
import { openStore } from '../../storage/open-store.ts';
import type { ManifestFile } from './queue-messages.ts';

/** Parts of a project that a sweep reads. */
export interface ProjectSources {
  readonly project: string;
  /** The strategy YAML and the configs that it extends. */
  readonly configs: readonly string[];
  readonly code: readonly string[];
  readonly symbols: readonly string[];
  readonly period: Period;
  readonly quotes: boolean;
  /** Data folder, and files of exchange rates, as the config names them. */
  readonly dataDir: string;
  readonly fxFiles: readonly string[];
}

/** A file for workers, and its path on this machine. */
export interface SourceFile extends ManifestFile {
  readonly source: string;
}

/** Files of a project that its trials read, and files of the package that must be identical at the worker. */
export interface ProjectFiles {
  readonly files: readonly SourceFile[];
  readonly shipped: readonly ManifestFile[];
}

/** Maximum bytes of a project's code; more suggests a folder that does not belong to it. */
const CODE_BYTES_MAX = 256 * 1_024 * 1_024;

/**
 * Lists the files that the trials of a config read: configs, code with all imports, and data of its symbols. No other
 * file of the project leaves this machine. Throws ResearchError for a file outside the project.
 */
export async function projectFiles(sources: ProjectSources): Promise<ProjectFiles> {
  const { project } = sources;
  const files = new Map<string, string>();
  const shipped = new Map<string, string>();
  const root = packageRoot();
  const add = (path: string, what: string): void => {
    const whole = resolve(path);
    // The package may be installed inside the project, and a clone of the package is a project itself.
    const isShipped = isBelow(root, whole) && (!isBelow(project, whole) || !isBelow(root, project));
    if (isShipped) shipped.set(slashed(relative(root, whole)), whole);
    else if (isBelow(project, whole)) files.set(slashed(relative(project, whole)), whole);
    else
      throw new ResearchError(
        `Cannot queue the sweep: ${what} "${path}" is outside the project, and workers get files of the project alone; copy it into the project`,
      );
  };
  for (const config of sources.configs) add(config, 'the config');
  const code = codeOf(sources.code, project);
  let bytes = 0;
  for (const file of code) {
    bytes += statSync(file).size;
    if (bytes > CODE_BYTES_MAX)
      throw new ResearchError(
        `Cannot queue the sweep: its code and the packages that it imports have more than ${CODE_BYTES_MAX / 1_024 / 1_024} MiB`,
      );
    add(file, 'the code');
  }
  const manifest = join(project, 'package.json');
  if (existsSync(manifest)) add(manifest, 'the package.json');
  for (const file of dataFiles(sources)) add(file, 'the data');
  return {
    files: await Promise.all([...files].toSorted(byPath).map(([path, source]) => described(path, source))),
    shipped: (
      await Promise.all([...shipped].toSorted(byPath).map(([path, source]) => described(path, source)))
    ).map(({ source: _source, ...file }) => file),
  };
}

function byPath([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}

async function described(path: string, source: string): Promise<SourceFile> {
  return { path, sha256: await fileHash(source), bytes: statSync(source).size, source };
}

export async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

/**
 * Lists the code files: imports of plugins, their packages, and each package.json that determines how a file is read.
 */
function codeOf(plugins: readonly string[], project: string): readonly string[] {
  const all = new Set<string>();
  const folders = new Set<string>();
  const { files, packages } = codeFiles(plugins);
  for (const file of files) {
    all.add(file);
    for (const manifest of manifestsAbove(file, project)) all.add(manifest);
  }
  const open = packages
    .filter(({ name }) => !isOwnImport(name))
    .map(({ name, importer }) => ({ name, from: dirname(importer) }));
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const folder = packageFolder(each.name, each.from, project);
    if (folder === undefined || folders.has(folder)) continue;
    folders.add(folder);
    for (const file of filesBelow(folder)) all.add(file);
    for (const name of dependenciesIn(join(folder, 'package.json'))) open.push({ name, from: folder });
  }
  return [...all];
}

function manifestsAbove(file: string, project: string): readonly string[] {
  const found: string[] = [];
  for (let folder = dirname(file); isBelow(project, folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) found.push(manifest);
    if (folder === dirname(folder)) break;
  }
  return found;
}

/**
 * Returns the folder of a package as Node resolves it inside the project; undefined for built-in modules and missing
 * packages.
 */
function packageFolder(name: string, from: string, project: string): string | undefined {
  for (let folder = from; isBelow(project, folder); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
    if (folder === dirname(folder)) break;
  }
  return undefined;
}

function dependenciesIn(manifest: string): readonly string[] {
  const content: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  if (typeof content !== 'object' || content === null) return [];
  const named = 'dependencies' in content ? content.dependencies : undefined;
  return typeof named === 'object' && named !== null
    ? Object.keys(named).filter((name) => !isOwnImport(name))
    : [];
}

/** Lists all files of a package, without nested packages, which are found by name. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function dataFiles({
  project,
  symbols,
  period,
  quotes,
  dataDir,
  fxFiles,
}: ProjectSources): readonly string[] {
  if (isAbsolute(dataDir))
    throw new ResearchError(
      `Cannot queue the sweep: its data folder "${dataDir}" is an absolute path, which workers do not have; name it from the project, such as "backtest-data"`,
    );
  const store = openStore(project, dataDir);
  return [
    ...symbols.flatMap((symbol) =>
      store.filesOf(symbol, { period, quotes }).map((name) => join(store.dir, symbol, name)),
    ),
    ...fxFiles.map((file) => resolve(project, file)),
  ];
}
