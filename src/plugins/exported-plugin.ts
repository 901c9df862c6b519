import type { KindFacts, PluginKind, Plugins } from './kinds.ts';

/** Describes what a plugin's file exports in place of a plugin, to follow the name of the file. */
export interface ExportFault {
  readonly kind: 'fault';
  readonly code: 'no-default-export' | 'not-a-strategy' | 'not-a-plugin';
  readonly what: string;
}

/** Returns the default export of an imported file if it is a plugin of the kind. */
export function exportedPlugin<K extends PluginKind>(
  exported: Readonly<Record<string, unknown>>,
  { is, definer, noun }: KindFacts<K>,
): { readonly kind: 'ok'; readonly plugin: Plugins[K] } | ExportFault {
  const plugin = exported['default'];
  if (is(plugin)) return { kind: 'ok', plugin };
  const wanted = `want "export default ${definer}({ ... })"`;
  if (!('default' in exported))
    return { kind: 'fault', code: 'no-default-export', what: `has no default export, ${wanted}` };
  const what = `has a default export that did not come from ${definer}, ${wanted}`;
  return { kind: 'fault', code: noun === 'strategy' ? 'not-a-strategy' : 'not-a-plugin', what };
}
