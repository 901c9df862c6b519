import type { PluginKind } from '../plugins/kinds.ts';
import type { Clock } from '../ports/clock.ts';
import type { FactsOf, LookSetup, PluginLook } from './look-messages.ts';
import { WatchedThread } from './watched-thread.ts';
import { WORKER_LIMITS, type WorkerLimits } from './worker-limits.ts';

/** A plugin's file, and what looking at it needs of the world. */
export interface LookOptions<K extends PluginKind = PluginKind> {
  /** Absolute path of the plugin's file. */
  readonly file: string;
  /** What kind of plugin it has to be. */
  readonly kind: K;
  /** Machine time, for the deadline. */
  readonly clock: Pick<Clock, 'now' | 'at'>;
  readonly limits?: Partial<WorkerLimits>;
}

/**
 * Finds out what a plugin says of itself, in a thread that lives no longer than that: a top level that throws, loops, exits,
 * writes without end or takes all the memory it can get ends in a fault, and costs this process nothing. Resolves once the
 * thread is gone; never rejects.
 */
export function lookAtPlugin<K extends PluginKind>({
  file,
  kind,
  clock,
  limits,
}: LookOptions<K>): Promise<PluginLook<FactsOf[K]>> {
  const setup: LookSetup = { file, kind };
  const world = { clock, limits: { ...WORKER_LIMITS, ...limits } };
  return new Promise((resolve) => {
    const end = (look: PluginLook<FactsOf[K]> | Promise<PluginLook<FactsOf[K]>>): void => {
      const tell = (): void => resolve(look);
      void thread.end().then(tell, tell);
    };
    const thread = new WatchedThread({ program: 'look-entry', setup }, world, {
      onMessage: (value) => end(readLater(value, kind)),
      onFault: (what) => end({ kind: 'fault', code: 'import-failed', what }),
    });
  });
}

/** What reads an answer is loaded while there is none to read yet. */
async function readLater<K extends PluginKind>(value: unknown, kind: K): Promise<PluginLook<FactsOf[K]>> {
  const { readLook } = await import('./look-messages.ts');
  return readLook(value, kind);
}
