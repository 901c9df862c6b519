import type { Clock } from '../ports/clock.ts';
import type { LookSetup, PluginLook } from './look-messages.ts';
import { WatchedThread } from './watched-thread.ts';
import { WORKER_LIMITS, type WorkerLimits } from './worker-limits.ts';

/** A plugin's file, and what looking at it needs of the world. */
export interface LookOptions {
  /** Absolute path of the plugin's file. */
  readonly file: string;
  /** Machine time, for the deadline. */
  readonly clock: Pick<Clock, 'now' | 'at'>;
  readonly limits?: Partial<WorkerLimits>;
}

/**
 * Finds out what a plugin says of itself, in a thread that lives no longer than that: a top level that throws, loops, exits,
 * writes without end or takes all the memory it can get ends in a fault, and costs this process nothing. Resolves once the
 * thread is gone; never rejects.
 */
export function lookAtPlugin({ file, clock, limits }: LookOptions): Promise<PluginLook> {
  const setup: Omit<LookSetup, 'port'> = { file };
  const world = { clock, limits: { ...WORKER_LIMITS, ...limits } };
  return new Promise((resolve) => {
    const end = (look: PluginLook | Promise<PluginLook>): void => {
      const tell = (): void => resolve(look);
      void thread.end().then(tell, tell);
    };
    const thread = new WatchedThread({ program: 'look-entry', setup }, world, {
      onMessage: (value) => end(readLater(value)),
      onFault: (what) => end({ kind: 'fault', code: 'import-failed', what }),
    });
  });
}

/** What reads an answer is loaded while there is none to read yet. */
async function readLater(value: unknown): Promise<PluginLook> {
  const { readLook } = await import('./look-messages.ts');
  return readLook(value);
}
