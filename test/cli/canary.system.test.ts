import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNumber } from '#src/wire/account-number.ts';
import { type CommandLine, startCommandLine } from './a-command-line.ts';
import { type TappedLine, tapped } from './a-tapped-line.ts';
import type { Ended } from './run-sluice.ts';

const DAYS = { from: '2025-09-02', to: '2025-09-03' };
const VENUE = [
  ...['--admin-port', '0', '--symbol', 'DEMO.HK', '--period', '1m', '--data', 'backtest-data'],
  ...[
    '--from',
    DAYS.from,
    '--to',
    DAYS.to,
    '--currency',
    'HKD',
    '--cash',
    'HKD=1000000',
    '--clock',
    'stepped',
  ],
];

/** A live account is configured by its number, which is a secret too. */
const ACCOUNT = accountNumber('paper').toString();
const LINES = ['SLUICE_HTTP_URL', 'SLUICE_QUOTE_WS_URL', 'SLUICE_TRADE_WS_URL'] as const;

let line: CommandLine;
/** Proxies to the venue, which record one-time passwords and session ids. */
let taps: readonly TappedLine[] = [];
let throughTaps: Readonly<Record<string, string>> = {};
const said: string[] = [];

beforeAll(async () => {
  line = await startCommandLine(VENUE);
  taps = await Promise.all(LINES.map((name) => tapped(line.environment[name] ?? '')));
  throughTaps = Object.fromEntries(taps.map(({ url }, at) => [LINES[at], url]));
  writeFileSync(join(line.project, 'bot.yaml'), config(line.admin ?? ''));
});

afterAll(async () => {
  for (const tap of taps) await tap.close();
  await line.close();
});

function config(admin: string): string {
  return `strategy: rsi-reversion
symbols: [DEMO.HK]
period: 1m
params: { length: 14, entry: 22, exit: 60, weight: 20% }
account: { currency: HKD, cash: { HKD: 1000000 } }
data: { from: ${DAYS.from}, to: ${DAYS.to} }
risk: { maxOrderNotional: 250000 HKD, maxPositionWeight: 30% }
broker: { account: "${ACCOUNT}", admin: "${admin}" }
`;
}

async function heard(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const ended = await line.sluice(args, { ...throughTaps, ...environment });
  said.push(ended.out, ended.err);
  return ended;
}

/**
 * Encodings of a secret that a program could print without recognising it: other alphabets, at any offset within a
 * text.
 */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const within64 = [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return all.slice(before === 0 ? 0 : before + 1, all.length - 4);
  });
  const url64 = within64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  const percent = [...bytes].map((byte) => `%${byte.toString(16)}`).join('');
  return [secret, encodeURIComponent(secret), percent, hex, hex.toUpperCase(), ...within64, ...url64];
}

function everyFile(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** One-time passwords and session ids that the venue issued while the bot ran. */
function givenOut(): readonly (readonly [name: string, secret: string])[] {
  const [http = '', ...sockets] = taps.map((tap) => tap.said());
  const passwords = http.match(/otp_[0-9a-f]{32}/g) ?? [];
  const sessions = sockets.flatMap((text) => text.match(/[0-9a-f]{32}/g) ?? []);
  return [
    ...passwords.map((secret) => ['one-time password', secret] as const),
    ...sessions.map((secret) => ['session id', secret] as const),
  ];
}

/** Places that contain any form of a secret, with the name of the secret and never its value. */
function hits(texts: ReadonlyMap<string, string>): readonly string[] {
  const stated = ['SLUICE_APP_SECRET', 'SLUICE_ACCESS_TOKEN', 'SLUICE_APP_KEY'] as const;
  const secrets: readonly (readonly [string, string])[] = [
    ...stated.map((name) => [name, line.environment[name] ?? 'no secret'] as const),
    ['account number', ACCOUNT],
    ...givenOut(),
  ];
  return secrets.flatMap(([name, secret]) => {
    const forms = formsOf(secret);
    return [...texts].flatMap(([where, text]) =>
      forms.some((form) => text.includes(form)) ? [`${name} in ${where}`] : [],
    );
  });
}

describe('secrets of a whole paper run', () => {
  it('are in no byte of its files or output: journal, reports, state, errors (S-11, I-20)', async () => {
    const run = await heard(['run', 'bot.yaml', '--json']);
    expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: expect.any(String) });
    expect(JSON.parse(run.out)).toMatchObject({ mode: 'paper' });
    for (const args of [
      ['status'],
      ['status', '--json'],
      ['orders', '--unknown'],
      ['journal', 'show'],
      ['why', '#1'],
      ['orders'],
      ['account'],
    ])
      await heard(args);
    // Errors print the most: a wrong secret, an unknown host, real money without confirmation.
    const { SLUICE_ACCESS_TOKEN: token = '', SLUICE_APP_SECRET: secret = '' } = line.environment;
    await heard(['run', 'bot.yaml'], { SLUICE_ACCESS_TOKEN: `${token}x` });
    await heard(['ping'], { SLUICE_APP_SECRET: `${secret}x` });
    await heard(['account'], { SLUICE_HTTP_URL: 'http://127.0.0.1:9' });
    await heard(['run', 'bot.yaml', '--live']);
    await heard(['kill']);
    expect(new Set(givenOut().map(([name]) => name))).toEqual(new Set(['one-time password', 'session id']));
    // The config is the user's own text and may name the account.
    const files = everyFile(line.project).filter((path) => !path.endsWith('/bot.yaml'));
    expect(files.map((path) => path.split('/').at(-1))).toEqual(
      expect.arrayContaining(['journal.db', 'kill']),
    );
    const texts = new Map(
      files.map((path) => [path.slice(line.project.length), readFileSync(path, 'latin1')]),
    );
    for (const [index, text] of said.entries()) texts.set(`output ${index}`, text);
    expect(hits(texts)).toEqual([]);
  });

  it('are found by the search in every place and every form (I-20)', () => {
    const secret = line.environment['SLUICE_APP_SECRET'] ?? '';
    const planted = [
      `log: ${secret}`,
      Buffer.from(`a${secret}b`).toString('base64'),
      Buffer.from(`{"s":"${secret}"}`).toString('base64url'),
      Buffer.from(secret).toString('hex'),
    ];
    for (const text of planted)
      expect(hits(new Map([['planted', text]]))).toEqual(['SLUICE_APP_SECRET in planted']);
    expect(hits(new Map([['planted', 'nothing']]))).toEqual([]);
  });
});
