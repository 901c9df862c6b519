import { brokerAddresses, hasAddress } from '../../app/broker/broker-environment.ts';
import { EnvironmentError } from '../../app/broker/environment-error.ts';
import { knownBots } from '../../app/control/running-bots.ts';
import { checkConfig } from '../../app/load/check-config.ts';
import type { BrokerConfig } from '../../config/bot-config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { CommandContext } from '../command-context.ts';
import type { BrokerFlags } from './broker-options.ts';

/** The venue of a manual request, in addition to environment and flags. */
export interface ResolvedBroker {
  readonly flags: BrokerFlags;
  /** The required account; undefined to use the account of the credentials. */
  readonly account: string | undefined;
}

/**
 * Returns the venue of a manual request: the one of `--config`, of flags and environment, or of the only bot on an
 * account in this folder. Throws ConfigError, and EnvironmentError for a config without `broker:`.
 */
export async function resolveBroker(
  flags: BrokerFlags,
  environment: Readonly<Record<string, string | undefined>>,
  { project, terminal }: Pick<CommandContext, 'project' | 'terminal'>,
): Promise<ResolvedBroker> {
  if (flags.config !== undefined) {
    const broker = await brokerOf(flags.config, project);
    const { httpUrl, quoteWsUrl } = brokerAddresses(broker);
    const addresses = {
      ...omitUndefined({ url: httpUrl, quoteWsUrl }),
    };
    return { flags: { ...addresses, ...flags, profile: broker.profile }, account: broker.account };
  }
  if (flags.url !== undefined || hasAddress(environment)) return { flags, account: undefined };
  const [only, ...others] = knownBots(project).filter(({ lastRun }) => lastRun?.ownVenue === false);
  if (only?.lastRun === undefined || others.length > 0) return { flags, account: undefined };
  const { http, profile } = only.lastRun;
  terminal.err(`Asks ${http}, where bot ${only.name} trades\n`);
  return { flags: { ...flags, url: http, profile }, account: undefined };
}

async function brokerOf(path: string, project: string): Promise<BrokerConfig> {
  const loaded = await checkConfig(path, project);
  if (loaded.kind === 'problems') throw new ConfigError(loaded.problems);
  const { broker } = loaded.config;
  if (broker !== undefined) return broker;
  throw new EnvironmentError(
    `Cannot tell which account "${path}" means: it has no section "broker", so it trades on an embedded venue that ends with it\n  Name a config with "broker", or the venue by --url`,
  );
}
