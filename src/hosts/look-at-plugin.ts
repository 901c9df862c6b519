import type { Clock } from '../ports/clock.ts';
import type { LookFault, LookSetup, PluginLook } from './look-messages.ts';
import { StrategyThread } from './strategy-thread.ts';
import { watch } from './watch.ts';
import { WORKER_LIMITS, type WorkerLimits } from './worker-limits.ts';

/** A plugin's file, and what looking at it needs of the world. */
export interface LookOptions {
  /** Absolute path of the plugin's file. */
  readonly file: string;
  /** Machine time, for the deadline. */
  readonly clock: Pick<Clock, 'now' | 'at'>;
  readonly limits?: Partial<WorkerLimits>;
}

/** How often the thread is looked at meanwhile, machine milliseconds. */
const LOOK_EVERY_MS = 25;

/**
 * Finds out what a plugin says of itself, in a thread that lives no longer than that: a top level that throws, loops, exits,
 * writes without end or takes all the memory it can get ends in a fault, and costs this process nothing. Resolves once the
 * thread is gone; never rejects.
 */
export function lookAtPlugin({ file, clock, limits }: LookOptions): Promise<PluginLook> {
  const { startMsMax, workingBytesMax, outputCharsMax } = { ...WORKER_LIMITS, ...limits };
  return new Promise((resolve) => {
    let [isOver, written] = [false, 0];
    const end = (look: PluginLook | Promise<PluginLook>): void => {
      if (isOver) return;
      isOver = true;
      unwatch();
      const tell = (): void => resolve(look);
      void thread.end().then(tell, tell);
    };
    const fault = (what: string): void => end(importFailed(what));
    const weigh = async (): Promise<void> => {
      const bytes = await thread.bytesInUse();
      if (bytes !== undefined && bytes > workingBytesMax)
        fault(`used more than ${Math.round(workingBytesMax / 2 ** 20)} MB of memory while it was loaded`);
    };
    const unwatch = watch({
      ...{ clock, msMax: startMsMax, everyMs: LOOK_EVERY_MS },
      onLook: () => void weigh(),
      onLate: () => {
        // Our own thread may have been the slow one, and what it waits for may lie here already.
        thread.readWhatCame();
        fault(`was not loaded within ${startMsMax} ms`);
      },
    });
    const setup: Omit<LookSetup, 'port'> = { file };
    const thread = new StrategyThread(
      setup,
      {
        onMessage: (value) => end(readLater(value)),
        onOutput: ({ text }) => {
          written += text.length;
          if (written > outputCharsMax)
            fault(`wrote more than ${outputCharsMax} characters to its console while it was loaded`);
        },
        onDeath: fault,
      },
      'look-entry',
    );
  });
}

/** What reads an answer is loaded while there is none to read yet. */
async function readLater(value: unknown): Promise<PluginLook> {
  const { readLook } = await import('./look-messages.ts');
  return readLook(value);
}

function importFailed(what: string): LookFault {
  return { kind: 'fault', code: 'import-failed', what };
}
