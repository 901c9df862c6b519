import { spawnOnTerminal, type TerminalCommand } from '../../app/venue/command-process.ts';
import { hasScreen, restoreTerminal, terminalModes } from '../output/screen.ts';
import type { Terminal } from '../output/terminal.ts';
import type { View } from '../output/view.ts';
import { type RunMessage, readViewMessage } from './run-messages.ts';

/** Maximum number of notes that are kept while the screen covers the terminal, and printed below it afterwards. */
const NOTES_MAX = 500;

const LEFT =
  'The view is closed. The bot continues in this terminal: Ctrl-C ends it, and closing the terminal kills it. "sluice watch" shows the view again, also in another terminal\n';

/** The view of a run: that of `sluice watch`, in a child process, on the terminal of the run. */
export interface RunScreen extends View {
  /** Opens the screen for the bot of a folder. */
  open(folder: string): void;
  /** Restores the terminal and prints the notes of the meantime. */
  close(): Promise<void>;
}

/** Dependencies of a screen. */
export interface RunScreenParts {
  readonly terminal: Terminal;
  readonly project: string;
  /** Shows the run after the operator has left the screen. */
  readonly lines: View;
  /** Login link of the dashboard of the run. */
  readonly dashboard: string | undefined;
  readonly interrupted: AbortSignal;
  /** Ends the bot in an orderly way. */
  readonly interrupt: () => void;
}

/**
 * True if a run can show the screen: all three standard streams are the terminal, and the process is in its
 * foreground. If standard error is redirected, the messages of the run belong there.
 */
export function canShowScreen(terminal: Terminal): boolean {
  return terminal.view.isTTY && hasScreen();
}

/** Signals that stop a background process when it uses the terminal; they go to the whole process group. */
const STOPS = ['SIGTTOU', 'SIGTTIN'] as const;
const ignore = (): void => undefined;

/**
 * Shows the view of `sluice watch` in a child process: there is only one view, and a terminal that stops reading
 * cannot slow the bot. This process writes nothing to the terminal until the child has ended.
 */
export function runScreen(parts: RunScreenParts): RunScreen {
  const { terminal, lines, interrupted, interrupt } = parts;
  let child: TerminalCommand | undefined;
  /** Modes of the terminal before the child changed them. */
  let modes: string | undefined;
  /** True while the child has the screen open. */
  let isCovered = false;
  /** True after the child has restored the terminal itself. */
  let isGivenBack = false;
  let isClosing = false;
  /** True once lines are printed in place of the screen. */
  let isLeft = false;
  let closed: Promise<void> = Promise.resolve();
  const notes: string[] = [];
  let dropped = 0;

  function onMessage(sent: unknown): void {
    const message = readViewMessage(sent);
    if (message?.kind === 'screen') {
      isCovered = message.isOpen;
      isGivenBack = !message.isOpen;
    }
    if (message?.kind === 'interrupt') interrupt();
  }

  function uncover(): void {
    if (isCovered) restoreTerminal(modes);
    isCovered = false;
    if (dropped > 0) terminal.err(`${dropped} older messages are left out\n`);
    for (const note of notes.splice(0)) terminal.err(note);
  }

  /** The process ends at once, for example by an uncaught error or a second Ctrl-C. */
  function onExit(): void {
    child?.kill();
    uncover();
  }

  function onEnd(code: number | null): void {
    child = undefined;
    process.off('exit', onExit);
    uncover();
    // The bot's own writes may stop it again ("stty tostop"): a handler would make it retry for ever.
    for (const signal of STOPS) process.off(signal, ignore);
    if (isClosing || interrupted.aborted) return;
    isLeft = true;
    // In the background it ends by a signal.
    const isLeaving = code === 0 || (code === null && isGivenBack);
    terminal.err(isLeaving ? LEFT : `The view ended by itself (exit code ${code ?? 'none'}). ${LEFT}`);
  }

  return {
    open(folder) {
      if (interrupted.aborted) return;
      if (!canShowScreen(terminal)) {
        // It was put into the background after its start.
        isLeft = true;
        return;
      }
      // A view that uses the terminal in the background is stopped; the bot continues, because it has handlers.
      for (const signal of STOPS) process.on(signal, ignore);
      process.on('exit', onExit);
      modes = terminalModes();
      child = spawnOnTerminal(['watch', '--bot', folder, '--of-run'], parts.project, onMessage);
      if (parts.dashboard !== undefined)
        child.send({ kind: 'dashboard', link: parts.dashboard } satisfies RunMessage);
      for (const text of notes) child.send({ kind: 'note', text } satisfies RunMessage);
      closed = child.ended.then(onEnd);
    },
    show(update) {
      if (isLeft) lines.show(update);
    },
    say(text) {
      if (child === undefined) terminal.err(text);
      if (isLeft) return;
      // The screen will cover what is printed before it opens, so the screen and the lines below it show that as
      // well.
      child?.send({ kind: 'note', text } satisfies RunMessage);
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
