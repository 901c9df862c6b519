import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { BotConfig } from '../../config/bot-config.ts';
import { dataOf } from '../../config/data-of.ts';

/** What `sluice venue --json` prints when it is ready. */
const readySchema = z.object({
  http: z.string(),
  quoteWs: z.string(),
  /** Absent where it has no trade socket. */
  tradeWs: z.string().optional(),
  admin: z.string().optional(),
  adminToken: z.string().optional(),
  appKey: z.string(),
  appSecret: z.string(),
  accessToken: z.string(),
});
export type VenueReady = z.infer<typeof readySchema>;

/** A venue that runs as its own process. */
export interface VenueProcess {
  readonly ready: VenueReady;
  /** Resolves when the process is gone, asked for or not, with the end of its stderr. */
  readonly gone: Promise<string>;
  stop(): Promise<void>;
}

/** The venue process ended before it was ready, or printed unexpected output. */
export class VenueProcessError extends Error {
  readonly code = 'venue-process';
  override readonly name = 'VenueProcessError';
}

/** Characters of stderr that are kept to explain a death. */
const STDERR_KEPT = 4_000;
/** How long a venue may take to hang up before it is killed. */
const STOP_MS = 3_000;

/**
 * Starts a venue for a config as its own process on free loopback ports. It ends when its standard input does, so it
 * cannot outlive this process, whatever happens to it.
 */
export async function spawnVenue(config: BotConfig, project: string): Promise<VenueProcess> {
  const child = spawn(process.execPath, [...process.execArgv, mainFile(), ...venueFlags(config)], {
    cwd: project,
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group: Ctrl-C reaches only the bot, which then closes its connections to the venue.
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
  const ready = await firstLine(child, gone);
  return { ready, gone, stop: () => stop(child, gone) };
}

async function firstLine(child: ChildProcess, gone: Promise<string>): Promise<VenueReady> {
  if (child.stdout === null)
    throw new VenueProcessError('Cannot read the output of the venue: it has no standard output');
  const lines = createInterface({ input: child.stdout });
  const line = new Promise<string>((resolve) => lines.once('line', resolve));
  const died = gone.then((reason): never => {
    throw new VenueProcessError(
      `Cannot start the embedded venue: ${reason === '' ? 'it ended without a word' : reason}`,
    );
  });
  const text = await Promise.race([line, died]);
  const ready = readySchema.safeParse(JSON.parse(text));
  if (!ready.success)
    throw new VenueProcessError(
      `Cannot start the embedded venue: it printed ${JSON.stringify(text.slice(0, 200))}`,
    );
  return ready.data;
}

async function stop(child: ChildProcess, gone: Promise<string>): Promise<void> {
  child.stdin?.end();
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(late);
}

/** The command line's own file, source in the repository and JavaScript in the published package. */
function mainFile(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`../../cli/main.${extension}`, import.meta.url));
}

/** The config as flags of `sluice venue`. */
function venueFlags(config: BotConfig): readonly string[] {
  const { account, paper, simulation, risk } = config;
  const cash = Object.entries(account.cash).flatMap(([currency, amount]) => [
    '--cash',
    `${currency}=${amount}`,
  ]);
  const series = Object.entries(account.fxSeries ?? {}).flatMap(([pair, file]) => [
    '--fx-series',
    `${pair}=${file}`,
  ]);
  const fx = Object.entries(account.fx).flatMap(([pair, rate]) => ['--fx', `${pair}=${rate}`]);
  return [
    'venue',
    '--json',
    '--until-stdin-ends',
    '--port',
    '0',
    ...(config.onlyDocumented === true ? ['--only-documented'] : []),
    ...config.symbols.flatMap((symbol) => ['--symbol', symbol]),
    ...marketFlags(config),
    '--currency',
    account.currency,
    ...cash,
    ...fx,
    ...series,
    '--only-fx',
    '--charges',
    config.charges,
    ...(config.risk.useMargin ? ['--margin'] : []),
    ...(config.risk.allowShort ? ['--short'] : []),
    // The embedded venue charges loans and short sales only when the rates of the rules are passed to it.
    ...(simulation.written === '{}' && !risk.useMargin && !risk.allowShort
      ? []
      : ['--simulation', simulation.written]),
    ...(paper.kind === 'scaled' ? ['--speed', String(paper.speed)] : []),
  ];
}

/** Flags for the source of the venue's prices; a venue with prices of another venue always runs in real time. */
function marketFlags(config: BotConfig): readonly string[] {
  if (config.paper.kind === 'upstream') return ['--upstream'];
  const { dir, from, to } = dataOf(config);
  const past = ['--period', config.period, '--data', dir, '--from', from, '--to', to];
  return [...past, '--admin-port', '0', '--clock', config.paper.kind];
}
