/**
 * Draws the page of a bot in the dashboard as a PNG picture: `node docs/images/dashboard-png.ts OUT.png`. A bot trades generated minutes on its own
 * embedded venue, 20 times as fast as the wall. The picture is taken in Debian's Chromium once it holds a position after some fills.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { MAIN, pictureProject } from './picture-project.ts';

const [out = ''] = process.argv.slice(2);
if (out === '') throw new Error('Usage: node docs/images/dashboard-png.ts OUT.png');

const WAIT_MS = 600_000;
const SIZE = { width: 1280, height: 1120 } as const;
const FILLS = 5;
const { project, close } = pictureProject();
const bot = spawn(process.execPath, [MAIN, 'run', 'momentum.yaml', '--speed', '20', '--ui'], {
  cwd: project,
  env: { ...process.env, SLUICE_STATE_DIR: join(project, 'state') },
  stdio: ['ignore', 'ignore', 'pipe'],
});
const ended = new Promise((resolve) => bot.once('close', resolve));
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light', locale: 'en' });
  await page.goto(await link());
  await page.locator('table a').first().click();
  const panel = (title: string) =>
    page.locator('section.panel', { has: page.locator('h2', { hasText: title }) });
  const timeout = WAIT_MS;
  await panel('Fills').locator('tbody tr').nth(FILLS).waitFor({ timeout });
  await panel('Denials').locator('tbody tr').first().waitFor({ timeout });
  await panel('Positions').locator('tbody tr', { hasText: 'stop:' }).waitFor({ timeout });
  await panel('Prices').locator('canvas').first().waitFor({ timeout });
  await page.screenshot({ path: out });
} finally {
  await browser.close();
  bot.kill('SIGINT');
  await ended;
  close();
}

/** The login link that the run prints. */
function link(): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    bot.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /^Dashboard {2}(\S+)$/m.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    bot.once('close', () => reject(new Error(`The bot ended before it printed a link:\n${said}`)));
  });
}
