import { firstValueFrom } from 'rxjs';
import type { BrokerClient } from '../../broker/connect.ts';
import { createApi } from '../../broker/http/api.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { isAccount, maskedAccount, NO_ACCOUNT } from '../../wire/account-number.ts';
import { EnvironmentError } from '../broker/environment-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The mode of a run according to its config, the command line, and the environment. */
export interface LiveRequest {
  readonly config: Pick<BotConfig, 'mode' | 'broker' | 'path'>;
  readonly live: boolean;
  readonly environment: Environment;
}

/** Pattern of credentials that an embedded venue generated. */
const OF_A_TEST = /^(ak|as|at)_paper_/;
const PREFIXES = ['SLUICE', 'LONGBRIDGE', 'LONGPORT'] as const;

/**
 * Checks before any connection that all settings agree on paper or real money: the config's mode, the flag, the
 * address in the config and in the environment, and the credentials. Throws EnvironmentError with all contradictions.
 * @see docs/reliability.md, I-22, F-F01, S-01
 */
export function assertPermitted(request: LiveRequest): void {
  const problems = request.config.mode === 'live' ? liveProblems(request) : paperProblems(request);
  if (problems.length === 0) return;
  throw new EnvironmentError(
    `Cannot start "${request.config.path}": mode, flag, account, address and credentials do not agree. Nothing was connected\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  );
}

function paperProblems({ live, config, environment }: LiveRequest): readonly string[] {
  const flag = '"--live" was given, but the config has no "mode: live": use both, or neither';
  const own = "the credentials are those of an embedded venue, the address is not this machine's";
  const http = config.broker?.http ?? environmentValue(environment, 'HTTP_URL');
  const isAstray = config.broker !== undefined && isTest(environment) && http !== undefined && !isHere(http);
  return [...(live ? [flag] : []), ...(isAstray ? [own] : [])];
}

function liveProblems({ live, config, environment }: LiveRequest): readonly string[] {
  const { broker } = config;
  const problems: string[] = [];
  if (!live) problems.push('the config has "mode: live", but "--live" was not given: real money takes both');
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    problems.push('NODE_TLS_REJECT_UNAUTHORIZED is 0: an attacker between could trade; unset it');
  if (isTest(environment))
    problems.push('the credentials are those of an embedded venue, which has no real money');
  if (broker === undefined)
    return [...problems, 'there is no section "broker" that names account and address'];
  if (broker.admin !== undefined)
    problems.push('"broker.admin" names the admin port of an embedded venue, which has no real money');
  for (const [key, name] of [
    ['http', 'HTTP_URL'],
    ['quoteWs', 'QUOTE_WS_URL'],
    ['tradeWs', 'TRADE_WS_URL'],
  ] as const) {
    const written = broker[key];
    const other = environmentValue(environment, name);
    if (written === undefined)
      problems.push(`"broker.${key}" is not written: the config must contain the address for real money`);
    else if (other !== undefined && other !== written)
      problems.push(`"broker.${key}" is ${written}, SLUICE_${name} in the environment is ${other}`);
  }
  return problems;
}

/** Returns a variable under our name, or that of the broker's SDK. */
function environmentValue(environment: Environment, name: string): string | undefined {
  return PREFIXES.map((prefix) => environment[`${prefix}_${name}`]).find(
    (text) => text !== undefined && text !== '',
  );
}

function isTest(environment: Environment): boolean {
  return ['APP_KEY', 'APP_SECRET', 'ACCESS_TOKEN'].some((name) =>
    OF_A_TEST.test(environmentValue(environment, name) ?? ''),
  );
}

function isHere(address: string): boolean {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

/** Accounts of an embedded venue have names; those with real money have numbers. */
const NUMBER = /^\d+$/;

/**
 * Checks that the credentials open the account that the config names (F-O06). A venue that does not state its account
 * is accepted for paper only; one with only documented calls cannot state it. Throws EnvironmentError, without naming
 * the other account.
 */
export async function assertAccount(
  client: BrokerClient,
  { config }: { readonly config: LiveRequest['config'] & Pick<BotConfig, 'onlyDocumented'> },
): Promise<void> {
  const { quotes } = createApi(client, { saveToken: async () => undefined });
  const isStated = config.onlyDocumented !== true && config.broker?.onlyDocumented !== true;
  const venueAccount = isStated
    ? String((await firstValueFrom(quotes.userQuoteProfile({ language: 'en' }))).memberId)
    : NO_ACCOUNT;
  const named = config.broker?.account ?? '';
  const isPaper = config.mode === 'paper';
  if (
    venueAccount === NO_ACCOUNT ? isPaper : isAccount(named, venueAccount) && (isPaper || NUMBER.test(named))
  )
    return;
  throw new EnvironmentError(
    `Cannot trade account "${maskedAccount(named)}": ${whyNot(named, venueAccount)}. No order was sent\n  at ${config.path} (broker.account)\n  Name the account that SLUICE_ACCESS_TOKEN belongs to: a broker shows its number next to the token, an embedded venue calls its accounts "paper", "paper-2" and so on`,
  );
}

function whyNot(named: string, venueAccount: string): string {
  if (venueAccount === NO_ACCOUNT) return 'the venue does not say whose account it is';
  return isAccount(named, venueAccount)
    ? 'an account with real money has a number, this is the name of one of an embedded venue'
    : 'the credentials open another account';
}

/** Throws EnvironmentError if the venue's account is not the one of the config. */
export function assertConfiguredAccount(account: string | undefined, venueAccount: string): void {
  if (account === undefined || venueAccount === NO_ACCOUNT || isAccount(account, venueAccount)) return;
  throw new EnvironmentError(
    `Cannot ask about account "${maskedAccount(account)}" (broker.account): the credentials open another account\n  Name the account that SLUICE_ACCESS_TOKEN belongs to, or use that account's credentials`,
  );
}
