import { omitUndefined } from '../../model/omit-undefined.ts';
import type { OtherKind, PluginFacts } from '../../plugins/plugin-facts.ts';
import type { UsedPlugin } from '../config-parts.ts';
import type { PluginLookup, StrategyProblem } from '../lookups.ts';
import type { StrategyRoots } from './plugin-files.ts';
import { type FactsReader, type Found, readPluginFacts } from './plugin-loader.ts';

/** A plugin's metadata and its file, for hosts that import it. */
export interface LoadedPlugin {
  readonly facts: PluginFacts;
  readonly file: string;
}

/** Plugins of a config, by the name in the config. */
export interface LoadedPlugins {
  /** Throws Error for a plugin that the config does not use, or that does not load. */
  get(kind: OtherKind, use: string): LoadedPlugin;
}

/** Reads each of these once; `lookup` returns only these. */
export async function loadUsed(
  uses: readonly Pick<UsedPlugin, 'kind' | 'use'>[],
  { roots, read }: { readonly roots: StrategyRoots; readonly read: FactsReader },
): Promise<{
  readonly lookup: (kind: OtherKind, use: string) => PluginLookup;
  readonly loaded: LoadedPlugins;
}> {
  const found = new Map<string, Found<PluginFacts> | StrategyProblem>();
  const wanted = new Map(uses.map(({ kind, use }) => [`${kind} ${use}`, { kind, use }]));
  await Promise.all(
    [...wanted].map(async ([key, { kind, use }]) =>
      found.set(key, await readPluginFacts(read, kind, use, roots)),
    ),
  );
  return {
    lookup: (kind, use) => {
      const load = found.get(`${kind} ${use}`);
      if (load === undefined) throw new Error(`Plugin "${use}" was looked up that the config does not name`);
      if (load.kind === 'problem') return load;
      const { params, secrets, hooks } = load.plugin;
      return { kind: 'ok', params, hooks, ...omitUndefined({ secrets }) };
    },
    loaded: {
      get: (kind, use) => {
        const load = found.get(`${kind} ${use}`);
        if (load?.kind !== 'ok') throw new Error(`Plugin "${use}" was asked for that is not loaded`);
        return { facts: load.plugin, file: load.file };
      },
    },
  };
}
