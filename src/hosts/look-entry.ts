/** The program of a thread that looks at a plugin's file: fences itself in, imports it, and says what the plugin says of itself. */
import { PLUGIN_KINDS, type PluginKind } from '../plugins/kinds.ts';
import { pluginFacts } from '../plugins/plugin-facts.ts';
import { isStrategy } from '../strategy/define-strategy.ts';
import { keepCompiled } from './compile-cache.ts';
import { fenceIn } from './fence.ts';
import { linkToHost } from './host-link.ts';
import { importPlugin } from './import-plugin.ts';
import type { LookSetup } from './look-messages.ts';
import { seededChance } from './seeded-chance.ts';
import { readThrown } from './thrown.ts';
import { toldFacts } from './told-facts.ts';

const { port, file, kind, modules } = await linkToHost<LookSetup>();

const world = { now: () => 0, startsAt: 0, chance: seededChance(1) };
fenceIn({ kind, port, modules, niceness: 0, ...(kind === 'notifier' ? {} : { world }) });
await look();

async function look(): Promise<void> {
  const imported = await importPlugin<PluginKind>(file, PLUGIN_KINDS[kind]);
  keepCompiled();
  if (imported.kind === 'fault') {
    const { what, code } = imported;
    port.postMessage({ kind: 'over', what, code });
    return;
  }
  const { plugin } = imported;
  try {
    port.postMessage({ kind: 'facts', facts: isStrategy(plugin) ? toldFacts(plugin) : pluginFacts(plugin) });
  } catch (thrown) {
    port.postMessage({ kind: 'over', what: `says of itself what is no data: ${readThrown(thrown).message}` });
  }
}
