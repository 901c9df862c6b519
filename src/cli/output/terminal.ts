import { once } from 'node:events';
import type { ViewSink } from './view.ts';

/** Where a command writes: results to `out`, everything about them to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Resolves once a slow reader of the results has caught up; undefined where little waits for it. */
  drained?(): Promise<unknown> | undefined;
  /** For a live view: standard error, so that results can be piped. */
  readonly view: ViewSink;
  /** Whether results may be coloured. */
  readonly colour: boolean;
}

/** Most that waits for a slow reader of the results before no more is made, in bytes. */
const WAITING_MAX = 2 ** 20;

/** The process's own streams. */
export function processTerminal(): Terminal {
  process.stdout.on('error', endWithOutput);
  process.stderr.on('error', goOnUnheard);
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
 * Whether a stream may be coloured: `FORCE_COLOR` decides in any case (0 and false: no), else never with `NO_COLOR` or
 * on a dumb terminal, and otherwise on terminals alone.
 * @see https://no-color.org and https://force-color.org
 */
export function mayColour(env: Environment, isTTY: boolean): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  return isTTY && env['TERM'] !== 'dumb';
}

/** Whether lines can be drawn over on a stream. */
export function canDraw(env: Environment, isTTY: boolean): boolean {
  return isTTY && env['TERM'] !== 'dumb';
}

/** A reader such as `head` that has seen enough closes the pipe; that is no mistake. A result of which a part is missing is one. */
function endWithOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(
    `Cannot write the output: ${error.message}; what is there is not all, check the space on the disk\n`,
  );
  process.exit(1);
}

/** The reader of a bot's output has closed it: the bot must still manage its orders. */
function goOnUnheard(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
}
