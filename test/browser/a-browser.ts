import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Debian's Chromium. Without it, tests that need a browser are skipped with a note. */
export const CHROMIUM = '/usr/bin/chromium';
export const hasChromium = existsSync(CHROMIUM);

/** A browser without network: every further request of a page fails and is recorded. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
}

/** An empty tab, for pages from a server on loopback. */
export function emptyTab(browser: Browser, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  return browser.newPage(options);
}

/** A page opened from a file, with its errors and its requests. */
export interface OpenedPage {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Opens an HTML text as a file, in the light or dark colour scheme. */
export async function openFile(
  browser: Browser,
  html: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<OpenedPage> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-page-'));
  const file = join(folder, 'run.html');
  writeFileSync(file, html);
  const context = await browser.newContext({ offline: true, colorScheme, bypassCSP: false });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'log') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  return {
    page,
    complaints,
    requests,
    close: async () => {
      await context.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Accessibility mistakes on a page, as `rule: element`. axe is injected, so the page's policy must permit it. */
export async function accessibilityMistakes(
  browser: Browser,
  html: string,
  scheme: 'light' | 'dark',
): Promise<readonly string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const context = await browser.newContext({ offline: true, colorScheme: scheme, bypassCSP: true });
  try {
    const page = await context.newPage();
    await page.setContent(html);
    await page.addScriptTag({ content: axe });
    return await page.evaluate<readonly string[]>(
      `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`,
    );
  } finally {
    await context.close();
  }
}
