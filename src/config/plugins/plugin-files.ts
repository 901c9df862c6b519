import { readdirSync, realpathSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { nearestName } from '../../model/nearest-name.ts';
import { printable } from '../../model/printable.ts';
import { PLUGIN_KINDS, type PluginKind } from '../../plugins/kinds.ts';
import { suggestion } from '../config-problem.ts';
import { isBelowRealPath } from '../inside.ts';
import type { StrategyProblem } from '../lookups.ts';
import { remembered } from '../remembered.ts';
import { pluginNames, pluginParts, readPlugin } from './plugin-packages.ts';

/** Folders in which strategies are searched. */
export interface StrategyRoots {
  /** Folder of the user's project: its `strategies/` is searched first, and paths are relative to it. */
  readonly project: string;
  /** Folder of the package, whose `strategies/` and `notifiers/` are searched next. */
  readonly shipped: string;
}

/** A strategy's file and its required name. */
export type StrategyFile =
  | { readonly kind: 'file'; readonly file: string; readonly name: string }
  | StrategyProblem;

const EXTENSIONS = ['.ts', '.js', '.mjs'] as const;
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const NAME_CHARS_MAX = 64;
const NAMES_MAX = 1_000;

/**
 * Finds the file for a name or a `./path`. It must be inside the project or the package's folder of that kind after
 * links are resolved. A file of the project replaces one of the package with the same name.
 */
export function findPluginFile(kind: PluginKind, nameOrPath: string, roots: StrategyRoots): StrategyFile {
  return remembered(`plugin ${kind} ${roots.project} ${nameOrPath}`, () => found(kind, nameOrPath, roots));
}

function found(kind: PluginKind, nameOrPath: string, roots: StrategyRoots): StrategyFile {
  if (/^\.{1,2}\//.test(nameOrPath)) return byPath(kind, nameOrPath, roots);
  const parts = pluginParts(nameOrPath);
  return parts === undefined ? byName(kind, nameOrPath, roots) : inPackage(kind, parts, roots);
}

/**
 * Names of all strategies that a config can use, those of packages last; files that cannot be strategies are left
 * out.
 */
export function strategyNames(roots: StrategyRoots): readonly string[] {
  return namesOfKind('strategy', roots);
}

/** The same for any kind of plugin. */
export function namesOfKind(kind: PluginKind, roots: StrategyRoots): readonly string[] {
  return remembered(`plugins ${kind} ${roots.project}`, () => listedNames(kind, roots));
}

function listedNames(kind: PluginKind, roots: StrategyRoots): readonly string[] {
  const names = folders(kind, roots).flatMap(({ folder }) => listed(folder).flatMap(nameOfFile));
  return [...[...new Set(names)].sort(), ...packagedNames(kind, roots)].slice(0, NAMES_MAX);
}

/** Returns `sluice-plugin-x/name` for every plugin of a kind in every usable package. */
function packagedNames(kind: PluginKind, { project }: StrategyRoots): readonly string[] {
  return pluginNames(project).flatMap((name) => {
    const reading = readPlugin(project, name);
    if (reading.kind === 'problem') return [];
    const files = listed(reading.plugin.folders[kind]).filter((file) => !file.endsWith('.ts'));
    return files
      .flatMap(nameOfFile)
      .toSorted()
      .map((each) => `${name}/${each}`);
  });
}

/** Packages contain JavaScript: Node.js does not strip types under `node_modules`. */
const SHIPPED_EXTENSIONS = ['.js', '.mjs'] as const;

function inPackage(
  kind: PluginKind,
  { pack, plugin }: { readonly pack: string; readonly plugin: string },
  roots: StrategyRoots,
): StrategyFile {
  const available = namesOfKind(kind, roots);
  const reading = readPlugin(roots.project, pack);
  if (reading.kind === 'problem') return problem('not-found', reading.message, available);
  const { root, folders } = reading.plugin;
  const folder = folders[kind];
  for (const extension of SHIPPED_EXTENSIONS) {
    const file = NAME.test(plugin) ? fileInside(join(folder, `${plugin}${extension}`), root) : undefined;
    if (file !== undefined) return { kind: 'file', file, name: plugin };
  }
  const own = available.filter((name) => name.startsWith(`${pack}/`));
  if (isFile(join(folder, `${plugin}.ts`))) {
    const message = `Package "${pack}" ships "${printable(plugin)}" as TypeScript, which Node does not run under node_modules: it has to ship JavaScript`;
    return problem('not-found', message, available);
  }
  const nearest = nearestName(`${pack}/${plugin}`, own);
  const seen = `Package "${pack}" has no ${PLUGIN_KINDS[kind].noun} "${printable(plugin)}"`;
  return problem('not-found', `${seen}, ${suggestion(nearest, own)}`, available, nearest);
}

function byName(kind: PluginKind, name: string, roots: StrategyRoots): StrategyFile {
  if (name.length <= NAME_CHARS_MAX && NAME.test(name)) {
    for (const { folder, root } of folders(kind, roots)) {
      for (const extension of EXTENSIONS) {
        const file = fileInside(join(folder, `${name}${extension}`), root);
        if (file !== undefined) return { kind: 'file', file, name };
        if (isFile(join(folder, `${name}${extension}`))) return linkedOut(kind, name, roots);
      }
    }
  }
  const available = namesOfKind(kind, roots);
  const nearest = nearestName(name, available);
  const seen = `"${printable(name)}" is not a known ${PLUGIN_KINDS[kind].noun}`;
  return problem('not-found', `${seen}, ${suggestion(nearest, available)}`, available, nearest);
}

/** True if the folder of a kind, or a file in it, is a link that leads out of the project; its code is not loaded. */
function linkedOut(kind: PluginKind, name: string, roots: StrategyRoots): StrategyProblem {
  const { folder, noun } = PLUGIN_KINDS[kind];
  const message = `"${name}" is a link out of the project, want the ${noun} itself in "${folder}/" (copy it, or run in the project that has it)`;
  return problem('outside-project', message, namesOfKind(kind, roots));
}

function byPath(kind: PluginKind, path: string, roots: StrategyRoots): StrategyFile {
  const available = namesOfKind(kind, roots);
  const quotedPath = `"${printable(path)}"`;
  const extension = extname(path);
  if (!EXTENSIONS.some((known) => known === extension)) {
    return problem(
      'not-found',
      `${quotedPath} is not a ${PLUGIN_KINDS[kind].noun} file, want one that ends in .ts, .js or .mjs`,
      available,
    );
  }
  const wanted = resolve(roots.project, path);
  if (!isFile(wanted)) {
    return problem(
      'not-found',
      `There is no file ${quotedPath} in "${printable(roots.project, 200)}"`,
      available,
    );
  }
  const file = fileInside(wanted, roots.project);
  if (file === undefined) {
    return problem(
      'outside-project',
      `${quotedPath} is outside the project, want a file inside it`,
      available,
    );
  }
  return { kind: 'file', file, name: path.slice(path.lastIndexOf('/') + 1, -extension.length) };
}

function folders(
  kind: PluginKind,
  roots: StrategyRoots,
): readonly { readonly folder: string; readonly root: string }[] {
  const own = { folder: join(roots.project, PLUGIN_KINDS[kind].folder), root: roots.project };
  const shipped = shippedFolder(kind, roots);
  return [own, { folder: shipped, root: shipped }];
}

/** Folder of the package for a kind of plugins; for some kinds there is none. */
export function shippedFolder(kind: PluginKind, { shipped }: Pick<StrategyRoots, 'shipped'>): string {
  return join(shipped, PLUGIN_KINDS[kind].folder);
}

/** Returns the real path of a file inside `root`; undefined if it does not exist or a link leads elsewhere. */
function fileInside(file: string, root: string): string | undefined {
  if (!isFile(file)) return undefined;
  return isBelowRealPath(root, file) ? realpathSync(file) : undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function listed(folder: string): readonly string[] {
  const there = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return there ? readdirSync(folder) : [];
}

function nameOfFile(file: string): readonly string[] {
  const extension = extname(file);
  const name = file.slice(0, file.length - extension.length);
  return EXTENSIONS.some((known) => known === extension) && NAME.test(name) ? [name] : [];
}

/** A strategy that cannot be used, as data. */
export function problem(
  code: StrategyProblem['code'],
  message: string,
  available: readonly string[],
  nearest?: string,
): StrategyProblem {
  return { kind: 'problem', code, message, available, nearest };
}
