import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nearestName } from '../model/nearest-name.ts';
import { printable } from '../model/printable.ts';
import { type KindFacts, PLUGIN_KINDS, type PluginKind, type Plugins } from '../plugins/kinds.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import type { StrategyProblem } from './lookups.ts';
import { packageRoot } from './package-root.ts';
import { findPluginFile, namesOfKind, problem, type StrategyRoots } from './plugin-files.ts';
import { allowTypeScriptPlugins } from './typescript-plugins.ts';

/** A strategy and the file it came from, or why it cannot be had. */
export type StrategyLoad =
  | { readonly kind: 'ok'; readonly strategy: Strategy; readonly file: string }
  | StrategyProblem;

/** A plugin of a kind and the file it came from, or why it cannot be had. */
export type PluginLoad<K extends PluginKind> =
  | { readonly kind: 'ok'; readonly plugin: Plugins[K]; readonly file: string }
  | StrategyProblem;

/** The usual places: `strategies/` of the project first, then what ships with the package. */
export function usualRoots(project: string): StrategyRoots {
  return { project, shipped: join(packageRoot(), 'strategies') };
}

/**
 * Finds a strategy by name or by a path from the project's folder, imports its file, and checks what it exports.
 * Importing runs the file's own top level.
 */
export async function loadStrategy(nameOrPath: string, roots: StrategyRoots): Promise<StrategyLoad> {
  const loaded = await loadPlugin('strategy', nameOrPath, roots);
  if (loaded.kind === 'problem') return loaded;
  return { kind: 'ok', strategy: loaded.plugin, file: loaded.file };
}

/** The same for a plugin of any kind. */
export async function loadPlugin<K extends PluginKind>(
  kind: K,
  nameOrPath: string,
  roots: StrategyRoots,
): Promise<PluginLoad<K>> {
  const found = findPluginFile(kind, nameOrPath, roots);
  if (found.kind === 'problem') return found;
  const available = namesOfKind(kind, roots);
  const said = printable(relative(roots.project, found.file), 200);
  const { noun, definer, is }: KindFacts<K> = PLUGIN_KINDS[kind];
  const wanted = `want "export default ${definer}({ ... })"`;
  let exported: Readonly<Record<string, unknown>>;
  allowTypeScriptPlugins();
  try {
    exported = await import(pathToFileURL(found.file).href);
  } catch (cause) {
    return problem('import-failed', importFailure(cause, found.file, said), available);
  }
  if (!('default' in exported))
    return problem('no-default-export', `"${said}" has no default export, ${wanted}`, available);
  const plugin = exported['default'];
  if (!is(plugin)) {
    const what = `The default export of "${said}" did not come from ${definer}, ${wanted}`;
    return problem(kind === 'strategy' ? 'not-a-strategy' : 'not-a-plugin', what, available);
  }
  const { name } = plugin;
  if (name !== found.name) {
    const message = `"${said}" defines the ${noun} "${printable(name)}", want its name to be "${found.name}" like its file`;
    return problem('other-name', message, available, nearestName(name, available));
  }
  return { kind: 'ok', plugin, file: found.file };
}

const MESSAGE_CHARS = 300;

function importFailure(cause: unknown, file: string, said: string): string {
  if (!(cause instanceof Error))
    return `"${said}" threw ${printable(String(cause), MESSAGE_CHARS)} while it was loaded`;
  const message = printable(cause.message.split('\n')[0] ?? '', MESSAGE_CHARS);
  const line = lineIn(cause.stack ?? '', file);
  const place = line === undefined ? '' : ` at ${said}:${line}`;
  return `"${said}" failed while it was loaded: ${printable(cause.name)}: ${message}${place}`;
}

/** The first line of a file that a stack names, with its column if there is one: `12:5`. */
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
