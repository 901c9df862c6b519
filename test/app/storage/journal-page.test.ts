import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { journalPage } from '#src/app/storage/journal-page.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { DetailedRecord } from '#src/events/run-record.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { decimal } from '#src/model/decimal.ts';
import { reportJson } from '#src/reports/json.ts';
import { runHtml } from '#src/reports/page/run-html.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf, TWO_DOLLARS } from '../../fixtures/backtest.ts';
import { bars, FOUR_DAYS } from '../../simulation/world.ts';

const trader = defineStrategy({
  name: 'trader',
  params: {},
  onBar: ({ symbol }, { position, orders }) =>
    position(symbol).quantity === 0 ? orders.buy(symbol, 100) : orders.sell(symbol, 100),
});

let project: string;
let record: DetailedRecord;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-journal-page-'));
  record = journalIn('killed');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** A folder with the journal of a run that has not ended. */
function journalIn(name: string): DetailedRecord {
  mkdirSync(join(project, name));
  const journal = openSqliteJournal(join(project, name, 'journal.db'));
  const setup = setupOf(trader, [bars('AAPL.US', '1d', FOUR_DAYS)], {
    charges: TWO_DOLLARS,
    cash: { USD: decimal('10000') },
  });
  const { append } = journal;
  const made = runBacktest(setup, {
    journal: {
      ...journal,
      append: (event) => (event.kind === 'run-ended' ? 0 : append(event)),
    },
  });
  journal.close();
  return made as DetailedRecord;
}

function cardIn(name: string, more: object): void {
  const card = {
    ...{ pid: 2 ** 30, config: 'bot.yaml', strategy: 'trader', http: 'http://127.0.0.1:1', mode: 'paper' },
    ...{ profile: 'documented', deployment: 'AAAA', ownVenue: true, since: '2026-01-01T00:00:00Z', ...more },
  };
  writeFileSync(join(project, name, 'bot.json'), JSON.stringify(card));
}

describe('the page of a bot without an end, read from its journal', () => {
  it('has the trades, fees and counts of the run, and equity at its fills', async () => {
    cardIn('killed', { origin: 'generated' });
    const page = await journalPage('killed', project);
    const own = reportJson(record);
    expect(page?.report.trades).toEqual(own.trades);
    // A journal has the prices of fills alone.
    expect(page?.report.open).toEqual(own.open.map((trade) => ({ ...trade, price: null, unrealized: null })));
    expect(page?.report.money).toEqual(own.money);
    expect(page?.report.flow).toMatchObject({ orders: own.flow.orders, denied: own.flow.denied });
    // 10,000 less 2 per fill; 100 shares bought at 10, sold at 8, and bought again at 9.
    expect(page?.curve.equity).toEqual([9_998, 9_796, 9_794]);
    expect(page?.report.securities[0]?.origin.kind).toBe('generated');
  });

  it('begins with its state, the time that it reaches, and what is missing', async () => {
    const page = await journalPage('killed', project);
    expect(page?.unfinished?.state).toBe('killed');
    const banner = /<p class="banner">(THE BOT WAS KILLED[^<]*)<.p>(.*?)<.ul>/s.exec(
      page === undefined ? '' : runHtml(page),
    );
    expect(banner?.[1]).toMatch(/Data of its journal until 2024-03-08 \d\d:\d\d:\d\d UTC, record \d+$/);
    expect(banner?.[2]).toContain('Equity is known at fills alone');
    expect(banner?.[2]).toContain('no price chart is drawn');
  });

  it('is not made for a run with its own page, and is made if the existing page is that of an earlier run', async () => {
    const path = join(project, 'killed/run.json');
    writeFileSync(path, '{}');
    expect(await journalPage('killed', project)).toBeUndefined();
    utimesSync(path, new Date('2025-12-31'), new Date('2025-12-31'));
    expect((await journalPage('killed', project))?.unfinished?.state).toBe('killed');
    cardIn('killed', { ended: '2026-01-01T01:00:00Z' });
    expect(await journalPage('killed', project)).toBeUndefined();
  });

  it('is refused if no run has started, and not made without a journal', async () => {
    mkdirSync(join(project, 'empty'));
    expect(await journalPage('empty', project)).toBeUndefined();
    openSqliteJournal(join(project, 'empty/journal.db')).close();
    await expect(journalPage('empty', project)).rejects.toThrow('no run has started in its journal yet');
  });
});
