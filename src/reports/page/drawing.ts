import type { RunPage } from '../run-page.ts';

/** Properties of the browser and of the two included chart libraries that the page's script uses. */
interface Browser {
  readonly document: {
    getElementById(id: string): Piece | null;
    createElement(tag: string): Piece;
    readonly documentElement: Piece;
  };
  readonly uPlot: (new (
    options: object,
    data: unknown,
    target: Piece,
  ) => LineChart) & {
    tzDate(date: Date, zone: string): Date;
    readonly paths: { stepped(options: { readonly align: 1 }): unknown };
  };
  readonly LightweightCharts: {
    createChart(target: Piece, options: object): PriceDrawing;
    createSeriesMarkers(series: PriceSeries, marks: readonly object[]): unknown;
    readonly CandlestickSeries: unknown;
    readonly HistogramSeries: unknown;
    readonly LineSeries: unknown;
  };
  getComputedStyle(piece: Piece): { getPropertyValue(name: string): string };
  matchMedia(query: string): { addEventListener(kind: 'change', listener: () => void): void };
  addEventListener(kind: 'resize', listener: () => void): void;
}

interface Piece {
  readonly clientWidth: number;
  readonly clientHeight: number;
  textContent: string | null;
  className: string;
  disabled: boolean;
  hidden: boolean;
  readonly checked?: boolean;
  value: string;
  href: string;
  append(...pieces: readonly Piece[]): void;
  replaceChildren(...pieces: readonly Piece[]): void;
  readonly style: { color: string };
  addEventListener(kind: 'click' | 'change' | 'input', listener: () => void): void;
}

interface LineChart {
  readonly cursor: { readonly idx?: number | null };
  setSize(size: { readonly width: number; readonly height: number }): void;
  destroy(): void;
}

interface PriceSeries {
  setData(bars: readonly object[]): void;
}

interface PriceDrawing {
  /** Pane 0 has the prices; the first series of a pane creates it. */
  addSeries(kind: unknown, options: object, pane?: number): PriceSeries;
  priceScale(id: string): { applyOptions(options: object): void };
  panes(): readonly { setStretchFactor(share: number): void }[];
  timeScale(): { fitContent(): void };
  subscribeCrosshairMove(listener: (at: CrosshairPlace) => void): void;
  remove(): void;
}

/** A point of a line of stops or targets. */
interface LevelPoint {
  readonly time: number;
  readonly value?: number;
  readonly color?: string;
}

/** The bar under the pointer, if any. */
interface CrosshairPlace {
  readonly time?: number;
  readonly seriesData: { get(series: PriceSeries): (BarValues & { readonly value?: number }) | undefined };
}

interface BarValues {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

interface Line {
  readonly label: string;
  readonly stroke: string;
  readonly percent: boolean;
  /** True for a value that is kept until the next point, such as an exposure over a night. */
  readonly stepped?: boolean;
}

/** Data of the script: lines, charts, trades and currency. */
export type DrawnData = Pick<RunPage, 'curve' | 'charts'> & {
  readonly rolling: NonNullable<RunPage['rolling']> | null;
  readonly trades: readonly TradeRow[];
  /** A benchmark at the times of the curve. */
  readonly benchmark: readonly number[] | null;
};

/** One closed trade: its cells as text, whether it lost money, and its duration. */
export type TradeRow = readonly [cells: readonly string[], isLoss: boolean, heldMs: number];

/**
 * Every function below is copied into the page as text. It may use only its parameters, the other functions of this
 * file, and the language.
 */

function pageColours(browser: Browser): (name: string) => string {
  const style = browser.getComputedStyle(browser.document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

function drawLines(
  browser: Browser,
  target: Piece,
  data: readonly (readonly (number | null)[])[],
  lines: readonly Line[],
  id: string,
): LineChart {
  const shown = browser.document.getElementById(`${id}-values`);
  // A logarithm needs values above 0.
  const isLog =
    browser.document.getElementById(`${id}-log`)?.checked === true && data.slice(1).flat().every(isPositive);
  const colour = pageColours(browser);
  const axis = {
    stroke: colour('soft'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line') },
  };
  const percent = lines.some((line) => line.percent);
  const text = (value: number | null): string =>
    value === null ? '-' : percent ? `${(value * 100).toFixed(1)}%` : value.toLocaleString('en-US');
  const read = ({ cursor }: LineChart): void => {
    if (shown === null) return;
    const row = cursor.idx ?? null;
    const at = row === null ? null : (data[0]?.[row] ?? null);
    if (row === null || at === null) {
      shown.textContent = 'Point at the chart to read values';
      return;
    }
    const values = lines.map(({ label }, column) => `${label} ${text(data[column + 1]?.[row] ?? null)}`);
    shown.textContent = `${timeText(at)}: ${values.join(', ')}`;
  };
  return new browser.uPlot(
    {
      width: target.clientWidth,
      height: target.clientHeight,
      legend: { show: false },
      cursor: { sync: { key: 'run' } },
      hooks: { setCursor: [read] },
      // Times are UTC here as well as in the values, wherever the reader is.
      tzDate: (seconds: number) => browser.uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
      scales: { y: isLog ? { distr: 3, range: logRange } : { distr: 1 } },
      axes: [
        { ...axis, space: 90, values: axisTimes },
        {
          ...axis,
          size: 90,
          values: (_chart: unknown, ticks: readonly number[]) => ticks.map(text),
          ...(isLog ? { splits: logTicks, filter: allTicks } : {}),
        },
      ],
      series: [
        {},
        ...lines.map(({ label, stroke, stepped }) => ({
          label,
          stroke,
          width: 1.5,
          spanGaps: false,
          ...(stepped === true ? { paths: browser.uPlot.paths.stepped({ align: 1 }) } : {}),
        })),
      ],
    },
    data,
    target,
  );
}

function isPositive(value: number | null): boolean {
  return value === null || value > 0;
}

/** Range of a logarithmic axis: the drawn values with a margin, not whole powers of ten. */
function logRange(_chart: unknown, min: number, max: number): readonly [number, number] {
  return [min / 1.02, max * 1.02];
}

/** Five ticks in equal ratios, with three significant digits. */
function logTicks(_chart: unknown, _axis: number, min: number, max: number): readonly number[] {
  return [0, 1, 2, 3, 4].map((tick) => Number((min * (max / min) ** (tick / 4)).toPrecision(3)));
}

function allTicks(_chart: unknown, ticks: readonly number[]): readonly number[] {
  return ticks;
}

/** Times of an axis as ISO 8601 writes them, as exact as their distance needs: year, month, day, or minute. */
export function axisTimes(
  _chart: unknown,
  seconds: readonly number[],
  _axis: number,
  _space: number,
  step: number,
): readonly string[] {
  return seconds.map((at) => {
    const text = new Date(at * 1000).toISOString();
    if (step >= 360 * 86_400) return text.slice(0, 4);
    if (step >= 28 * 86_400) return text.slice(0, 7);
    return step >= 86_400 ? text.slice(0, 10) : text.slice(5, 16).replace('T', ' ');
  });
}

/** Formats seconds of the epoch as the minute in UTC, or as the day at midnight. */
function timeText(seconds: number): string {
  const text = new Date(seconds * 1000).toISOString();
  return text.slice(11, 16) === '00:00'
    ? text.slice(0, 10)
    : `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;
}

/** True for periods that follow the exchange's calendar: day, week, month, quarter, year. */
export function isDailyOrLonger(period: string | undefined): boolean {
  return period !== undefined && /[dwMQY]$/.test(period);
}

/**
 * The time of a bar for a chart in UTC. A daily bar opens at the exchange's midnight, which east of London is the day
 * before in UTC. Noon has the same date in both, so midnight of noon's date is drawn.
 */
export function chartSeconds(time: number, isDaily: boolean): number {
  return isDaily ? Math.floor((time + 43_200_000) / 86_400_000) * 86_400 : Math.floor(time / 1000);
}

/** Number of decimals of a price axis, 2 to 6: as many as the most exact price has in seven significant digits. */
export function pricePlaces(prices: readonly number[]): number {
  let most = 2;
  for (const price of prices) {
    const [, places = ''] = shortPrice(price).toFixed(6).replace(/0+$/, '').split('.');
    most = Math.max(most, places.length);
  }
  return most;
}

/** Rounds away the error of float32 files: 2874.560059 is 2874.56. At least two decimals are kept. */
function shortPrice(price: number): number {
  return Math.abs(price) < 100_000 ? Number(price.toPrecision(7)) : Number(price.toFixed(2));
}

function drawPrices(browser: Browser, target: Piece, chart: DrawnData['charts'][number]): PriceDrawing {
  const colour = pageColours(browser);
  const isDaily = isDailyOrLonger(chart.period);
  const isIntraday = !isDaily && (chart.bars[1]?.[0] ?? 0) - (chart.bars[0]?.[0] ?? 0) < 86_400_000;
  const drawing = browser.LightweightCharts.createChart(target, {
    autoSize: true,
    layout: { background: { color: colour('card') }, textColor: colour('soft'), attributionLogo: false },
    grid: { vertLines: { color: colour('line') }, horzLines: { color: colour('line') } },
    timeScale: {
      timeVisible: isIntraday,
      borderColor: colour('line'),
      // All bars fit on a phone as well.
      minBarSpacing: 0.1,
    },
    rightPriceScale: {
      borderColor: colour('line'),
      mode: browser.document.getElementById('price-log')?.checked === true ? 1 : 0,
    },
  });
  const [up, down] = [colour('good'), colour('bad')];
  const places = pricePlaces([
    ...chart.bars.flatMap(([, open, high, low, close]) => [open, high, low, close]),
    ...(chart.levels ?? []).map((level) => level[2]),
  ]);
  const series = drawing.addSeries(browser.LightweightCharts.CandlestickSeries, {
    upColor: up,
    wickUpColor: up,
    borderUpColor: up,
    downColor: down,
    wickDownColor: down,
    borderDownColor: down,
    priceFormat: { type: 'price', precision: places, minMove: 10 ** -places },
  });
  series.setData(
    chart.bars.map(([time, open, high, low, close]) => ({
      time: chartSeconds(time, isDaily),
      open,
      high,
      low,
      close,
    })),
  );
  browser.LightweightCharts.createSeriesMarkers(series, priceMarks(chart, { up, down }));
  for (const kind of ['stop', 'target'] as const) {
    const line = levelLine(chart, kind);
    if (line.every(({ color }) => color !== undefined)) continue;
    const options = {
      color: colour(kind === 'stop' ? 'bad' : 'good'),
      lineWidth: 2,
      lineStyle: 2,
      lineType: 1,
    };
    drawing
      .addSeries(browser.LightweightCharts.LineSeries, {
        ...options,
        priceLineVisible: false,
        lastValueVisible: false,
        crosshairMarkerVisible: false,
      })
      .setData(line);
  }
  const volume = drawVolume(browser, drawing, chart);
  const indicators = drawIndicators(browser, drawing, chart);
  const shown = browser.document.getElementById('price-values');
  drawing.subscribeCrosshairMove(({ time, seriesData }) => {
    if (shown === null) return;
    const bar = time === undefined ? undefined : seriesData.get(series);
    shown.textContent =
      time === undefined || bar === undefined
        ? 'Point at the chart to read values'
        : `${isIntraday ? timeText(time) : timeText(time).slice(0, 10)}: open ${shortPrice(bar.open)}, high ${shortPrice(bar.high)}, low ${shortPrice(bar.low)}, close ${shortPrice(bar.close)}${volume === undefined ? '' : `, volume ${seriesData.get(volume)?.value ?? '-'}`}${indicators
            .map(({ name, line }) => `, ${name} ${seriesData.get(line)?.value ?? '-'}`)
            .join('')}`;
  });
  drawing.timeScale().fitContent();
  return drawing;
}

/** Draws the volume of each bar under the prices; returns undefined if it is not known. */
function drawVolume(
  browser: Browser,
  drawing: PriceDrawing,
  { bars, period }: DrawnData['charts'][number],
): PriceSeries | undefined {
  if (!bars.some((bar) => bar[5] !== undefined)) return undefined;
  const isDaily = isDailyOrLonger(period);
  const series = drawing.addSeries(browser.LightweightCharts.HistogramSeries, {
    color: `${pageColours(browser)('soft')}55`,
    priceFormat: { type: 'volume' },
    priceScaleId: 'volume',
    priceLineVisible: false,
    lastValueVisible: false,
  });
  drawing.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
  series.setData(
    bars.map(([time, , , , , shares = 0]) => ({ time: chartSeconds(time, isDaily), value: shares })),
  );
  return series;
}

/** Draws the strategy's series: price levels over the bars, all others in a pane below, each named in its colour. */
function drawIndicators(
  browser: Browser,
  drawing: PriceDrawing,
  { bars, period, indicators = [] }: DrawnData['charts'][number],
): readonly { readonly name: string; readonly line: PriceSeries }[] {
  const colours = ['#2f7de1', '#c77a10', '#8e5bd0', '#14908a', '#c2417c', '#72821c', '#5470c6', '#a0662f'];
  const legend = browser.document.getElementById('price-legend');
  const drawn = indicators.map(({ name, isPrice, values }, index) => {
    const color = colours[index % colours.length] ?? '';
    const line = drawing.addSeries(
      browser.LightweightCharts.LineSeries,
      {
        color,
        lineWidth: 1,
        priceLineVisible: false,
        lastValueVisible: false,
        crosshairMarkerVisible: false,
      },
      isPrice ? 0 : 1,
    );
    line.setData(
      bars.map(([time], at) => {
        const value = values[at] ?? null;
        return { time: chartSeconds(time, isDailyOrLonger(period)), ...(value === null ? {} : { value }) };
      }),
    );
    const [entry, mark] = [browser.document.createElement('span'), browser.document.createElement('span')];
    mark.textContent = '\u25ac ';
    mark.style.color = color;
    const text = browser.document.createElement('span');
    text.textContent = `${name}${isPrice ? '' : ' (below)'}  `;
    entry.append(mark, text);
    return { name, line, entry };
  });
  legend?.replaceChildren(...drawn.map(({ entry }) => entry));
  drawing.panes()[0]?.setStretchFactor(3);
  drawing.panes()[1]?.setStretchFactor(1);
  return drawn;
}

/**
 * The newest working stop or target at each bar. Bars between two levels get the price of the next in a transparent
 * colour, because the chart would otherwise connect the levels.
 */
function levelLine(
  { bars, period, levels = [] }: DrawnData['charts'][number],
  kind: 'stop' | 'target',
): readonly LevelPoint[] {
  const own = levels.filter((level) => level[3] === kind);
  const points: LevelPoint[] = [];
  let next: number | undefined;
  for (let index = bars.length - 1; index >= 0; index -= 1) {
    const [begin, end] = [bars[index]?.[0] ?? 0, bars[index + 1]?.[0] ?? Number.POSITIVE_INFINITY];
    const level = own.findLast(([from, to]) => from < end && to > begin);
    const time = chartSeconds(begin, isDailyOrLonger(period));
    if (level !== undefined) next = level[2];
    points.push({
      time,
      ...(next === undefined ? {} : { value: next }),
      ...(level === undefined ? { color: 'transparent' } : {}),
    });
  }
  return points.reverse();
}

/** Marks fills at their bars: arrows up below for buys, down above for sells. */
function priceMarks(
  chart: DrawnData['charts'][number],
  ink: { up: string; down: string },
): readonly object[] {
  const { bars, marks, period } = chart;
  let index = 0;
  return [...marks]
    .sort((a, b) => a[0] - b[0])
    .map(([time, side, price, quantity, fills = 1]) => {
      while (index + 1 < bars.length && (bars[index + 1]?.[0] ?? 0) <= time) index += 1;
      return {
        time: chartSeconds(bars[index]?.[0] ?? time, isDailyOrLonger(period)),
        position: side === 'buy' ? 'belowBar' : 'aboveBar',
        shape: side === 'buy' ? 'arrowUp' : 'arrowDown',
        color: side === 'buy' ? ink.up : ink.down,
        text:
          marks.length > 12 ? '' : `${side} ${quantity} at ${price}${fills > 1 ? ` (${fills} fills)` : ''}`,
      };
    });
}

/** Shows one page of the trades; profit and return are coloured by gain and loss. */
function showTrades(browser: Browser, trades: DrawnData['trades'], from: number, most: number): void {
  const { document } = browser;
  const body = document.getElementById('trade-rows');
  const rows = trades.slice(from, from + most).map(([cells, isLoss]) => {
    const row = document.createElement('tr');
    const made = cells.map((text, index) => {
      const cell = document.createElement('td');
      cell.textContent = text;
      if (index === 7 || index === 8) cell.className = isLoss ? 'bad' : 'good';
      return cell;
    });
    row.append(...made);
    return row;
  });
  body?.replaceChildren(...rows);
  const shown = document.getElementById('trade-range');
  if (shown !== null)
    shown.textContent = `${trades.length === 0 ? 0 : from + 1} to ${Math.min(from + most, trades.length)} of ${trades.length}`;
}

/** Converts a cell to a number: `1,234.50 USD` is 1234.5; returns the text if it does not start with one. */
function cellValue(text: string): string | number {
  const [found] = /^[+-]?[\d,]*\.?\d+/.exec(text) ?? [];
  return found === undefined || /^\d{4}-/.test(text) ? text : Number(found.replaceAll(',', ''));
}

/** Sorts trades by one column, the duration by length; equal ones keep the order in which they closed. */
function sortedTrades(
  trades: DrawnData['trades'],
  column: number,
  isDescending: boolean,
): DrawnData['trades'] {
  const sign = isDescending ? -1 : 1;
  const key = ([cells, , heldMs]: TradeRow): string | number =>
    column === 9 ? heldMs : cellValue(cells[column] ?? '');
  return [...trades].sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    return a === b ? 0 : a < b ? -sign : sign;
  });
}

/** Formats all trades as CSV: amounts without currency, shares in percent, durations in hours. */
function tradesCsv(heads: readonly string[], trades: DrawnData['trades']): string {
  const quoted = (value: string | number): string => {
    const text = String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = trades.map(([cells, , heldMs]) =>
    cells.map((cell, column) => quoted(column === 9 ? heldMs / 3_600_000 : cellValue(cell))).join(','),
  );
  return `${[heads.map(quoted).join(','), ...rows].join('\n')}\n`;
}

function turnTrades(browser: Browser, all: DrawnData['trades']): void {
  const most = 50;
  let from = 0;
  let trades = all;
  let sorted: { readonly column: number; readonly isDescending: boolean } | undefined;
  const [back, on] = ['trades-back', 'trades-on'].map((id) => browser.document.getElementById(id));
  const turn = (by: number): void => {
    from = Math.max(0, Math.min(from + by, Math.max(0, trades.length - 1)));
    from -= from % most;
    showTrades(browser, trades, from, most);
    for (const button of [back, on]) if (button) button.hidden = trades.length <= most;
    if (back) back.disabled = from === 0;
    if (on) on.disabled = from + most >= trades.length;
  };
  const filter = browser.document.getElementById('trade-filter');
  const choose = (): void => {
    const wanted = (filter?.value ?? '').trim().toLowerCase();
    const kept = all.filter(([cells]) => cells.join(' ').toLowerCase().includes(wanted));
    trades = sorted === undefined ? kept : sortedTrades(kept, sorted.column, sorted.isDescending);
    from = 0;
    turn(0);
  };
  const heads: string[] = [];
  for (let column = 0; ; column += 1) {
    const head = browser.document.getElementById(`trade-head-${column}`);
    if (head === null) break;
    heads.push(head.textContent ?? '');
    head.addEventListener('click', () => {
      sorted = { column, isDescending: sorted?.column === column && !sorted.isDescending };
      choose();
    });
  }
  filter?.addEventListener('input', choose);
  const csv = browser.document.getElementById('trades-csv');
  if (csv !== null) csv.href = `data:text/csv;charset=utf-8,${encodeURIComponent(tradesCsv(heads, all))}`;
  back?.addEventListener('click', () => turn(-most));
  on?.addEventListener('click', () => turn(most));
  turn(0);
}

/** Draws all charts; the returned function removes them. */
function drawAll(browser: Browser, data: DrawnData): () => void {
  const { document } = browser;
  const colour = pageColours(browser);
  const time = data.curve.time.map((at) => at / 1000);
  const made: (() => void)[] = [];
  const lines = (
    id: string,
    columns: readonly (readonly (number | null)[])[],
    look: readonly Line[],
  ): void => {
    const target = document.getElementById(id);
    if (target === null || time.length === 0) return;
    const chart = drawLines(browser, target, [time, ...columns], look, id.replace('-chart', ''));
    made.push(() => chart.destroy());
  };
  const isHoldKnown = data.curve.hold.some((value) => value !== null);
  lines(
    'equity-chart',
    [
      data.curve.equity,
      ...(isHoldKnown ? [data.curve.hold] : []),
      ...(data.benchmark === null ? [] : [data.benchmark]),
    ],
    [
      { label: 'Equity', stroke: colour('equity'), percent: false },
      ...(isHoldKnown ? [{ label: 'Buy and hold', stroke: colour('hold'), percent: false }] : []),
      ...(data.benchmark === null ? [] : [{ label: 'Benchmark', stroke: colour('bench'), percent: false }]),
    ],
  );
  lines(
    'drawdown-chart',
    [data.curve.drawdown.map((share) => -share)],
    [{ label: 'Drawdown', stroke: colour('fall'), percent: true }],
  );
  lines(
    'exposure-chart',
    [data.curve.exposure],
    [{ label: 'Exposure', stroke: colour('equity'), percent: true, stepped: true }],
  );
  const rolling = document.getElementById('rolling-chart');
  if (rolling !== null && data.rolling !== null) {
    const times = data.rolling.time.map((at) => at / 1000);
    const look = { label: 'Rolling Sharpe', stroke: colour('equity'), percent: false };
    const chart = drawLines(browser, rolling, [times, data.rolling.sharpe], [look], 'rolling');
    made.push(() => chart.destroy());
    const swings = document.getElementById('volatility-chart');
    if (swings !== null) {
      const line = { label: 'Rolling volatility', stroke: colour('equity'), percent: true };
      const drawn = drawLines(browser, swings, [times, data.rolling.volatility], [line], 'volatility');
      made.push(() => drawn.destroy());
    }
  }
  const prices = document.getElementById('price-chart');
  const chosen = Number(document.getElementById('price-symbol')?.value ?? '0');
  const chart = data.charts[chosen];
  if (prices !== null && chart !== undefined) {
    const drawing = drawPrices(browser, prices, chart);
    made.push(() => drawing.remove());
  }
  return () => {
    for (const remove of made) remove();
  };
}

/** Starts the page: draws, and draws again when size, colours or the chosen symbol change. */
function startPage(browser: Browser): void {
  const data: DrawnData = JSON.parse(browser.document.getElementById('run')?.textContent ?? '{}');
  let remove = drawAll(browser, data);
  const again = (): void => {
    remove();
    remove = drawAll(browser, data);
  };
  browser.addEventListener('resize', again);
  browser.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  for (const id of ['price-symbol', 'price-log', 'equity-log'])
    browser.document.getElementById(id)?.addEventListener('change', again);
  turnTrades(browser, data.trades);
}

/** Returns the page's script as text: the functions of this file and the call that starts it. */
export function drawingScript(): string {
  const functions = [
    pageColours,
    isPositive,
    logRange,
    logTicks,
    allTicks,
    axisTimes,
    timeText,
    pricePlaces,
    shortPrice,
    isDailyOrLonger,
    chartSeconds,
    drawLines,
    drawPrices,
    drawVolume,
    drawIndicators,
    priceMarks,
    levelLine,
    showTrades,
    cellValue,
    sortedTrades,
    tradesCsv,
    turnTrades,
    drawAll,
    startPage,
  ];
  return `"use strict";\n${functions.map(String).join('\n')}\nstartPage(window);`;
}
