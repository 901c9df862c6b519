import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire, registerHooks, stripTypeScriptTypes } from 'node:module';
import { basename, dirname, extname, join, parse, relative, sep } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { isOwnImport, PACKAGE_NAME, refuseOldName } from '../../model/package-name.ts';
import { PLUGIN_KINDS } from '../../plugins/kinds.ts';
import {
  FrameReader,
  frameOf,
  type ModuleAnswer,
  type ModuleRequest,
  readRequest,
  type StopReason,
} from './module-messages.ts';

/** Where a sandbox may load code from. */
interface ModuleRoots {
  /** The plugins' files. */
  readonly files: readonly string[];
  /** Folder of the user's project. */
  readonly project: string;
}

/** Folder of the package "@sluice-trading/sluice". */
const PACKAGE_ROOT = packageFolder();

/**
 * Finds the project of a plugin's file: the current folder if it contains the file, otherwise the folder above
 * `strategies/` (or the folder of another kind of plugin), otherwise the file's own folder.
 */
export function moduleRootsOf(files: readonly string[], cwd: string): ModuleRoots {
  const [file = cwd] = files;
  return { files, project: projectOf(file, cwd) };
}

function projectOf(file: string, cwd: string): string {
  if (cwd !== parse(cwd).root && isBelow(real(cwd), file)) return real(cwd);
  const folders = new Set<string>(Object.values(PLUGIN_KINDS).map(({ folder }) => folder));
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (folders.has(basename(folder))) return dirname(folder);
  return dirname(file);
}

/**
 * Serves the module requests of a sandboxed process. Provides code of the project and of installed packages only;
 * refuses names that begin with a dot, and files outside, also through links.
 */
export function serveModules(
  pipe: Duplex,
  roots: ModuleRoots,
  onStopped?: (why: StopReason, call: string) => void,
): void {
  const reader = new FrameReader();
  // The pipe breaks when the process is killed; its exit is handled elsewhere.
  pipe.on('error', () => undefined);
  pipe.on('data', (bytes: Buffer) => {
    for (const text of reader.take(bytes)) {
      const request = readRequest(text);
      if (request === undefined) {
        pipe.destroy();
        return;
      }
      if (request.op === 'stopped') onStopped?.(request.why, request.call);
      else pipe.write(frameOf(JSON.stringify(answerTo(request, roots))));
    }
  });
}

function answerTo(request: Exclude<ModuleRequest, { op: 'stopped' }>, roots: ModuleRoots): ModuleAnswer {
  try {
    return request.op === 'resolve' ? resolved(request) : loaded(request.url, roots);
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return { kind: 'refused', message };
  }
}

type Resolve = Extract<ModuleRequest, { op: 'resolve' }>;

/** Resolves links to real paths, as Node does, so that access is checked on the real path. */
function resolved({ specifier, parent, conditions }: Resolve): ModuleAnswer {
  const isRequire = conditions.includes('require');
  if (/^(?:\.{0,2}\/|file:)/.test(specifier) && !isRequire) {
    const url = new URL(specifier, parent);
    const path = fileURLToPath(url);
    return { kind: 'resolved', url: `${pathToFileURL(real(path)).href}${url.search}${url.hash}` };
  }
  const path = requireResolve(specifier, parent, conditions);
  return {
    kind: 'resolved',
    url: path.startsWith(sep) || /^[A-Za-z]:/.test(path) ? pathToFileURL(path).href : path,
  };
}

let wanted: readonly string[] | undefined;
let hooked = false;

/** Resolves a specifier as Node does, under the given conditions. Loads nothing. */
function requireResolve(specifier: string, parent: string, conditions: readonly string[]): string {
  if (!hooked) {
    hooked = true;
    registerHooks({
      resolve: (name, context, next) =>
        next(name, wanted === undefined ? context : { ...context, conditions: [...wanted] }),
    });
  }
  refuseOldName(specifier);
  wanted = conditions;
  // "@sluice-trading/sluice" is always the running copy, even if another is installed next to the plugin: it must
  // match this engine.
  const from = isOwnImport(specifier) ? join(PACKAGE_ROOT, 'package.json') : parent;
  try {
    return createRequire(from).resolve(specifier);
  } finally {
    wanted = undefined;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  '.ts': 'module-typescript',
  '.mts': 'module-typescript',
  '.cts': 'commonjs-typescript',
  '.mjs': 'module',
  '.cjs': 'commonjs',
  '.json': 'json',
};

function loaded(url: string, roots: ModuleRoots): ModuleAnswer {
  const requestedPath = fileURLToPath(url);
  const path = real(requestedPath);
  if (!existsSync(path)) throw new Error(`Cannot find module "${requestedPath}"`);
  const reason = refusalReason(path, roots);
  if (reason !== undefined) throw new Error(`Cannot load "${requestedPath}": ${reason}`);
  const extension = extname(path);
  const source = readFileSync(path, 'utf8');
  const format = extension === '.js' ? formatOfJs(path, source) : (FORMATS[extension] ?? 'module');
  if (!format.endsWith('-typescript')) return { kind: 'loaded', format, source };
  const stripped = strippedTypes(source);
  // Node reports a syntax error in the process that loads the file.
  if (stripped === undefined) return { kind: 'loaded', format, source };
  return { kind: 'loaded', format: format.replace('-typescript', ''), source: stripped };
}

const STRIPPED = new Map<string, string>();
const STRIPPED_MAX = 1_000;

/** Replaces types by blanks, so that lines and columns remain. Caches the result by source. */
function strippedTypes(source: string): string | undefined {
  const known = STRIPPED.get(source);
  if (known !== undefined) return known;
  try {
    const stripped = withoutWarning(() => stripTypeScriptTypes(source));
    if (STRIPPED.size < STRIPPED_MAX) STRIPPED.set(source, stripped);
    return stripped;
  } catch {
    return undefined;
  }
}

/** Suppresses Node's warning about an experimental function, which Node does not print for running a `.ts` file. */
function withoutWarning<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const CODE: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']);

/** Returns why a file is refused; undefined if it is allowed. `path` is a real path. */
function refusalReason(path: string, { files, project }: ModuleRoots): string | undefined {
  const extension = extname(path);
  const isJson = extension === '.json';
  if (!CODE.has(extension) && !isJson) return 'a plugin may load code and JSON alone';
  if (isBelow(PACKAGE_ROOT, path) && !isJson && !hasHiddenPart(relative(PACKAGE_ROOT, path)))
    return undefined;
  const inPackage = pathInPackage(path, [project, PACKAGE_ROOT]);
  const home = isBelow(project, path) ? project : files.map(dirname).find((folder) => isBelow(folder, path));
  if (home === undefined && inPackage === undefined) return 'it is outside the project';
  if (hasHiddenPart(inPackage ?? relative(home ?? project, path))) return 'its name begins with a dot';
  if (!isJson || inPackage !== undefined) return undefined;
  const folders = [
    ...Object.values(PLUGIN_KINDS).map(({ folder }) => join(project, folder)),
    ...files.map(dirname).filter((folder) => folder !== project),
  ];
  if (folders.some((folder) => isBelow(folder, path))) return undefined;
  return 'JSON is read from the folders of plugins alone, such as strategies/';
}

/**
 * Returns the part of a path after its last `node_modules`, if that folder belongs to a folder of `homes`, above or
 * below it.
 */
function pathInPackage(path: string, folders: readonly string[]): string | undefined {
  const parts = path.split(sep);
  const first = parts.indexOf('node_modules');
  if (first < 0) return undefined;
  const owner = parts.slice(0, first).join(sep) || sep;
  if (!folders.some((home) => isBelow(owner, home) || owner === home || isBelow(home, owner)))
    return undefined;
  return parts.slice(parts.lastIndexOf('node_modules') + 1).join(sep);
}

function hasHiddenPart(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith('.'));
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && parse(way).root === '';
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Loading a missing file fails later, with Node's message.
    return path;
  }
}

/**
 * Determines the format of a `.js` file as Node does: from the nearest package.json, or from its syntax if there is
 * no "type".
 */
function formatOfJs(path: string, source: string): 'module' | 'commonjs' {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) return typeIn(manifest) ?? formatBySyntax(source);
    if (folder === dirname(folder) || basename(folder) === 'node_modules') return formatBySyntax(source);
  }
}

function typeIn(manifest: string): 'module' | 'commonjs' | undefined {
  try {
    const { type } = JSON.parse(readFileSync(manifest, 'utf8'));
    return type === 'module' || type === 'commonjs' ? type : undefined;
  } catch {
    // An unreadable package.json has no "type".
    return undefined;
  }
}

/** Compiles the source without running it. */
function formatBySyntax(source: string): 'module' | 'commonjs' {
  try {
    compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname']);
    return 'commonjs';
  } catch {
    return 'module';
  }
}

function packageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    try {
      if (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name === PACKAGE_NAME)
        return real(folder);
    } catch {
      // No package.json here: continue with the parent folder.
    }
    if (folder === dirname(folder)) return folder;
  }
}
