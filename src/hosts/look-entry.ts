/** The program of a thread that looks at a plugin's file: fences itself in, imports it, and says what the plugin says of itself. */
import { workerData } from 'node:worker_threads';
import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import { keepCompiled } from './compile-cache.ts';
import { fenceIn } from './fence.ts';
import { importPlugin } from './import-plugin.ts';
import type { LookSetup } from './look-messages.ts';
import { readThrown } from './thrown.ts';
import { toldFacts } from './told-facts.ts';

const { port, file }: LookSetup = workerData;

fenceIn({ kind: 'strategy', port, niceness: 0, world: { now: () => 0, startsAt: 0, seed: 1 } });
await look();

async function look(): Promise<void> {
  const imported = await importPlugin(file, PLUGIN_KINDS.strategy);
  keepCompiled();
  if (imported.kind === 'fault') {
    const { what, code } = imported;
    port.postMessage({ kind: 'over', what, code });
    return;
  }
  try {
    port.postMessage({ kind: 'facts', facts: toldFacts(imported.plugin) });
  } catch (thrown) {
    port.postMessage({ kind: 'over', what: `says of itself what is no data: ${readThrown(thrown).message}` });
  }
}
