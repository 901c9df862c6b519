import type { ViewSink } from './view.ts';

/** Where a command writes: results to `out`, everything about them to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** For a live view: standard error, so that results can be piped. */
  readonly view: ViewSink;
  /** Whether results may be coloured. */
  readonly colour: boolean;
}

/** The process's own streams. Colour only on a terminal, and never when `NO_COLOR` is set. */
export function processTerminal(): Terminal {
  process.stdout.on('error', leaveQuietly);
  const noColour = (process.env['NO_COLOR'] ?? '') !== '';
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    view: {
      isTTY: process.stderr.isTTY === true,
      write: (text) => void process.stderr.write(text),
    },
    colour: process.stdout.isTTY === true && !noColour,
  };
}

/** A reader such as `head` that has seen enough closes the pipe; that is no mistake. */
function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}
