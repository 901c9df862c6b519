import { afterEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { systemRandom } from '#src/app/clock/system-random.ts';
import { assertAccount, assertPermitted } from '#src/app/run/live-checks.ts';
import { createBrokerClient } from '#src/broker/connect.ts';
import type { BrokerConfig } from '#src/config/bot-config.ts';
import { millis } from '#src/model/time.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { aLivingVenue, CREDENTIALS as NUMBERED } from '../../interop/a-living-venue.ts';
import { aVenue, CREDENTIALS } from '../../venue/a-venue.ts';

const BROKER: BrokerConfig = {
  profile: 'longbridge',
  account: '20400500',
  http: 'https://openapi.broker.example',
  quoteWs: 'wss://quote.broker.example',
  tradeWs: 'wss://trade.broker.example',
  admin: undefined,
  requestKey: false,
  onlyDocumented: false,
};
const REAL = { SLUICE_APP_KEY: '0a1b', SLUICE_APP_SECRET: '2c3d', SLUICE_ACCESS_TOKEN: 'm_eyJ' };

interface Asked {
  readonly mode?: 'paper' | 'live';
  readonly live?: boolean;
  readonly broker?: Partial<BrokerConfig> | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The error message of a start with these settings; "agreed" if there is none. */
function said(asked: Asked): string {
  const { mode = 'live', live = true, environment = {} } = asked;
  const broker = 'broker' in asked && asked.broker === undefined ? undefined : { ...BROKER, ...asked.broker };
  const config = { mode, broker, path: 'config/bot.yaml' };
  try {
    assertPermitted({ config, live, environment: { ...REAL, ...environment } });
    return 'agreed';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('real money', () => {
  it('requires that mode, flag, account, addresses and credentials agree (I-22)', () => {
    expect(said({})).toBe('agreed');
    expect(said({ environment: { SLUICE_HTTP_URL: 'https://openapi.broker.example' } })).toBe('agreed');
  });

  it.each<readonly [string, Asked, string]>([
    ['a config alone', { live: false }, '"--live" was not given'],
    ['a flag alone', { mode: 'paper' }, '"--live" was given, but the config has no "mode: live"'],
    ['a section that is missing', { broker: undefined }, 'no section "broker"'],
    [
      'an address from the environment alone',
      { broker: { http: undefined } },
      '"broker.http" is not written',
    ],
    [
      'an address that the environment contradicts',
      { environment: { SLUICE_TRADE_WS_URL: 'wss://evil.example' } },
      'SLUICE_TRADE_WS_URL in the environment is wss://evil.example',
    ],
    ['an admin port', { broker: { admin: 'http://127.0.0.1:1' } }, 'admin port of an embedded venue'],
  ])('is refused for %s, before anything connects (I-22)', (_name, asked, why) => {
    expect(said(asked)).toContain(why);
    expect(said(asked)).toContain('Nothing was connected');
  });

  it('is refused with credentials of an embedded venue, and paper with real ones (F-F01)', () => {
    const test = { SLUICE_ACCESS_TOKEN: 'at_paper_0001' };
    expect(said({ environment: test })).toContain('the credentials are those of an embedded venue');
    expect(said({ mode: 'paper', live: false, environment: test })).toContain(
      "the address is not this machine's",
    );
    expect(
      said({ mode: 'paper', live: false, broker: { http: 'http://127.0.0.1:7070' }, environment: test }),
    ).toBe('agreed');
  });

  it('is refused if certificates are not verified (S-01)', () => {
    expect(said({ environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })).toContain(
      'NODE_TLS_REJECT_UNAUTHORIZED',
    );
  });

  it('lists all faults at once, without any secret (I-20, I-22)', () => {
    const reported = said({ live: false, broker: { http: undefined, admin: 'http://127.0.0.1:1' } });
    expect(reported.split('\n  - ')).toHaveLength(4);
    for (const secret of Object.values(REAL)) expect(reported).not.toContain(secret);
  });
});

describe('the account, over real sockets', () => {
  const clients: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0).toReversed()) await client.close();
  });

  /** Connects with a config that names an account to a venue whose credentials open "paper-1", number 20400500. */
  async function trading(mode: 'paper' | 'live', account: string, numbered = false): Promise<void> {
    const machine = createSystemClock();
    const venue = numbered ? await aLivingVenue() : (await aVenue({ machine })).venue;
    if (numbered) clients.push(venue);
    const client = createBrokerClient({
      ...{ httpUrl: venue.http, quoteWsUrl: venue.quoteWs, tradeWsUrl: venue.tradeWs },
      credentials: numbered ? NUMBERED : CREDENTIALS,
      profile: numbered ? PROFILES.longbridge : PROFILES.documented,
      ...{ machine, random: systemRandom },
      ...{ deployment: 'TEST', market: () => millis(0) },
    });
    clients.push(client);
    await client.connect();
    return assertAccount(client, {
      config: { mode, path: 'config/bot.yaml', broker: { ...BROKER, account } },
    });
  }

  it('must be the one in the config, by the number that the venue reports (F-O06, I-22)', async () => {
    await expect(trading('live', '20400500', true)).resolves.toBeUndefined();
    await expect(trading('live', '20400501', true)).rejects.toThrow(
      'Cannot trade account "...0501": the credentials open another account. No order was sent\n  at config/bot.yaml (broker.account)',
    );
    await expect(trading('paper', '2')).rejects.toThrow('the credentials open another account');
  });

  it('is not checked on an API with only what the source document describes, which refuses real money (F-O06, I-22)', async () => {
    const start = async (mode: 'paper' | 'live'): Promise<void> => {
      const machine = createSystemClock();
      const { venue } = await aVenue({ machine, onlyDocumented: true });
      const client = createBrokerClient({
        ...{ httpUrl: venue.http, quoteWsUrl: venue.quoteWs, tradeWsUrl: undefined },
        ...{ credentials: CREDENTIALS, profile: PROFILES.documented, machine, random: systemRandom },
        ...{ onlyDocumented: true, deployment: 'TEST', market: () => millis(0) },
      });
      clients.push(client);
      await client.connect();
      const broker = { ...BROKER, account: 'paper-1', onlyDocumented: true };
      return assertAccount(client, { config: { mode, path: 'config/bot.yaml', broker } });
    };
    await expect(start('paper')).resolves.toBeUndefined();
    await expect(start('live')).rejects.toThrow('the venue does not say whose account it is');
  });

  it('may have a name instead of a number on paper if it is the right one, and never live (F-O06, I-22)', async () => {
    await expect(trading('paper', 'paper-1')).resolves.toBeUndefined();
    await expect(trading('paper', 'paper-11')).rejects.toThrow('the credentials open another account');
    await expect(trading('live', 'paper-1')).rejects.toThrow('has a number');
  });
});
