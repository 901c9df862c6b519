import { printableLines } from '../../model/printable.ts';
import { userStackFrame } from '../../strategy/user-stack-frame.ts';

/** What was thrown, in as many words as a journal and a terminal bear. */
export interface Thrown {
  readonly message: string;
  readonly stack: string;
  /** Where in the author's code, as ` (at path:line:column)`; empty when that is not known. */
  readonly place: string;
}

/** Longest message and longest stack that are kept, in characters. */
export const MESSAGE_CHARS_MAX = 2_000;
export const STACK_CHARS_MAX = 10_000;
/** No frame of a stack is longer; longer lines of a message are not searched for frames. */
const FRAME_CHARS_MAX = 500;

/** Reads anything that foreign code throws, an error or not, however long its texts are. */
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
    // Its own toString throws, and there is no other way to say what it is.
    return `a ${typeof value} that cannot be shown`;
  }
}

/** Where a file could not be parsed or linked, as ` (at path:line:column)`: Node puts the line and a caret before the message of the error. */
function syntaxPlace(lines: readonly string[]): string {
  const [file, line] = /^(?:file:\/\/)?(\/.+):(\d+)$/.exec(lines[0] ?? '')?.slice(1) ?? [];
  if (file === undefined) return '';
  const caret = lines.slice(1, CARET_LINES_MAX).find((each) => /^\s*\^+\s*$/.test(each));
  const column = caret === undefined ? '' : `:${caret.indexOf('^') + 1}`;
  return ` (at ${decodeURIComponent(file)}:${line}${column})`;
}

/** The caret is within so many lines of the top. */
const CARET_LINES_MAX = 12;
