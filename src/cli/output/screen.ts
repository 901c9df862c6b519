import { spawnSync } from 'node:child_process';
import { isInForeground } from './foreground.ts';
import { canDraw, mayColour } from './terminal.ts';

/** Draws on the whole terminal and reads its keys. */
export interface Screen {
  readonly colour: boolean;
  size(): { readonly columns: number; readonly rows: number };
  /** Draws all lines in place of the previous ones. */
  draw(lines: readonly string[]): void;
  /** Rings the terminal's bell. */
  ring(): void;
  /** Restores the terminal. */
  close(): void;
}

const ESCAPE = '\u001b[';
/**
 * The alternate screen keeps what the terminal showed before. Lines are cut at the right edge. The terminal marks
 * pasted text, which is not a command.
 */
const OPEN = `${ESCAPE}?1049h${ESCAPE}?25l${ESCAPE}?7l${ESCAPE}?2004h`;
const CLOSE = `${ESCAPE}?2004l${ESCAPE}?7h${ESCAPE}?25h${ESCAPE}?1049l`;
const [PASTE, PASTE_END] = [`${ESCAPE}200~`, `${ESCAPE}201~`];

/** Timeout of "stty". */
const STTY_MS = 2_000;

/** True if standard input and output are a terminal that can be drawn on, and this process is in its foreground. */
export function hasScreen(): boolean {
  return process.stdin.isTTY && canDraw(process.env, process.stdout.isTTY) && isInForeground();
}

/** Modes of the terminal on standard input in the form that "stty" restores; undefined without "stty". */
export function terminalModes(): string | undefined {
  const { status, stdout } = stty('-g');
  const modes = stdout.trim();
  return status === 0 && modes !== '' ? modes : undefined;
}

/** Restores the terminal and its modes after a process with an open screen died. */
export function restoreTerminal(modes: string | undefined): void {
  // In the background, the shell has the terminal already, and "stty" would be stopped.
  if (modes !== undefined && isInForeground()) stty(modes);
  process.stdout.write(CLOSE);
}

function stty(argument: string) {
  return spawnSync('stty', [argument], {
    stdio: ['inherit', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: STTY_MS,
    // A stopped process accepts no other signal.
    killSignal: 'SIGKILL',
  });
}

/**
 * Keys in the input of a terminal: characters, and "up", "down" and "escape"; other keys of several characters are
 * ignored.
 */
export function keysIn(text: string): readonly string[] {
  return (text.match(KEYS) ?? []).flatMap((key) => {
    if (!key.startsWith('\u001b')) return [key];
    const name = NAMES[key];
    return name === undefined ? [] : [name];
  });
}

/** A control sequence, Alt with a character, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences begin with an escape character
const KEYS = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z]|[\s\S])|[\s\S]/g;
const NAMES: Readonly<Record<string, string>> = {
  '\u001b': 'escape',
  '\u001b[A': 'up',
  '\u001b[B': 'down',
  '\u001bOA': 'up',
  '\u001bOB': 'down',
};

/** Events of an open screen. */
export interface ScreenEvents {
  /** Called with each key. */
  readonly onKey: (key: string) => void;
  /** Called when the size has changed, or the drawing is gone. */
  readonly onChange: () => void;
  /** Called when this process was put into the background; it must not draw any more. */
  readonly onBackground: () => void;
}

/** Opens the terminal of the process. */
export function openScreen({ onKey, onChange, onBackground }: ScreenEvents): Screen {
  const { stdin, stdout } = process;
  let isPasted = false;
  const listen = (text: string): void => {
    const parts = text
      .replaceAll(PASTE, `\n${PASTE}\n`)
      .replaceAll(PASTE_END, `\n${PASTE_END}\n`)
      .split('\n');
    for (const part of parts) {
      if (part === PASTE) isPasted = true;
      else if (part === PASTE_END) isPasted = false;
      else if (!isPasted) for (const key of keysIn(part)) onKey(key);
    }
  };
  const open = (): void => {
    stdin.setRawMode(true);
    stdout.write(OPEN);
  };
  const restore = (): void => {
    // First what works in the background as well: after the death of a bot, the shell may have taken the terminal
    // back.
    stdout.write(CLOSE);
    if (isInForeground()) stdin.setRawMode(false);
  };
  /** After a stop, the shell has changed the modes of the terminal and written to it. */
  const onContinue = (): void => {
    if (!isInForeground()) {
      onBackground();
      return;
    }
    // Node.js changes nothing if it believes that the mode is set already.
    stdin.setRawMode(false);
    open();
    onChange();
  };
  // A terminal that the shell took back, or that is gone, fails with EIO. The listener stays, because keys may be
  // read again.
  stdin.on('error', () => undefined);
  stdin.setEncoding('utf8').on('data', listen).resume();
  stdout.on('resize', onChange);
  process.once('exit', restore).on('SIGCONT', onContinue);
  open();
  return {
    colour: mayColour(process.env, true),
    // A terminal of unknown size reports 0.
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    draw: (lines) => {
      stdout.write(`${ESCAPE}H${lines.map((line) => `${line}${ESCAPE}K`).join('\r\n')}${ESCAPE}J`);
    },
    ring: () => void stdout.write('\u0007'),
    close: () => {
      process.off('exit', restore).off('SIGCONT', onContinue);
      stdout.off('resize', onChange);
      stdin.off('data', listen).pause();
      restore();
    },
  };
}
