import { printableLines } from '../../model/printable.ts';
import { userStackFrame } from '../../strategy/user-stack-frame.ts';

/** An exception in printable texts of limited length. */
export interface Thrown {
  readonly message: string;
  readonly stack: string;
  /** Position in the author's code, as ` (at path:line:column)`; empty if unknown. */
  readonly place: string;
}

/** Longest message and stack, in characters. */
export const MESSAGE_CHARS_MAX = 2_000;
export const STACK_CHARS_MAX = 10_000;
/** Longest frame of a stack; longer lines are not searched for frames. */
const FRAME_CHARS_MAX = 500;

/** Reads anything that untrusted code throws, an Error or not. */
export function readThrown(thrown: unknown): Thrown {
  if (!(thrown instanceof Error)) return { message: textOf(thrown), stack: '', place: '' };
  const { stack } = thrown;
  const lines = typeof stack === 'string' ? stack.split('\n', STACK_CHARS_MAX) : [];
  const frames = new Error();
  frames.stack = lines.filter((line) => line.length <= FRAME_CHARS_MAX).join('\n');
  return {
    message: textOf(thrown.message),
    stack: frames.stack.slice(0, STACK_CHARS_MAX),
    place:
      thrown instanceof SyntaxError ? syntaxPlace(lines) || userStackFrame(frames) : userStackFrame(frames),
  };
}

function textOf(value: unknown): string {
  try {
    return printableLines(String(value).slice(0, MESSAGE_CHARS_MAX));
  } catch {
    // Its own toString throws.
    return `a ${typeof value} that cannot be shown`;
  }
}

/**
 * Returns where a file could not be parsed or linked, as ` (at path:line:column)`; Node puts the line and a caret
 * before the error's message.
 */
function syntaxPlace(lines: readonly string[]): string {
  const [file, line] = /^(?:file:\/\/)?(\/.+):(\d+)$/.exec(lines[0] ?? '')?.slice(1) ?? [];
  if (file === undefined) return '';
  const caret = lines.slice(1, CARET_LINES_MAX).find((each) => /^\s*\^+\s*$/.test(each));
  const column = caret === undefined ? '' : `:${caret.indexOf('^') + 1}`;
  return ` (at ${decodeURIComponent(file)}:${line}${column})`;
}

/** Number of lines to search for the caret. */
const CARET_LINES_MAX = 12;
