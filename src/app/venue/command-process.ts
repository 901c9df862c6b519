import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A command of this program in a separate process. */
export interface CommandProcess {
  /** The first line of its output; undefined if it ended without one. */
  readonly firstLine: Promise<string | undefined>;
  /** Resolves when the process has ended for any reason, with the end of its stderr. */
  readonly gone: Promise<string>;
  stop(): Promise<void>;
}

/** Number of characters of stderr that are kept to explain an unexpected end. */
const STDERR_KEPT = 4_000;
/** How long a command may take to shut down before it is killed. */
const STOP_MS = 3_000;

/**
 * Starts a command that ends when its standard input does (`--until-stdin-ends`), so that it cannot outlive this
 * process.
 */
export function spawnCommand(args: readonly string[], project: string): CommandProcess {
  const child = spawn(process.execPath, [...process.execArgv, mainFile(), ...args], {
    cwd: project,
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group: Ctrl-C reaches only the bot, which then ends its commands itself.
    detached: true,
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-STDERR_KEPT);
  });
  const gone = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(output.trim()));
  });
  const lines = createInterface({ input: child.stdout });
  const firstLine = Promise.race([
    new Promise<string>((resolve) => lines.once('line', resolve)),
    gone.then(() => undefined),
  ]);
  return {
    firstLine,
    gone,
    async stop() {
      child.stdin.end();
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await gone;
      clearTimeout(late);
    },
  };
}

/** A command that uses this process's terminal until it ends. */
export interface TerminalCommand {
  /** Sends a message to it; lost if it has ended. */
  send(message: object): void;
  /** Ends it in an orderly way, and kills it if it does not end. */
  stop(): void;
  /** Kills it immediately. */
  kill(): void;
  /** Its exit code, after its last message; null if a signal ended it, or it could not be started. */
  readonly ended: Promise<number | null>;
}

/**
 * Starts a command with the standard streams of this process. It stays in the process group, because the terminal
 * would otherwise give it no keys. It notices by its closed channel that this process has ended.
 */
export function spawnOnTerminal(
  args: readonly string[],
  project: string,
  onMessage: (message: unknown) => void,
): TerminalCommand {
  const child = spawn(process.execPath, [...process.execArgv, mainFile(), ...args], {
    cwd: project,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  child.on('message', onMessage);
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    // "close" is emitted after the last message, "exit" may be emitted before it.
    child.once('close', (code) => resolve(code));
  });
  return {
    ended,
    kill: () => void child.kill('SIGKILL'),
    send(message) {
      // If the command ends at this moment, its exit code counts.
      if (child.connected) child.send(message, () => undefined);
    },
    stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      void ended.then(() => clearTimeout(late));
    },
  };
}

/** File of the command line: source in the repository, JavaScript in the published package. */
function mainFile(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`../../cli/main.${extension}`, import.meta.url));
}
