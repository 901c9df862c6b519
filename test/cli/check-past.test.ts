import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkConfig } from '../../src/app/load/check-config.ts';
import { writeSecurity } from '../../src/market-data/security-file.ts';
import { calendarDay } from '../../src/model/time.ts';
import { aSecurity, barText } from '../market-data/fixtures.ts';

const STRATEGY = `import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({ name: 'still', params: {}, onBar: () => [] });
`;

/** A project with these bars by symbol, and a config with `changes`. */
function aProject(bars: Readonly<Record<string, readonly string[]>>, changes = '', events?: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-check-past-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const put = (name: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  };
  for (const [symbol, rows] of Object.entries(bars)) {
    put(`backtest-data/${symbol}/1d.csv.gz`, gzipSync(barText(...rows)));
    put(`backtest-data/${symbol}/security.json`, writeSecurity(aSecurity(symbol, { lotSize: 1 })));
    if (events !== undefined) put(`backtest-data/${symbol}/events.csv`, events);
  }
  put('strategies/still.ts', STRATEGY);
  put(
    'bot.yaml',
    `strategy: still
symbols: [${Object.keys(bars).join(', ')}]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data:
  from: 2024-01-02
  to: 2024-06-28
${changes}`,
  );
  return dir;
}

/** Opening and closing bars of these days. */
const days = (...dates: readonly string[]): string[] =>
  dates.map((date) => `${calendarDay(date)},10,10,10,10,1`);

async function checked(dir: string, past = true): Promise<readonly string[]> {
  const loaded = await checkConfig(join(dir, 'bot.yaml'), dir, { past });
  const [severity, found] = loaded.kind === 'ok' ? ['warning', loaded.warnings] : ['error', loaded.problems];
  return found.map(({ line, path, code, message }) =>
    `${severity} ${line} ${path} ${code}: ${message}`.replaceAll(`${dir}/`, ''),
  );
}

describe("a check of a config's past data", () => {
  it('finds nothing if there are bars from its first day to its last', async () => {
    expect(await checked(aProject({ 'AAPL.US': days('2024-01-05', '2024-06-25') }))).toEqual([]);
  });

  it('refuses days on which no symbol has a bar, with the line of the config, as the run does', async () => {
    const dir = aProject({ 'AAPL.US': days('2019-01-02', '2019-06-28'), 'MSFT.US': [] });
    expect(await checked(dir)).toEqual([
      'error 6 data.from bad-data: Cannot read data range: there is no bar from 2024-01-02 to 2024-06-28: ' +
        'AAPL.US has those of 2019-01-02 to 2019-06-28; MSFT.US has none',
    ]);
    expect(await checked(dir, false)).toEqual([]);
  });

  it('reports a short warm-up at the line of the first day', async () => {
    const dir = aProject({ 'AAPL.US': days('2024-01-02', '2024-01-03', '2024-06-28') });
    const signals = 'signals: ({ bars }) => ({ average: sma(bars.close, 2) }), onBar: () => []';
    writeFileSync(
      join(dir, 'strategies/still.ts'),
      STRATEGY.replace('{ defineStrategy }', '{ defineStrategy, sma }').replace('onBar: () => []', signals),
    );
    expect(await checked(dir)).toContainEqual(
      expect.stringMatching(/^warning 6 data\.from beyond-limit: SHORT WARM-UP: the signals need 1 bars of/),
    );
  });

  it('lists the days of five symbols, and counts the others', async () => {
    const symbols = ['AAA.US', 'BBB.US', 'CCC.US', 'DDD.US', 'EEE.US', 'FFF.US', 'GGG.US'];
    const dir = aProject(Object.fromEntries(symbols.map((symbol) => [symbol, days('2019-01-02')])));
    const [problem] = await checked(dir);
    expect(problem).toContain('EEE.US has those of 2019-01-02 to 2019-01-02; and 2 more');
    expect(problem).not.toContain('FFF.US');
  });

  it('warns of a symbol without any, and of bars that begin late or end early', async () => {
    const dir = aProject({
      'AAPL.US': days('2024-03-01', '2024-06-28'),
      'MSFT.US': days('2019-01-02'),
      'SPY.US': days('2024-01-02', '2024-05-31'),
    });
    expect(await checked(dir)).toEqual([
      'warning 6 data.from bad-data: Bars of AAPL.US begin on 2024-03-01, "data.from" is 2024-01-02',
      'warning 6 data.from bad-data: Bars of MSFT.US are of 2019-01-02 to 2019-01-02, none of 2024-01-02 to 2024-06-28: it is not traded',
      'warning 7 data.to bad-data: Bars of SPY.US end on 2024-05-31, "data.to" is 2024-06-28',
    ]);
  });

  it('refuses dividends and splits that cannot be read, if they are enabled', async () => {
    const bars = { 'AAPL.US': days('2024-01-02', '2024-06-28') };
    const events = 'ex_date,type,value\n2024-05-10,splitt,4\n';
    expect(await checked(aProject(bars, 'simulation: { corporateActions: true }\n', events))).toEqual([
      'error 2 symbols bad-data: Cannot read dividends and splits: the type is "splitt", want "dividend", "split" or "delisting"; correct the line at backtest-data/AAPL.US/events.csv:2',
    ]);
    expect(await checked(aProject(bars, '', events))).toEqual([]);
  });

  it('warns of dividends and splits on its days that are known and not enabled', async () => {
    const bars = { 'AAPL.US': days('2024-01-02', '2024-06-28') };
    const events =
      'ex_date,type,value\n2023-05-10,dividend,1\n2024-02-09,dividend,1\n2024-05-10,dividend,1\n2024-06-10,split,4\n';
    expect(await checked(aProject(bars, '', events))).toEqual([
      'warning 2 symbols bad-data: The events.csv of AAPL.US tells 2 dividends and 1 split from 2024-01-02 to 2024-06-28, which a backtest leaves out: with raw prices say "simulation: { corporateActions: true }"',
    ]);
    expect(await checked(aProject(bars, 'simulation: { corporateActions: true }\n', events))).toEqual([]);
  });

  it('names a period without bars', async () => {
    const dir = aProject({ 'AAPL.US': days('2024-01-02', '2024-06-28') });
    writeFileSync(join(dir, 'bot.yaml'), readFileSync(join(dir, 'bot.yaml'), 'utf8').replace('1d', '1m'));
    expect((await checked(dir)).join()).toContain('Cannot find 1m bars of "AAPL.US"');
  });

  it('does not check days for a bot on an account', async () => {
    const dir = aProject({ 'AAPL.US': days('2019-01-02') }, 'broker: { account: "1" }\n');
    expect((await checked(dir)).filter((text) => text.includes('bad-data'))).toEqual([]);
  });
});
