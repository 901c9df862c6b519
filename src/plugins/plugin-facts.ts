import { omitUndefined } from '../model/omit-undefined.ts';
import type { SecretDeclarations } from './define-notifier.ts';
import type { AnyPlugin, PluginKind, Plugins } from './kinds.ts';

/** Every kind of plugin but strategies, which say more of themselves. */
export type OtherKind = Exclude<PluginKind, 'strategy'>;

/** The metadata of a plugin, without any of its code. */
export interface PluginFacts extends AnyPlugin {
  /** Secrets that a notifier needs, by name. */
  readonly secrets?: SecretDeclarations;
  /** Names of the functions that it has: `judge`, `slippage`, `onAlarm`. */
  readonly hooks: readonly string[];
}

/** The metadata of a risk rule, fill model or notifier. */
export function pluginFacts<K extends OtherKind>(plugin: Plugins[K]): PluginFacts {
  const { name, doc, params } = plugin;
  const hooks = Object.entries(plugin).filter(([, value]) => typeof value === 'function');
  const secrets = 'secrets' in plugin ? plugin.secrets : undefined;
  return {
    name,
    params,
    hooks: hooks.map(([hook]) => hook),
    ...omitUndefined({ doc, secrets }),
  };
}
