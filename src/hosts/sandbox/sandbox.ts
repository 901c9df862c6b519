import { getPriority, setPriority } from 'node:os';
import { isMainThread, parentPort } from 'node:worker_threads';
import { PLUGIN_KINDS, type PluginKind } from '../../plugins/kinds.ts';
import { readThrown } from '../workers/thrown.ts';
import { closeProcess } from './close-process.ts';
import { forgetEnvironment } from './compile-cache.ts';
import {
  type DeterministicEnvironment,
  installDeterministicGlobals,
  removeProcessControl,
} from './deterministic-globals.ts';
import type { HostPort } from './host-link.ts';
import type { ModuleClient } from './module-client.ts';
import { NETWORK_MODULES, restrictModules } from './plugin-imports.ts';

/** What a thread is fenced in with, before any code of an author's runs in it. */
export interface SandboxOptions {
  readonly kind: PluginKind;
  /** Where it says that an error came up outside of its answers, and that it ends. */
  readonly port: HostPort;
  /** Where modules come from in a process, which reads no files; absent in a thread. */
  readonly modules?: ModuleClient | undefined;
  /** How far it stands back when the cores are busy: the engine's own thread stays at 0. */
  readonly niceness: number;
  /** What its clock and chance are; absent: it has the machine's, and the network. */
  readonly world?: DeterministicEnvironment;
}

/** Takes from the thread it is called in what reaches beyond it: the environment, other threads, modules, signals. */
export function enterSandbox({ kind, port, niceness, world, modules }: SandboxOptions): void {
  const { noun } = PLUGIN_KINDS[kind];
  // Answers take their own way; what a plugin posts here leads nowhere.
  parentPort?.close();
  forgetEnvironment();
  if (isMainThread) closeProcess(noun, { network: world === undefined });
  lowerPriority(niceness);
  if (world === undefined) removeProcessControl(noun);
  else installDeterministicGlobals(world, noun);
  restrictModules(noun, world === undefined ? NETWORK_MODULES : undefined, modules);
  process.on('uncaughtException', (thrown) => {
    const { message, stack, place } = readThrown(thrown);
    port.postMessage({ kind: 'over', what: `threw outside of its hooks: ${message}${place}`, stack });
  });
}

/** Never forward: whoever started the process may have put it farther back, and forward is not ours to go. */
function lowerPriority(niceness: number): void {
  // Elsewhere than on Linux this would slow the whole process.
  if (process.platform === 'linux' && getPriority() < niceness) setPriority(0, niceness);
}
