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
