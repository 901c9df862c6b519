import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { knownBots } from '#src/app/control/running-bots.ts';
import { openDashboard } from '#src/app/dashboard/open-dashboard.ts';
import type { BotSnapshot } from '#src/dashboard/bot-follower.ts';
import type { Dashboard } from '#src/dashboard/server.ts';
import { readSqliteJournal } from '#src/journal/read-sqlite.ts';
import { millis } from '#src/model/time.ts';
import { zonedStamp } from '#src/model/zoned-stamp.ts';
import { emptyTab, hasChromium, startBrowser } from '../browser/a-browser.ts';
import {
  anOperator,
  eventually,
  type Operator,
  type Running,
  secretsOf,
  type VenueChild,
  venueWithBot,
} from '../cli/a-bot-process.ts';
import { acked, drafted, intentOf } from '../fixtures/orders.ts';
import { aBotFolder, readStream, signIn } from './a-dashboard.ts';

/** Buys once, keeps an order working, and then orders more than any limit permits. */
const STRATEGY = `import { defineStrategy, sma } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'resting',
  params: {},
  signals: ({ bars }) => ({ average: sma(bars.close, 2), longer: sma(bars.close, 5) }),
  onQuote: ({ symbol, quote }, { orders, position }) => {
    const { quantity, openBuys } = position(symbol);
    const resting = orders.buy(symbol, 10, { type: 'LO', price: Math.floor(Number(quote.last) * 0.8) });
    if (quantity === 0 && openBuys === 0) return [orders.buy(symbol, 100), resting];
    if (quantity === 0) return undefined;
    return openBuys > 0 ? orders.buy(symbol, 1000000) : resting;
  },
});
`;

/** A backtest on data that ships with the package. */
const PAST = `strategy: sma-cross
symbols: [SPX.US]
period: 1d
params: { weight: 25% }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2019-01-02, to: 2019-06-28 }
risk: { maxOrderNotional: 100000 USD, maxPositionWeight: 40% }
`;

const HALTED = 'a look at the page';

let operator: Operator;
let venue: VenueChild;
let bot: Running;
let dashboard: Dashboard;
let browser: Browser | undefined;
/** Address of the dashboard that the run itself started, and its answer while the bot ran. */
let started = '';
let answered = 0;

beforeAll(async () => {
  operator = anOperator(() => secretsOf(venue));
  venue = await venueWithBot(operator, STRATEGY);
  // A kill without the bot reads its credentials from here.
  operator.write('.env', envLines(secretsOf(venue)));
  chmodSync(join(operator.project, '.env'), 0o600);
  keepSweep(operator.project);
  bot = operator.run(['bot.yaml', '--ui']);
  dashboard = await openDashboard(operator.project, { port: 0, commands: true });
  if (hasChromium) browser = await startBrowser();
  await eventually(
    async () => {
      const status = await operator.status();
      return status?.openOrders[0]?.orderId !== undefined && hasDeniedBySize();
    },
    'a position, a resting order and a denial',
    () => bot.err(),
  );
  started = /^Dashboard {2}(http:\S+?)#login=/m.exec(bot.err())?.[1] ?? '';
  answered = (await fetch(started)).status;
  const halted = await operator.sluice(['halt', '--reason', HALTED]);
  expect(halted.code).toBe(0);
});
afterAll(async () => {
  await browser?.close();
  await dashboard?.close();
  await operator?.close();
});

function envLines(secrets: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

const SCRIPT_OF_REPORT = `<script>document.title='owned'</script>`;

/** A sweep that the project has stored, whose report contains a script. */
function keepSweep(project: string): void {
  const folder = join(project, '.sluice/sweeps/kept');
  mkdirSync(folder, { recursive: true });
  const head = { schema: 'sluice.sweep/1', strategy: '<img src=x>', objective: 'sharpe' };
  writeFileSync(
    join(folder, 'result.json'),
    `${JSON.stringify(head).slice(0, -1)},\n"best": [\n{"trial":1,"objective":1.5}\n]}\n`,
  );
  writeFileSync(
    join(folder, 'report.html'),
    `<!doctype html><title>a report</title><h1 onclick="document.title='owned'">Sweep</h1>${SCRIPT_OF_REPORT}`,
  );
}

const botFolder = (): string => knownBots(operator.project)[0]?.path ?? '';

/** How often each kind of event is in the journal of the bot. */
function countedInJournal(): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  const journal = readSqliteJournal(join(botFolder(), 'journal.db'));
  for (const { event } of journal.records()) counted.set(event.kind, (counted.get(event.kind) ?? 0) + 1);
  journal.close();
  return counted;
}

/** True once the oversized order was denied; the working order may wait for the call budget before that. */
function hasDeniedBySize(): boolean {
  const journal = readSqliteJournal(join(botFolder(), 'journal.db'));
  try {
    for (const { event } of journal.records())
      if (event.kind === 'intent-denied' && event.rule !== 'call-budget') return true;
    return false;
  } finally {
    journal.close();
  }
}

const panel = (page: Page, title: string) =>
  page.locator('section.panel', { has: page.locator('h2', { hasText: title }) });

/** A logged-in page that shows the bot, with its errors and its requests to other hosts. */
async function onBot(options: Parameters<Browser['newContext']>[0] = {}) {
  if (browser === undefined) throw new Error('There is no browser');
  const page = await emptyTab(browser, options);
  const context = page.context();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'log') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`http://127.0.0.1:${dashboard.port}/`)) complaints.push(request.url());
  });
  await page.goto(dashboard.link('command'));
  await page.locator('table a').first().click();
  await page.locator('.tiles').waitFor();
  return { context, page, complaints };
}

/** Accessibility mistakes as `rule: element`. The debugger evaluates axe, so the page's policy does not block it. */
async function mistakesOf(page: Page): Promise<readonly string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  return page.evaluate<readonly string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`,
  );
}

const close = ({ context }: { readonly context: BrowserContext }): Promise<void> => context.close();

describe.skipIf(!hasChromium)('the dashboard in a browser, with a bot on paper', () => {
  it('shows gate with cause, position, working order and denials, and requests no other host', async () => {
    const opened = await onBot();
    const { page, complaints } = opened;
    try {
      const head = page.locator('.head');
      expect(await head.textContent()).toMatch(/PAPER.*running.*halted.*a look at the page/s);
      await expect
        .poll(() => panel(page, 'Positions').textContent(), { timeout: 10_000 })
        .toMatch(/AAPL\.US\D*100/);
      await expect
        .poll(() => panel(page, 'Denials').textContent(), { timeout: 10_000 })
        .toContain('buy 1,000,000 AAPL.US');
      await panel(page, 'Prices').locator('canvas').first().waitFor();
      await panel(page, 'Equity').locator('canvas').first().waitFor();
      // The working order is a line of the chart, and the position has its price and gain.
      await expect.poll(() => panel(page, 'Prices').textContent()).toMatch(/limit: buy 10 at \d/);
      // The strategy's series has its newest value.
      await expect.poll(() => panel(page, 'Prices').locator('.legend').textContent()).toMatch(/average \d/);
      await expect
        .poll(() => panel(page, 'Positions').textContent())
        .toMatch(/(?:[+-][\d,]+\.\d\d|(?<!\d)0\.00) USD [+-]?\d+\.\d\d%/);
      // The head names the rule of the newest denial and what is left of the daily loss; a limit shows by how much.
      expect(await head.textContent()).toMatch(/Latest denial: .*gate-state.*is halted/);
      expect(await panel(page, 'Denials').textContent()).toMatch(/\([\d,.]+ [A-Z]{3} over the limit\)/);
      expect(await head.textContent()).toMatch(/Daily loss [\d.]+% of [\d.]+%: [\d.]+% left/);
      expect(complaints).toEqual([]);
    } finally {
      await close(opened);
    }
  });

  it('shows the figures that status, positions, orders and why print, wherever the browser is', async () => {
    const opened = await onBot({ locale: 'en', timezoneId: 'Asia/Hong_Kong' });
    const { page } = opened;
    const json = async (...args: readonly string[]) => {
      const { out } = await operator.sluice([...args, '--json']);
      return JSON.parse(out);
    };
    const cells = (title: string): Promise<readonly string[]> =>
      panel(page, title).locator('tbody td').allTextContents();
    try {
      const [status, positions] = [await json('status'), await json('positions')];
      const [{ symbol, quantity, averageCost }] = positions;
      const cost = Number(averageCost).toFixed(Math.max(2, (averageCost.split('.')[1] ?? '').length));
      expect((await cells('Positions')).slice(0, 3)).toEqual([symbol, quantity, cost]);
      const [{ intentId, terms, open, decidedAt }] = status.openOrders;
      // Times on the page are the exchange's.
      const decided = zonedStamp(Date.parse(`${decidedAt.replace(' ', 'T')}Z`), 'America/New_York');
      expect(await cells('Working orders')).toEqual([
        ...[intentId, terms, 'working', open, decided],
        expect.stringMatching(/^\d+ (?:s|min) ago$/),
      ]);
      const limits = await panel(page, 'Limits used').locator('dt').allTextContents();
      const names = status.limits.map(({ name }: { name: string }) => name);
      expect(limits.toSorted()).toEqual(names.toSorted());
      expect(limits[0]).toBe('loss of the day');
      const denied = panel(page, 'Denials').locator('tbody tr', { hasText: 'max-order-notional' });
      const id = (await denied.locator('a').first().textContent()) ?? '';
      const why = await json('why', id);
      const { rule, reason } = why.links.map(({ event }: { event: object }) => event).at(-1);
      expect(await denied.first().textContent()).toContain(rule);
      expect(await denied.first().textContent()).toContain(reason);
      await denied.locator('a').first().click();
      await page.locator('h1', { hasText: id }).waitFor();
      expect(await page.locator('h1').textContent()).toContain('buy 1,000,000 AAPL.US');
      expect(await panel(page, 'Step by step').locator('tbody tr').count()).toBe(why.links.length);
    } finally {
      await close(opened);
    }
  });

  it('shows the pipeline: quotes and bars, the graph with its values, each rule, and counts equal to those of the journal', async () => {
    const opened = await onBot({ locale: 'en' });
    const { page, complaints } = opened;
    const stage = (title: string) => page.locator('.stage', { has: page.locator('h2', { hasText: title }) });
    try {
      await page.locator('a', { hasText: 'Show the whole pipeline' }).click();
      await expect.poll(() => stage('Quotes and bars').textContent()).toMatch(/Quotes [1-9]/);
      expect(await stage('Signals').textContent()).toMatch(/average.*sma\(close,2\)/s);
      const denied = stage('Risk gate').locator('.denying', { hasText: 'max-order-notional' });
      expect(await denied.textContent()).toMatch(/denied [1-9]/);
      // A halted strategy may continue to draft orders, which are denied: the page has them within a second.
      await vi.waitFor(
        async () => {
          const counted = countedInJournal();
          const drafted = await stage('Strategy').locator('.count b').allTextContents();
          expect(drafted).toEqual([String(counted.get('intent-drafted'))]);
          const approved = await stage('Risk gate').locator('.count b').allTextContents();
          expect(approved).toEqual([
            String(counted.get('intent-armed')),
            String(counted.get('intent-denied')),
          ]);
        },
        { timeout: 10_000, interval: 200 },
      );
      expect(await page.locator('.stage b').count()).toBeGreaterThan(10);
      // The drawing shows the same: a box for each declared part, and the counts at its arrows.
      const box = (text: string | RegExp) => page.locator('.drawing button', { hasText: text });
      await box('max-order-notional').waitFor();
      const rules = await stage('Risk gate').locator('.rules li').count();
      expect(await page.locator('.drawing .box-rule').count()).toBe(rules);
      expect(await box('average').textContent()).toMatch(/average.*\d/);
      expect(await box('max-order-notional').getAttribute('class')).toMatch(/denying/);
      expect(await box('max-order-notional').textContent()).toMatch(/denied [1-9]/);
      expect(await box('(latest)').count()).toBe(1);
      // The rate is known from the second answer on; table and arrow are read at the same time.
      const drawnCount = `[
        document.querySelectorAll('.stage')[2].querySelector('.count b').textContent,
        [...document.querySelectorAll('.edge tspan')].map(({ textContent }) => textContent),
      ]`;
      await expect
        .poll(
          async () => {
            const [count, texts] = await page.evaluate<readonly [string, readonly string[]]>(drawnCount);
            return texts.some((text) => text.startsWith(`${count} · `) && text.endsWith('/s'));
          },
          { timeout: 10_000 },
        )
        .toBe(true);
      expect(await box('Submits sent').textContent()).toContain(
        String(countedInJournal().get('submit-sending')),
      );
      // A box is a button that opens its details from the keyboard.
      await box('max-order-notional').focus();
      await page.keyboard.press('Enter');
      expect(await page.locator('.chosen').textContent()).toMatch(
        /max-order-notional.*denied [1-9].*Denials/,
      );
      // Arrow keys move between boxes; the Tab key reaches one of them.
      await box('Quotes').first().focus();
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Closed bars/);
      expect(await page.locator('.drawing button[tabindex="0"]').allTextContents()).toEqual([
        expect.stringMatching(/^Closed bars/),
      ]);
      // It is updated in place: the focused box stays the same element while values change.
      const quotes = await box('Quotes').textContent();
      await expect.poll(() => box('Quotes').textContent(), { timeout: 10_000 }).not.toBe(quotes);
      expect(await page.evaluate('document.activeElement.textContent')).toContain('Closed bars');
      expect(complaints).toEqual([]);
    } finally {
      await close(opened);
    }
  });

  it('shows the pipeline as it was at the first record of the journal, without current values', async () => {
    const opened = await onBot({ locale: 'en' });
    const { page, complaints } = opened;
    try {
      await page.locator('a', { hasText: 'Show the whole pipeline' }).click();
      await page.locator('.drawing .box-signal').first().waitFor();
      await page.locator('input[type=range]').focus();
      await page.keyboard.press('Home');
      await page.locator('.time [role=status]').waitFor();
      expect(await page.locator('.time').textContent()).toContain('As of record 1,');
      const counts = await page.locator('.stage b').allTextContents();
      expect(new Set(counts)).toEqual(new Set(['0']));
      expect(await page.locator('.head').textContent()).toContain('are not in the journal');
      await expect.poll(() => page.locator('.drawing .box-signal').count()).toBe(0);
      expect(await page.locator('.drawing button', { hasText: 'Quotes' }).textContent()).toContain(
        'Not in the journal',
      );
      expect(await page.locator('.drawing .denying').count()).toBe(0);
      await page.locator('.time .live').click();
      await page.locator('.drawing .box-signal').first().waitFor();
      expect(await page.locator('.drawing .denying').count()).toBeGreaterThan(0);
      expect(complaints).toEqual([]);
    } finally {
      await close(opened);
    }
  });

  it('lists the stored runs of the project, and opens a report from the disk without its scripts', async () => {
    const opened = await onBot({ locale: 'en' });
    const { context, page } = opened;
    try {
      await page.locator('nav a', { hasText: 'Runs' }).click();
      const row = page.locator('tbody tr', { hasText: 'kept' });
      expect(await row.textContent()).toMatch(/kept.*best sharpe: 1\.5000.*sweep<img src=x>/);
      const [tab] = await Promise.all([context.waitForEvent('page'), row.locator('button').click()]);
      await tab.locator('h1').click();
      expect(await tab.title()).toBe('a report');
      // A report's page has an opaque origin: it has neither the cookie nor the session of the dashboard.
      expect(await tab.evaluate('origin')).toBe('null');
      const status = (await tab.reload())?.status();
      expect(status).toBe(404);
    } finally {
      await close(opened);
    }
  });

  it('lists backtests as they end, compares two of them, and opens the report of one', async () => {
    operator.write('past.yaml', PAST);
    const backtest = (length: string) => operator.sluice(['backtest', 'past.yaml', '--param', length]);
    expect((await backtest('fast=10')).code).toBe(0);
    const opened = await onBot({ locale: 'en' });
    const { context, page, complaints } = opened;
    try {
      await page.locator('nav a', { hasText: 'Runs' }).click();
      const rows = page.locator('tbody tr', { hasText: 'past-' });
      await rows.first().waitFor();
      expect(await rows.count()).toBe(1);
      expect((await backtest('fast=5')).code).toBe(0);
      await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(2);
      for (const row of await rows.all()) await row.locator('input').check();
      const differences = panel(page, 'Only in');
      await expect
        .poll(() => differences.allTextContents())
        .toEqual([expect.stringContaining('--param fast='), expect.stringContaining('--param fast=')]);
      await panel(page, 'Equity').locator('canvas').first().waitFor();
      expect(await panel(page, 'Figures').locator('tbody tr').count()).toBeGreaterThan(10);
      expect(await mistakesOf(page)).toEqual([]);
      // The reasons that the runs differ are in the language of the page.
      expect(await panel(page, 'Figures').locator('.warning').allTextContents()).toEqual([
        expect.stringMatching(/^Too few samples: a run with under 30 closed trades/),
      ]);
      const [tab] = await Promise.all([context.waitForEvent('page'), rows.first().locator('button').click()]);
      expect(await tab.locator('h1').textContent()).toContain('sma-cross: backtest 2019-01-02');
      expect(complaints).toEqual([]);
    } finally {
      await close(opened);
    }
  });

  it('shows why an order was denied, by a link from the denial', async () => {
    const opened = await onBot();
    const { page } = opened;
    try {
      await panel(page, 'Denials').locator('a').last().click();
      await page.locator('h1', { hasText: 'Order' }).waitFor();
      expect(await page.locator('main').textContent()).toMatch(/Decided by quote.*denied by/s);
      expect(await panel(page, 'Quotes that the decision saw').locator('dt').allTextContents()).toEqual([
        'last',
      ]);
      // The verdict links to the rule in the pipeline at that instant, its record to the bot and its line of the log.
      const verdict = panel(page, 'Step by step').locator('tbody tr', { hasText: 'denied by' });
      const record = (await verdict.locator('a').first().textContent()) ?? '';
      const order = page.url();
      await verdict.locator('a', { hasText: 'verdict' }).click();
      await page.locator('.drawing .box-rule[aria-pressed=true].denying').waitFor();
      expect(await page.locator('.time').textContent()).toContain(`As of record ${record},`);
      await page.goto(order);
      await verdict.locator('a').first().click();
      await page.locator('.time [role=status]').waitFor();
      expect(await page.locator('a[aria-current]').allTextContents()).toEqual([record]);
      expect(await panel(page, 'Event log').locator('tbody tr').first().textContent()).toContain('denied by');
    } finally {
      await close(opened);
    }
  });

  it.each([
    ['light', 1280, 'en'],
    ['dark', 375, 'zh-HK'],
    ['dark', 768, 'zh-CN'],
  ] as const)('has no accessibility mistake and fits (%s, %d px, %s)', async (colorScheme, width, locale) => {
    const opened = await onBot({ colorScheme, locale, viewport: { width, height: 800 } });
    const { page } = opened;
    try {
      await page.locator('canvas').first().waitFor();
      await page.locator('.commands button').nth(5).click();
      await page.locator('.preview').waitFor();
      expect(await page.evaluate('document.documentElement.lang')).toBe(locale);
      const fits = async (): Promise<void> => {
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect(await mistakesOf(page)).toEqual([]);
      };
      await fits();
      await page.locator('section.panel:has(details) a').first().click();
      await page.locator('h1', { hasText: /^(?:Order|订单|訂單) / }).waitFor();
      await fits();
      await page.goto(`http://127.0.0.1:${dashboard.port}/#/`);
      await page.locator('table').waitFor();
      await fits();
      await page.goto(
        `http://127.0.0.1:${dashboard.port}/#/bot/${knownBots(operator.project)[0]?.name}/pipeline`,
      );
      await page.locator('.node-series').first().waitFor();
      await page.locator('.drawing .box-signal').first().waitFor();
      await page.locator('.drawing .denying').first().click();
      await fits();
      await page.goto(`http://127.0.0.1:${dashboard.port}/#/runs`);
      await page.locator('td button').first().waitFor();
      await fits();
    } finally {
      await close(opened);
    }
  });

  it('shows the bot as it was at its first record, and returns to the present', async () => {
    const opened = await onBot();
    const { page } = opened;
    try {
      await page.locator('input[type=range]').focus();
      await page.keyboard.press('Home');
      await page.locator('.time [role=status]').waitFor();
      expect(await page.locator('.time').textContent()).toContain('As of record 1,');
      expect(await page.locator('.head').textContent()).toContain('may trade');
      await page.locator('.time .live').click();
      await expect.poll(() => page.locator('.head').textContent(), { timeout: 10_000 }).toContain('halted');
    } finally {
      await close(opened);
    }
  });

  it('shows the bot as it was some time ago, by its clock at the exchange', async () => {
    const opened = await onBot({ locale: 'en', timezoneId: 'Asia/Tokyo' });
    const { page } = opened;
    try {
      const clock = page.locator('.time input[type=datetime-local]');
      await page.locator('.time button', { hasText: '1 h earlier' }).click();
      await page.locator('.time [role=status]').waitFor();
      // Nothing is older than the first record.
      expect(await page.locator('.time').textContent()).toContain('As of record 1,');
      await page.locator('.time .live').click();
      await expect.poll(() => page.locator('.time [role=status]').count()).toBe(0);
      const denied = panel(page, 'Denials').locator('tbody tr').last();
      const at = (await denied.locator('td').first().textContent()) ?? '';
      await clock.fill(at.slice(0, 16).replace(' ', 'T'));
      await page.locator('.time button', { hasText: 'Show' }).click();
      await page.locator('.time [role=status]').waitFor();
      expect(await page.locator('.time [role=status]').textContent()).toContain(`, ${at.slice(0, 16)}`);
    } finally {
      await close(opened);
    }
  });

  it('signs in by a new link that is opened in the same tab', async () => {
    const opened = await onBot({ locale: 'en' });
    const { page } = opened;
    try {
      await page.locator('button', { hasText: 'Sign out' }).click();
      await page.locator('h1', { hasText: 'You are signed out' }).waitFor();
      await page.goto(dashboard.link('command'));
      await page.locator('table a').first().waitFor();
    } finally {
      await close(opened);
    }
  });

  it('gives the command that the button names, whichever preview answers last', async () => {
    const opened = await onBot({ locale: 'en' });
    const { page } = opened;
    const tickets = new Map<string, string>();
    const given: string[] = [];
    const held = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const button = (text: string) => page.locator('.commands > button', { hasText: text });
    await page.route('**/previews', async (route) => {
      const { kind } = route.request().postDataJSON().command;
      const response = await route.fetch();
      tickets.set((await response.json()).ticket, kind);
      if (kind === 'cancel-all') await held.promise;
      // A request that the page cancelled cannot be answered.
      await route.fulfill({ response }).catch(() => undefined);
      if (kind === 'cancel-all') answered.resolve();
    });
    // The command is not passed on, so the bot stays as the other tests expect it.
    await page.route('**/commands', (route) => {
      given.push(tickets.get(route.request().postDataJSON().ticket) ?? 'unknown');
      return route.abort();
    });
    try {
      await button('Flatten').click();
      await page.locator('.preview button', { hasText: 'Do it: Flatten' }).waitFor();
      await page.locator('.preview input').fill('a reason to flatten');
      await button('Cancel orders').click();
      // No form may contain the ticket of the previous command.
      await expect.poll(() => page.locator('.preview').count(), { timeout: 5_000 }).toBe(0);
      await button('Pause').click();
      const pause = page.locator('.preview button', { hasText: 'Do it: Pause' });
      await pause.waitFor();
      expect(await page.locator('.preview input').inputValue()).toBe('');
      held.resolve();
      await answered.promise;
      await page.locator('.preview input').fill('a reason to pause');
      await pause.click();
      await expect.poll(() => given, { timeout: 5_000 }).toEqual(['halt']);
    } finally {
      held.resolve();
      await close(opened);
    }
  });

  it('resumes after a preview and a typed reason, using only the keyboard', async () => {
    const opened = await onBot();
    const { page } = opened;
    try {
      await page.locator('.commands button', { hasText: 'Resume' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('.preview').waitFor();
      expect(await page.locator('.preview').textContent()).toContain(HALTED);
      await page.locator('.preview input').focus();
      await page.keyboard.type('the look is over');
      await page.keyboard.press('Enter');
      await expect
        .poll(() => page.locator('.result').textContent(), { timeout: 10_000 })
        .toMatch(/Result: .*(?:active|resumed|trade)/i);
    } finally {
      await close(opened);
    }
  });

  it('kills a hanging bot with one click', async () => {
    const opened = await onBot();
    const { page } = opened;
    try {
      bot.signal('SIGSTOP');
      await page.locator('.kill').click();
      await expect
        .poll(() => page.locator('.result').textContent(), { timeout: 20_000 })
        .toMatch(/marked as killed.*does not respond.*cancelled from here: 1 \(\d+\); failed: none/s);
      await expect
        .poll(() => page.locator('.head').textContent(), { timeout: 10_000 })
        .toMatch(/does not answer.*KILLED/s);
    } finally {
      bot.signal('SIGCONT');
      await close(opened);
    }
  });

  it('is reported while it runs, with its current equity and its bars', async () => {
    const { code, out } = await operator.sluice(['report', botFolder(), '--out', 'running.html']);
    expect([code, out]).toEqual([0, expect.stringContaining('THE BOT IS RUNNING')]);
    const html = readFileSync(join(operator.project, 'running.html'), 'utf8');
    expect(html).toMatch(/and now, as the bot states it/);
    expect(html).toContain('id="price-chart"');
  });

  it('continues to show a bot that was killed by the system, and reports it', async () => {
    const opened = await onBot();
    const { page } = opened;
    try {
      bot.signal('SIGKILL');
      await bot.ended;
      await expect
        .poll(() => page.locator('.head').textContent(), { timeout: 10_000 })
        .toMatch(/PAPER.*died.*KILLED.*last known, .*ended unexpectedly.*sluice run bot\.yaml/s);
      const { out } = await operator.sluice(['report', botFolder(), '--json']);
      expect(JSON.parse(out).unfinished.state).toBe('killed');
      // Its list of bots has the same.
      await page.goto(`http://127.0.0.1:${dashboard.port}/#/`);
      await expect
        .poll(() => page.locator('tbody').textContent(), { timeout: 10_000 })
        .toMatch(/PAPER.*died.*KILLED.*last known, /s);
    } finally {
      await close(opened);
    }
  });
});

describe.skipIf(!hasChromium)('a hostile journal in a browser', () => {
  it('is shown as text on every page, without elements, scripts or events', async () => {
    const script = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const bad = intentOf('"><svg onload=1>');
    const hostile = aBotFolder(
      [
        ...acked(intentOf('INTENT1', { reason: script })),
        {
          ...drafted(bad),
          reason: script,
          cause: { ...drafted().cause, name: script, inputs: { [script]: 1 } },
        },
        {
          ...({
            kind: 'intent-denied',
            at: millis(0),
            intentId: bad.id,
            rule: script,
            reason: script,
          } as const),
          numbers: [{ name: script, value: script, limit: script }],
        },
        { kind: 'strategy-failed', at: millis(0), message: script, stack: script },
      ],
      { bot: '<b>bot & "x"', strategy: script },
    );
    const shown = await openDashboard(hostile.project, { port: 0, commands: true });
    if (browser === undefined) throw new Error('There is no browser');
    const page = await emptyTab(browser);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    const isText = async (): Promise<void> => {
      expect(await page.locator('main').textContent()).toContain('<img src=x');
      expect(await page.locator('main img, main script, main b, main svg').count()).toBe(0);
      expect(await page.title()).toBe('Sluice');
    };
    try {
      await page.goto(shown.link('command'));
      await page.locator('table a').first().waitFor();
      await isText();
      await page.locator('table a').first().click();
      await page.locator('.tiles').waitFor();
      await page.locator('summary').first().click();
      expect(await page.locator('.flow b').count()).toBeGreaterThan(0);
      expect(await page.locator('main img, main script, main svg').count()).toBe(0);
      await panel(page, 'Denials').locator('a').first().click();
      await page.locator('h1', { hasText: 'svg onload' }).waitFor();
      await isText();
      await page.goto(`http://127.0.0.1:${shown.port}/#/bot/${encodeURIComponent(hostile.bot)}/pipeline`);
      await page.locator('.drawing .denying', { hasText: '<img src=x' }).click();
      expect(await page.locator('.chosen').textContent()).toContain('<img src=x');
      expect(await page.locator('main img, main script, main [onload], main [onerror]').count()).toBe(0);
      expect(await page.title()).toBe('Sluice');
      await page.goto(`http://127.0.0.1:${shown.port}/#/bot/${encodeURIComponent('<img src=x>')}`);
      await page.locator('main p', { hasText: 'There is no such bot' }).waitFor();
      expect(complaints.filter((each) => !each.includes('404'))).toEqual([]);
    } finally {
      await page.context().close();
      await shown.close();
      hostile.close();
    }
  });
});

describe('the counts of the pipeline', () => {
  it('equal those of the journal exactly, however they are read', async () => {
    bot.signal('SIGKILL');
    await bot.ended;
    const { headers } = await signIn(dashboard);
    const path = `/api/bots/${knownBots(operator.project)[0]?.name}/stream`;
    const text = await readStream(dashboard.port, { path, headers }, (came) =>
      /event: bot\ndata: .*\n\n/.test(came),
    );
    const { flow }: BotSnapshot = JSON.parse(/event: bot\ndata: (.*)\n/.exec(text)?.[1] ?? '');
    const counted = countedInJournal();
    const of = (kind: string): number => counted.get(kind) ?? 0;
    expect(flow.drafted).toBeGreaterThan(0);
    expect(flow).toMatchObject({
      drafted: of('intent-drafted'),
      approved: of('intent-armed'),
      attempts: of('submit-sending'),
      accepted: of('submit-acked'),
      fills: of('order-filled'),
      records: [...counted.values()].reduce((sum, count) => sum + count, 0),
    });
    expect(Object.values(flow.deniedByRule).reduce((sum, count) => sum + count, 0)).toBe(of('intent-denied'));
  });
});

describe('the dashboard of run --ui', () => {
  it('answers while the bot runs and ends with it, also when the system kills it', async () => {
    expect(answered).toBe(200);
    bot.signal('SIGKILL');
    await bot.ended;
    await eventually(
      () =>
        fetch(started).then(
          () => false,
          () => true,
        ),
      'the end of the dashboard',
    );
  });
});
