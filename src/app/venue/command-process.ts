import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A command of this program that runs as its own process. */
export interface CommandProcess {
  /** The first line of its output; undefined when it ended without one. */
  readonly firstLine: Promise<string | undefined>;
  /** Resolves when the process is gone, asked for or not, with the end of its stderr. */
  readonly gone: Promise<string>;
  stop(): Promise<void>;
}

/** Characters of stderr that are kept to explain a death. */
const STDERR_KEPT = 4_000;
/** How long a command may take to close what it has open before it is killed. */
const STOP_MS = 3_000;

/**
 * Starts a command that ends when its standard input does (`--until-stdin-ends`), so it cannot outlive this process, whatever
 * happens to it.
 */
export function spawnCommand(args: readonly string[], project: string): CommandProcess {
  const child = spawn(process.execPath, [...process.execArgv, mainFile(), ...args], {
    cwd: project,
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group: Ctrl-C reaches only the bot, which then ends its commands itself.
    detached: true,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-STDERR_KEPT);
  });
  const gone = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(said.trim()));
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

/** The command line's own file, source in the repository and JavaScript in the published package. */
function mainFile(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`../../cli/main.${extension}`, import.meta.url));
}
