import { once } from 'node:events';
import type { ViewSink } from './view.ts';

/** Output of a command: results to `out`, messages about them to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Resolves after a slow reader of the results has caught up; undefined if little is waiting. */
  drained?(): Promise<unknown> | undefined;
  /** For a live view: standard error, so that results can be piped. */
  readonly view: ViewSink;
  /** Whether results may be coloured. */
  readonly colour: boolean;
}

/** Maximum number of bytes that may wait for a slow reader before output pauses. */
const WAITING_MAX = 2 ** 20;

/** The process's own streams. */
export function processTerminal(): Terminal {
  process.stdout.on('error', endWithOutput);
  process.stderr.on('error', continueUnread);
  const [out, err] = [process.stdout.isTTY === true, process.stderr.isTTY === true];
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    drained: () => (process.stdout.writableLength > WAITING_MAX ? once(process.stdout, 'drain') : undefined),
    view: {
      isTTY: canDraw(process.env, err),
      colour: mayColour(process.env, err),
      write: (text) => void process.stderr.write(text),
    },
    colour: mayColour(process.env, out),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * True if a stream may be coloured: `FORCE_COLOR` decides in any case (0 and false: no). Otherwise never with
 * `NO_COLOR` or on a dumb terminal, and only on terminals. @see https://no-color.org and https://force-color.org
 */
export function mayColour(env: Environment, isTTY: boolean): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  return isTTY && env['TERM'] !== 'dumb';
}

/** True if lines on a stream can be overwritten. */
export function canDraw(env: Environment, isTTY: boolean): boolean {
  return isTTY && env['TERM'] !== 'dumb';
}

/**
 * A reader such as `head` closes the pipe when it has enough, which is not an error. A result with a missing part is.
 */
function endWithOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(
    `Cannot write the output: ${error.message}; what is there is not all, check the space on the disk\n`,
  );
  process.exit(1);
}

/** The reader of a bot's output has closed it: the bot must still manage its orders. */
function continueUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
}
