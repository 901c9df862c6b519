import { getPriority, setPriority } from 'node:os';
import { isMainThread, parentPort } from 'node:worker_threads';
import { PLUGIN_KINDS, type PluginKind } from '../plugins/kinds.ts';
import { closeProcess } from './close-process.ts';
import { forgetEnvironment } from './compile-cache.ts';
import type { HostPort } from './host-link.ts';
import { enterMarketWorld, type MarketWorld, refuseSteering } from './market-world.ts';
import type { ModuleClient } from './module-client.ts';
import { REACHING_OUT, refuseReachingModules } from './plugin-imports.ts';
import { readThrown } from './thrown.ts';

/** What a thread is fenced in with, before any code of an author's runs in it. */
export interface Fence {
  readonly kind: PluginKind;
  /** Where it says that an error came up outside of its answers, and that it ends. */
  readonly port: HostPort;
  /** Where modules come from in a process, which reads no files; absent in a thread. */
  readonly modules?: ModuleClient | undefined;
  /** How far it stands back when the cores are busy: the engine's own thread stays at 0. */
  readonly niceness: number;
  /** What its clock and chance are; absent: it has the machine's, and the network. */
  readonly world?: MarketWorld;
}

/** Takes from the thread it is called in what reaches beyond it: the environment, other threads, modules, signals. */
export function fenceIn({ kind, port, niceness, world, modules }: Fence): void {
  const { noun } = PLUGIN_KINDS[kind];
  // Answers take their own way; what a plugin posts here leads nowhere.
  parentPort?.close();
  forgetEnvironment();
  if (isMainThread) closeProcess(noun, { network: world === undefined });
  standBack(niceness);
  if (world === undefined) refuseSteering(noun);
  else enterMarketWorld(world, noun);
  refuseReachingModules(noun, world === undefined ? REACHING_OUT : undefined, modules);
  process.on('uncaughtException', (thrown) => {
    const { message, stack, place } = readThrown(thrown);
    port.postMessage({ kind: 'over', what: `threw outside of its hooks: ${message}${place}`, stack });
  });
}

/** Never forward: whoever started the process may have put it farther back, and forward is not ours to go. */
function standBack(niceness: number): void {
  // Elsewhere than on Linux this would slow the whole process.
  if (process.platform === 'linux' && getPriority() < niceness) setPriority(0, niceness);
}
