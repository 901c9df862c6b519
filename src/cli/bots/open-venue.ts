import { openSimulation } from '../../app/load/open-simulation.ts';
import type { LaunchedVenue } from '../../app/venue/venue-launch.ts';
import { openVenueFromSettings, type VenueSettings } from '../../app/venue/venue-settings.ts';
import { envLines } from '../output/env-lines.ts';
import type { Terminal } from '../output/terminal.ts';
import { interruptible, untilEnd } from './interruption.ts';

/** The parsed flags of `sluice venue`, without the rules of the simulation. */
export interface VenueFlags extends Omit<VenueSettings, 'simulation' | 'upstream'> {
  readonly upstream?: boolean;
  /** The `simulation` section of a config, as JSON. */
  readonly simulation?: string;
  readonly json?: boolean;
  readonly env?: boolean;
  readonly untilStdinEnds?: boolean;
}

/** Opens a venue, prints its addresses, and keeps it open until the user ends it. */
export async function openVenue(
  flags: VenueFlags,
  { terminal, project }: { readonly terminal: Terminal; readonly project: string },
): Promise<void> {
  await interruptible(async (interrupted) => {
    const { simulation, upstream, ...settings } = flags;
    const warn = (text: string): void => terminal.err(`${text}\n`);
    const from = upstream === true ? { upstream: { environment: process.env, warn } } : {};
    const simulated = simulation === undefined ? undefined : await openSimulation(simulation, project);
    const rules = simulated === undefined ? {} : { simulation: simulated.rules };
    const venue = await openVenueFromSettings({ ...settings, ...rules, ...from }, project);
    if (flags.env === true) terminal.out(readyEnvironment(venue, flags));
    else if (flags.json === true) terminal.out(`${JSON.stringify(readyFacts(venue, flags))}\n`);
    else terminal.out(readyText(venue, flags));
    await untilEnd(interrupted, flags.untilStdinEnds === true);
    await venue.close();
    await simulated?.close();
  });
}

function readyFacts(venue: LaunchedVenue, { onlyDocumented }: VenueFlags): Readonly<Record<string, unknown>> {
  const { http, quoteWs, tradeWs, admin, adminToken, credentials, accounts, catalogue } = venue;
  const [, ...others] = accounts;
  return {
    http,
    quoteWs,
    ...(onlyDocumented === true ? {} : { tradeWs }),
    ...(admin === undefined ? {} : { admin, adminToken }),
    ...credentials,
    ...catalogue,
    ...(others.length === 0 ? {} : { accounts }),
  };
}

/** Environment variables for clients of the venue. */
function readyEnvironment(venue: LaunchedVenue, { onlyDocumented }: VenueFlags): string {
  const { http, quoteWs, tradeWs, adminToken, credentials } = venue;
  return envLines({
    SLUICE_HTTP_URL: http,
    SLUICE_QUOTE_WS_URL: quoteWs,
    SLUICE_TRADE_WS_URL: onlyDocumented === true ? undefined : tradeWs,
    SLUICE_APP_KEY: credentials.appKey,
    SLUICE_APP_SECRET: credentials.appSecret,
    SLUICE_ACCESS_TOKEN: credentials.accessToken,
    SLUICE_ADMIN_TOKEN: adminToken,
  });
}

function readyText(venue: LaunchedVenue, flags: VenueFlags): string {
  const { accounts, ...facts } = readyFacts(venue, flags);
  const rows = Object.entries(facts).map(([name, value]) => `  ${name.padEnd(16)} ${String(value)}`);
  const others = venue.accounts
    .slice(1)
    .flatMap(({ id, appKey, appSecret, accessToken }) => [
      `  ${id}`,
      ...[appKey, appSecret, accessToken].map((text) => `    ${text}`),
    ]);
  return [
    'The venue is open. Test credentials, good for this venue only:',
    ...rows,
    ...(accounts === undefined ? [] : ['More accounts, with key, secret and token:', ...others]),
    'Ctrl-C closes it.',
    '',
  ].join('\n');
}
