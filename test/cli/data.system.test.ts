import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { MAIN } from '../fixtures/built-package.ts';

const PROJECT = new URL('../..', import.meta.url).pathname;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `sluice data ...` in a folder as a user would. */
function data(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, NO_COLOR: '1', ...env } };
    execFile(process.execPath, [MAIN, 'data', ...args], options, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

function aProject(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-cli-data-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const FACTS = [
  '--name',
  'Some Share',
  '--kind',
  'stock',
  '--currency',
  'USD',
  '--lot',
  '1',
  '--source',
  'a test',
];

describe('sluice data', () => {
  it('leaves nothing of an import that Ctrl-C interrupts', async () => {
    const dir = aProject();
    const rows = Array.from({ length: 300_000 }, (_, minute) => {
      const at = new Date(Date.UTC(2020, 0, 2) + minute * 60_000).toISOString();
      return `${at},10,11,9,10,${minute}\n`;
    });
    const bad = '2020-01-01T00:00:00Z,10,11,9,none,1\n';
    writeFileSync(join(dir, 'long.csv'), `Time,Open,High,Low,Close,Volume\n${bad}${rows.join('')}`);
    const series = ['--symbol', 'AAPL.US', '--period', '1m', '--on-bad-row', 'skip'];
    const child = spawn(process.execPath, [MAIN, 'data', 'import', 'long.csv', ...series, ...FACTS], {
      cwd: dir,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let reported = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (reported === '') child.kill('SIGINT');
      reported += text;
    });
    const [code] = await once(child, 'close');
    expect({ code, reported }).toEqual({
      code: 130,
      reported: expect.stringContaining('Interrupted: nothing was imported'),
    });
    expect(readdirSync(join(dir, 'backtest-data'))).toEqual([]);
  });

  it('imports, lists, checks and exports', async () => {
    const dir = aProject();
    writeFileSync(
      join(dir, 'yahoo.csv'),
      'Date,Open,High,Low,Close,Adj Close,Volume\n2024-01-02,10,12,9,11,5.5,100\n2024-01-03,null,null,null,null,null,null\n2024-01-04,5.5,5.5,5,5.5,5.5,100\n',
    );
    const series = ['--symbol', 'AAPL.US', '--period', '1d'];
    const stopped = await data(dir, ['import', 'yahoo.csv', ...series, ...FACTS]);
    expect(stopped).toMatchObject({ code: 3, out: '' });
    expect(stopped.err).toContain('open is "null"');
    expect(stopped.err).toContain('yahoo.csv:3:12');
    expect(existsSync(join(dir, 'backtest-data', 'AAPL.US'))).toBe(false);

    const done = await data(dir, ['import', 'yahoo.csv', ...series, ...FACTS, '--on-bad-row', 'skip']);
    expect(done).toMatchObject({ code: 0 });
    expect(done.out).toContain('Imported 2 1d bars of AAPL.US');
    expect(done.out).toContain('1 skipped');
    expect(done.err).toContain('yahoo.csv:3:12');

    const listed = await data(dir, ['list', '--json']);
    expect(JSON.parse(listed.out)).toMatchObject([
      {
        symbol: 'AAPL.US',
        origin: { kind: 'real' },
        series: [{ period: '1d', rows: 2, last: '2024-01-04T05:00:00Z' }],
        problems: [],
      },
    ]);

    const checked = await data(dir, ['check', 'AAPL.US']);
    expect(checked.code).toBe(0);
    expect(checked.out).toContain('1d.csv:3: warning: gap: No bar on the trading day 2024-01-03');
    expect(checked.out).toContain('1d.csv:3: warning: split: Opened from 11 to 5.5, like a 2-for-1');

    const exported = await data(dir, [
      'export',
      'AAPL.US',
      '--period',
      '1d',
      '--to-file',
      'out.csv',
      '--format',
      'csv',
    ]);
    expect(exported.code).toBe(0);
    expect(readFileSync(join(dir, 'out.csv'), 'utf8')).toBe(
      readFileSync(join(dir, 'backtest-data', 'AAPL.US', '1d.csv'), 'utf8'),
    );
  });

  it('imports all symbols of a file if none is named', async () => {
    const dir = aProject();
    const rows = ['AAPL', 'MSFT'].map((ticker) => `2024-01-02,${ticker},10,12,9,11,100`);
    writeFileSync(join(dir, 'many.csv'), ['date,ticker,open,high,low,close,volume', ...rows].join('\n'));
    const facts = ['--kind', 'stock', '--source', 'a test', '--period', '1d'];
    const unsure = await data(dir, ['import', 'many.csv', ...facts]);
    expect(unsure).toMatchObject({ code: 3, out: '' });
    expect(unsure.err).toContain('use --market US or --market HK');
    const done = await data(dir, ['import', 'many.csv', ...facts, '--market', 'us']);
    expect(done.out).toContain('Imported 2 1d bars of 2 symbols\n  AAPL.US    1 bar,');
    const listed = JSON.parse((await data(dir, ['list', '--json'])).out);
    expect(listed.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['AAPL.US', 'MSFT.US']);
    const quotes = await data(dir, ['import', 'many.csv', '--as', 'trades', ...facts]);
    expect(quotes.err).toContain('state it with --symbol');
    const events = await data(dir, ['import', 'many.csv', '--events', ...facts]);
    expect(events.err).toContain('state --symbol, or omit --events');
  });

  it('fails a check that finds errors, and lists the stored data when it is given an unknown name', async () => {
    const dir = aProject();
    writeFileSync(join(dir, 'a.csv'), 'Date,Open,High,Low,Close,Volume\n2024-01-02,10,12,9,11,100\n');
    await data(dir, ['import', 'a.csv', '--symbol', 'AAPL.US', '--period', '1d', ...FACTS]);
    writeFileSync(
      join(dir, 'backtest-data', 'AAPL.US', '1d.csv'),
      'timestamp,open,high,low,close,volume\n2024-01-02,10,12,9,11,100\n2024-01-02,10,12,9,11,100\n',
    );
    const checked = await data(dir, ['check', '--json']);
    expect(checked.code).toBe(1);
    expect(JSON.parse(checked.out)).toMatchObject({
      errors: 1,
      checks: [{ findings: [{ severity: 'error', kind: 'duplicate-timestamp', line: 3 }] }],
    });
    const unknown = await data(dir, ['check', 'APPL.US']);
    expect(unknown).toMatchObject({ code: 3, out: '' });
    expect(unknown.err).toContain('did you mean "AAPL.US"?');
  });

  it.each([
    [['import', 'a.csv', '--symbol', 'AAPL.US', '--as', 'trades'], '--period'],
    [['import', 'a.csv', '--symbol', '../x', '--period', '1d'], '<code>.<market>'],
    [['import', 'a.csv', '--symbol', 'AAPL.US', '--period', '1d', '--format', 'excel'], 'yahoo'],
    [['download', 'AAPL.US'], '--from'],
    [['lst'], 'list'],
  ])('treats %j as misuse and prints what is expected', async (args, wanted) => {
    const { code, err } = await data(aProject(), args);
    expect(code).toBe(2);
    expect(err).toContain(wanted);
  });

  it('names the addresses and credentials that a download lacks', async () => {
    const environment = { SLUICE_APP_KEY: 'key', LONGPORT_ACCESS_TOKEN: 'token' };
    const { code, err } = await data(
      aProject(),
      ['download', 'AAPL.US', '--from', '2024-01-02'],
      environment,
    );
    expect(code).toBe(3);
    expect(err).toContain('SLUICE_TRADE_WS_URL, SLUICE_APP_SECRET, SLUICE_ACCESS_TOKEN not set');
  });
});

const readySchema = z.object({
  http: z.string(),
  quoteWs: z.string(),
  tradeWs: z.string(),
  appKey: z.string(),
  appSecret: z.string(),
  accessToken: z.string(),
});

/**
 * A venue that is paused on the morning of 24 September 2025, with the bars of earlier days; it ends with the test.
 */
async function aVenue(...more: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const flags = ['--json', '--port', '0', '--clock', 'stepped', '--admin-port', '0', '--from', '2025-09-24'];
  const venue = spawn(process.execPath, [MAIN, 'venue', ...flags, ...more, '--until-stdin-ends'], {
    cwd: PROJECT,
  });
  const gone = new Promise((resolve) => venue.once('exit', resolve));
  onTestFinished(async () => {
    venue.stdin.end();
    await gone;
  });
  for await (const line of createInterface({ input: venue.stdout })) {
    const ready = readySchema.parse(JSON.parse(line));
    return {
      SLUICE_HTTP_URL: ready.http,
      SLUICE_QUOTE_WS_URL: ready.quoteWs,
      SLUICE_TRADE_WS_URL: ready.tradeWs,
      SLUICE_APP_KEY: ready.appKey,
      SLUICE_APP_SECRET: ready.appSecret,
      SLUICE_ACCESS_TOKEN: ready.accessToken,
    };
  }
  throw new Error('The venue ended without a word');
}

describe('sluice data download', () => {
  const days = ['download', 'DEMO.HK', '--period', '1m', '--from', '2025-09-22', '--to', '2025-09-23'];

  it('uses the origin of prices that the venue states', async () => {
    const dir = aProject();
    const done = await data(dir, days, await aVenue());
    expect([done.code, done.err]).toEqual([0, expect.not.stringContaining('rror')]);
    const { origin } = JSON.parse((await data(dir, ['list', '--json'])).out)[0];
    const shipped = join(PROJECT, 'backtest-data/DEMO.HK/security.json');
    expect(origin).toEqual(JSON.parse(readFileSync(shipped, 'utf8')).origin);
  });

  it('fetches the bars that a venue replays unchanged, and asks for the origin of prices if the venue does not state it', async () => {
    const dir = aProject();
    const environment = await aVenue('--without', 'prices.origin');
    const asked = await data(dir, days, environment);
    expect(asked.err).toContain('--generated');
    expect(asked.code).toBe(3);
    const done = await data(dir, [...days, '--generated', 'as DEMO.HK that ships'], environment);
    expect(done.err).not.toContain('rror');
    expect(done.code).toBe(0);
    const shipped = readFileSync(join(PROJECT, 'backtest-data/DEMO.HK/1m.csv'), 'utf8').split('\n');
    const wanted = shipped.filter((line) => line >= '2025-09-21T16' && line < '2025-09-23T16');
    const got = readFileSync(join(dir, 'backtest-data/DEMO.HK/1m.csv'), 'utf8').trimEnd().split('\n');
    expect(got.slice(1)).toEqual(wanted.filter((line) => line.startsWith('2025')));
    const { origin } = JSON.parse((await data(dir, ['list', '--json'])).out)[0];
    expect(origin).toEqual({ kind: 'generated', method: 'as DEMO.HK that ships' });
    const more = [...days.slice(0, -1), '2025-09-25', '--replace', '--generated', 'as DEMO.HK that ships'];
    const part = await data(dir, more, environment);
    expect(part.code).toBe(1);
    expect(part.out).toContain('Incomplete: downloaded 641 1m bars of DEMO.HK');
    expect(part.err).toContain('No bar on 2 trading days, 2025-09-24 to 2025-09-25');
  });
});
