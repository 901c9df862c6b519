import { omitUndefined } from '../model/omit-undefined.ts';
import type { SecretDeclarations } from './define-notifier.ts';
import type { AnyPlugin, PluginKind, Plugins } from './kinds.ts';

/** Every kind except strategies, which have more metadata. */
export type OtherKind = Exclude<PluginKind, 'strategy'>;

/** Metadata of a plugin, without its code. */
export interface PluginFacts extends AnyPlugin {
  /** Secrets of a notifier, by name. */
  readonly secrets?: SecretDeclarations;
  /** Names of its functions: `judge`, `slippage`, `onAlarm`. */
  readonly hooks: readonly string[];
}

/** Returns the metadata of a risk rule, fill model or notifier. */
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
