/** Program of a fill model's process in paper trading: enters the sandbox, loads the model and answers requests. */

import { seededRandom } from '../model/seeded-random.ts';
import { FILL_HOOKS, guardedFills } from '../plugins/guarded-fills.ts';
import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import type { OwnFills } from '../simulation/own-fills.ts';
import type { FillAnswer, FillRequest, FillSetup } from './plugins/fill-messages.ts';
import { importPlugin } from './plugins/import-plugin.ts';
import { saveCompileCache } from './sandbox/compile-cache.ts';
import { linkToHost } from './sandbox/host-link.ts';
import { enterSandbox } from './sandbox/sandbox.ts';
import { heapProblem } from './workers/heap-usage.ts';
import { serveRequests } from './workers/serve-requests.ts';
import { readThrown } from './workers/thrown.ts';

const setup = await linkToHost<FillSetup>();
const { port, modules, use, file, params, heldBytesMax } = setup;

// The engine waits for each answer, so this process keeps its priority. A fill model has no clock.
enterSandbox({
  kind: 'fill-model',
  port,
  modules,
  niceness: 0,
  world: { now: () => 0, startsAt: 0, random: seededRandom(1) },
});
await open();

async function open(): Promise<void> {
  const imported = await importPlugin(file, PLUGIN_KINDS['fill-model']);
  if (imported.kind === 'fault') {
    port.postMessage({ kind: 'over', what: imported.what });
    return;
  }
  const fills = guardedFills(use, imported.plugin, params);
  serveRequests(port, (request: FillRequest) => answerOf(fills, request));
  saveCompileCache();
  port.postMessage({ kind: 'ready', ready: FILL_HOOKS.filter((hook) => fills[hook] !== undefined) });
}

function answerOf(fills: OwnFills, { hook, question }: FillRequest): FillAnswer {
  try {
    const figure = fills[hook]?.(question) ?? 0;
    const problem = heapProblem(heldBytesMax, 'a question');
    if (problem === undefined) return { kind: 'figure', figure };
    return { kind: 'failed', message: `Fill model "${use}" holds ${problem}` };
  } catch (thrown) {
    return { kind: 'failed', message: readThrown(thrown).message };
  }
}
