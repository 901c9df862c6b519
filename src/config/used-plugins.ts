import type { PluginKind, Plugins } from '../plugins/kinds.ts';
import type { UsedPlugin } from './config-parts.ts';
import type { PluginLookup } from './lookups.ts';
import type { StrategyRoots } from './plugin-files.ts';
import { loadPlugin, type PluginLoad } from './plugin-loader.ts';

/** A plugin that was loaded, and its file, for hosts that import it themselves. */
export interface LoadedPlugin<K extends PluginKind> {
  readonly plugin: Plugins[K];
  readonly file: string;
}

/** Plugins that a config asks for, by the name that it gives them. */
export interface LoadedPlugins {
  /** Throws Error for a plugin that the config does not name, or that does not load. */
  get<K extends PluginKind>(kind: K, use: string): LoadedPlugin<K>;
}

/** Loads each of these once; `lookup` answers for them, and for no others. */
export async function loadUsed(
  uses: readonly Pick<UsedPlugin, 'kind' | 'use'>[],
  roots: StrategyRoots,
): Promise<{
  readonly lookup: (kind: PluginKind, use: string) => PluginLookup;
  readonly loaded: LoadedPlugins;
}> {
  const found = new Map<string, PluginLoad<PluginKind>>();
  for (const { kind, use } of uses) {
    const key = `${kind} ${use}`;
    if (!found.has(key)) found.set(key, await loadPlugin(kind, use, roots));
  }
  return {
    lookup: (kind, use) => {
      const load = found.get(`${kind} ${use}`);
      if (load === undefined) throw new Error(`Plugin "${use}" was looked up that the config does not name`);
      if (load.kind === 'problem') return load;
      const { plugin } = load;
      const secrets = 'secrets' in plugin && plugin.secrets !== undefined ? { secrets: plugin.secrets } : {};
      return { kind: 'ok', params: plugin.params, ...secrets };
    },
    loaded: {
      get: <K extends PluginKind>(kind: K, use: string): LoadedPlugin<K> => {
        const load = found.get(`${kind} ${use}`) as PluginLoad<K> | undefined;
        if (load?.kind !== 'ok') throw new Error(`Plugin "${use}" was asked for that is not loaded`);
        return { plugin: load.plugin, file: load.file };
      },
    },
  };
}
