import type { PluginKind } from '../../plugins/kinds.ts';
import type { Clock } from '../../ports/clock.ts';
import { SupervisedWorker } from '../workers/supervised-worker.ts';
import { WORKER_LIMITS, type WorkerLimits } from '../workers/worker-limits.ts';
import type { FactsOf, InspectSetup, PluginInspection } from './inspect-messages.ts';

interface InspectOptions<K extends PluginKind = PluginKind> {
  /** Absolute path. */
  readonly file: string;
  readonly kind: K;
  /** Machine time, for the deadline. */
  readonly clock: Clock;
  readonly limits?: Partial<WorkerLimits>;
}

/**
 * Reads the metadata of a plugin in a short-lived worker. A top level that throws, loops, exits, floods the console
 * or exhausts memory ends in a fault. Resolves when the worker has ended; never rejects.
 */
export function inspectPlugin<K extends PluginKind>({
  file,
  kind,
  clock,
  limits,
}: InspectOptions<K>): Promise<PluginInspection<FactsOf[K]>> {
  const setup: InspectSetup = { file, kind };
  const world = { clock, limits: { ...WORKER_LIMITS, ...limits } };
  return new Promise((resolve) => {
    const end = (look: PluginInspection<FactsOf[K]> | Promise<PluginInspection<FactsOf[K]>>): void => {
      const finish = (): void => resolve(look);
      void thread.end().then(finish, finish);
    };
    const thread = new SupervisedWorker({ program: 'inspect-entry', setup }, world, {
      onMessage: (value) => end(readResult(value, kind)),
      onFault: (what) => end({ kind: 'fault', code: 'import-failed', what }),
    });
  });
}

/** Loads the reader when a result has arrived. */
async function readResult<K extends PluginKind>(
  value: unknown,
  kind: K,
): Promise<PluginInspection<FactsOf[K]>> {
  const { readInspection } = await import('./inspect-messages.ts');
  return readInspection(value, kind);
}
