import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNumber } from '#src/wire/account-number.ts';
import { makeCertificates } from '../fixtures/certificates.ts';
import { anOperator, eventually, type Operator, type VenueChild } from './a-bot-process.ts';
import { restsUpTo } from './resting-bot.ts';

const STRATEGY = restsUpTo(100);
const WAIT = { timeout: 300_000 };
/** Credentials that do not look like an embedded venue's. */
const KEYS = { appKey: 'rehearsal-key', appSecret: 'rehearsal-secret', accessToken: 'rehearsal-token' };
const SECRETS = {
  SLUICE_APP_KEY: KEYS.appKey,
  SLUICE_APP_SECRET: KEYS.appSecret,
  SLUICE_ACCESS_TOKEN: KEYS.accessToken,
};
const NUMBER = String(accountNumber('paper'));

let operator: Operator;
let venue: VenueChild;
let trusted: Readonly<Record<string, string>>;

beforeAll(async () => {
  operator = anOperator(() => SECRETS);
  makeCertificates(operator.project, 'venue');
  trusted = { NODE_EXTRA_CA_CERTS: join(operator.project, 'ca.pem') };
  const flags = ['--port', '0', '--state', 'venue.db', '--tls-cert', 'venue.pem', '--tls-key', 'venue.key'];
  const first = await operator.venue(flags);
  first.signal('SIGTERM');
  await first.ended;
  const state = new DatabaseSync(join(operator.project, 'venue.db'));
  const accounts = JSON.stringify([{ id: 'paper', ...KEYS }]);
  expect(state.prepare("UPDATE facts SET value = ? WHERE name = 'accounts'").run(accounts).changes).toBe(1);
  state.close();
  // An account with real money: a config that declares it as paper is refused.
  venue = await operator.venue([...flags, '--access', '{"live": true}']);
  operator.write('resting.ts', STRATEGY);
  operator.write('live.yaml', config());
});
afterAll(() => operator.close());

function config(change: Readonly<Record<string, string>> = {}): string {
  const { http, quoteWs, tradeWs } = venue.ready;
  const broker = { account: NUMBER, http, quoteWs, tradeWs, ...change };
  const { mode = 'live', ...rest } = broker as Readonly<Record<string, string>>;
  const written = Object.entries(rest).map(([name, value]) => `${name}: "${value}"`);
  return `strategy: ./resting.ts
symbols: [700.HK]
period: 1m
mode: ${mode}
account: { currency: HKD }
risk: { maxOrderNotional: 500000 HKD, priceCollar: 40%, maxQuoteAge: 1m, maxQuoteJump: 50% }
broker: { ${written.join(', ')} }
`;
}

/** Runs a config until it is refused, which happens before it trades. */
async function refused(
  name: string,
  text: string,
  flags: readonly string[] = ['--live'],
  environment: Readonly<Record<string, string>> = trusted,
): Promise<{ readonly code: number | null; readonly err: string }> {
  operator.write(name, text);
  const run = operator.run([name, ...flags], environment);
  return { code: await run.ended, err: run.err() };
}

describe('a live run over TLS', () => {
  it(
    'does not begin if mode, flag, addresses and certificates do not agree, and names the difference (F-F01, I-22, S-01)',
    WAIT,
    async () => {
      const without = await refused('a.yaml', config(), []);
      expect([without.code, without.err]).toEqual([3, expect.stringContaining('"--live" was not given')]);
      const paper = await refused('b.yaml', config({ mode: 'paper' }));
      expect([paper.code, paper.err]).toEqual([3, expect.stringContaining('the config has no "mode: live"')]);
      const elsewhere = await refused('c.yaml', config(), ['--live'], {
        ...trusted,
        SLUICE_HTTP_URL: 'https://127.0.0.1:9',
      });
      expect(elsewhere.code).toBe(3);
      expect(elsewhere.err).toContain('SLUICE_HTTP_URL in the environment is https://127.0.0.1:9');
      const blind = await refused('d.yaml', config(), ['--live'], {
        ...trusted,
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
      });
      expect([blind.code, blind.err]).toEqual([3, expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED')]);
      const plain = await refused('e.yaml', config({ http: 'http://192.0.2.1:7070' }));
      expect([plain.code, plain.err]).toEqual([3, expect.stringContaining('192.0.2.1')]);
    },
  );

  it('trusts no certificate that is unsigned, expired, or of another host (S-01)', WAIT, async () => {
    const unknown = await refused('f.yaml', config(), ['--live'], {});
    expect(unknown.code).toBe(4);
    expect(unknown.err).toMatch(/certificate/i);
    const port = new URL(venue.ready['http'] ?? '').port;
    const late = await operator.venue(['--port', '0', '--tls-cert', 'old.pem', '--tls-key', 'venue.key']);
    const { http = '', quoteWs = '', tradeWs = '' } = late.ready;
    const expired = await refused('j.yaml', config({ http, quoteWs, tradeWs }));
    expect([expired.code, expired.err]).toEqual([4, expect.stringMatching(/expired/)]);
    const other = {
      http: `https://localhost:${port}`,
      quoteWs: `wss://localhost:${port}/quote`,
      tradeWs: `wss://localhost:${port}/trade`,
    };
    const named = await refused('g.yaml', config(other));
    expect(named.code).toBe(4);
    expect(named.err).toMatch(/certificate|altnames/i);
  });

  it('does not begin on another account than the config names (F-O06, I-22)', WAIT, async () => {
    const wrong = await refused('h.yaml', config({ account: '20400500' }));
    expect(wrong.code).toBe(3);
    expect(wrong.err).toContain('Cannot trade account "...0500": the credentials open another account');
    expect(wrong.err).not.toContain(NUMBER);
  });

  it('is refused by the venue as paper, since the account has real money (F-F01)', WAIT, async () => {
    const paper = await refused('i.yaml', config({ mode: 'paper' }), []);
    expect(paper.code).toBe(4);
  });

  it(
    'trades if everything agrees, by signed requests over TLS, and shows that it is live (I-22)',
    WAIT,
    async () => {
      const bot = operator.run(['live.yaml', '--live'], trusted);
      await eventually(
        async () => (await operator.status())?.openOrders[0]?.orderId !== undefined,
        'an order at the venue',
      );
      expect(await operator.status()).toMatchObject({ mode: 'live', gate: { state: 'active' } });
      const listed = await operator.sluice(['orders', '--json', '--config', 'live.yaml'], trusted);
      expect(JSON.parse(listed.out)).toHaveLength(1);
      const kill = await operator.sluice(['kill', '--bot', await name()], trusted);
      expect(kill.code).toBe(0);
      await eventually(
        async () => (await operator.status())?.openOrders.length === 0,
        'the cancel to be confirmed',
      );
      bot.signal('SIGINT');
      expect(await bot.ended).toBe(5);
    },
  );
});

async function name(): Promise<string> {
  const { out } = await operator.sluice(['status', '--json'], trusted);
  return JSON.parse(out).bot;
}
