import { join } from 'node:path';
import { BrokerError } from '../../broker/broker-error.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { DataError } from '../../market-data/data-error.ts';
import { marketOf } from '../../model/symbol.ts';
import { isAccount, maskedAccount, NO_ACCOUNT } from '../../wire/account-number.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import { pingVenue } from '../broker/fetch-market-data.ts';
import { type OpenedApi, withApi } from '../broker/open-api.ts';
import { withDotEnv } from '../credentials/dot-env.ts';
import { checkConfig } from '../load/check-config.ts';
import { configFiles } from './check-machine.ts';
import { type Diagnosis, fault, type Installation, note } from './diagnosis.ts';

/** Checks the venue of the environment: reachable, credentials accepted, clocks equal, required quotes permitted. */
export async function checkVenue(installation: Installation): Promise<readonly Diagnosis[]> {
  const { project, offline } = installation;
  let environment: ReturnType<typeof withDotEnv>;
  try {
    environment = withDotEnv(installation.environment, project);
  } catch {
    return [];
  }
  const named = ['SLUICE', 'LONGBRIDGE', 'LONGPORT'].find((prefix) => environment[`${prefix}_HTTP_URL`]);
  if (offline || named === undefined) return [];
  const quotes = (environment[`${named}_QUOTE_WS_URL`] ?? '') !== '';
  const configs = await goodConfigs(project);
  const warnings: string[] = [];
  try {
    const found = await withApi(
      {
        environment,
        project,
        language: 'en',
        paperOnly: false,
        addresses: {},
        check: () => undefined,
        warn: (text) => void warnings.push(text),
        needs: quotes ? 'quotes' : 'http',
        profile: configs.find((config) => config.broker !== undefined)?.broker?.profile ?? 'documented',
      },
      async (opened) => {
        await pingVenue(opened);
        return quotes ? checkQuotes(opened, configs) : [];
      },
    );
    return [...found, ...ofSkew(warnings)];
  } catch (error) {
    // Missing variables were reported by the check of secrets.
    if (error instanceof EnvironmentError) return ofSkew(warnings);
    if (!(error instanceof BrokerError)) throw error;
    return [ofFailure(error), ...ofSkew(warnings)];
  }
}

function ofFailure(error: BrokerError): Diagnosis {
  if (error.code === 'socket-refused' || (error.venueCode ?? 0) !== 0) {
    const fix =
      'compare key, secret and token with what the broker gave you; "sluice token refresh" renews a token';
    return fault('venue', 'venue-refuses', headline(error), fix);
  }
  return fault(
    'venue',
    'venue-unreachable',
    headline(error),
    'check the address and the network; "sluice ping" tries it alone',
  );
}

function ofSkew(warnings: readonly string[]): readonly Diagnosis[] {
  const skew = warnings.find((text) => /clock is -?\d+ ms off/.test(text));
  return skew === undefined
    ? []
    : [fault('venue', 'clock-skew', skew, 'switch on time synchronisation (NTP)')];
}

async function checkQuotes(
  { api, pull, accountId }: OpenedApi,
  configs: readonly BotConfig[],
): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = [];
  const userProfile = await pull(
    'read the opened quote packages',
    api.quotes.userQuoteProfile({ language: 'en' }),
  );
  const opened = userProfile.quoteLevelDetail?.byMarketCode ?? {};
  for (const market of new Set(configs.flatMap(({ symbols }) => symbols.map(marketOf)))) {
    const own = opened[market];
    if (own !== undefined && own.packages.length > 0) continue;
    const why = own === undefined || own.warningMsg === '' ? '' : ` (${own.warningMsg})`;
    const message = `The account has no quote package for ${market}, which a config trades${why}`;
    found.push(note('venue', 'no-quote-package', message, 'open one with the broker'));
  }
  const account = await accountId();
  for (const { broker, path } of configs) {
    if (broker === undefined || account === NO_ACCOUNT || isAccount(broker.account, account)) continue;
    const message = `${path} names the account "${maskedAccount(broker.account)}", but the credentials belong to another`;
    found.push(
      fault(
        'venue',
        'other-account',
        message,
        'correct "broker.account", or use the credentials of that account',
      ),
    );
  }
  return found;
}

/** Valid configs; the others were already reported. */
async function goodConfigs(project: string): Promise<readonly BotConfig[]> {
  const configs: BotConfig[] = [];
  for (const path of configFiles(project)) {
    try {
      const loaded = await checkConfig(join(project, path), project);
      if (loaded.kind === 'ok') configs.push({ ...loaded.config, path });
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
    }
  }
  return configs;
}

/** The first line of an error; the advice after it is for users of a single command. */
function headline(error: BrokerError): string {
  return error.message.split('\n')[0] ?? '';
}
