import { getPriority, setPriority } from 'node:os';
import { isMainThread, parentPort } from 'node:worker_threads';
import { PLUGIN_KINDS, type PluginKind } from '../../plugins/kinds.ts';
import { readThrown } from '../workers/thrown.ts';
import { closeProcess } from './close-process.ts';
import { removeEnvironment } from './compile-cache.ts';
import {
  type DeterministicEnvironment,
  installDeterministicGlobals,
  removeProcessControl,
} from './deterministic-globals.ts';
import type { HostPort } from './host-link.ts';
import type { ModuleClient } from './module-client.ts';
import { NETWORK_MODULES, restrictModules } from './plugin-imports.ts';

/** Options of the sandbox of a thread or process, entered before any code of an author runs. */
export interface SandboxOptions {
  readonly kind: PluginKind;
  /** Receives errors that happen outside of answers. */
  readonly port: HostPort;
  /** Loads modules in a process, which may not read files; absent in a thread. */
  readonly modules?: ModuleClient | undefined;
  /** Niceness of the process or thread; the engine's own thread has 0. */
  readonly niceness: number;
  /** Its clock and random numbers; absent: the machine's, and network access. */
  readonly world?: DeterministicEnvironment;
}

/** Removes access to the environment, other threads, modules and signals from the thread it is called in. */
export function enterSandbox({ kind, port, niceness, world, modules }: SandboxOptions): void {
  const { noun } = PLUGIN_KINDS[kind];
  // Answers use their own port; messages that a plugin posts to the parent are dropped.
  parentPort?.close();
  removeEnvironment();
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

/** Lowers the priority; never raises it above what the process was started with. */
function lowerPriority(niceness: number): void {
  // On other systems than Linux this would affect the whole process.
  if (process.platform === 'linux' && getPriority() < niceness) setPriority(0, niceness);
}
