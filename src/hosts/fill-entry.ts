/** The program of the process in which a fill model of paper runs: fences itself in, loads it, and answers one question at a time. */
import { MessageChannel } from 'node:worker_threads';
import { FILL_HOOKS, guardedFills } from '../plugins/guarded-fills.ts';
import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import type { OwnFills } from '../simulation/own-fills.ts';
import type { FillAnswer, FillRequest, FillSetup } from './plugins/fill-messages.ts';
import { importPlugin } from './plugins/import-plugin.ts';
import { keepCompiled } from './sandbox/compile-cache.ts';
import { linkToHost } from './sandbox/host-link.ts';
import { enterSandbox } from './sandbox/sandbox.ts';
import { seededRandom } from './sandbox/seeded-random.ts';
import { heapUsageAbove } from './workers/heap-usage.ts';
import { readThrown } from './workers/thrown.ts';

const setup = await linkToHost<FillSetup>();
const { port, modules, use, file, params, heldBytesMax } = setup;

// The engine waits for each answer, so this process does not yield to others. A fill model has no clock.
enterSandbox({
  kind: 'fill-model',
  port,
  modules,
  niceness: 0,
  world: { now: () => 0, startsAt: 0, random: seededRandom(1) },
});
await open();

async function open(): Promise<void> {
  // An answer leaves one turn of the loop after the model returned, as with risk rules.
  const turn = new MessageChannel();
  const held: (() => void)[] = [];
  turn.port2.on('message', () => held.shift()?.());
  const imported = await importPlugin(file, PLUGIN_KINDS['fill-model']);
  if (imported.kind === 'fault') {
    port.postMessage({ kind: 'over', what: imported.what });
    return;
  }
  const fills = guardedFills(use, imported.plugin, params);
  port.on('message', (request: FillRequest & { readonly number: number }) => {
    const answer = answerOf(fills, request);
    held.push(() => port.postMessage({ kind: 'answer', number: request.number, answer }));
    turn.port1.postMessage(undefined);
  });
  keepCompiled();
  port.postMessage({ kind: 'ready', hooks: FILL_HOOKS.filter((hook) => fills[hook] !== undefined) });
}

function answerOf(fills: OwnFills, { hook, question }: FillRequest): FillAnswer {
  try {
    const figure = fills[hook]?.(question) ?? 0;
    const beyond = heapUsageAbove(heldBytesMax);
    if (beyond === undefined) return { kind: 'figure', figure };
    const [megabytes, most] = [beyond, heldBytesMax].map((bytes) => Math.ceil(bytes / 2 ** 20));
    const message = `Fill model "${use}" holds ${megabytes} MB of memory after a question, most is ${most} MB`;
    return { kind: 'failed', message };
  } catch (thrown) {
    return { kind: 'failed', message: readThrown(thrown).message };
  }
}
