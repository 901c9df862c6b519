import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/events/run-record.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { calendarDay, DAY_MS, millis } from '../../src/model/time.ts';
import { buyAndHold, holdFigures } from '../../src/reports/buy-and-hold.ts';
import { costsOf } from '../../src/reports/costs.ts';
import { downsample, joinedBars } from '../../src/reports/downsample.ts';
import { estimate } from '../../src/reports/estimate.ts';
import { monthlyReturns } from '../../src/reports/monthly.ts';
import { pricesSection } from '../../src/reports/page/prices-section.ts';
import { runHtml } from '../../src/reports/page/run-html.ts';
import { monthsSection, symbolsSection } from '../../src/reports/page/sections.ts';
import { MARKS_MAX, priceMarks } from '../../src/reports/price-marks.ts';
import { runPage, TRADES_MAX } from '../../src/reports/run-page.ts';
import { tradesOf } from '../../src/reports/trades.ts';
import { aHistory, aPage, manyFills, SOURCE } from './a-page.ts';
import { aFill, aRun, aSecurity, GENERATED, START } from './a-run.ts';

describe('series that are too long to draw', () => {
  it('keep the lowest, the highest and the last value of each interval, in order', () => {
    const values = Array.from(
      { length: 10_000 },
      (_, index) => Math.sin(index / 50) + (index === 4_321 ? 9 : 0),
    );
    const kept = downsample(values, 300);
    expect(kept.length).toBeLessThanOrEqual(301);
    expect(kept).toContain(4_321);
    expect(kept[0]).toBe(0);
    expect(kept[kept.length - 1]).toBe(9_999);
    expect(kept).toEqual([...new Set(kept)].sort((a, b) => a - b));
  });

  it('are complete if they fit', () => {
    expect(downsample([1, 2, 3], 3)).toEqual([0, 1, 2]);
  });

  it('join bars without losing an extreme', () => {
    const { columns } = aHistory([5, 9, 2, 7, 4]);
    const bars = joinedBars(columns, 1, 2);
    expect(bars.map((bar) => bar.slice(1))).toEqual([
      [8.5, 10, 1, 2, 2_000],
      [6.5, 8, 3, 4, 2_000],
    ]);
    const silent = { ...columns, volume: columns.volume.map(() => 0) };
    expect(joinedBars(silent, 1, 4)[0]).toHaveLength(5);
  });
});

describe('buy and hold', () => {
  it('holds equal parts from each first close on', () => {
    const { equity } = aRun([100, 100, 100]);
    const rising = aHistory([10, 11, 12]);
    const flat = aHistory([20, 20, 20]);
    expect(buyAndHold(equity, [0, 1, 2], 1_000, [rising, flat])).toEqual([1_000, 1_050, 1_100]);
  });

  it('keeps its value over a split', () => {
    const { equity } = aRun([100, 100, 100]);
    const split = aHistory([70, 10, 11], { sharesAt: (index) => (index === 0 ? 1 : 7) });
    expect(buyAndHold(equity, [0, 1, 2], 1_000, [split])).toEqual([1_000, 1_000, 1_100]);
  });

  it('follows the rate of its currency from its purchase on', () => {
    const { equity } = aRun([100, 100, 100]);
    const rateAt = (at: number) => (at < START + 2 * DAY_MS ? 0.125 : 0.1);
    expect(buyAndHold(equity, [0, 1, 2], 1_000, [aHistory([10, 10, 20], { rateAt })])).toEqual([
      1_000, 800, 1_600,
    ]);
  });

  it('is unknown without a rate', () => {
    const { equity } = aRun([100]);
    expect(buyAndHold(equity, [0], 1_000, [aHistory([10], { rateAt: () => Number.NaN })])).toEqual([
      Number.NaN,
    ]);
  });

  it('has figures at the closes of the run, or none if a price or a rate is missing', () => {
    const run = aRun([100, 100, 100], { initialEquity: 1_000 });
    const figures = holdFigures(run, [aHistory([10, 5, 15]), aHistory([20, 20, 20])]);
    expect(figures?.totalReturn).toEqual(estimate(0.25));
    expect(figures?.maxDrawdown).toEqual(estimate(0.25));
    expect(figures?.finalEquity).toEqual(estimate(1_250));
    expect(figures?.sharpe.kind).toBe('undefined');
    expect(holdFigures(run, [aHistory([10], { rateAt: () => Number.NaN })])).toBeUndefined();
    expect(holdFigures(run, [])).toBeUndefined();
    expect(holdFigures(aRun([]), [aHistory([10])])).toBeUndefined();
    const mixed = aRun([100], { securities: [aSecurity(), aSecurity({ origin: GENERATED })] });
    expect(holdFigures(mixed, [aHistory([10])])).toBeUndefined();
  });

  it('counts a symbol that begins later as cash until then', () => {
    const { equity } = aRun([100, 100, 100]);
    const late = aHistory([10, 10, 20], { firstBar: 1 });
    expect(buyAndHold(equity, [0, 1, 2], 1_000, [late])).toEqual([1_000, 1_000, 2_000]);
  });
});

describe('fills on a price chart', () => {
  const bars = [0, 1, 2].map((day) => [START + day * DAY_MS, 10, 11, 9, 10] as const);
  const at = (day: number, side: 'buy' | 'sell', quantity: number, price: string) =>
    aFill(side, quantity, price, { time: millis(START + day * DAY_MS) });

  it('are marked one by one up to a thousand', () => {
    const marks = priceMarks([at(0, 'buy', 10, '100'), at(0.5, 'buy', 5, '101')], bars);
    expect(marks).toEqual([
      [START, 'buy', 100, '10'],
      [START + DAY_MS / 2, 'buy', 101, '5'],
    ]);
    const most = Array.from({ length: MARKS_MAX }, () => at(1, 'buy', 1, '100'));
    expect(priceMarks(most, bars)).toHaveLength(MARKS_MAX);
  });

  it('are joined by bar and side beyond, with none left out, at their mean price', () => {
    const many = [
      at(2.5, 'sell', 4, '90'),
      ...Array.from({ length: MARKS_MAX }, (_, index) => at(0.5, 'buy', 1, index % 2 === 0 ? '100' : '102')),
      at(0.6, 'sell', 3, '103'),
    ];
    expect(priceMarks(many, bars)).toEqual([
      [START + DAY_MS / 2, 'buy', 101, '1000', MARKS_MAX],
      [START + 0.6 * DAY_MS, 'sell', 103, '3'],
      [START + 2.5 * DAY_MS, 'sell', 90, '4'],
    ]);
  });
});

describe('returns by month', () => {
  it('compound to the year, and leave out months without a close', () => {
    const day = ['2024-01-31', '2024-02-29', '2024-12-31', '2025-01-31'].map(calendarDay);
    const years = monthlyReturns(100, { day, value: [110, 99, 120, 60] });
    expect(years.map(({ year }) => year)).toEqual([2024, 2025]);
    expect(years[0]?.months[0]).toBeCloseTo(0.1, 12);
    expect(years[0]?.months[1]).toBeCloseTo(-0.1, 12);
    expect(years[0]?.months[5]).toBeUndefined();
    expect(years[0]?.total).toBeCloseTo(0.2, 12);
    expect(years[1]?.total).toBeCloseTo(-0.5, 12);
  });

  it('are missing for a month or year that began without equity: a debt that shrinks is no loss', () => {
    const day = ['2024-11-29', '2024-12-31', '2025-01-31', '2025-02-28', '2026-01-30'].map(calendarDay);
    const years = monthlyReturns(100, { day, value: [50, -100, -50, 0, 10] });
    expect(years.map(({ months }) => months.filter((share) => share !== undefined))).toEqual([
      [-0.5, -3],
      [],
      [],
    ]);
    expect(years.map(({ total }) => total)).toEqual([-2, undefined, undefined]);
  });
});

describe('costs from gross to net', () => {
  it('add up to the cent, with what is not broken down by name', () => {
    const charge = { code: 'sec', name: 'SEC Fee', category: 'third-party', currency: 'USD' } as const;
    const fills = [
      aFill('buy', 10, '100', { fee: new Decimal('1') }),
      aFill('sell', 10, '110', {
        fee: new Decimal('1.5'),
        charges: [{ ...charge, amount: new Decimal('0.5') }],
      }),
    ];
    const [costs] = costsOf(fills, tradesOf(fills));
    expect(costs?.gross.toString()).toBe('100');
    expect(costs?.fees.toString()).toBe('2.5');
    expect(costs?.net.toString()).toBe('97.5');
    expect(costs?.charges.map(({ name, amount }) => `${name} ${amount}`)).toEqual([
      'Not broken down 2',
      'SEC Fee 0.5',
    ]);
  });
});

describe('the saved record of a run', () => {
  it('draws no line through real and generated prices together', () => {
    const { curve } = aPage([100, 101], {
      securities: [aSecurity(), aSecurity({ origin: GENERATED })],
    });
    expect(curve.time).toEqual([]);
  });

  it('keeps the first trades of very many and counts the rest', () => {
    const page = aPage([100, 101], { fills: manyFills(TRADES_MAX + 1) });
    expect(page.report.trades).toHaveLength(TRADES_MAX);
    expect(page.report.omitted.trades).toBe(1);
    const { marks = [] } = page.charts[0] ?? {};
    expect(marks.reduce((sum, [, , , , fills = 1]) => sum + fills, 0)).toBe(2 * TRADES_MAX + 2);
    expect(pricesSection(page).html).toContain(
      `The ${2 * TRADES_MAX + 2} fills of SPX.US are drawn as ${marks.length} arrows`,
    );
    expect(pricesSection(aPage([100, 101], { fills: manyFills(3) })).html).not.toContain('are drawn as');
  });

  it('keeps every day of the longest runs, in a page below 1.5 MB', () => {
    const century = Array.from({ length: 25_000 }, (_, day) => 100_000 + 9_000 * Math.sin(day / 33));
    const page = aPage(century, { fills: manyFills(TRADES_MAX) });
    expect(page.report.equity).toHaveLength(25_000);
    expect(page.dailyHold).toHaveLength(25_000);
    expect(page.report.omitted.equity).toBe(0);
    expect(Buffer.byteLength(runHtml(page))).toBeLessThan(1_500_000);
  });

  it('draws the bars that a bot without a file of bars kept, and states what they lack', () => {
    const symbol = securitySymbol('SPX.US');
    const bars = [2, 3].map((day) => [START + day * DAY_MS, 10, 12, 9, 11] as const);
    const indicators = [{ name: 'average', isPrice: true, values: [null, 10.5] }];
    const kept = { symbol, period: '1d', bars, indicators } as const;
    const fills = [aFill('buy', 1, '10', { day: 0 }), aFill('sell', 1, '11', { day: 2.5 })];
    const page = runPage(aRun([100, 101], { mode: 'paper', fills, keptPrices: [kept] }), [], SOURCE);
    const [chart] = page.charts;
    expect(chart).toMatchObject({ bars, indicators, currency: 'USD' });
    expect(chart?.marks.map(([, side]) => side)).toEqual(['sell']);
    const { html } = pricesSection(page);
    expect(html).toContain(
      'SPX.US has the newest 2 bars that the bot kept, as a journal has none, so that 1 earlier fill of it is not marked',
    );
    expect(html).toContain('Thin lines are what the strategy computed');
    // Figures that need the whole run are left out for a part of one.
    expect(page.curve.hold).toEqual([null, null]);
    const report = runHtml(page);
    expect(report).toContain('Buy and hold is not shown, as bars or exchange rates of the run are missing');
    expect(report).not.toContain('class="hold"');
    expect(page.excursions).toEqual([null]);
  });

  it('states that series are missing, and that no bar was kept', () => {
    const symbol = securitySymbol('SPX.US');
    const bars = [[START, 10, 12, 9, 11] as const];
    const untold = { symbol, period: '1d', bars, indicators: null } as const;
    const paper = (keptPrices: NonNullable<RunRecord['keptPrices']>, notes: readonly string[] = []) =>
      pricesSection(runPage(aRun([100, 101], { mode: 'paper', keptPrices }), [], SOURCE, notes)).html;
    expect(paper([untold])).toContain('series are missing: a strategy was at work or had failed');
    expect(
      paper([{ ...untold, indicators: [] }], ['the series of the strategy are missing: it left']),
    ).toMatch(/kept, as a journal has none; the series of the strategy are missing: it left\./);
    expect(paper([])).toContain('No prices are drawn: a journal has no bars');
    expect(pricesSection(runPage(aRun([100, 101]), [], SOURCE)).html).toBe('');
  });

  it('has bars of each year, on the side of its sign, and no chart of a single year', () => {
    const months = [0.1, -0.05, 0].map((total, at) => ({ year: 2020 + at, months: [], total }));
    const { html } = monthsSection({ months });
    expect(
      [...html.matchAll(/<rect class="(\w+)"[^>]*height="(\d+)"/g)].map(([, look, height]) => [look, height]),
    ).toEqual([
      ['good', '60'],
      ['bad', '30'],
      ['good', '0'],
    ]);
    expect(html).toContain('>-5.00%</text>');
    expect(monthsSection({ months: months.slice(0, 1) }).html).not.toContain('<svg');
  });

  it('has the win rate and the average trade of each symbol in the table of its profit', () => {
    const page = aPage([100, 90, 120], { fills: manyFills(4) });
    const [closed] = page.report.statistics.trades.bySymbol;
    const { wins = 0, trades = 0, averageReturn = 0 } = closed ?? {};
    expect(trades).toBeGreaterThan(0);
    const { html } = symbolsSection(page);
    expect(html).toContain(`<td>${trades}</td><td>${((wins / trades) * 100).toFixed(2)}%</td>`);
    expect(html).toContain(`>${averageReturn < 0 ? '' : '+'}${(averageReturn * 100).toFixed(2)}%</td>`);
  });

  it('is unchanged by JSON', () => {
    const page = aPage([100, 90, 120], { fills: manyFills(3) });
    expect(JSON.parse(JSON.stringify(page))).toEqual(page);
  });
});
