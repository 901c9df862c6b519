import { firstValueFrom, Subscription } from 'rxjs';
import { BrokerError } from '../../broker/broker-error.ts';
import type { BrokerClient } from '../../broker/connect.ts';
import type { BarColumns } from '../../model/bar.ts';
import { columnsOfBars } from '../../model/bar-columns.ts';
import type { Period } from '../../model/period.ts';
import { printable } from '../../model/printable.ts';
import type { Quote } from '../../model/quote.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { MINUTE_MS, millis, SECOND_MS } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { LivePrices } from '../../venue/quotes/live-prices.ts';
import { VenueError } from '../../venue/venue-error.ts';
import { apiTarget } from '../broker/api-target.ts';
import type { AddressOverrides } from '../broker/broker-environment.ts';
import { type ClientParts, composeClient, explain } from '../broker/open-api.ts';
import { activeCredentials } from '../credentials/active-credentials.ts';
import { tokenFile } from '../credentials/token-file.ts';

/** The broker and symbols of the quotes. */
export interface UpstreamRequest extends Pick<ClientParts, 'machine' | 'warn'> {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly addresses: AddressOverrides;
  readonly symbols: readonly SecuritySymbol[];
  /** Folder whose work folder has renewed tokens. */
  readonly project: string;
}

/** The market of another venue: its securities, current prices, history, and live quotes. */
export interface Upstream {
  readonly securities: readonly Security[];
  /** Newest quote of every security. */
  readonly quotes: ReadonlyMap<SecuritySymbol, Quote>;
  readonly history: (symbol: SecuritySymbol, period: Period) => BarColumns | undefined;
  /** Host and port. */
  readonly name: string;
  /** Passes prices to the listener until the result is called. */
  readonly prices: (listener: LivePrices) => Cancel;
  close(): Promise<void>;
}

/** Age from which a quote is not a current price. @see docs/reliability.md, F-D02 */
const LATE_MS = 30 * SECOND_MS;
const HISTORY: readonly Period[] = ['1d', '1m'];
const BARS_MAX = 1_000;
const REFRESH_MS = MINUTE_MS;

/**
 * Opens only a broker's quote connection; no order is ever sent there. Credentials and addresses come from the
 * environment. Throws EnvironmentError if some are missing, BrokerError if the broker refuses or cannot be reached,
 * and VenueError (`bad-option`) for a symbol that it does not list or quote.
 */
export async function openUpstream(request: UpstreamRequest): Promise<Upstream> {
  const { environment, addresses, project, machine, symbols } = request;
  const place = apiTarget(environment, addresses, 'quotes');
  const name = place.origin.host;
  const tokens = tokenFile(project, place.origin, place.credentials);
  const warn = (text: string): void => request.warn(`Upstream ${name}: ${text}`);
  const { credentials } = activeCredentials({ ...place, tokens, machine, warn });
  const client = composeClient(
    { profile: 'longbridge', language: 'en', paperOnly: false, warn, machine, tokens },
    { ...place, credentials },
  );
  try {
    await client.connect();
    const securities = await firstValueFrom(client.feed.securities(symbols));
    const pulled = await firstValueFrom(client.feed.pull(symbols));
    const quotes = new Map(pulled.map((quote) => [quote.symbol, quote]));
    assertListed(symbols, securities, quotes, name);
    const past = await pastOf(client, symbols, machine, warn);
    return {
      securities,
      quotes,
      name,
      history: past.history,
      prices: (listener) => forwardMarket(client, symbols, { listener, machine, warn }),
      async close() {
        past.stop();
        await client.close();
      },
    };
  } catch (error) {
    await client.close();
    throw error instanceof BrokerError ? explain(error, 'take quotes from upstream', name, client) : error;
  }
}

function assertListed(
  symbols: readonly SecuritySymbol[],
  securities: readonly Security[],
  quotes: ReadonlyMap<SecuritySymbol, Quote>,
  name: string,
): void {
  const listed = new Set(securities.map(({ symbol }) => symbol));
  const missing = symbols.filter((symbol) => !listed.has(symbol) || !quotes.has(symbol));
  if (missing.length === 0) return;
  const message = `Cannot trade on the quotes of ${name}: it lists or quotes no ${missing.join(', ')} for this account. Check --symbol, and which quote packages are opened`;
  throw new VenueError('bad-option', message);
}

/** Content of a price message. */
interface ForwardParts {
  readonly listener: LivePrices;
  readonly machine: Pick<Clock, 'now'>;
  readonly warn: (text: string) => void;
}

/** Forwards every pushed price; while the connection is down the price is unknown, and none is generated. */
function forwardMarket(
  client: BrokerClient,
  symbols: readonly SecuritySymbol[],
  parts: ForwardParts,
): Cancel {
  const { listener, machine, warn } = parts;
  const open = new Subscription();
  open.add(
    client.feed.state$.subscribe((state) => {
      if (state === 'down') listener.invalidate();
    }),
  );
  open.add(
    client.feed.quotes(symbols).subscribe({
      next({ symbol, last, volume, time, status }) {
        if (status !== 'normal' || machine.now() - time > LATE_MS) return;
        listener.append({ symbol, price: last.toNumber(), volume: volume.toNumber() });
      },
      error(error: unknown) {
        listener.invalidate();
        warn(printable(String(error), 300));
      },
    }),
  );
  return () => open.unsubscribe();
}

/** Days and minutes up to now, requested again every minute, so that new bars are included. */
async function pastOf(
  client: BrokerClient,
  symbols: readonly SecuritySymbol[],
  machine: Clock,
  warn: (text: string) => void,
) {
  const known = new Map<string, BarColumns>();
  let isOver = false;
  let cancel: Cancel = () => undefined;

  async function refresh(periods: readonly Period[]): Promise<void> {
    for (const symbol of symbols) {
      for (const period of periods) {
        if (isOver) return;
        const request = { symbol, period, before: machine.now(), count: BARS_MAX };
        const bars = await firstValueFrom(client.feed.history(request));
        known.set(`${symbol} ${period}`, columnsOfBars({ symbol, period }, bars));
      }
    }
  }

  function plan(): void {
    if (isOver) return;
    cancel = machine.at(millis(machine.now() + REFRESH_MS), 'timer', () => {
      refresh(['1m'])
        .catch((error: unknown) => warn(`The newest bars are missing: ${printable(String(error), 200)}`))
        .finally(plan);
    });
  }

  await refresh(HISTORY);
  plan();
  return {
    history: (symbol: SecuritySymbol, period: Period) => known.get(`${symbol} ${period}`),
    stop() {
      isOver = true;
      cancel();
    },
  };
}
