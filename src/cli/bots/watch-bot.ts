import { every } from '../../app/clock/every.ts';
import { type BotView, type FollowedBot, followedBot } from '../../app/dashboard/followed-bot.ts';
import { unreachable } from '../../model/unreachable.ts';
import { whyText } from '../../reports/why.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import {
  botLines,
  botScreen,
  isStopped,
  latestOrder,
  orderRows,
  type ScreenState,
} from '../output/bot-screen.ts';
import { isInForeground } from '../output/foreground.ts';
import { hasScreen, openScreen, type Screen } from '../output/screen.ts';
import type { Terminal } from '../output/terminal.ts';
import { effectOf, type WatchCommand } from '../output/watch-keys.ts';
import { interruptible } from './interruption.ts';
import { readRunMessage, type ViewMessage } from './run-messages.ts';
import { namedOrDefaultBot } from './show-status.ts';

/** Refresh interval of the view, machine milliseconds. */
const REFRESH_MS = 500;

const REASON = 'by key in "sluice watch"';
/** Maximum number of notes that are kept for the screen. */
const NOTES_MAX = 50;
const UNDER_WAY: Readonly<Record<WatchCommand, string>> = {
  kill: 'Killing the bot ...',
  halt: 'Pausing the bot ...',
  resume: 'Resuming the bot ...',
};

/** How a bot is watched. */
export interface WatchOptions {
  /** True if `sluice run` started this process to show its bot: the screen belongs to the run and ends with it. */
  readonly ofRun: boolean;
}

/** Shows a bot until the operator leaves; off a terminal, prints events until the bot ends. */
export async function watchBot(
  named: string | undefined,
  { ofRun }: WatchOptions,
  { terminal, project, exit }: CommandContext,
): Promise<void> {
  const followed = followedBot(project, namedOrDefaultBot(project, named).name, 'watch');
  const run = ofRun ? linkToRun() : undefined;
  try {
    await interruptible(async (interrupted, interrupt) => {
      if (hasScreen()) await watchOnScreen(followed, { interrupted, interrupt, terminal, run });
      // The run itself prints lines if it was put into the background in the meantime.
      else if (run === undefined && (await watchAsLines(followed, interrupted, terminal)).state === 'died')
        exit(EXIT.failedCheck);
      if (interrupted.aborted) exit(EXIT.interrupted);
    });
  } finally {
    followed.close();
    run?.close();
  }
}

/** The run that started this process as its view. */
interface RunLink {
  /** The newest notes, the oldest first. */
  readonly notes: readonly string[];
  /** Login link of the dashboard of the run. */
  readonly dashboard: string | undefined;
  /** Aborts when the process of the run is gone. */
  readonly gone: AbortSignal;
  /** Sends a message to the run and resolves when it was sent; lost if the run has ended. */
  tell(message: ViewMessage): Promise<void>;
  close(): void;
}

function linkToRun(): RunLink {
  const notes: string[] = [];
  let dashboard: string | undefined;
  const gone = new AbortController();
  const onMessage = (sent: unknown): void => {
    const message = readRunMessage(sent);
    if (message?.kind === 'dashboard') dashboard = message.link;
    if (message?.kind !== 'note') return;
    notes.push(message.text.trimEnd());
    if (notes.length > NOTES_MAX) notes.shift();
  };
  const onGone = (): void => gone.abort();
  process.on('message', onMessage).once('disconnect', onGone);
  if (!process.connected) onGone();
  return {
    notes,
    get dashboard() {
      return dashboard;
    },
    gone: gone.signal,
    tell: (message) =>
      new Promise((resolve) => {
        if (process.connected && process.send !== undefined) process.send(message, () => resolve());
        else resolve();
      }),
    close() {
      process.off('message', onMessage).off('disconnect', onGone);
      if (process.connected) process.disconnect();
    },
  };
}

async function watchOnScreen(
  followed: FollowedBot,
  {
    interrupted,
    interrupt,
    terminal,
    run,
  }: {
    readonly interrupted: AbortSignal;
    readonly interrupt: () => void;
    readonly terminal: Terminal;
    readonly run: RunLink | undefined;
  },
): Promise<void> {
  let view: BotView | undefined;
  let pendingCommand: WatchCommand | undefined;
  let message: string | undefined;
  let sending: Promise<void> | undefined;
  const left = new AbortController();
  const over = AbortSignal.any([left.signal, interrupted, ...(run === undefined ? [] : [run.gone])]);
  let selected: string | undefined;
  let story: ScreenState['story'];
  const draw = (screen: Screen): void => {
    if (view === undefined || over.aborted) return;
    const screenState = { pendingCommand, message, selected, story, run };
    screen.draw(botScreen(view, { ...screen.size(), colour: screen.colour, ...screenState }));
  };
  const move = (by: -1 | 1): void => {
    if (view === undefined) return;
    if (story !== undefined) {
      story = { ...story, from: Math.max(0, Math.min(story.from + by, story.lines.length - 1)) };
      return;
    }
    const rows = orderRows(view);
    const at = rows.findIndex(({ key }) => key === selected);
    // Without a selection, down starts at the first row and up at the last.
    const next = at === -1 && by === -1 ? rows.length - 1 : Math.max(0, Math.min(at + by, rows.length - 1));
    selected = rows[next]?.key;
  };
  /** Opens the history of the selected order, or of the latest; closes it if it is open. */
  const toggleStory = (): void => {
    if (story !== undefined || view === undefined) {
      story = undefined;
      return;
    }
    const chosen = orderRows(view).find(({ key }) => key === selected)?.intentId ?? latestOrder(view);
    const why = chosen === undefined ? undefined : followed.why(chosen);
    if (why === undefined || chosen === undefined) {
      message =
        chosen === undefined ? 'No order to explain yet' : `Order ${chosen} is not in the journal yet`;
      return;
    }
    story = { lines: whyText(why, chosen).trimEnd().split('\n'), from: 0 };
  };
  const give = async (command: WatchCommand): Promise<void> => {
    message = UNDER_WAY[command];
    const result = await (command === 'kill'
      ? followed.kill(REASON)
      : followed.command(command, REASON)
    ).catch((error: unknown) => ({ message: error instanceof Error ? error.message : String(error) }));
    message = result.message;
    draw(screen);
  };
  const onKey = (key: string): void => {
    const effect = effectOf(key, pendingCommand);
    pendingCommand = effect.kind === 'ask' ? effect.command : undefined;
    message = undefined;
    switch (effect.kind) {
      case 'leave':
        left.abort();
        break;
      case 'interrupt':
        if (run === undefined) interrupt();
        else {
          void run.tell({ kind: 'interrupt' });
          left.abort();
        }
        break;
      case 'move':
        move(effect.by);
        break;
      case 'why':
        toggleStory();
        break;
      case 'back':
        story = undefined;
        break;
      case 'give':
        sending = Promise.all([sending, give(effect.command)]).then(() => undefined);
        break;
      case 'ask':
      case 'none':
        break;
      default:
        unreachable(effect);
    }
    draw(screen);
  };
  void run?.tell({ kind: 'screen', isOpen: true });
  const screen = openScreen({ onKey, onChange: () => draw(screen), onBackground: () => left.abort() });
  try {
    await repeatedly(over, async () => {
      const before = view;
      view = await followed.refresh();
      if (before !== undefined && isStopped(view) && !isStopped(before)) screen.ring();
      draw(screen);
      return true;
    });
  } finally {
    screen.close();
    await run?.tell({ kind: 'screen', isOpen: false });
  }
  // A command that was given before the operator left is still executed.
  await sending;
  if (message !== undefined) terminal.out(`${message}\n`);
  // The run prints its own notes if it continues or ends normally.
  if (run?.gone.aborted === true)
    terminal.err(`${[...run.notes, 'The process of the bot is gone'].join('\n')}\n`);
  // At its end, Node.js resets the modes of the terminal. In the background that would stop this process, and the run
  // would wait for it.
  if (run !== undefined && !isInForeground()) process.kill(process.pid, 'SIGKILL');
}

async function watchAsLines(
  followed: FollowedBot,
  interrupted: AbortSignal,
  terminal: Terminal,
): Promise<BotView> {
  let view: BotView | undefined;
  await repeatedly(interrupted, async () => {
    const now = await followed.refresh();
    // Until the whole journal is read, its fills and denials are old ones.
    if (now.unread > 0) return true;
    for (const line of botLines(view, now)) terminal.out(`${line}\n`);
    view = now;
    return now.state === 'running' || now.state === 'silent';
  });
  return view ?? followed.refresh();
}

/** Calls `look` repeatedly until it returns false or the signal aborts. */
async function repeatedly(over: AbortSignal, look: () => Promise<boolean>): Promise<void> {
  while (!over.aborted && (await look())) {
    await new Promise<void>((resolve) => {
      const go = (): void => {
        stop();
        over.removeEventListener('abort', go);
        resolve();
      };
      const stop = every(REFRESH_MS, go);
      if (over.aborted) go();
      else over.addEventListener('abort', go, { once: true });
    });
  }
}
