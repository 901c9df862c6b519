import { pathToFileURL } from 'node:url';
import { nearestName } from '../../model/nearest-name.ts';
import { PACKAGE_NAME } from '../../model/package-name.ts';
import { type ExportFault, exportedPlugin } from '../../plugins/exported-plugin.ts';
import type { KindFacts, PluginKind, Plugins } from '../../plugins/kinds.ts';
import { readThrown } from '../workers/thrown.ts';

/** Why a file is not a plugin; `what` continues a sentence that starts with the file name. */
interface ImportFault {
  readonly kind: 'fault';
  readonly code: ExportFault['code'] | 'import-failed';
  readonly what: string;
  readonly stack: string;
}

/** Imports a file into this thread and returns its plugin if it has the right kind. */
export async function importPlugin<K extends PluginKind>(
  file: string,
  kind: KindFacts<K>,
): Promise<{ readonly kind: 'ok'; readonly plugin: Plugins[K] } | ImportFault> {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (thrown) {
    const { message, stack, place } = readThrown(thrown);
    const hint = await importHint(message);
    return {
      kind: 'fault',
      code: 'import-failed',
      what: `failed while it was loaded: ${message}${hint}${place}`,
      stack,
    };
  }
  const found = exportedPlugin(exported, kind);
  return found.kind === 'ok' ? found : { ...found, stack: '' };
}

/** Typed as a plain string, so that the compiler does not follow the import. */
const SLUICE: string = PACKAGE_NAME;

/** Returns a hint for an import error, such as `, did you mean "sma"?`; empty if there is none. */
async function importHint(message: string): Promise<string> {
  const misspelt =
    /^The requested module '@sluice-trading\/sluice' does not provide an export named '(.+)'$/.exec(
      message,
    )?.[1];
  if (misspelt !== undefined) {
    const nearest = nearestName(misspelt, Object.keys(await import(SLUICE)));
    return nearest === undefined ? '' : `, did you mean "${nearest}"?`;
  }
  const packageName = /^Cannot find (?:package|module) '((?![./])[^']+)'/.exec(message)?.[1];
  if (packageName !== undefined)
    return nearestName(packageName, [PACKAGE_NAME, 'sluice']) === undefined
      ? `: install it with "npm install ${packageName}", or correct the import`
      : `, did you mean "${PACKAGE_NAME}"?`;
  if (/TypeScript (?:enum|namespace|parameter property)/.test(message))
    return ': Node removes types only, so write an object or a union of strings instead';
  return '';
}
