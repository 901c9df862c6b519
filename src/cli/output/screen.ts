import { spawnSync } from 'node:child_process';
import { canDraw, mayColour } from './terminal.ts';

/** A whole terminal to draw on, and its keys. */
export interface Screen {
  readonly colour: boolean;
  size(): { readonly columns: number; readonly rows: number };
  /** Draws all lines in place of the previous ones. */
  draw(lines: readonly string[]): void;
  /** Makes the terminal ring: its bell, or what the user has it do instead. */
  ring(): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

const ESCAPE = '\u001b[';
/**
 * The alternate screen keeps what the terminal showed before; lines are cut at the right edge; the terminal marks what is
 * pasted, which is no command.
 */
const OPEN = `${ESCAPE}?1049h${ESCAPE}?25l${ESCAPE}?7l${ESCAPE}?2004h`;
const CLOSE = `${ESCAPE}?2004l${ESCAPE}?7h${ESCAPE}?25h${ESCAPE}?1049l`;
const [PASTE, PASTE_END] = [`${ESCAPE}200~`, `${ESCAPE}201~`];

/** Whether standard input and output are a terminal that can be drawn on. */
export function hasScreen(): boolean {
  return process.stdin.isTTY && canDraw(process.env, process.stdout.isTTY);
}

/** Gives the terminal back after a process that had a screen open on it died. */
export function restoreTerminal(): void {
  process.stdout.write(CLOSE);
  // Where there is no stty, the user's shell restores the keys.
  spawnSync('stty', ['sane'], { stdio: ['inherit', 'ignore', 'ignore'] });
}

/** The keys in what a terminal sends at once: characters, and "up", "down" and "escape"; other keys of several characters are left out. */
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

/** Opens the process's own terminal; `onKey` gets each key, `onResize` is called when its size changes. */
export function openScreen(onKey: (key: string) => void, onResize: () => void): Screen {
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
  const restore = (): void => {
    stdin.setRawMode(false);
    stdout.write(CLOSE);
  };
  stdin.setRawMode(true);
  stdin.setEncoding('utf8').on('data', listen).resume();
  stdout.on('resize', onResize);
  process.once('exit', restore);
  stdout.write(OPEN);
  return {
    colour: mayColour(process.env, true),
    // A terminal of unknown size reports 0.
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    draw: (lines) => {
      stdout.write(`${ESCAPE}H${lines.map((line) => `${line}${ESCAPE}K`).join('\r\n')}${ESCAPE}J`);
    },
    ring: () => void stdout.write('\u0007'),
    close: () => {
      process.off('exit', restore);
      stdout.off('resize', onResize);
      stdin.off('data', listen).pause();
      restore();
    },
  };
}
