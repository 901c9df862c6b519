import { execFile } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyTab, hasChromium, startBrowser } from '../browser/a-browser.ts';
import { ROOT } from './snippets.ts';

const BUILD_MS_MAX = 240_000;
const site = mkdtempSync(join(tmpdir(), 'sluice-site-'));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

let server: Server;
let address = '';

beforeAll(async () => {
  const vitepress = join(ROOT, 'node_modules/vitepress/bin/vitepress.js');
  await promisify(execFile)(process.execPath, [vitepress, 'build', 'docs', '--outDir', site], { cwd: ROOT });
  server = createServer((request, response) => {
    const path = join(site, decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname));
    const file = path.endsWith('/') ? join(path, 'index.html') : path;
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, BUILD_MS_MAX);

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(site, { recursive: true, force: true });
});

describe.skipIf(!hasChromium)('the documentation site', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await startBrowser();
    page = await emptyTab(browser);
  });
  afterAll(() => browser.close());

  /** Searches from a page, opens the first result, and returns the path and the heading of its page. */
  async function found(
    from: string,
    words: string,
  ): Promise<{ readonly path: string; readonly heading: string }> {
    await page.goto(`${address}${from}`);
    const before = await page.locator('main h1').first().textContent();
    // The search box opens with the previous query and its results.
    await page.evaluate('sessionStorage.clear()');
    await page.locator('.VPNavBarSearch button').first().click();
    await page.locator('.VPLocalSearchBox input').fill(words);
    await page.locator('.VPLocalSearchBox .result').first().click();
    await page.waitForURL((url) => url.pathname !== from);
    // The address changes before the page does.
    await page
      .locator('main h1')
      .filter({ hasNotText: before ?? '' })
      .first()
      .waitFor();
    const heading = (await page.locator('main h1').first().textContent()) ?? '';
    return { path: new URL(page.url()).pathname, heading: heading.replaceAll('\u200b', '').trim() };
  }

  it('finds the recipe of a Donchian channel', async () => {
    expect(await found('/', 'donchian')).toMatchObject({ path: '/docs/cookbook.html' });
  });

  it('finds Chinese words inside a sentence, in simplified and traditional characters', async () => {
    expect(await found('/docs/zh-cn/README.html', '网格')).toMatchObject({
      path: '/docs/zh-cn/cookbook.html',
      heading: '策略示例',
    });
    expect(await found('/docs/zh-hk/README.html', '印花稅')).toMatchObject({
      path: '/docs/zh-hk/faq.html',
      heading: '常見問題',
    });
  });

  it('has every page of the sidebars, and the picture of the first page', async () => {
    for (const from of ['/docs/getting-started.html', '/docs/zh-cn/faq.html', '/docs/zh-hk/faq.html']) {
      await page.goto(`${address}${from}`);
      const links = await page
        .locator('.VPSidebar a')
        .evaluateAll((all) => all.map((link) => String(Reflect.get(link, 'href'))));
      expect(links.length).toBeGreaterThanOrEqual(5);
      const missing = links.filter(
        (link) => !existsSync(join(site, decodeURIComponent(new URL(link).pathname))),
      );
      expect(missing).toEqual([]);
    }
    await page.goto(`${address}/`);
    const width = await page
      .locator('main img')
      .first()
      .evaluate((image) => Number(Reflect.get(image, 'naturalWidth')));
    expect(width).toBeGreaterThan(300);
  });
});
