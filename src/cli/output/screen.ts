import { canDraw, mayColour } from './terminal.ts';

/** A whole terminal to draw on, and its keys. */
export interface Screen {
  readonly colour: boolean;
  size(): { readonly columns: number; readonly rows: number };
  /** Draws all lines in place of the previous ones. */
  draw(lines: readonly string[]): void;
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

/** Opens the process's own terminal; `onKey` gets each typed character, `onResize` is called when its size changes. */
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
      // Arrows and other keys of several characters begin with the escape character.
      else if (!isPasted && !part.startsWith('\u001b')) for (const key of part) onKey(key);
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
    close: () => {
      process.off('exit', restore);
      stdout.off('resize', onResize);
      stdin.off('data', listen).pause();
      restore();
    },
  };
}
