import { firstValueFrom } from 'rxjs';
import { createBrokerClient } from '../broker/connect.ts';
import { type DownloadOutcome, type DownloadRequest, downloadBars } from '../market-data/download-bars.ts';
import { barClose } from '../markets/bar-span.ts';
import { dayOf } from '../markets/sessions.ts';
import { marketOf } from '../model/symbol.ts';
import { PROFILES } from '../wire/profiles.ts';
import type { BrokerEnvironment } from './broker-environment.ts';
import { createSystemClock } from './system-clock.ts';
import { systemRandom } from './system-random.ts';

/** What is downloaded, and from where. */
export interface BrokerDownload extends Omit<DownloadRequest, 'today' | 'venue' | 'history' | 'facts'> {
  readonly broker: BrokerEnvironment;
  readonly profile: keyof typeof PROFILES;
}

/**
 * History may be asked for 60 times in 30 seconds, and any command 10 times a second: two in 1.1 seconds keep both, however
 * many questions one page takes. @see reference: socket protocol, section 7.9
 */
const PACE = { quoteCallsMax: 2, quoteWindowMs: 1_100 };

/** Marks what this client would order, which is nothing. */
const DEPLOYMENT = 'DATA';

/** Fetches history through the broker's quote feed. Throws BrokerError and DataError; what was fetched is kept. */
export async function downloadHistory(download: BrokerDownload): Promise<DownloadOutcome> {
  const { broker, profile, symbol } = download;
  const machine = createSystemClock();
  const market = marketOf(symbol);
  const client = createBrokerClient({
    ...broker,
    profile: PROFILES[profile],
    machine,
    market: machine.now,
    random: systemRandom,
    deployment: DEPLOYMENT,
    settings: PACE,
    closeOf: (bar) => barClose(market, bar.period, bar.time),
  });
  try {
    await client.connect();
    return await downloadBars({
      ...download,
      today: dayOf(market, machine.now()),
      venue: new URL(broker.httpUrl).host,
      history: (request) => firstValueFrom(client.feed.history(request)),
      facts: async () => {
        const [told] = await firstValueFrom(client.feed.securities([symbol]));
        return told === undefined || !isReplay(broker.httpUrl) ? told : { ...told, origin: undefined };
      },
    });
  } finally {
    await client.close();
  }
}

/** A venue on this machine replays a past, and only who started it knows whether its prices are real. */
function isReplay(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
