import { type AssembledVenue, assembleVenue } from './assemble.ts';
import { listen } from './server/listen.ts';
import { SOCKET_PATHS } from './server/socket-server.ts';
import { VenueError } from './venue-error.ts';
import type { RunningVenue, VenueAccount, VenueOptions } from './venue-options.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Starts the embedded venue: interface A over HTTP and both sockets on one port, and optionally an admin port. Throws
 * VenueError for a busy port (`port-busy`), an unavailable address (`address-unavailable`) or an invalid option
 * (`bad-option`), and then leaves nothing running.
 */
export async function startVenue(options: VenueOptions): Promise<RunningVenue> {
  const venue = assembleVenue(options, checkedAccounts(options));
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= venue.close();
    return closing;
  };
  try {
    return { ...(await openPorts(venue, options)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPorts(
  { app, admin, adminToken }: AssembledVenue,
  { host = LOOPBACK, port, adminPort, tls }: VenueOptions,
): Promise<Omit<RunningVenue, 'close'>> {
  const opened = await listen(app, { host, port, option: 'port' });
  const adminOpened =
    admin && (await listen(admin, { host: LOOPBACK, port: adminPort ?? 0, option: 'adminPort' }));
  const authority = `${host.includes(':') ? `[${host}]` : host}:${opened}`;
  const [http, ws] = tls === undefined ? ['http', 'ws'] : ['https', 'wss'];
  return {
    http: `${http}://${authority}`,
    quoteWs: `${ws}://${authority}${SOCKET_PATHS.quote}`,
    tradeWs: `${ws}://${authority}${SOCKET_PATHS.trade}`,
    admin: adminOpened === undefined ? undefined : `http://${LOOPBACK}:${adminOpened}`,
    adminToken,
  };
}

function checkedAccounts(options: VenueOptions): readonly VenueAccount[] {
  const { simulation, accountId, credentials, moreAccounts, marketClock } = options;
  const accounts = [{ id: accountId, credentials }, ...(moreAccounts ?? [])];
  for (const { id } of accounts) {
    if (simulation.account(id) !== undefined) continue;
    throw new VenueError(
      'bad-option',
      `Cannot open account "${id}": the simulation has no account with that id`,
    );
  }
  if (marketClock.kind === 'scaled' && !(marketClock.speed > 0 && Number.isFinite(marketClock.speed))) {
    const message = `Cannot run the market at speed "${marketClock.speed}", want a number above 0`;
    throw new VenueError('bad-option', message);
  }
  return accounts;
}
