import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Installation } from '#src/app/doctor/diagnosis.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { calendarDay, dayToUtc, millis } from '#src/model/time.ts';

/** A fault for a project without any: its changes to the project and to the environment. */
export interface Seed {
  readonly code: string;
  readonly plant?: (project: string) => void | Promise<void>;
  readonly world?: Partial<Installation>;
}

export const CONFIG = 'config/momentum.yaml';
const STRATEGY = 'strategies/momentum.ts';
const BARS = 'backtest-data/SPX.US/1d.csv';

export const TODAY = dayToUtc(calendarDay('2026-06-01'));

export function write(project: string, path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

const edit =
  (path: string, change: (text: string) => string) =>
  (project: string): void =>
    write(project, path, change(readFileSync(join(project, path), 'utf8')));

const put =
  (path: string, text: string) =>
  (project: string): void =>
    write(project, path, text);

const yaml = (from: string | RegExp, to: string) => edit(CONFIG, (text) => text.replace(from, to));

const UNSET = ['$', '{SLUICE_SLACK_URL}'].join('');

export const SECRETS = { SLUICE_APP_KEY: 'k', SLUICE_APP_SECRET: 's', SLUICE_ACCESS_TOKEN: 't' };
const LOCAL = { ...SECRETS, SLUICE_HTTP_URL: 'http://127.0.0.1:1' };

/** A token that expires this number of days after `TODAY`. */
function tokenEnding(days: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(TODAY / 1_000) + days * 86_400;
  return `m_${part({ alg: 'x' })}.${part({ exp })}.sig`;
}

async function journalWith(project: string, state: 'halted' | 'killed' | 'reduce-only'): Promise<void> {
  const folder = join(project, '.sluice/accounts/127.0.0.1-1-paper');
  mkdirSync(folder, { recursive: true });
  const journal = openSqliteJournal(join(folder, 'journal.db'));
  const moved = {
    kind: 'gate-moved',
    at: millis(1),
    state,
    by: 'gate',
    rule: 'daily-loss',
    reason: 'lost 3%',
  } as const;
  journal.append(moved);
  journal.close();
}

/** Every fault that can be found without a venue. */
export const SEEDS: readonly Seed[] = [
  { code: 'node-too-old', world: { nodeVersion: '20.20.2' } },
  { code: 'disk-full', world: { freeBytes: () => 5_000_000 } },
  {
    code: 'two-versions',
    plant: put('node_modules/@sluice-trading/sluice/package.json', '{"version":"0.0.9"}'),
  },
  { code: 'schema-stale', plant: put('schema/bot.json', '{}\n') },
  { code: 'unknown-key', plant: yaml('maxOrderNotional', 'maxOrderNotion') },
  { code: 'bad-value', plant: yaml('100000 USD', '100000') },
  { code: 'missing', plant: yaml(/^period:.*$/m, '') },
  { code: 'bad-yaml', plant: yaml('  maxDailyLoss', '\tmaxDailyLoss') },
  { code: 'unsafe-yaml', plant: yaml('strategy: momentum', 'strategy: &a momentum') },
  { code: 'bad-param', plant: yaml('length: 120', 'length: 1') },
  { code: 'conflict', plant: yaml('to: 2019-12-31', 'to: 2014-12-31') },
  { code: 'beyond-limit', plant: yaml('weight: 50%', 'weight: 90%') },
  { code: 'unknown-strategy', plant: yaml('strategy: momentum', 'strategy: momentun') },
  { code: 'bad-strategy', plant: edit(STRATEGY, (text) => `${text}\nthrow new Error('at load');\n`) },
  { code: 'strategy-no-default-export', plant: put('strategies/other.ts', 'export const a = 1;\n') },
  { code: 'unknown-symbol', plant: yaml('[SPX.US]', '[SPY.US]') },
  { code: 'no-bars', plant: yaml(/data: .*$/m, 'data: { from: 2021-01-04, to: 2021-06-30 }') },
  { code: 'short-warmup', plant: yaml(/from: .*?,/, 'from: 2000-01-10,') },
  { code: 'ends-early', plant: yaml('to: 2019-12-31', 'to: 2024-12-31') },
  { code: 'data-unknown-period', plant: yaml('period: 1d', 'period: 1m') },
  { code: 'data-bad-security', plant: put('backtest-data/SPX.US/security.json', '{ "symbol": ') },
  { code: 'data-bad-number', plant: edit(BARS, (text) => text.replace(/^(2010-01-0.*?,)[\d.]+/m, '$1oops')) },
  { code: 'env-file-open', plant: (project) => secretsIn(project, 0o644) },
  {
    code: 'env-file-not-ignored',
    plant: (project) => {
      secretsIn(project, 0o600);
      mkdirSync(join(project, '.git'));
      write(project, '.gitignore', 'node_modules/\n');
    },
  },
  { code: 'env-file-unreadable', plant: (project) => void mkdirSync(join(project, '.env')) },
  { code: 'unknown-variable', world: { environment: { SLUICE_APPKEY: 'k' } } },
  {
    code: 'secret-not-set',
    plant: edit(CONFIG, (text) => `${text}\nnotify: [{ use: slack, secrets: { url: "${UNSET}" } }]\n`),
  },
  { code: 'incomplete-credentials', world: { environment: { SLUICE_APP_KEY: 'k' } } },
  { code: 'no-address', world: { environment: SECRETS } },
  { code: 'padded-secret', world: { environment: { ...LOCAL, SLUICE_APP_SECRET: '"s"' } } },
  { code: 'mixed-prefixes', world: { environment: { ...LOCAL, LONGPORT_APP_KEY: 'other' } } },
  { code: 'bad-address', world: { environment: { ...LOCAL, SLUICE_HTTP_URL: 'http://example.com' } } },
  { code: 'mixed-addresses', world: { environment: { ...LOCAL, SLUICE_TRADE_WS_URL: 'wss://example.com' } } },
  { code: 'token-ended', world: { environment: { ...LOCAL, SLUICE_ACCESS_TOKEN: tokenEnding(-2) } } },
  { code: 'token-ends', world: { environment: { ...LOCAL, SLUICE_ACCESS_TOKEN: tokenEnding(5) } } },
  {
    code: 'token-file-open',
    plant: (project) => {
      write(project, '.sluice/tokens/abc.json', '{}');
      chmodSync(join(project, '.sluice/tokens/abc.json'), 0o644);
    },
  },
  { code: 'bot-halted', plant: (project) => journalWith(project, 'halted') },
  { code: 'bot-reduce-only', plant: (project) => journalWith(project, 'reduce-only') },
  { code: 'bot-killed', plant: put('.sluice/accounts/h-1-paper/kill', 'killed: by hand\n') },
  { code: 'journal-open', plant: put('.sluice/runs/momentum-1/journal.db', 'this is no journal') },
];

function secretsIn(project: string, mode: number): void {
  const file = join(project, '.env');
  writeFileSync(
    file,
    Object.entries(LOCAL)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  chmodSync(file, mode);
}
