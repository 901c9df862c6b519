import type { Credentials } from '../../wire/signature.ts';
import { EnvironmentError } from './environment-error.ts';

/** Addresses and credentials of a broker. */
export interface BrokerEnvironment {
  readonly httpUrl: string;
  readonly quoteWsUrl: string;
  /** Undefined if there is no trade socket. */
  readonly tradeWsUrl: string | undefined;
  readonly credentials: Credentials;
}

/** Our prefix first, then those of the broker's SDK, newest first. @see docs/wire-protocol.md, "The envelope" */
const PREFIXES = ['SLUICE', 'LONGBRIDGE', 'LONGPORT'] as const;
const SECRETS = ['APP_KEY', 'APP_SECRET', 'ACCESS_TOKEN'] as const;

/** Addresses from the command line; they take precedence over the environment. */
export interface AddressOverrides {
  readonly httpUrl?: string | undefined;
  readonly quoteWsUrl?: string | undefined;
  readonly tradeWsUrl?: string | undefined;
}

/** The addresses of a config's `broker:` section, as if given on the command line. */
export function brokerAddresses({
  http,
  quoteWs,
  tradeWs,
}: Readonly<Record<'http' | 'quoteWs' | 'tradeWs', string | undefined>>): AddressOverrides {
  return { httpUrl: http, quoteWsUrl: quoteWs, tradeWsUrl: tradeWs };
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads addresses and credentials from the environment: `SLUICE_APP_KEY`, `SLUICE_APP_SECRET`, `SLUICE_ACCESS_TOKEN`,
 * `SLUICE_HTTP_URL`, `SLUICE_QUOTE_WS_URL`, `SLUICE_TRADE_WS_URL`, or all of them under `LONGBRIDGE_` or `LONGPORT_`. The
 * first of these prefixes with a key, secret or token is the one: a key of one account never goes to the address, or with
 * the token, of another. Throws EnvironmentError naming all that are missing.
 */
export function brokerEnvironment(
  environment: Variables,
  addresses: AddressOverrides = {},
  { hasTradeSocket = true }: { readonly hasTradeSocket?: boolean } = {},
): BrokerEnvironment {
  const prefix = prefixOf(environment);
  const missing: string[] = [];
  const read = (name: string, given?: string): string => {
    const value = given ?? setIn(environment, `${prefix}_${name}`);
    if (value === undefined) missing.push(name);
    return value ?? '';
  };
  const found = {
    httpUrl: read('HTTP_URL', addresses.httpUrl),
    quoteWsUrl: read('QUOTE_WS_URL', addresses.quoteWsUrl),
    tradeWsUrl: hasTradeSocket ? read('TRADE_WS_URL', addresses.tradeWsUrl) : undefined,
    credentials: {
      appKey: read('APP_KEY'),
      appSecret: read('APP_SECRET'),
      accessToken: read('ACCESS_TOKEN'),
    },
  };
  if (missing.length === 0) return found;
  const names = missing.map((name) => `${prefix}_${name}`).join(', ');
  throw new EnvironmentError(
    `Cannot find the address or the credentials of the broker: ${names} not set in the environment${otherVariablesHint(environment, prefix, missing)}\n  ${ADVICE}`,
  );
}

const ADVICE =
  'Set the missing variables to the values that "sluice venue" prints or the broker issued; the prefixes LONGBRIDGE_... and LONGPORT_... work too';

/** The prefix whose secrets are set; otherwise the one whose addresses are set; otherwise our own. */
function prefixOf(environment: Variables): (typeof PREFIXES)[number] {
  const has = (names: readonly string[]) => (prefix: string) =>
    names.some((name) => setIn(environment, `${prefix}_${name}`) !== undefined);
  return PREFIXES.find(has(SECRETS)) ?? PREFIXES.find(has(['HTTP_URL'])) ?? PREFIXES[0];
}

/** Names the same variable under another prefix, if set: the likely mistake if a variable is missing. */
function otherVariablesHint(environment: Variables, prefix: string, missing: readonly string[]): string {
  const others = PREFIXES.filter((other) => other !== prefix).flatMap((other) =>
    missing.map((name) => `${other}_${name}`).filter((name) => setIn(environment, name) !== undefined),
  );
  return others.length === 0
    ? ''
    : `; ${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} set, but names are not mixed: give all six one prefix`;
}

/** True if the environment contains the address of a venue. */
export function hasAddress(environment: Variables): boolean {
  return setIn(environment, `${prefixOf(environment)}_HTTP_URL`) !== undefined;
}

function setIn(environment: Variables, name: string): string | undefined {
  const value = environment[name];
  return value === '' ? undefined : value;
}
