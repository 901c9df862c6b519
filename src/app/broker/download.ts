import { firstValueFrom } from 'rxjs';
import { createBrokerClient } from '../../broker/connect.ts';
import { httpOrigin } from '../../broker/socket/addresses.ts';
import { DataError } from '../../market-data/data-error.ts';
import { type DownloadOutcome, type DownloadRequest, downloadBars } from '../../market-data/download-bars.ts';
import { barClose } from '../../markets/bar-span.ts';
import { dayOf } from '../../markets/sessions.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { PROFILES } from '../../wire/profiles.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { systemRandom } from '../clock/system-random.ts';
import { activeCredentials, newerTokens } from '../credentials/active-credentials.ts';
import { tokenFile } from '../credentials/token-file.ts';
import { isLoopback } from './api-target.ts';
import type { BrokerEnvironment } from './broker-environment.ts';

/** What to download, and from where. */
export interface BrokerDownload
  extends Omit<DownloadRequest, 'today' | 'now' | 'expectsNewest' | 'venue' | 'history' | 'facts'> {
  readonly broker: BrokerEnvironment;
  /** Folder whose work folder has renewed tokens. */
  readonly project: string;
  /** Receives warnings for the user. */
  readonly warn: (text: string) => void;
  readonly profile: keyof typeof PROFILES;
}

/**
 * History allows 60 requests in 30 seconds, and any command 10 a second: two in 1.1 seconds keep both limits, however
 * many requests one page takes. @see docs/wire-protocol.md, "The sockets"
 */
const PACE = { quoteCallsMax: 2, quoteWindowMs: 1_100 };

/** Tag of this client's orders; it sends none. */
const DEPLOYMENT = 'DATA';

/** Downloads history through the broker's quote feed. Throws BrokerError and DataError; downloaded data is kept. */
export async function downloadHistory(download: BrokerDownload): Promise<DownloadOutcome> {
  const { broker, profile, symbol, warn } = download;
  const machine = createSystemClock();
  const tokens = tokenFile(download.project, httpOrigin(broker.httpUrl), broker.credentials);
  const { credentials } = activeCredentials({ tokens, credentials: broker.credentials, machine, warn });
  const stored = newerTokens(tokens, credentials.accessToken);
  const market = marketOf(symbol);
  const client = createBrokerClient({
    ...broker,
    credentials,
    profile: PROFILES[profile],
    machine,
    market: machine.now,
    random: systemRandom,
    deployment: DEPLOYMENT,
    settings: PACE,
    newerToken: () => stored.newer()?.accessToken,
    closeOf: (bar) => barClose(market, bar.period, bar.time),
  });
  try {
    await client.connect();
    return await downloadBars({
      ...download,
      today: dayOf(market, machine.now()),
      now: machine.now(),
      // A venue on this machine may replay historical data, and its market time is the position of the replay.
      expectsNewest: !isLoopback(new URL(broker.httpUrl)),
      venue: new URL(broker.httpUrl).host,
      history: (request) => firstValueFrom(client.feed.history(request)),
      facts: async () => {
        const [listed] = await firstValueFrom(client.feed.securities([symbol]));
        if (listed === undefined) throw notKnown(symbol, new URL(broker.httpUrl).host);
        return listed.origin.kind === 'unknown' ? { ...listed, origin: undefined } : listed;
      },
    });
  } finally {
    await client.close();
  }
}

function notKnown(symbol: SecuritySymbol, venue: string): DataError {
  return new DataError({
    code: 'unknown-symbol',
    problem: `Cannot download ${symbol}: ${venue} knows no such security`,
    advice:
      'check the code and its market, as in 700.HK or AAPL.US; "sluice securities" lists what may be traded',
    file: venue,
    value: symbol,
  });
}
