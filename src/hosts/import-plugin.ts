import { pathToFileURL } from 'node:url';
import { type ExportFault, exportedPlugin } from '../plugins/exported-plugin.ts';
import type { KindFacts, PluginKind, Plugins } from '../plugins/kinds.ts';
import { readThrown } from './thrown.ts';

/** Why a plugin's file gave no plugin, in words that follow the name of the file. */
export interface ImportFault {
  readonly kind: 'fault';
  readonly code: ExportFault['code'] | 'import-failed';
  readonly what: string;
  readonly stack: string;
}

/** Imports a file into this very thread, and takes what it exports if it is a plugin of the kind. */
export async function importPlugin<K extends PluginKind>(
  file: string,
  kind: KindFacts<K>,
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
  const found = exportedPlugin(exported, kind);
  return found.kind === 'ok' ? found : { ...found, stack: '' };
}
