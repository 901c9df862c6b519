import { BrokerError } from '../../broker/broker-error.ts';
import { httpOrigin, socketAddress } from '../../broker/socket/addresses.ts';
import type { Credentials } from '../../wire/signature.ts';
import { type AddressOverrides, brokerEnvironment } from './broker-environment.ts';
import { EnvironmentError } from './environment-error.ts';

/** What a request needs of a venue: only signed HTTP, or the quote socket as well. */
export type ApiNeeds = 'http' | 'quotes';

/** Addresses and credentials for a request. */
export interface ApiTarget {
  readonly origin: URL;
  /** Undefined if the quote socket is not needed. */
  readonly quotes: URL | undefined;
  readonly credentials: Credentials;
}

const NOT_NEEDED = '';

/**
 * Reads addresses and credentials from the environment, see `brokerEnvironment`; addresses on the command line take
 * precedence. The trade socket is never needed. Throws EnvironmentError that names every missing variable, or an
 * address that may not be used.
 */
export function apiTarget(
  environment: Readonly<Record<string, string | undefined>>,
  addresses: AddressOverrides,
  needs: ApiNeeds,
): ApiTarget {
  const quoteWsUrl = needs === 'quotes' ? addresses.quoteWsUrl : NOT_NEEDED;
  const found = brokerEnvironment(environment, {
    httpUrl: addresses.httpUrl,
    quoteWsUrl,
    tradeWsUrl: NOT_NEEDED,
  });
  return orEnvironmentError(
    () => ({
      origin: httpOrigin(found.httpUrl),
      quotes: needs === 'quotes' ? socketAddress(found.quoteWsUrl) : undefined,
      credentials: found.credentials,
    }),
    'Correct SLUICE_HTTP_URL or --url, SLUICE_QUOTE_WS_URL or --quote-ws-url',
  );
}

function orEnvironmentError<T>(work: () => T, advice: string): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof BrokerError)) throw cause;
    throw new EnvironmentError(`${cause.message}\n  ${advice}`, { cause });
  }
}

/** True for an address of this machine, by its name. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}
