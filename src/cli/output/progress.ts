import type { SingleBar } from 'cli-progress';
import { startedBar } from './progress-bar.ts';
import type { ViewSink } from './view.ts';

/** A progress bar on standard error, drawn in place; only on a terminal. */
export interface Progress {
  /** Sets the completed share, from 0 to 1, and the text after the bar. */
  at(share: number, note?: string): void;
  /** Writes permanent lines above the bar. */
  say(text: string): void;
  /** Removes the bar. */
  end(): void;
}

/** Work that ends within this time shows no bar, in milliseconds. */
const QUICK_MS = 300;
/** Total of a bar. */
const WHOLE = 1_000;

/** Opens a bar for work that may be long; `clock` is the machine's. */
export function openProgress(label: string, sink: ViewSink, clock: { now(): number }): Progress {
  const began = clock.now();
  let bar: SingleBar | undefined;
  return {
    at: (share, note = '') => {
      if (!sink.isTTY || (bar === undefined && clock.now() - began < QUICK_MS)) return;
      const done = Math.round(Math.min(1, Math.max(0, share)) * WHOLE);
      if (bar === undefined) bar = startedBar(label, sink, { done, whole: WHOLE, note });
      else bar.update(done, { note });
    },
    say: (text) => {
      const drawn = bar;
      drawn?.stop();
      bar = undefined;
      sink.write(text);
    },
    end: () => {
      bar?.stop();
      bar = undefined;
    },
  };
}
