import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BotStatus } from '#src/app/control/bot-status.ts';
import { requestBot } from '#src/app/control/request-bot.ts';
import { knownBots } from '#src/app/control/running-bots.ts';
import { MAIN } from '../fixtures/built-package.ts';
import { type Ended, type Environment, sluice } from './run-sluice.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Environment variables that disable drawing and colours. */
const PLAIN = /^(?:NO_COLOR|FORCE_COLOR|TERM)$/;
const OURS = /^(?:SLUICE|LONGBRIDGE|LONGPORT)_/;

/** A running child, its output so far, and how it ended. */
export interface Running {
  readonly pid: number;
  out(): string;
  err(): string;
  signal(name: NodeJS.Signals): void;
  /** Resolves with its exit code, or null if a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** A venue that is ready, with its printed facts. */
export interface VenueChild extends Running {
  readonly ready: Readonly<Record<string, string>>;
}

/** A command on a pseudo terminal; `out` returns what it draws. */
export interface OnTerminal extends Running {
  /** Types keys. */
  type(keys: string): void;
}

/** A folder in which a user runs bots, with every process started in it. */
export interface Operator {
  readonly project: string;
  write(name: string, text: string): void;
  venue(args: readonly string[], environment?: Environment): Promise<VenueChild>;
  /** Starts a bot; it runs until it is ended. */
  run(args: readonly string[], environment?: Environment): Running;
  /** Starts any command without a terminal. */
  start(args: readonly string[]): Running;
  /**
   * Starts a command on a pseudo terminal of 80 columns and 24 rows; `staysOpen` keeps the terminal until a line is
   * typed after the command's end.
   */
  onTerminal(args: readonly string[], options?: { readonly staysOpen?: boolean }): OnTerminal;
  /** Starts an interactive bash with job control on such a terminal, in which "sluice" is the command line. */
  shell(): OnTerminal;
  /** Runs a command and waits for its end. Only `run` shares state with bots: leases and the count of calls. */
  sluice(args: readonly string[], environment?: Environment): Promise<Ended>;
  /** Status of the folder's bot over its control socket; undefined while no bot answers. */
  status(): Promise<BotStatus | undefined>;
  /** Ends what still runs and removes the folder. */
  close(): Promise<void>;
}

/** Makes a folder for an operator. The credentials are in the environment of every command. */
export function anOperator(secrets: () => Environment = () => ({})): Operator {
  const project = mkdtempSync(join(tmpdir(), 'sluice-operator-'));
  symlinkSync(ROOT, join(project, 'node_modules'));
  const children: Running[] = [];
  const shared = { SLUICE_STATE_DIR: join(project, 'state') };
  // Other commands count their calls alone: with those of a bot that has just started, they would wait 30 s for a call.
  const alone = { SLUICE_STATE_DIR: join(project, 'state-of-commands') };

  function start(args: readonly string[], environment: Environment, stdin: 'ignore' | 'pipe'): ChildProcess {
    const clean = Object.entries(process.env).filter(([name]) => !OURS.test(name));
    return spawn(process.execPath, [MAIN, ...args], {
      cwd: project,
      env: { ...Object.fromEntries(clean), ...shared, ...environment },
      stdio: [stdin, 'pipe', 'pipe'],
    });
  }

  function watched(child: ChildProcess): Running {
    let [out, err] = ['', ''];
    child.stdout?.on('data', (text) => {
      out += text;
    });
    child.stderr?.on('data', (text) => {
      err += text;
    });
    const running: Running = {
      pid: child.pid ?? 0,
      out: () => out,
      err: () => err,
      signal: (name) => void child.kill(name),
      ended: new Promise((resolve) => child.once('close', resolve)),
    };
    children.push(running);
    return running;
  }

  function onPty(command: string): OnTerminal {
    const clean = Object.entries(process.env).filter(([name]) => !OURS.test(name) && !PLAIN.test(name));
    const child = spawn('script', ['-qefc', `stty cols 80 rows 24; ${command}`, '/dev/null'], {
      cwd: project,
      env: { ...Object.fromEntries(clean), ...shared, ...secrets(), TERM: 'xterm', HISTFILE: '' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return { ...watched(child), type: (keys) => void child.stdin.write(keys) };
  }

  return {
    project,
    write: (name, text) => writeFileSync(join(project, name), text),
    async venue(args, environment = {}) {
      const child = start(['venue', '--json', '--until-stdin-ends', ...args], environment, 'pipe');
      const running = watched(child);
      const { stdout } = child;
      if (stdout === null) throw new Error('The venue has no output');
      const line = await new Promise<string>((resolve, reject) => {
        createInterface({ input: stdout }).once('line', resolve);
        child.once('close', () => reject(new Error(`The venue ended: ${running.err()}`)));
      });
      return { ...running, ready: JSON.parse(line) };
    },
    run: (args, environment = {}) =>
      watched(start(['run', ...args], { ...secrets(), ...environment }, 'ignore')),
    start: (args) => watched(start(args, secrets(), 'ignore')),
    onTerminal(args, { staysOpen = false } = {}) {
      const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
      return onPty(staysOpen ? `${command}; code=$?; head -n 1 >/dev/null; exit $code` : `exec ${command}`);
    },
    shell() {
      const command = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
      writeFileSync(join(project, 'sluice'), command, { mode: 0o755 });
      writeFileSync(join(project, 'bashrc'), `PATH="$PWD:$PATH"\nPS1='ready> '\n`);
      return onPty('exec bash --noprofile --rcfile bashrc -i');
    },
    sluice: (args, environment = {}) =>
      sluice(args, {
        cwd: project,
        env: { ...(args[0] === 'run' ? shared : alone), ...secrets(), ...environment },
      }),
    async status() {
      const running = knownBots(project).find((bot) => bot.running !== undefined);
      if (running === undefined) return undefined;
      const answer = await requestBot(running.path, { request: { kind: 'status' }, timeoutMs: 5_000 });
      return answer.kind === 'status' ? (answer.status as BotStatus) : undefined;
    },
    async close() {
      for (const child of children) child.signal('SIGKILL');
      await Promise.all(children.map(({ ended }) => ended));
      rmSync(project, { recursive: true, force: true });
    },
  };
}

/** The environment variables of a venue's credentials. */
export function secretsOf({ ready }: VenueChild): Environment {
  return {
    SLUICE_APP_KEY: ready['appKey'],
    SLUICE_APP_SECRET: ready['appSecret'],
    SLUICE_ACCESS_TOKEN: ready['accessToken'],
  };
}

/** A limit below that of a test, whose error would not name the condition that it waited for. */
const PATIENCE_MS = 200_000;

/** Repeats a check every tenth of a second until it holds; throws with the output of `heard` if it never does. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  what: string,
  heard = (): string => '',
): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > PATIENCE_MS)
      throw new Error(`Waited in vain for ${what}\n${heard()}`.trimEnd());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Buys once, and keeps an order working below the market from that fill on. */
export const RESTING_STRATEGY = `import { defineStrategy } from '@sluice-trading/sluice';
const decide = ({ symbol }, { orders, position, lastPrice }) => {
  const { quantity, openBuys } = position(symbol);
  if (openBuys > 0) return undefined;
  return quantity === 0
    ? orders.buy(symbol, 100)
    : orders.buy(symbol, 10, { type: 'LO', price: Math.floor(lastPrice(symbol) * 0.8) });
};
export default defineStrategy({ name: 'resting', params: {}, onQuote: decide, onFill: decide });
`;

/**
 * Starts an embedded venue for an operator, and writes `resting.ts` and `bot.yaml`, which trades AAPL.US on that
 * venue.
 */
export async function venueWithBot(
  operator: Operator,
  strategy: string = RESTING_STRATEGY,
): Promise<VenueChild> {
  const venue = await operator.venue(['--port', '0', '--state', 'venue.db']);
  const { http, quoteWs, tradeWs } = venue.ready;
  operator.write('resting.ts', strategy);
  operator.write(
    'bot.yaml',
    `strategy: ./resting.ts
symbols: [AAPL.US]
period: 1m
account: { currency: HKD }
risk: { maxOrderNotional: 500000 HKD, priceCollar: 40%, maxQuoteAge: 1m, maxQuoteJump: 50% }
broker: { account: paper, http: "${http}", quoteWs: "${quoteWs}", tradeWs: "${tradeWs}" }
`,
  );
  return venue;
}
