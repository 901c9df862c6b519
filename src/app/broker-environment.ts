import { BrokerError } from '../broker/broker-error.ts';
import type { Credentials } from '../wire/signature.ts';

/** Where a broker is and who we are there. */
export interface BrokerEnvironment {
  readonly httpUrl: string;
  readonly quoteWsUrl: string;
  readonly tradeWsUrl: string;
  readonly credentials: Credentials;
}

/** Our own names first, then those of the broker's SDK, newest first. @see reference: HTTP API, section 2 */
const PREFIXES = ['SLUICE', 'LONGBRIDGE', 'LONGPORT'] as const;

/** Addresses said on the command line; they win over the environment. */
export interface SaidAddresses {
  readonly httpUrl?: string | undefined;
  readonly quoteWsUrl?: string | undefined;
  readonly tradeWsUrl?: string | undefined;
}

/**
 * Reads addresses and credentials from the environment: `SLUICE_APP_KEY`, `SLUICE_APP_SECRET`, `SLUICE_ACCESS_TOKEN`,
 * `SLUICE_HTTP_URL`, `SLUICE_QUOTE_WS_URL`, `SLUICE_TRADE_WS_URL`, each also under `LONGBRIDGE_` and `LONGPORT_`. Throws
 * BrokerError naming all that are missing.
 */
export function brokerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  said: SaidAddresses = {},
): BrokerEnvironment {
  const missing: string[] = [];
  const read = (name: string, given?: string): string => {
    const names = PREFIXES.map((prefix) => `${prefix}_${name}`);
    const value =
      given ?? names.map((each) => environment[each]).find((text) => text !== undefined && text !== '');
    if (value === undefined) missing.push(`${PREFIXES[0]}_${name}`);
    return value ?? '';
  };
  const found = {
    httpUrl: read('HTTP_URL', said.httpUrl),
    quoteWsUrl: read('QUOTE_WS_URL', said.quoteWsUrl),
    tradeWsUrl: read('TRADE_WS_URL', said.tradeWsUrl),
    credentials: {
      appKey: read('APP_KEY'),
      appSecret: read('APP_SECRET'),
      accessToken: read('ACCESS_TOKEN'),
    },
  };
  if (missing.length === 0) return found;
  throw new BrokerError(
    'bad-option',
    `Cannot tell where the broker is and who we are there: ${missing.join(', ')} not set in the environment`,
    { endpoint: 'options', retryable: false },
  );
}
