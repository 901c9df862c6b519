import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrokerClient } from '../../broker/connect.ts';
import { httpOrigin } from '../../broker/socket/addresses.ts';
import { createTokenRenewal } from '../../broker/socket/token-renewal.ts';
import type { BrokerConfig } from '../../config/bot-config.ts';
import { packageRoot } from '../../config/plugins/package-root.ts';
import type { DetailedRecord } from '../../events/run-record.ts';
import { openSqliteJournal } from '../../journal/sqlite.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { brokerAddresses, brokerEnvironment } from '../broker/broker-environment.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import { openSharedCallLog } from '../broker/shared-call-log.ts';
import { activeCredentials } from '../credentials/active-credentials.ts';
import { openTimestampFile, type TimestampFile } from '../credentials/timestamp-file.ts';
import { tokenFile } from '../credentials/token-file.ts';
import { createTokenKeeper, type TokenKeeper } from '../credentials/token-keeper.ts';
import { accountFolder, deploymentFor } from '../storage/account-folder.ts';
import { accountKey, credentialsKey } from '../storage/user-state.ts';
import { runBot } from './assemble-bot.ts';
import { type Lease, takeLease, takeUserLease } from './lease.ts';
import { assertAccount } from './live-checks.ts';
import type { PaperOptions } from './run-options.ts';

/**
 * Runs a config on a broker account: takes the account's lease among the user's processes, resumes its journal,
 * recovers, and trades until the caller interrupts. Throws EnvironmentError if addresses or credentials are missing,
 * LeaseError if another process trades the account, JournalError, and errors of the engine.
 */
export async function runOnAccount(
  options: PaperOptions,
  broker: BrokerConfig,
  machine: Clock,
): Promise<DetailedRecord> {
  const place = brokerEnvironment(options.environment ?? {}, brokerAddresses(broker), {
    hasTradeSocket: !broker.onlyDocumented,
  });
  const adminToken = adminTokenFor(broker, options.environment ?? {});
  const origin = httpOrigin(place.httpUrl);
  const folder = accountFolder(options.project, origin, broker.account);
  const { config } = options;
  const since = new Date(machine.now()).toISOString();
  const environment = options.environment ?? {};
  const account = await accountKey(origin, broker.account);
  const holder = `process ${process.pid} (${config.path} in ${options.project}, since ${since})`;
  const user = takeUserLease(environment, account, holder);
  let lease: Lease | undefined;
  try {
    lease = takeLease(folder.path, holder);
    let timestamps: TimestampFile | undefined;
    const calls = openSharedCallLog({
      environment,
      account,
      now: machine.now,
      credentials: await credentialsKey(origin, place.credentials.appKey),
      warn: (message) => options.onAlarm?.({ code: 'calls-unshared', message, at: machine.now(), facts: {} }),
    });
    const journal = openSqliteJournal(join(folder.path, 'journal.db'), {
      warn: (message) => options.onAlarm?.({ code: 'journal-long', message, at: machine.now(), facts: {} }),
    });
    try {
      const tokens = tokenFile(options.project, origin, place.credentials);
      const warn = (message: string): void =>
        options.onAlarm?.({ code: 'access-token', message, at: machine.now(), facts: {} });
      const { appKey } = place.credentials;
      timestamps = openTimestampFile({ project: options.project, origin, appKey });
      const inForce = activeCredentials({ tokens, credentials: place.credentials, machine, warn });
      const keeper = createTokenKeeper({ tokens, inForce, machine, warn });
      return await runBot(options, {
        machine,
        journal,
        ready: {
          http: place.httpUrl,
          quoteWs: place.quoteWsUrl,
          tradeWs: place.tradeWsUrl,
          ...(broker.admin === undefined ? {} : { admin: broker.admin, adminToken }),
          ...inForce.credentials,
        },
        verify: (client) => assertAccount(client, { config }),
        attend: (client) => keepTokenOf(client, keeper),
        newerToken: (refused) => keeper.newerToken(refused),
        folder: folder.path,
        journalPath: join(folder.shown, 'journal.db'),
        ownVenue: false,
        timestamps,
        calls,
        venueGone: new Promise(() => undefined),
        deployment: deploymentFor(origin, broker.account),
        profile: broker.profile,
        requestKey: broker.requestKey,
        lease: {
          epoch: lease.epoch,
          version: programVersion(),
          configHash: createHash('sha256').update(readFileSync(config.path)).digest('hex'),
          machineAt: machine.now(),
        },
      });
    } finally {
      timestamps?.close();
      journal.close();
      calls.close();
    }
  } finally {
    lease?.release();
    user.release();
  }
}

/** Renews the token before it expires; a new token is on disk before it is used. */
function keepTokenOf(client: BrokerClient, keeper: TokenKeeper): Cancel {
  const use = (accessToken: string): void => client.useToken(accessToken);
  const save = async (accessToken: string): Promise<void> => keeper.save(accessToken);
  return keeper.start({ renew: createTokenRenewal({ http: client.http, save, use }), use });
}

function programVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '';
}

/** Returns the token of the venue's admin port; undefined if the config names no port. */
function adminTokenFor(
  { admin }: BrokerConfig,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const token = environment['SLUICE_ADMIN_TOKEN'];
  if (admin === undefined || (token !== undefined && token !== '')) return token;
  throw new EnvironmentError(
    `Cannot read the market clock at ${admin} (broker.admin): SLUICE_ADMIN_TOKEN is not set\n  Set it to the "adminToken" that "sluice venue --admin-port" prints`,
  );
}
