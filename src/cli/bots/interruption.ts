import { every } from '../../app/clock/every.ts';

/**
 * Runs work that Ctrl-C ends in an orderly way; a second Ctrl-C ends the process immediately. `interrupt` does what
 * the first Ctrl-C does, for a terminal that reports it as a key.
 */
export async function interruptible<T>(
  work: (interrupted: AbortSignal, interrupt: () => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await work(controller.signal, () => controller.abort());
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

/** How long a stop may take before it is reported, in milliseconds. */
const SLOW_STOP_MS = 2_000;

const SLOW_STOP =
  'Stopping: waits for calls to the venue and to notifiers that are in progress. Ctrl-C again ends the bot at once\n';

/** Calls `report` once if a stop is not over soon after the interruption. The returned function ends this. */
export function reportSlowStop(interrupted: AbortSignal, report: (text: string) => void): () => void {
  let endWait = (): void => undefined;
  const onAbort = (): void => {
    endWait = every(SLOW_STOP_MS, () => {
      endWait();
      report(SLOW_STOP);
    });
  };
  interrupted.addEventListener('abort', onAbort, { once: true });
  return () => {
    endWait();
    interrupted.removeEventListener('abort', onAbort);
  };
}

/** Resolves at Ctrl-C and, if requested, when standard input ends. */
export function untilEnd(interrupted: AbortSignal, untilStdinEnds: boolean): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      // An open standard input would keep the process alive after everything else has closed.
      if (untilStdinEnds) process.stdin.destroy();
      resolve();
    };
    interrupted.addEventListener('abort', done, { once: true });
    if (interrupted.aborted) done();
    else if (untilStdinEnds) process.stdin.once('close', done).once('end', done).resume();
  });
}
