import type { SecretDeclarations } from './define-notifier.ts';
import type { AnyPlugin, PluginKind, Plugins } from './kinds.ts';

/** Every kind of plugin but strategies, which say more of themselves. */
export type OtherKind = Exclude<PluginKind, 'strategy'>;

/** What a plugin says of itself, without any of its code. */
export interface PluginFacts extends AnyPlugin {
  /** Secrets that a notifier needs, by name. */
  readonly secrets?: SecretDeclarations;
  /** Names of the functions that it has: `judge`, `slippage`, `onAlarm`. */
  readonly hooks: readonly string[];
}

/** What a risk rule, fill model or notifier says of itself. */
export function pluginFacts<K extends OtherKind>(plugin: Plugins[K]): PluginFacts {
  const { name, doc, params } = plugin;
  const hooks = Object.entries(plugin).filter(([, value]) => typeof value === 'function');
  const secrets = 'secrets' in plugin ? plugin.secrets : undefined;
  return {
    ...{ name, params, hooks: hooks.map(([hook]) => hook) },
    ...(doc === undefined ? {} : { doc }),
    ...(secrets === undefined ? {} : { secrets }),
  };
}
