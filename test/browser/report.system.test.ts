import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHtml } from '../../src/reports/page/run-html.ts';
import { aPage, manyFills } from '../reports/a-page.ts';
import { aSecurity, GENERATED } from '../reports/a-run.ts';
import { accessibilityMistakes, hasChromium, openFile, startBrowser } from './a-browser.ts';

const EQUITY = Array.from({ length: 400 }, (_, day) => 100_000 + 5_000 * Math.sin(day / 20) + day * 30);
const HOSTILE = '</script><img src=x onerror="document.title=1">';

/** Scripts for the browser as text, so that the test needs no DOM types. */
const inkedCanvases = `[...document.querySelectorAll('canvas')].filter((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width || 1, canvas.height || 1);
  return data.some((value, index) => index % 4 === 3 && value > 0);
}).length`;

/** Texts of the tiles that wrap to more than one line. */
const brokenFigures = `[...document.querySelectorAll('.tiles dd')].flatMap(({ firstChild: text }) =>
  [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return range.getClientRects().length > 1;
  }).map(([word]) => word))`;

describe.skipIf(!hasChromium)('the report in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const page = aPage(EQUITY, { fills: manyFills(120) });
  const html = runHtml({
    ...page,
    charts: page.charts.map((chart) => ({
      ...chart,
      indicators: [
        { name: 'average', isPrice: true, values: chart.bars.map(([, open], at) => (at < 10 ? null : open)) },
        { name: 'force', isPrice: false, values: chart.bars.map((_bar, at) => at % 100) },
      ],
    })),
  });
  const several = runHtml(
    aPage(EQUITY, {
      fills: manyFills(120),
      strategies: ['trend-of-the-long-run', 'dips'].map((name) => ({
        name,
        earned: 1_234_567.89,
        quarantined: true,
      })),
    }),
  );

  it.each(['light', 'dark'] as const)(
    'opens without a network or an error and draws its charts (%s)',
    async (scheme) => {
      const opened = await openFile(browser, html, scheme);
      try {
        await opened.page.waitForFunction(`${inkedCanvases} >= 4`);
        expect(opened.complaints).toEqual([]);
        expect(opened.requests).toHaveLength(1);
      } finally {
        await opened.close();
      }
    },
  );

  it('reads values under the pointer in all charts at once, and draws equity on a logarithmic axis', async () => {
    const { page, complaints, close } = await openFile(browser, html);
    try {
      await page.waitForFunction(`${inkedCanvases} >= 4`);
      const ticks = `document.querySelector('#equity-chart canvas').toDataURL()`;
      const before = await page.evaluate(ticks);
      await page.locator('#equity-log').check();
      await page.waitForFunction(`${ticks} !== ${JSON.stringify(before)}`);
      const plot = page.locator('#equity-chart .u-over');
      await plot.hover();
      const values = (id: string) => page.locator(`#${id}-values`).textContent();
      expect(await values('equity')).toMatch(/^20\d\d-\d\d-\d\d.*: Equity [\d,.]+, Buy and hold [\d,.]+$/);
      expect(await values('drawdown')).toMatch(/: Drawdown -\d+\.\d%$/);
      const price = page.locator('#price-chart');
      await price.hover();
      await page.waitForFunction(
        `/: open .*, close /.test(document.getElementById('price-values').textContent)`,
      );
      expect(await values('price')).toMatch(/, close [\d.]+, volume \d+, average [\d.]+, force \d+$/);
      const legend = page.locator('#price-legend');
      expect(await legend.textContent()).toMatch(/average .*force \(below\)/);
      expect(await legend.locator('span[style*="color"]').count()).toBe(2);
      await page.locator('#price-log').check();
      expect(complaints).toEqual([]);
    } finally {
      await close();
    }
  });

  it('wraps no figure of a large account', async () => {
    const large = EQUITY.map((equity) => equity * 1_500.5);
    const opened = await openFile(browser, runHtml(aPage(large, { fills: manyFills(2) })));
    try {
      expect(await opened.page.evaluate(brokenFigures)).toEqual([]);
    } finally {
      await opened.close();
    }
  });

  it('pages through the list of trades', async () => {
    const opened = await openFile(browser, html);
    try {
      const { page } = opened;
      const range = page.locator('#trade-range');
      expect(await range.textContent()).toBe('1 to 50 of 120');
      expect(await page.locator('#trades-back').isDisabled()).toBe(true);
      await page.locator('#trades-on').click();
      await page.locator('#trades-on').click();
      expect(await range.textContent()).toBe('101 to 120 of 120');
      expect(await page.locator('#trades-on').isDisabled()).toBe(true);
      expect(await page.locator('#trade-rows tr').count()).toBe(20);
    } finally {
      await opened.close();
    }
  });

  it('sorts, filters and offers the trades as CSV', async () => {
    const opened = await openFile(browser, html);
    try {
      const { page } = opened;
      const profits = async () => {
        const texts = await page.locator('#trade-rows tr td:nth-child(8)').allTextContents();
        return texts.map((text) => Number(text.replace(/[^-\d.]/g, '')));
      };
      await page.locator('#trade-head-7').click();
      const ascending = await profits();
      const signs = await page.locator('#trade-rows tr td:nth-child(8)').allTextContents();
      for (const text of signs) expect(text).toMatch(/^(?:[+-][\d,]+\.\d\d|0\.00) [A-Z]{3}$/);
      expect(ascending).toEqual(ascending.toSorted((one, other) => one - other));
      await page.locator('#trade-head-7').click();
      const descending = await profits();
      expect(descending).toEqual(descending.toSorted((one, other) => other - one));
      await page.locator('#trade-filter').fill('no such trade');
      expect(await page.locator('#trade-range').textContent()).toBe('0 to 0 of 0');
      const href = (await page.locator('#trades-csv').getAttribute('href')) ?? '';
      const lines = decodeURIComponent(href.replace('data:text/csv;charset=utf-8,', '')).trim().split('\n');
      expect(lines[0]).toBe(
        'Symbol,Side,Opened (UTC),Closed (UTC),Quantity,Entry,Exit,Profit,Return,Held,Exit reason,MAE,MFE,Fees',
      );
      expect(lines).toHaveLength(121);
      expect(opened.complaints).toEqual([]);
    } finally {
      await opened.close();
    }
  });

  it('runs no script in a name, a path or a config (S-14)', async () => {
    const page = aPage(
      EQUITY,
      {
        fills: manyFills(2),
        strategy: HOSTILE,
        config: HOSTILE,
        assumptions: [HOSTILE],
        securities: [aSecurity({ names: { en: HOSTILE, zhCn: '', zhHk: '' } })],
      },
      { yaml: HOSTILE },
    );
    const opened = await openFile(browser, runHtml(page));
    try {
      expect(await opened.page.locator('img').count()).toBe(0);
      expect(await opened.page.title()).not.toBe('1');
      expect(await opened.page.locator('#trade-rows tr').count()).toBe(2);
      expect(opened.complaints).toEqual([]);
    } finally {
      await opened.close();
    }
  });

  it.each(['light', 'dark'] as const)('has no accessibility mistakes (%s)', async (scheme) => {
    expect(await accessibilityMistakes(browser, several, scheme)).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'fits a phone: only its tables scroll sideways (%s)',
    async (scheme) => {
      const opened = await openFile(browser, several, scheme);
      try {
        await opened.page.setViewportSize({ width: 390, height: 844 });
        await opened.page.waitForFunction(`${inkedCanvases} >= 4`);
        expect(await opened.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      } finally {
        await opened.close();
      }
    },
  );

  it('shows its months and trades completely on a desktop screen', async () => {
    const opened = await openFile(browser, html);
    try {
      await opened.page.setViewportSize({ width: 1100, height: 900 });
      const cut = `[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length`;
      expect(await opened.page.evaluate(cut)).toBe(0);
    } finally {
      await opened.close();
    }
  });

  it('shows the return of holding next to the return', async () => {
    const opened = await openFile(browser, html);
    try {
      const tiles = await opened.page.locator('.tiles div').allTextContents();
      expect(tiles.filter((text) => /^(?:Return|Buy and hold)[+-]?[\d.]+%$/.test(text))).toHaveLength(2);
    } finally {
      await opened.close();
    }
  });

  it('warns above every figure if prices were generated', async () => {
    const page = aPage(EQUITY, { securities: [aSecurity({ origin: GENERATED })] });
    const opened = await openFile(browser, runHtml(page));
    try {
      expect(await opened.page.locator('.banner').textContent()).toContain('GENERATED PRICES');
    } finally {
      await opened.close();
    }
  });
});

describe('the report as a file', () => {
  it('stays under 1.5 MB for 5,000 trades', () => {
    const long = Array.from({ length: 12_000 }, (_, day) => 100_000 + 9_000 * Math.sin(day / 33));
    const bytes = Buffer.byteLength(runHtml(aPage(long, { fills: manyFills(5_000) })));
    expect(bytes).toBeLessThan(1_500_000);
  });

  it('is the same for the same run, byte for byte', () => {
    const page = aPage(EQUITY, { fills: manyFills(5) });
    expect(runHtml(page)).toBe(runHtml(structuredClone(page)));
  });
});
