import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nearestName } from '../../model/nearest-name.ts';
import { printable } from '../../model/printable.ts';
import { exportedPlugin } from '../../plugins/exported-plugin.ts';
import { PLUGIN_KINDS, type PluginKind, type Plugins } from '../../plugins/kinds.ts';
import { type OtherKind, type PluginFacts, pluginFacts } from '../../plugins/plugin-facts.ts';
import type { Strategy } from '../../strategy/define-strategy.ts';
import type { StrategyProblem } from '../lookups.ts';
import { packageRoot } from './package-root.ts';
import { findPluginFile, namesOfKind, problem, type StrategyRoots } from './plugin-files.ts';
import { allowTypeScriptPlugins } from './typescript-plugins.ts';

/** What must be known of a strategy before its config can be read. */
export type DeclaredStrategy = Pick<Strategy, 'name' | 'params'>;

/** The plugin in a file, or what is wrong with it, as words after the name of the file. */
export type PluginReading<P> =
  | { readonly kind: 'ok'; readonly plugin: P }
  | { readonly kind: 'fault'; readonly code: StrategyProblem['code']; readonly what: string };

/** Reads a plugin's file, in this process or in a sandbox. `shown` is its display name. */
export type PluginReader<P> = (file: string, shownPath: string) => Promise<PluginReading<P>>;

/** A strategy and its file, or why it cannot be loaded. */
export type StrategyLoad<S extends DeclaredStrategy = Strategy> =
  | { readonly kind: 'ok'; readonly strategy: S; readonly file: string }
  | StrategyProblem;

/** A plugin and its file, or why it cannot be loaded. */
export type PluginLoad<K extends PluginKind> = Found<Plugins[K]> | StrategyProblem;

/** A plugin, or its description, and its file. */
export interface Found<P> {
  readonly kind: 'ok';
  readonly plugin: P;
  readonly file: string;
}

/** The default folders: those of the project first, then those of the package. */
export function usualRoots(project: string): StrategyRoots {
  return { project, shipped: packageRoot() };
}

/** Like `readStrategy`, in this process: the file's top-level code runs here. */
export function loadStrategy(nameOrPath: string, roots: StrategyRoots): Promise<StrategyLoad> {
  return readStrategy(importStrategy, nameOrPath, roots);
}

/** Finds a strategy by name or by a path relative to the project's folder, reads its file and checks its export. */
export async function readStrategy<S extends DeclaredStrategy>(
  read: PluginReader<S>,
  nameOrPath: string,
  roots: StrategyRoots,
): Promise<StrategyLoad<S>> {
  const found = await findAndRead('strategy', { read, nameOrPath, roots });
  return found.kind === 'problem' ? found : { kind: 'ok', strategy: found.plugin, file: found.file };
}

/** Imports a plugin of any kind into this process. */
export function loadPlugin<K extends PluginKind>(
  kind: K,
  nameOrPath: string,
  roots: StrategyRoots,
): Promise<PluginLoad<K>> {
  return findAndRead(kind, { read: importer(kind), nameOrPath, roots });
}

/** Reads the description of a plugin other than a strategy; its code is not returned. */
export type FactsReader = (kind: OtherKind) => PluginReader<PluginFacts>;

/** Imports plugins into this process and reads their declarations. */
export const factsHere: FactsReader = (kind) => async (file, shownPath) => {
  const reading = await importer(kind)(file, shownPath);
  return reading.kind === 'ok' ? { kind: 'ok', plugin: pluginFacts(reading.plugin) } : reading;
};

/** Finds a plugin other than a strategy, reads its file and checks its export. */
export function readPluginFacts(
  read: FactsReader,
  kind: OtherKind,
  nameOrPath: string,
  roots: StrategyRoots,
): Promise<Found<PluginFacts> | StrategyProblem> {
  return findAndRead(kind, { read: read(kind), nameOrPath, roots });
}

async function findAndRead<P extends { readonly name: string }>(
  kind: PluginKind,
  request: { readonly read: PluginReader<P>; readonly nameOrPath: string; readonly roots: StrategyRoots },
): Promise<Found<P> | StrategyProblem> {
  const { read, nameOrPath, roots } = request;
  const found = findPluginFile(kind, nameOrPath, roots);
  if (found.kind === 'problem') return found;
  const available = namesOfKind(kind, roots);
  const shownPath = printable(relative(roots.project, found.file), 200);
  const reading = await read(found.file, shownPath);
  if (reading.kind === 'fault') return problem(reading.code, `"${shownPath}" ${reading.what}`, available);
  const { plugin } = reading;
  const { name } = plugin;
  if (name !== found.name) {
    const { noun } = PLUGIN_KINDS[kind];
    const message = `"${shownPath}" defines the ${noun} "${printable(name)}", want its name to be "${found.name}" like its file`;
    return problem('other-name', message, available, nearestName(name, available));
  }
  return { kind: 'ok', plugin, file: found.file };
}

/** Imports a file into this process and returns its export if it is a plugin of the kind. */
function importer<K extends PluginKind>(kind: K): PluginReader<Plugins[K]> {
  return async (file, shownPath) => {
    let exported: Readonly<Record<string, unknown>>;
    allowTypeScriptPlugins();
    try {
      exported = await import(pathToFileURL(file).href);
    } catch (cause) {
      return { kind: 'fault', code: 'import-failed', what: importFailure(cause, file, shownPath) };
    }
    return exportedPlugin(exported, PLUGIN_KINDS[kind]);
  };
}

/** Imports a strategy's file into this process. */
export const importStrategy: PluginReader<Strategy> = importer('strategy');

const MESSAGE_CHARS = 300;

function importFailure(cause: unknown, file: string, shownPath: string): string {
  if (!(cause instanceof Error))
    return `threw ${printable(String(cause), MESSAGE_CHARS)} while it was loaded`;
  const message = printable(cause.message.split('\n')[0] ?? '', MESSAGE_CHARS);
  const line = lineIn(cause.stack ?? '', file);
  const place = line === undefined ? '' : ` at ${shownPath}:${line}`;
  return `failed while it was loaded: ${printable(cause.name)}: ${message}${place}`;
}

/** Returns the first line (with column, if any) of a file in a stack trace: `12:5`. */
function lineIn(stack: string, file: string): string | undefined {
  const places = stack.matchAll(
    /(file:\/\/[^\s()]+?|\/[^\s()]*?|[A-Za-z]:\\[^\s()]*?):(\d+(?::\d+)?)(?=[\s)]|$)/g,
  );
  for (const [, place = '', line] of places) {
    const path = place.startsWith('file:') ? fileURLToPath(place.replace(/[?#].*$/, '')) : place;
    if (path === file) return line;
  }
  return undefined;
}
