import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { announcedSplits } from '#src/app/load/announced-splits.ts';
import { loadPaperRun } from '#src/app/load/load-run.ts';
import type { RunPage } from '#src/reports/run-page.ts';
import { anOperator, eventually, type Operator, secretsOf, type VenueChild } from './a-bot-process.ts';

const WAIT = { timeout: 300_000 };
const DATA = join(import.meta.dirname, '../../backtest-data');

const STRATEGY = `import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({ name: 'watcher', params: {}, onQuote: () => undefined });
`;

let operator: Operator;
let venue: VenueChild;

beforeAll(() => {
  operator = anOperator(() => secretsOf(venue));
  operator.write('watcher.ts', STRATEGY);
});
afterAll(() => operator.close());

interface Reported {
  readonly assumptions: readonly string[];
  readonly securities: readonly { readonly origin: { readonly kind: string; readonly source?: string } }[];
}

/** Runs a bot on the venue until its live view shows figures, interrupts it, and returns its report and output. */
async function reported(symbol: string, data = ''): Promise<{ report: Reported; err: string }> {
  const { http, quoteWs, tradeWs } = venue.ready;
  operator.write(
    'bot.yaml',
    `strategy: ./watcher.ts
symbols: [${symbol}]
period: 1d
${data}account: { currency: USD, cash: { USD: 100000 }, fx: { USDHKD: 7.8 } }
broker: { account: paper, http: "${http}", quoteWs: "${quoteWs}", tradeWs: "${tradeWs}" }
`,
  );
  const bot = operator.run(['bot.yaml', '--json']);
  await eventually(() => /^UTC +quotes/m.test(bot.err()), 'the figures of the bot', bot.err);
  bot.signal('SIGINT');
  await bot.ended;
  return { report: JSON.parse(bot.out()), err: bot.err() };
}

/** The page that was saved last. */
function newestPage(): string {
  const dir = join(operator.project, '.sluice');
  const pages = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('run.json'))
    .map((path) => join(dir, path));
  const newest = pages.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)[0];
  if (newest === undefined) throw new Error('No run was saved');
  return newest;
}

describe('the origin of prices of a bot on an account', () => {
  it('is generated on a synthetic market', WAIT, async () => {
    venue = await operator.venue(['--port', '0']);
    const { report, err } = await reported('AAPL.US');
    expect(report.securities[0]?.origin).toMatchObject({ kind: 'generated', seed: 1 });
    // The venue filled the orders, so the report mentions no fill model.
    expect(report.assumptions).toEqual([
      'Fills, charges, cash and positions are as the venue reported them; nothing is modelled',
      'Exchange rates of USDHKD are those of the config',
      'AAPL.US is GENERATED data: it is evidence of no real market',
    ]);
    expect(err).toContain('GENERATED PRICES');
    expect(err).not.toContain('REAL PRICES');
  });

  it('is that of the venue, not that of the data that the config names', WAIT, async () => {
    const folder = join(operator.project, 'backtest-data/AAPL.US');
    mkdirSync(folder, { recursive: true });
    cpSync(join(DATA, 'SPX.US'), folder, { recursive: true });
    const facts = JSON.parse(readFileSync(join(folder, 'security.json'), 'utf8'));
    writeFileSync(
      join(folder, 'security.json'),
      JSON.stringify({ ...facts, symbol: 'AAPL.US', kind: 'stock', board: 'USMain', tradable: true }),
    );
    expect(facts.origin.kind).toBe('real');
    const { report, err } = await reported('AAPL.US', 'data: { from: 2005-01-03, to: 2005-12-30 }\n');
    expect(report.securities[0]?.origin).toMatchObject({ kind: 'generated' });
    expect(err).not.toContain('REAL PRICES');
    // Nor are the prices of its page generated: the file has prices of 2005.
    const page: RunPage = JSON.parse(readFileSync(newestPage(), 'utf8'));
    const times = page.charts.flatMap(({ bars }) => bars.map(([time]) => time));
    expect(Math.max(0, ...times.map((time) => (time < Date.now() - 400 * 86_400_000 ? time : 0)))).toBe(0);
    expect(page.curve.hold.filter((value) => value !== null)).toEqual([]);
  });

  it('uses the splits of the data that the config names', WAIT, async () => {
    const events = join(operator.project, 'backtest-data/AAPL.US/events.csv');
    writeFileSync(events, 'ex_date,type,value\n2026-01-05,split,7\n');
    const path = join(operator.project, 'bot.yaml');
    const neverAsked = () => Promise.reject(new Error('asked the broker'));
    const { setup } = await loadPaperRun(path, operator.project, undefined, neverAsked);
    expect(setup.history).toEqual([]);
    expect(setup.corporateActions).toMatchObject([{ kind: 'split', exDay: '2026-01-05' }]);
    // A line that is added while the bot runs is read as well.
    const { config } = await loadPaperRun(path, operator.project);
    const source = { project: operator.project, config, onAlarm: undefined };
    const splits = announcedSplits(source, createSystemClock());
    writeFileSync(events, 'ex_date,type,value\n2026-01-05,split,7\n2026-03-02,split,2\n');
    expect(splits().map(({ exDay }) => exDay)).toEqual(['2026-01-05', '2026-03-02']);
    rmSync(events);
  });

  it('is unknown if the venue does not state it', WAIT, async () => {
    venue = await operator.venue(['--port', '0', '--without', 'prices.origin']);
    const { report, err } = await reported('AAPL.US');
    const { host } = new URL(venue.ready['quoteWs'] ?? '');
    expect(report.securities[0]?.origin).toEqual({ kind: 'unknown', source: host });
    expect(err).toContain('PRICES OF UNKNOWN ORIGIN');
    expect(err).not.toContain('REAL PRICES');
  });

  it('is that of the bars that the venue replays', WAIT, async () => {
    venue = await operator.venue([
      ...['--port', '0', '--symbol', 'AAPL.US', '--period', '1d', '--clock', 'scaled', '--speed', '60'],
      ...['--data', 'backtest-data', '--from', '2005-01-03', '--to', '2005-12-30'],
    ]);
    const { report } = await reported('AAPL.US');
    const facts = JSON.parse(readFileSync(join(DATA, 'SPX.US/security.json'), 'utf8'));
    expect(report.securities[0]?.origin).toEqual(facts.origin);
  });
});
