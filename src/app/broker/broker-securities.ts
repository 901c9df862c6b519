import { firstValueFrom, of } from 'rxjs';
import { BrokerError } from '../../broker/broker-error.ts';
import { readSecurities } from '../../broker/orders/securities.ts';
import type { BotConfig, BrokerConfig } from '../../config/bot-config.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Security } from '../../model/security.ts';
import { ORIGIN_LABELS } from '../../reports/origin.ts';
import { quoteCommands } from '../../wire/commands.ts';
import { PROFILES } from '../../wire/profiles.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { activeCredentials } from '../credentials/active-credentials.ts';
import { timestampFileForCommands } from '../credentials/timestamp-file.ts';
import { tokenFile } from '../credentials/token-file.ts';
import { apiTarget } from './api-target.ts';
import { brokerAddresses } from './broker-environment.ts';
import { EnvironmentError } from './environment-error.ts';
import { composeClient, explain } from './open-api.ts';

/** The account, and the client that sends the request. */
export interface BrokerSecuritiesRequest {
  readonly config: BotConfig;
  readonly broker: Pick<BrokerConfig, 'profile' | 'http' | 'quoteWs' | 'tradeWs'>;
  /** True if only quotes are used, so that the kind of account does not matter. */
  readonly isUpstream?: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly project: string;
  readonly warn: (text: string) => void;
}

/**
 * Securities of a config as its broker lists them (command 10), in the config's order, for a bot without data. Margin
 * factors are "no credit", because the gate requests them for each order. Throws EnvironmentError for a symbol that
 * the broker does not list or that is not tradable, and BrokerError if it does not answer.
 */
export async function brokerSecurities(request: BrokerSecuritiesRequest): Promise<readonly Security[]> {
  const { config, broker, environment, project, warn } = request;
  const place = apiTarget(environment, brokerAddresses(broker), 'quotes');
  const venue = place.origin.host;
  const machine = createSystemClock();
  const tokens = tokenFile(project, place.origin, place.credentials);
  const { credentials } = activeCredentials({ ...place, tokens, machine, warn });
  const { appKey } = credentials;
  const timestamps = timestampFileForCommands({ project, warn, origin: place.origin, appKey });
  const client = composeClient(
    {
      profile: broker.profile,
      language: 'en',
      paperOnly: config.mode === 'paper' && request.isUpstream !== true,
      warn,
      machine,
      tokens,
      ...omitUndefined({ timestamps }),
    },
    { ...place, credentials },
  );
  try {
    await client.connect();
    const listed = await firstValueFrom(
      readSecurities(config.symbols, {
        call: client.callQuotes,
        commands: quoteCommands(PROFILES[broker.profile]),
        marginFactors: () => of(NOT_ASKED),
        address: place.quotes ?? place.origin,
      }),
    );
    return inOrder(config, listed, venue);
  } catch (error) {
    throw error instanceof BrokerError ? explain(error, 'read the securities', venue, client) : error;
  } finally {
    await client.close();
    timestamps?.close();
  }
}

const NOT_ASKED = { kind: 'failed', code: 0, message: 'asked for each order', retryable: false } as const;

function inOrder(
  { symbols, path }: BotConfig,
  listed: readonly Security[],
  venue: string,
): readonly Security[] {
  const known = new Map(listed.map((security) => [security.symbol, security]));
  const problems = symbols.flatMap((symbol, index) => {
    const security = known.get(symbol);
    if (security === undefined) return [`"${symbol}" (symbols[${index}]) is not listed there`];
    return security.tradable
      ? []
      : [`"${symbol}" (symbols[${index}]) is an ${security.kind}, which cannot be traded`];
  });
  if (problems.length === 0) return symbols.flatMap((symbol) => known.get(symbol) ?? []);
  throw new EnvironmentError(
    `Cannot trade what "${path}" names at ${venue}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\n  Correct "symbols", or check which markets the account is opened for`,
  );
}

/** Describes securities that came from a broker, for the user. */
export function brokerSecuritiesText(securities: readonly Security[]): string {
  const lines = securities.map(
    ({ symbol, names, lotSize, currency, kind, origin }) =>
      `${symbol}: ${names.en}, ${kind}, lots of ${lotSize}, ${currency}, ${ORIGIN_LABELS[origin.kind]}`,
  );
  return `${lines.join('\n')}\nAs listed by the broker, which states neither future dividends and splits nor the exact kind of a security\n`;
}
