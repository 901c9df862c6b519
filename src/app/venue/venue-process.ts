import { z } from 'zod';
import type { BotConfig } from '../../config/bot-config.ts';
import { dataOf } from '../../config/data-of.ts';
import { spawnCommand } from './command-process.ts';

/** Output of `sluice venue --json` when it is ready. */
const readySchema = z.object({
  http: z.string(),
  quoteWs: z.string(),
  /** Absent if it has no trade socket. */
  tradeWs: z.string().optional(),
  admin: z.string().optional(),
  adminToken: z.string().optional(),
  appKey: z.string(),
  appSecret: z.string(),
  accessToken: z.string(),
});
export type VenueReady = z.infer<typeof readySchema>;

/** A venue in a separate process. */
export interface VenueProcess {
  readonly ready: VenueReady;
  /** Resolves when the process has ended for any reason, with the end of its stderr. */
  readonly gone: Promise<string>;
  stop(): Promise<void>;
}

/** The venue process ended before it was ready, or printed unexpected output. */
export class VenueProcessError extends Error {
  readonly code = 'venue-process';
  override readonly name = 'VenueProcessError';
}

/** Starts a venue for a config in a separate process on free loopback ports. */
export async function spawnVenue(config: BotConfig, project: string): Promise<VenueProcess> {
  const { firstLine, gone, stop } = spawnCommand(venueFlags(config), project);
  const line = await firstLine;
  if (line === undefined) {
    const reason = await gone;
    throw new VenueProcessError(
      `Cannot start the embedded venue: ${reason === '' ? 'it ended without a message' : reason}`,
    );
  }
  const ready = readySchema.safeParse(JSON.parse(line));
  if (!ready.success)
    throw new VenueProcessError(
      `Cannot start the embedded venue: it printed ${JSON.stringify(line.slice(0, 200))}`,
    );
  return { ready: ready.data, gone, stop };
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
    // The embedded venue charges loans and short sales only if the rates of the rules are passed to it.
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
