import { spawnOnTerminal, type TerminalCommand } from '../../app/venue/command-process.ts';
import { EXIT } from '../exit-codes.ts';
import { hasScreen, restoreTerminal } from '../output/screen.ts';
import type { Terminal } from '../output/terminal.ts';
import type { View } from '../output/view.ts';
import type { RunMessage } from './run-messages.ts';

/** Notes that are kept while the screen covers the terminal, to be printed below it afterwards. */
const NOTES_MAX = 500;

const LEFT =
  'The view is closed. The bot continues in this terminal: Ctrl-C ends it, and closing the terminal kills it. "sluice watch" shows the view again, also in another terminal\n';

/** The view of a run that `sluice watch` draws, in its own process, on the terminal of the run. */
export interface RunScreen extends View {
  /** Opens the screen for the bot of a folder. */
  open(folder: string): void;
  /** Gives the terminal back and prints the notes that came in the meantime. */
  close(): Promise<void>;
}

/** What a screen works with. */
export interface RunScreenParts {
  readonly terminal: Terminal;
  readonly project: string;
  /** Shows the run once the operator has left the screen. */
  readonly lines: View;
  /** Login link of the dashboard of the run. */
  readonly dashboard: string | undefined;
  readonly interrupted: AbortSignal;
  /** Ends the bot in good order. */
  readonly interrupt: () => void;
}

/** Whether a run can show the screen: a terminal with keys, and nothing else is printed to it all the time. */
export function canShowScreen(isLogged: boolean): boolean {
  return hasScreen() && !(isLogged && process.stderr.isTTY);
}

/**
 * The view of `sluice watch` in a child process, so that there is one view and a terminal that stops reading cannot slow the bot.
 * This process writes nothing to the terminal until the child has ended.
 */
export function runScreen(parts: RunScreenParts): RunScreen {
  const { terminal, lines, interrupted, interrupt } = parts;
  let child: TerminalCommand | undefined;
  let isClosing = false;
  /** True once lines are printed in place of the screen. */
  let isLeft = false;
  let closed: Promise<void> = Promise.resolve();
  const notes: string[] = [];
  let dropped = 0;

  function onEnd(code: number | null): void {
    child = undefined;
    if (code === null) restoreTerminal();
    if (dropped > 0) terminal.err(`${dropped} older messages are left out\n`);
    for (const note of notes.splice(0)) terminal.err(note);
    if (isClosing || interrupted.aborted) return;
    if (code === EXIT.interrupted) {
      interrupt();
      return;
    }
    isLeft = true;
    terminal.err(code === 0 ? LEFT : `The view ended by itself (exit code ${code ?? 'none'}). ${LEFT}`);
  }

  return {
    open(folder) {
      if (interrupted.aborted) return;
      child = spawnOnTerminal(['watch', '--bot', folder, '--of-run'], parts.project);
      if (parts.dashboard !== undefined)
        child.send({ kind: 'dashboard', link: parts.dashboard } satisfies RunMessage);
      closed = child.ended.then(onEnd);
    },
    show(update) {
      if (isLeft) lines.show(update);
    },
    say(text) {
      if (child === undefined) {
        terminal.err(text);
        return;
      }
      child.send({ kind: 'note', text } satisfies RunMessage);
      notes.push(text);
      if (notes.length <= NOTES_MAX) return;
      notes.shift();
      dropped += 1;
    },
    end(update) {
      if (isLeft) lines.end(update);
    },
    async close() {
      isClosing = true;
      child?.stop();
      await closed;
    },
  };
}
