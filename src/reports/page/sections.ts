import { plural } from '../../model/plural.ts';
import type { Benchmark } from '../benchmark.ts';
import { holdDefinition } from '../buy-and-hold.ts';
import type { ReturnHistogram, RollingFigures } from '../curve-statistics.ts';
import {
  DAILY_DEFINITION,
  SHARPE_DEFINITION,
  SORTINO_DEFINITION,
  VOLATILITY_DEFINITION,
} from '../daily-returns.ts';
import { denialTexts, leftOutTexts, nonePassedText } from '../denials.ts';
import type { Estimate } from '../estimate.ts';
import { EXCURSION_DEFINITION } from '../excursions.ts';
import { EXIT_DEFINITION } from '../exit-reasons.ts';
import { countText, gainText, moneyText, percentText, priceText, ratioText, spanText } from '../format.ts';
import { MONTHLY_DEFINITION } from '../monthly.ts';
import {
  CAGR_DEFINITION,
  CALMAR_DEFINITION,
  DRAWDOWN_DEFINITION,
  EXPOSURE_DEFINITION,
  TRADE_DEFINITION,
  WON_DEFINITION,
} from '../performance.ts';
import { PROFIT_DEFINITION } from '../profit.ts';
import { rejectedIn, rejectionTexts } from '../rejections.ts';
import type { CostRow, RunPage } from '../run-page.ts';
import { stoppedText, stopsText } from '../stopped.ts';
import { STRATEGY_DEFINITION, STRATEGY_HEAD, strategyCells } from '../strategy-figures.ts';
import { SYMBOL_DEFINITION } from '../symbol-profits.ts';
import { BENCHMARK_DEFINITION } from '../tearsheet.ts';
import { SQN_DEFINITION } from '../trade-statistics.ts';
import { html, type Markup } from './markup.ts';

type Report = RunPage['report'];

/** The figures of a run, each with the reason if it cannot be computed. */
export function figuresSection({ report, curve }: RunPage, benchmark?: Benchmark): Markup {
  const { figures, currency } = report;
  const signed = (share: number): string => percentText(share, { signed: true });
  const plain = (share: number): string => percentText(share);
  const { maxDrawdown } = figures;
  const back =
    maxDrawdown.recoveredAt === null ? 'not recovered' : `recovered ${maxDrawdown.recoveredAt.slice(0, 10)}`;
  const tiles = [
    tile('Return', report, 'totalReturn', signed),
    valueTile('Final equity', moneyText(figures.finalEquity, currency)),
    valueTile('Initial equity', moneyText(figures.initialEquity, currency)),
    ...holdTile(curve, figures),
    ...benchmarkTiles(benchmark),
    tile('CAGR', report, 'cagr', signed),
    maxDrawdown.share === 0
      ? valueTile('Max drawdown', 'none')
      : valueTile(`Max drawdown, ${back}`, plain(maxDrawdown.share)),
    tile('Sharpe', report, 'sharpe', ratioText),
    tile('Sortino', report, 'sortino', ratioText),
    tile('Calmar', report, 'calmar', ratioText),
    tile('Volatility', report, 'volatility', plain),
    tile('Exposure', report, 'exposure', plain),
    valueTile('Trades', `${figures.closedTrades} closed, ${figures.openTrades} open`),
    tile('Win rate', report, 'winShare', plain),
    tile('Average trade', report, 'averageReturn', signed),
    valueTile('Orders', `${report.flow.orders} sent, ${report.flow.denied} denied`),
  ];
  return html`<section aria-labelledby="figures"><h2 id="figures">Figures</h2>${stoppedPart(report)}<dl class="tiles">${tiles}</dl>${strategiesPart(report)}${leftOutPart(report)}${deniedPart(report)}${rejectedPart(report)}</section>`;
}

/** The return of buy and hold, for comparison. */
function holdTile({ hold }: RunPage['curve'], { initialEquity }: Report['figures']): readonly Markup[] {
  const last = hold.at(-1);
  if (typeof last !== 'number') return [];
  return [valueTile('Buy and hold', percentText(last / initialEquity - 1, { signed: true }))];
}

function benchmarkTiles(benchmark: Benchmark | undefined): readonly Markup[] {
  if (benchmark === undefined) return [];
  const { totalReturn, alpha, beta, correlation } = benchmark.figures;
  const label = (name: string): string =>
    benchmark.since === undefined ? name : `${name} from ${benchmark.since}`;
  const signed = (share: number): string => percentText(share, { signed: true });
  return [
    valueTile(label('Benchmark'), signed(totalReturn)),
    estimateTile(label('Alpha'), alpha, signed),
    estimateTile(label('Beta'), beta, ratioText),
    estimateTile(label('Correlation'), correlation, ratioText),
  ];
}

/** Place in which the values under the pointer appear. */
export function valuesLine(chart: string): Markup {
  return html`<p id="${chart}-values" class="soft values">Point at the chart to read values</p>`;
}

/** Switch to a logarithmic axis. */
export function scaleControl(chart: string): Markup {
  return html`<div class="controls"><label><input type="checkbox" id="${chart}-log"> Logarithmic scale</label></div>`;
}

/** Results of each of several strategies; absent in runs saved by earlier versions. */
function strategiesPart({
  strategies = [],
  currency,
}: Partial<Report> & Pick<Report, 'currency'>): Markup | undefined {
  if (strategies.length === 0) return undefined;
  const head = STRATEGY_HEAD.map((text) => html`<th scope="col">${text}</th>`);
  const rows = strategies.map((row) => {
    const [name = '', ...cells] = strategyCells(row, currency);
    return html`<tr><th scope="row">${name}</th>${cells.map((text) => html`<td>${text}</td>`)}</tr>`;
  });
  return html`<h3>Strategies</h3><p class="soft">${STRATEGY_DEFINITION}.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Figures of each strategy"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Absent in runs saved by earlier versions. */
function stoppedPart({
  stopped,
  stops = [],
  rejections = [],
  unreturned = [],
  leftOut = [],
  assumptions,
  config,
  flow,
}: Partial<Pick<Report, 'stopped' | 'stops' | 'rejections' | 'unreturned' | 'leftOut'>> & Report):
  | Markup
  | undefined {
  const none = nonePassedText(flow, {
    rejected: rejectedIn(rejections),
    leftOut: leftOut.length,
    assumptions,
  });
  const texts = [
    ...(none === undefined ? [] : [none]),
    ...unreturned,
    ...(stops.length === 0 ? [] : [stopsText(stops, config)]),
    ...(stopped === undefined || stopped === null
      ? []
      : [stoppedText({ ...stopped, line: stopped.line ?? undefined }, config)]),
  ];
  if (texts.length === 0) return undefined;
  return html`${texts.map((text) => html`<p role="note"><strong>${text}.</strong></p>`)}`;
}

/** Absent in runs saved by earlier versions. */
function leftOutPart({ leftOut = [] }: Partial<Report>): Markup | undefined {
  if (leftOut.length === 0) return undefined;
  const items = leftOutTexts(leftOut).map((text) => html`<li>${text}</li>`);
  return html`<h3>Why orders were left out</h3><ul>${items}</ul>`;
}

/** Reasons are absent in runs saved by earlier versions. */
function deniedPart({ denials = [] }: Partial<Report>): Markup | undefined {
  if (denials.length === 0) return undefined;
  const items = denialTexts(denials).map((text) => html`<li>${text}</li>`);
  return html`<h3>Why orders were denied</h3><ul>${items}</ul>`;
}

/** Absent in runs saved by earlier versions. */
function rejectedPart({ rejections = [] }: Partial<Report>): Markup | undefined {
  if (rejections.length === 0) return undefined;
  const items = rejectionTexts(rejections).map((text) => html`<li>${text}</li>`);
  return html`<h3>Why the venue took no order</h3><ul>${items}</ul>`;
}

type FigureName =
  | 'totalReturn'
  | 'cagr'
  | 'sharpe'
  | 'sortino'
  | 'calmar'
  | 'volatility'
  | 'exposure'
  | 'winShare'
  | 'averageReturn';

function tile(
  label: string,
  { figures, undefined: reasons }: Report,
  name: FigureName,
  format: (value: number) => string,
): Markup {
  const value: number | null | undefined = figures[name];
  // Runs saved by earlier versions lack some figures.
  return value === null || value === undefined
    ? reasonTile(label, reasons[name] ?? 'not known')
    : valueTile(label, format(value));
}

/** The reason that a figure cannot be computed, in its place. */
function reasonTile(label: string, reason: string): Markup {
  return html`<div><dt>${label}</dt><dd class="reason">${reason}</dd></div>`;
}

export function estimateTile(label: string, value: Estimate, format: (value: number) => string): Markup {
  return value.kind === 'value' ? valueTile(label, format(value.value)) : reasonTile(label, value.reason);
}

export function valueTile(label: string, text: string): Markup {
  return html`<div><dt>${label}</dt><dd>${text}</dd></div>`;
}

/** Lines over time: equity and buy and hold, drawdown, exposure. */
export function linesSection({ curve, report }: RunPage, benchmark?: Benchmark): Markup {
  if (curve.time.length === 0)
    return html`<section aria-labelledby="lines"><h2 id="lines">Equity</h2><p>No equity line: nothing closed in this run, or prices of several origins are mixed in it.</p></section>`;
  const first = curve.equity[0] ?? report.figures.initialEquity;
  const last = curve.equity[curve.equity.length - 1] ?? first;
  const hold = curve.hold[curve.hold.length - 1];
  const isHoldKnown = curve.hold.some((value) => value !== null);
  const held = typeof hold === 'number' ? `, buy and hold ends at ${moneyText(hold, report.currency)}` : '';
  return html`<section aria-labelledby="lines"><h2 id="lines">Equity in ${report.currency}</h2>
<ul class="legend"><li class="equity">Equity</li>${isHoldKnown ? html`<li class="hold">Buy and hold</li>` : undefined}${benchmark === undefined ? undefined : html`<li class="bench">${benchmark.name}</li>`}</ul>
${scaleControl('equity')}
<div id="equity-chart" class="chart" role="img" aria-label="Equity from ${moneyText(first, report.currency)} to ${moneyText(last, report.currency)}${held}"></div>
${valuesLine('equity')}
<h3>Drawdown</h3>
<div id="drawdown-chart" class="chart low" role="img" aria-label="Fall from the running peak, at worst ${percentText(report.figures.maxDrawdown.share)}"></div>
${valuesLine('drawdown')}
<h3>Exposure</h3>
<div id="exposure-chart" class="chart low" role="img" aria-label="Share of equity in the market over time"></div>
${valuesLine('exposure')}
<p class="soft">${isHoldKnown ? holdDefinition(curve.holdHasDividends === true) : NO_HOLD}. Of long runs each stretch shows its lowest, highest and last value.</p></section>`;
}

const NO_HOLD = 'Buy and hold is not shown, as bars or exchange rates of the run are missing';

/** Statistics of trades, drawdowns and days; absent in runs saved by earlier versions. */
export function statisticsSection({ report, rolling }: RunPage): Markup {
  const { statistics }: Partial<Report> = report;
  if (statistics === undefined) return html``;
  const { trades, bestDay, worstDay } = statistics;
  const signed = (share: number): string => percentText(share, { signed: true });
  const tileOf = <T>(label: string, value: T | null, text: (value: T) => string): Markup =>
    valueTile(label, value === null ? '-' : text(value));
  const tiles = [
    tileOf('Average win', trades.averageWin, signed),
    tileOf('Average loss', trades.averageLoss, signed),
    tileOf('Best trade', trades.best, signed),
    tileOf('Worst trade', trades.worst, signed),
    valueTile(
      'Longest streaks',
      `${plural(trades.longestWinStreak, 'win')}, ${plural(trades.longestLossStreak, 'loss', 'losses')}`,
    ),
    tileOf('Average holding time', trades.averageDurationMs, spanText),
    tileOf('SQN', trades.sqn, ratioText),
    ...report.money.map(({ currency, profitFactor }) =>
      valueTile(
        report.money.length > 1 ? `Profit factor ${currency}` : 'Profit factor',
        profitFactor === null ? '-' : ratioText(profitFactor),
      ),
    ),
    ...dayTile('Best day', bestDay),
    ...dayTile('Worst day', worstDay),
  ];
  return html`<section aria-labelledby="statistics"><h2 id="statistics">Statistics</h2><dl class="tiles">${tiles}</dl>
${curvePart(statistics, rolling ?? null)}
<p class="soft">${SQN_DEFINITION}.</p></section>`;
}

function tableHead(names: readonly string[]): Markup {
  return html`<thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>`;
}

/** The deepest drawdowns, the histogram of daily returns, and the rolling Sharpe ratio and volatility. */
export function curvePart(
  { drawdowns, histogram }: Pick<Report['statistics'], 'drawdowns' | 'histogram'>,
  rolling: Pick<RollingFigures, 'window'> | null,
): Markup {
  const falls = drawdowns.map(
    ({ share, peakAt, troughAt, recoveredAt, days }) =>
      html`<tr><td class="bad">${percentText(share)}</td><td>${peakAt.slice(0, 10)}</td><td>${troughAt.slice(0, 10)}</td><td>${recoveredAt === null ? 'not recovered' : recoveredAt.slice(0, 10)}</td><td>${days}</td></tr>`,
  );
  return html`${falls.length === 0 ? undefined : html`<h3>Deepest drawdowns</h3><div class="scroll" tabindex="0" role="region" aria-label="Deepest drawdowns"><table>${tableHead(['Depth', 'Peak', 'Trough', 'Recovered', 'Days'])}<tbody>${falls}</tbody></table></div>`}
${histogram === null ? undefined : html`<h3>Daily returns: number of days in each step of ${percentText(histogram.width)}</h3>${histogramPicture(histogram)}`}
${rolling === null ? undefined : html`<h3>Sharpe over ${rolling.window} days</h3><div id="rolling-chart" class="chart low" role="img" aria-label="Sharpe ratio over the last ${rolling.window} daily returns"></div>${valuesLine('rolling')}<h3>Volatility over ${rolling.window} days, annualized</h3><div id="volatility-chart" class="chart low" role="img" aria-label="Volatility of the last ${rolling.window} daily returns, by the year"></div>${valuesLine('volatility')}`}`;
}

export function dayTile(
  label: string,
  found: { readonly day: string; readonly return: number } | null,
): readonly Markup[] {
  return found === null
    ? []
    : [valueTile(`${label}, ${found.day}`, percentText(found.return, { signed: true }))];
}

const BAR_HEIGHT = 120;
const BAR_WIDTH = 14;

/** Minimum width at which the labels of both ends fit. */
const HISTOGRAM_WIDTH_MIN = 140;

/** Number of days with a return in each bin, as bars with tooltips. */
function histogramPicture({ from, width, counts }: ReturnHistogram): Markup {
  const most = Math.max(...counts);
  const total = Math.max(counts.length * BAR_WIDTH, HISTOGRAM_WIDTH_MIN);
  const left = (total - counts.length * BAR_WIDTH) / 2;
  const bars = counts.map((count, bin) => {
    const low = from + bin * width;
    const height = Math.max(count === 0 ? 0 : 1, Math.round((count / most) * BAR_HEIGHT));
    const colour = low + width / 2 < 0 ? 'bad' : 'good';
    return html`<rect class="${colour}" x="${left + bin * BAR_WIDTH}" y="${BAR_HEIGHT - height}" width="${BAR_WIDTH - 2}" height="${height}"><title>${percentText(low, { signed: true })} to ${percentText(low + width, { signed: true })}: ${plural(count, 'day')}</title></rect>`;
  });
  const [first, last] = [
    percentText(from, { signed: true }),
    percentText(from + counts.length * width, { signed: true }),
  ];
  return html`<svg class="histogram" viewBox="0 0 ${total} ${BAR_HEIGHT + 18}" role="img" aria-label="Daily returns from ${first} to ${last} in steps of ${percentText(width)}">${bars}<text x="0" y="${BAR_HEIGHT + 14}">${first}</text><text x="${total}" y="${BAR_HEIGHT + 14}" text-anchor="end">${last}</text></svg>`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns by month and year. */
export function monthsSection({ months }: Pick<RunPage, 'months'>): Markup {
  if (months.length === 0) return html``;
  const cell = (share: number | null): Markup =>
    share === null ? html`<td class="soft">-</td>` : heatCell(share);
  const rows = months.map(
    ({ year, months: shares, total }) =>
      html`<tr><th scope="row">${year}</th>${shares.map(cell)}${cell(total)}</tr>`,
  );
  const heads = [...MONTHS, 'Year'].map((name) => html`<th scope="col">${name}</th>`);
  return html`<section aria-labelledby="months"><h2 id="months">Returns by month</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Returns of each month and year"><table><thead><tr><th scope="col">Year</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div>
${yearsPicture(months)}<p class="soft">${MONTHLY_DEFINITION}. The first and the last year reach from the start and to the end of the run.</p></section>`;
}

/** Width of a year, height of the largest return, and space for its text. */
const [YEAR_WIDTH, YEAR_HEIGHT, YEAR_TEXT] = [58, 60, 14];
/** Width below which the bars of many years scroll; above it, they shrink to fit. */
const YEARS_WIDTH_MIN = 900;
const YEARS_HEIGHT = 2 * (YEAR_HEIGHT + YEAR_TEXT) + 18;

/** The return of each year as a bar, up or down from a line; nothing for a single year. */
function yearsPicture(months: RunPage['months']): Markup {
  if (months.length < 2) return html``;
  const most = Math.max(...months.map(({ total }) => Math.abs(total ?? 0)));
  const width = Math.max(months.length * YEAR_WIDTH, HISTOGRAM_WIDTH_MIN);
  const bars = months.map(({ year, total: known }, at) => {
    const total = known ?? 0;
    const text = known === null ? 'no equity' : percentText(known, { signed: true });
    const height = most === 0 ? 0 : Math.round((Math.abs(total) / most) * YEAR_HEIGHT);
    const x = at * YEAR_WIDTH;
    const middle = x + YEAR_WIDTH / 2;
    const line = YEAR_TEXT + YEAR_HEIGHT;
    const isLoss = total < 0;
    const textAt = isLoss ? line + height + YEAR_TEXT - 2 : line - height - 4;
    return html`<rect class="${isLoss ? 'bad' : 'good'}" x="${x + 12}" y="${isLoss ? line : line - height}" width="${YEAR_WIDTH - 24}" height="${height}"></rect><text x="${middle}" y="${textAt}" text-anchor="middle">${text}</text><text x="${middle}" y="${YEARS_HEIGHT - 4}" text-anchor="middle">${year}</text>`;
  });
  const [first, last] = [months[0]?.year ?? 0, months.at(-1)?.year ?? 0];
  return html`<h3>Returns by year</h3><div class="scroll" tabindex="0" role="region" aria-label="Returns by year"><svg class="histogram years" style="min-width: min(${width}px, ${YEARS_WIDTH_MIN}px)" viewBox="0 0 ${width} ${YEARS_HEIGHT}" role="img" aria-label="Returns of the years ${first} to ${last}; the table above has them">${bars}<line x1="0" x2="${width}" y1="${YEAR_TEXT + YEAR_HEIGHT}" y2="${YEAR_TEXT + YEAR_HEIGHT}"></line></svg></div>
`;
}

/** A return on a background whose intensity grows with it, up to 10 %. */
function heatCell(share: number): Markup {
  const strength = Math.round(Math.min(1, Math.abs(share) / 0.1) * 45);
  const colour = share < 0 ? 'bad' : 'good';
  return html`<td style="background: color-mix(in srgb, var(--${colour}) ${strength}%, transparent)">${percentText(share, { signed: true })}</td>`;
}

/** A share as text; one that rounds to zero is neutral. */
function shareCell(text: string): Markup {
  if (Number.parseFloat(text) === 0) return html`<td>${text}</td>`;
  return html`<td class="${text.startsWith('-') ? 'bad' : 'good'}">${text}</td>`;
}

const TRADE_HEADS = [
  'Symbol',
  'Side',
  'Opened (UTC)',
  'Closed (UTC)',
  'Quantity',
  'Entry',
  'Exit',
  'Profit',
  'Return',
  'Held',
  'Exit reason',
  'MAE',
  'MFE',
  'Fees',
];

/** The closed trades in pages, and open positions. */
export function tradesSection({ report }: RunPage): Markup {
  const heads = TRADE_HEADS.map(
    (name, column) =>
      html`<th scope="col"><button class="sort" type="button" id="trade-head-${column}" title="Sort">${name}</button></th>`,
  );
  const omitted = report.omitted.trades;
  return html`<section aria-labelledby="trades"><h2 id="trades">Trades</h2>
<div class="controls"><label for="trade-filter">Filter</label> <input id="trade-filter" type="search" placeholder="symbol, side, exit"><a id="trades-csv" href="#trades" download="trades.csv">Download CSV</a></div>
<div class="controls"><button id="trades-back" type="button">Earlier</button><span id="trade-range" aria-live="polite"></span><button id="trades-on" type="button">Later</button></div>
<div class="scroll" tabindex="0" role="region" aria-label="Closed trades"><table><thead><tr>${heads}</tr></thead><tbody id="trade-rows"></tbody></table></div>
${omitted > 0 ? html`<p class="soft">${omitted} later trades are left out of this page; the figures count them all.</p>` : undefined}
${openTable(report)}
<p class="soft">${TRADE_DEFINITION}. ${EXIT_DEFINITION}. ${EXCURSION_DEFINITION}. Times are UTC.</p><noscript><p>The list of trades needs scripts; the figures above do not.</p></noscript></section>`;
}

type OpenPosition = Report['open'][number];

/** Runs saved by earlier versions have no last price and unrealized profit. */
function openTable({ open }: Report): Markup | undefined {
  if (open.length === 0) return undefined;
  const known = (text: string | null | undefined, format: (text: string) => string): string =>
    text === null || text === undefined ? 'not known' : format(text);
  const rows = open.map((trade: Omit<OpenPosition, 'price' | 'unrealized'> & Partial<OpenPosition>) => {
    const unrealized = known(trade.unrealized, (text) => gainText(Number(text), trade.currency));
    return html`<tr><td>${trade.symbol}</td><td>${trade.direction}</td><td>${trade.openedAt.slice(0, 16).replace('T', ' ')}</td><td>${trade.quantity}</td><td>${known(trade.averageCost, priceText)}</td><td>${known(trade.price, priceText)}</td>${amountCell(unrealized, trade.unrealized)}</tr>`;
  });
  const heads = [
    'Symbol',
    'Side',
    'Opened (UTC)',
    'Quantity',
    'Average cost',
    'Last price',
    'Unrealized',
  ].map((name) => html`<th scope="col">${name}</th>`);
  return html`<h3>Still open</h3><div class="scroll" tabindex="0" role="region" aria-label="Open positions"><table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Gains and losses in a table, in their colours. */
function amountCell(text: string, amount: string | null | undefined): Markup {
  const value = Number(amount ?? 0);
  if (value === 0) return html`<td>${text}</td>`;
  return html`<td class="${value < 0 ? 'bad' : 'good'}">${text}</td>`;
}

/** Profit by symbol, with open positions; runs saved by earlier versions have none. */
export function symbolsSection({ report }: RunPage): Markup {
  const { symbols = [] }: Partial<Pick<Report, 'symbols'>> = report;
  if (symbols.length === 0) return html``;
  const closed = new Map(report.statistics.trades.bySymbol.map((each) => [each.symbol, each]));
  const rows = symbols.map(({ symbol, currency, trades, quantity, realized, unrealized, fees, profit }) => {
    const cell = (amount: string | null): Markup =>
      amountCell(amount === null ? 'not known' : gainText(Number(amount), currency), amount);
    const won = closed.get(symbol);
    const wonCells =
      won === undefined
        ? html`<td>-</td><td>-</td>`
        : html`<td>${percentText(won.wins / won.trades)}</td>${shareCell(percentText(won.averageReturn, { signed: true }))}`;
    return html`<tr><th scope="row">${symbol}</th><td>${countText(trades)}</td>${wonCells}<td>${quantity === '0' ? '-' : quantity}</td>${cell(realized)}${cell(unrealized)}<td>${moneyText(Number(fees), currency)}</td>${cell(profit)}</tr>`;
  });
  const trading = ['Symbol', 'Trades', 'Win rate', 'Average trade', 'Open quantity'];
  const heads = tableHead([...trading, 'Realized', 'Unrealized', 'Fees', 'Profit']);
  return html`<section aria-labelledby="symbols"><h2 id="symbols">By symbol</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Profit by symbol"><table>${heads}<tbody>${rows}</tbody></table></div>
<p class="soft">${SYMBOL_DEFINITION}.</p></section>`;
}

/** From gross to net by currency. */
export function costsSection({ costs }: RunPage): Markup {
  if (costs.length === 0)
    return html`<section aria-labelledby="costs"><h2 id="costs">Costs</h2><p>Nothing was filled, so nothing was charged.</p></section>`;
  return html`<section aria-labelledby="costs"><h2 id="costs">Costs</h2>${costs.map(costTable)}</section>`;
}

/** From the first equity to the last by the entries of the books. */
export function profitSection({ explained = [], report }: RunPage): Markup {
  if (explained.length === 0) return html``;
  const amount = (text: string): string => gainText(Number(text), report.currency);
  const rows = explained.map((row, index) =>
    index === explained.length - 1
      ? html`<tr><th scope="row" class="words">${row.words}</th><td>${amount(row.amount)}</td></tr>`
      : html`<tr><td class="words">${row.words}</td><td>${amount(row.amount)}</td></tr>`,
  );
  return html`<section aria-labelledby="profit"><h2 id="profit">Profit breakdown</h2>
<div class="scroll" tabindex="0" role="region" aria-label="What the change of equity is made of"><table><thead><tr><th scope="col">${report.currency}</th><th scope="col">Amount</th></tr></thead><tbody>${rows}</tbody></table></div>
<p class="soft">${PROFIT_DEFINITION}.</p></section>`;
}

function costTable({ currency, gross, charges, fees, net }: CostRow): Markup {
  const amount = (text: string): string => moneyText(Number(text), currency);
  const rows = charges.map(
    (charge) =>
      html`<tr><td class="words">${charge.name}</td><td class="bad">${amount(`-${charge.amount}`)}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Costs in ${currency}"><table><thead><tr><th scope="col">${currency}</th><th scope="col">Amount</th></tr></thead><tbody>
<tr><td class="words">Realized before charges, dividends included</td><td>${gainText(Number(gross), currency)}</td></tr>${rows}
<tr><th scope="row" class="words">Realized after charges (${amount(fees)} in all)</th><td>${gainText(Number(net), currency)}</td></tr></tbody></table></div>`;
}

/** Definitions of the figures and limits of the model. */
export function wordsSection({ report, curve }: RunPage, benchmark?: Benchmark): Markup {
  const item = (text: string): Markup => html`<li>${text}</li>`;
  const definitions = [
    ...[CAGR_DEFINITION, SHARPE_DEFINITION, SORTINO_DEFINITION, VOLATILITY_DEFINITION, DAILY_DEFINITION],
    CALMAR_DEFINITION,
    ...[
      DRAWDOWN_DEFINITION,
      EXPOSURE_DEFINITION,
      holdDefinition(curve.holdHasDividends === true),
      TRADE_DEFINITION,
      WON_DEFINITION,
    ],
    ...(benchmark === undefined ? [] : [BENCHMARK_DEFINITION]),
  ];
  return html`<section aria-labelledby="assumes"><h2 id="assumes">Assumptions and limits</h2><ul>${report.assumptions.map(item)}</ul></section>
<section aria-labelledby="defined"><h2 id="defined">Definitions</h2><ul>${definitions.map(item)}</ul></section>`;
}

/** The config and the hashes by which two runs can be compared. */
export function sourceSection({ source, report }: RunPage): Markup {
  return html`<section aria-labelledby="source"><h2 id="source">Provenance</h2>
<p>${report.config}, strategy ${report.strategy}</p>
<pre tabindex="0" aria-label="The config"><code>${source.yaml}</code></pre>
${source.options === undefined || source.options.length === 0 ? '' : html`<p>Changed by options: <code>${source.options.join(' ')}</code></p>\n`}<dl class="hash"><dt class="soft">SHA-256 of the config</dt><dd><code>${source.yamlSha256}</code></dd><dt class="soft">SHA-256 of the code</dt><dd><code>${source.strategySha256}</code></dd></dl>
<p class="soft">Sluice ${source.sluice}, Node ${source.node}. Journal: ${report.journal ?? 'kept in memory'}.</p></section>`;
}
