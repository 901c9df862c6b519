/** Program of a worker that inspects a plugin: enters the sandbox, imports the file and sends its metadata. */

import { seededRandom } from '../model/seeded-random.ts';
import { PLUGIN_KINDS, type PluginKind } from '../plugins/kinds.ts';
import { pluginFacts } from '../plugins/plugin-facts.ts';
import { isStrategy } from '../strategy/define-strategy.ts';
import { importPlugin } from './plugins/import-plugin.ts';
import type { InspectSetup } from './plugins/inspect-messages.ts';
import { strategyMetadata } from './plugins/strategy-metadata.ts';
import { saveCompileCache } from './sandbox/compile-cache.ts';
import { linkToHost } from './sandbox/host-link.ts';
import { enterSandbox } from './sandbox/sandbox.ts';
import { readThrown } from './workers/thrown.ts';

const { port, file, kind, modules } = await linkToHost<InspectSetup>();

const world = { now: () => 0, startsAt: 0, random: seededRandom(1) };
enterSandbox({ kind, port, modules, niceness: 0, ...(kind === 'notifier' ? {} : { world }) });
await inspect();

async function inspect(): Promise<void> {
  const imported = await importPlugin<PluginKind>(file, PLUGIN_KINDS[kind]);
  saveCompileCache();
  if (imported.kind === 'fault') {
    const { what, code } = imported;
    port.postMessage({ kind: 'over', what, code });
    return;
  }
  const { plugin } = imported;
  try {
    port.postMessage({
      kind: 'facts',
      facts: isStrategy(plugin) ? strategyMetadata(plugin) : pluginFacts(plugin),
    });
  } catch (thrown) {
    port.postMessage({
      kind: 'over',
      what: `has metadata that cannot be copied as data: ${readThrown(thrown).message}`,
    });
  }
}
