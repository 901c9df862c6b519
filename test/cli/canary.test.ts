import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, startCommandLine } from './a-command-line.ts';
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

let line: CommandLine;
const said: string[] = [];

beforeAll(async () => {
  line = await startCommandLine(VENUE);
  writeFileSync(join(line.project, 'bot.yaml'), config(line.admin ?? ''));
});

afterAll(() => line.close());

function config(admin: string): string {
  return `strategy: rsi-reversion
symbols: [DEMO.HK]
period: 1m
params: { length: 14, entry: 22, exit: 60, weight: 20% }
account: { currency: HKD, cash: { HKD: 1000000 } }
data: { from: ${DAYS.from}, to: ${DAYS.to} }
risk: { maxOrderNotional: 250000 HKD, maxPositionWeight: 30% }
broker: { account: paper, admin: "${admin}" }
`;
}

async function heard(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const ended = await line.sluice(args, environment);
  said.push(ended.out, ended.err);
  return ended;
}

/** Everything that anybody could make of a secret without knowing what it is: other alphabets, and cut anywhere within a text. */
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

/** Where any form of a secret stands; the name of the secret, never the secret. */
function hits(texts: ReadonlyMap<string, string>): readonly string[] {
  const secrets = ['SLUICE_APP_SECRET', 'SLUICE_ACCESS_TOKEN', 'SLUICE_APP_KEY'] as const;
  return secrets.flatMap((name) => {
    const forms = formsOf(line.environment[name] ?? 'no secret');
    return [...texts].flatMap(([where, text]) =>
      forms.some((form) => text.includes(form)) ? [`${name} in ${where}`] : [],
    );
  });
}

describe('secrets of a whole run on paper', () => {
  it('stand in no byte that it wrote or said: journal, reports, state, errors (S-11, I-20)', async () => {
    const run = await heard(['run', 'bot.yaml', '--json']);
    expect(run.code).toBe(0);
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
    // What goes wrong says the most: a secret that is wrong by its end, a host that is not there, real money without a word.
    const { SLUICE_ACCESS_TOKEN: token = '', SLUICE_APP_SECRET: secret = '' } = line.environment;
    await heard(['run', 'bot.yaml'], { SLUICE_ACCESS_TOKEN: `${token}x` });
    await heard(['ping'], { SLUICE_APP_SECRET: `${secret}x` });
    await heard(['account'], { SLUICE_HTTP_URL: 'http://127.0.0.1:9' });
    await heard(['run', 'bot.yaml', '--live']);
    await heard(['kill']);
    const files = everyFile(line.project);
    expect(files.map((path) => path.split('/').at(-1))).toEqual(
      expect.arrayContaining(['journal.db', 'kill']),
    );
    const texts = new Map(
      files.map((path) => [path.slice(line.project.length), readFileSync(path, 'latin1')]),
    );
    for (const [index, text] of said.entries()) texts.set(`output ${index}`, text);
    expect(hits(texts)).toEqual([]);
  });

  it('are found by the search wherever they are planted, in every form (I-20)', () => {
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
