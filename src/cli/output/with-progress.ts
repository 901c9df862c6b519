import { createSystemClock } from '../../app/clock/system-clock.ts';
import { interruptible } from '../bots/interruption.ts';
import { openProgress } from './progress.ts';
import { leftText } from './time-left.ts';
import type { ViewSink } from './view.ts';

/** Progress of long work, and the text next to the bar. */
export interface WorkProgress {
  readonly done: number;
  readonly total: number;
  /** Part of `done` that took no time, such as trials of an earlier run; 0 if absent. */
  readonly known?: number;
  readonly text: string;
}

/**
 * Runs long work with a progress bar that shows the time left. Ctrl-C aborts the signal and lets the work end in an
 * orderly way.
 */
export async function withProgress<T>(
  label: string,
  sink: ViewSink,
  work: (interrupted: AbortSignal, onProgress: (progress: WorkProgress) => void) => Promise<T>,
): Promise<T> {
  const timers = createSystemClock();
  const began = timers.now();
  const bar = openProgress(label, sink, timers);
  try {
    return await interruptible((interrupted) =>
      work(interrupted, ({ done, total, known = 0, text }) =>
        bar.at(done / total, `${text}${leftText(done - known, total - done, timers.now() - began)}`),
      ),
    );
  } finally {
    bar.end();
  }
}
