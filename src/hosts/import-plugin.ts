import { pathToFileURL } from 'node:url';
import type { KindFacts, PluginKind, Plugins } from '../plugins/kinds.ts';
import { readThrown } from './thrown.ts';

/** Why a plugin's file gave no plugin, in words that follow the name of the file. */
export interface ImportFault {
  readonly kind: 'fault';
  readonly code: 'import-failed' | 'no-default-export' | 'not-a-strategy' | 'not-a-plugin';
  readonly what: string;
  readonly stack: string;
}

/** Imports a file into this very thread, and takes what it exports if it is a plugin of the kind. */
export async function importPlugin<K extends PluginKind>(
  file: string,
  { is, definer, noun }: KindFacts<K>,
): Promise<{ readonly kind: 'ok'; readonly plugin: Plugins[K] } | ImportFault> {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (thrown) {
    const { message, stack, place } = readThrown(thrown);
    return {
      kind: 'fault',
      code: 'import-failed',
      what: `failed while it was loaded: ${message}${place}`,
      stack,
    };
  }
  const plugin = exported['default'];
  if (is(plugin)) return { kind: 'ok', plugin };
  const wanted = `want "export default ${definer}({ ... })"`;
  if (!('default' in exported))
    return { kind: 'fault', code: 'no-default-export', what: `has no default export, ${wanted}`, stack: '' };
  const what = `has a default export that did not come from ${definer}, ${wanted}`;
  return { kind: 'fault', code: noun === 'strategy' ? 'not-a-strategy' : 'not-a-plugin', what, stack: '' };
}
