import { dirname } from 'node:path';
import Table from 'cli-table3';
import { curveOf } from '../events/curve/curve-figures.ts';
import type { Drawdown } from '../events/curve/drawdown-tracker.ts';
import type { RunRecord } from '../events/run-record.ts';
import { unreturnedTexts } from '../events/unreturned-drafts.ts';
import { plural } from '../model/plural.ts';
import { printable } from '../model/printable.ts';
import { type CalendarDay, DAY_MS, utcDay } from '../model/time.ts';
import { type HoldFigures, holdDefinition } from './buy-and-hold.ts';
import {
  DAILY_DEFINITION,
  SHARPE_DEFINITION,
  SORTINO_DEFINITION,
  VOLATILITY_DEFINITION,
} from './daily-returns.ts';
import { denialsOf, denialTexts, leftOutTexts, nonePassedText } from './denials.ts';
import { equityChart } from './equity-chart.ts';
import { type Estimate, estimate } from './estimate.ts';
import {
  countText,
  equityFigure,
  estimateText,
  minuteText,
  moneyText,
  percentText,
  ratioText,
  spanText,
  TEXT_COLUMNS,
  wrapped,
} from './format.ts';
import { type Ink, inkFor } from './ink.ts';
import { isMixedOrigin, isTradableIndex, originLabel, originOf, securityNote } from './origin.ts';
import {
  CAGR_DEFINITION,
  CALMAR_DEFINITION,
  DRAWDOWN_DEFINITION,
  EXPOSURE_DEFINITION,
  type Performance,
  performanceOf,
  TRADE_DEFINITION,
  WON_DEFINITION,
} from './performance.ts';
import { PROFIT_DEFINITION, profitLines, profitOf } from './profit.ts';
import { rejectedIn, rejectionsOf, rejectionTexts } from './rejections.ts';
import { stoppedOf, stoppedText, stopsOf, stopsText } from './stopped.ts';
import { STRATEGY_DEFINITION, strategyTable } from './strategy-figures.ts';
import {
  SYMBOL_DEFINITION,
  symbolLines,
  symbolProfits,
  symbolSummary,
  symbolTitle,
} from './symbol-profits.ts';

const SECURITIES_SHOWN = 10;
const PATH_CHARS = 300;
/** A terminal of 24 rows, less one for the prompt. */
const SUMMARY_ROWS = 23;
const [CHART_ROWS_MIN, CHART_ROWS_MAX] = [3, 10];
/** Number of reasons of denials and of rejections in the summary; "--explain" lists all. */
const REASONS_SHOWN = 2;

/** How a report is printed. */
export interface TerminalOptions {
  readonly colour: boolean;
}

/** Additional content of a report. */
export interface ReportOptions extends TerminalOptions {
  /** Buy and hold at the closes of the run; absent if prices of the run are not available. */
  readonly hold?: HoldFigures | undefined;
  /** True adds all figures, the profit by bookings, the definitions and the assumptions. */
  readonly explained?: boolean;
}

/**
 * Formats a finished run as text of 80 columns that ends in a newline. The summary fits a screen of 24 rows unless
 * the run has several strategies, or was denied or stopped for many reasons.
 */
export function terminalReport(record: RunRecord, options: ReportOptions): string {
  const ink = inkFor(options.colour);
  const figures = performanceOf(record);
  const symbols = symbolProfits(record, figures);
  const isExplained = options.explained === true;
  const above = [
    [heading(record, ink), symbolsLine(record)].join('\n'),
    stoppedPart(record, ink),
    [summaryTable(record, figures, options.hold, ink), uncomputedText(figures), symbolSummary(symbols)]
      .filter(isThere)
      .join('\n'),
    strategyTable(record),
    reasonsPart('Why orders were left out', leftOutTexts(record.leftOut ?? []), isExplained, ink),
    reasonsPart('Why orders were denied', denialTexts(denialsOf(record)), isExplained, ink),
    reasonsPart('Why the venue took no order', rejectionTexts(rejectionsOf(record)), isExplained, ink),
  ];
  const details = isExplained
    ? [
        [ink.bold('Prices'), ...securityNotes(record)].join('\n'),
        [ink.bold('All figures'), figuresTable(record, figures, ink)].join('\n'),
        symbols.length === 0 ? '' : [ink.bold(symbolTitle(symbols)), ...symbolLines(symbols)].join('\n'),
        profitPart(record, figures, ink),
        listPart('Definitions', definitions(record, figures, options.hold), ink),
        listPart('Assumptions', record.assumptions, ink),
      ]
    : [];
  const below = [
    ...details,
    [isExplained ? '' : explainLine(record), journalLine(record.journal)].filter(isThere).join('\n'),
  ];
  const [top, bottom] = [joined(above), joined(below)];
  const taken = isExplained ? joined(above) : `${top}\n\n\n${bottom}`;
  const chart = equityPart(record, SUMMARY_ROWS - taken.split('\n').length);
  return `${joined([top, chart, bottom])}\n`;
}

function isThere(text: string): boolean {
  return text !== '';
}

function joined(parts: readonly string[]): string {
  return parts.filter(isThere).join('\n\n');
}

/** First and last trading day of a run with a close, or the UTC days of its bounds if nothing closed. */
function daysOf(record: RunRecord): readonly [CalendarDay, CalendarDay] {
  const { day } = curveOf(record).daily;
  return [day[0] ?? utcDay(record.from), day.at(-1) ?? utcDay(record.to)];
}

/**
 * From the first close of a run to the last: as trading days if they differ by more than a day, otherwise to the
 * minute.
 */
export function spanOfCloses(record: RunRecord): string {
  const { closes, first, last } = curveOf(record);
  const [from, to] = closes === 0 ? [record.from, record.to] : [first, last];
  return to - from > DAY_MS ? daysOf(record).join(' to ') : `${minuteText(from)} to ${minuteText(to)} UTC`;
}

/** The line with the path of a run's journal; `run` numbers the runs of one list. */
export function journalLine(journal: string | undefined, run?: string): string {
  return `Journal${run === undefined ? '' : ` (${run})`}: ${journal === undefined ? 'none (kept in memory)' : printable(journal, PATH_CHARS)}`;
}

function heading(record: RunRecord, ink: Ink): string {
  return [
    `${ink.bold(record.mode.toUpperCase())}  ${ink.accent(printable(record.strategy))}  ${printable(record.config, PATH_CHARS)}`,
    `${spanOfCloses(record)}, equity in ${record.currency}, ${originLabel(originOf(record.securities), ink)}`,
  ].join('\n');
}

/** The symbols in one line, including which of them are indices. */
function symbolsLine({ securities }: RunRecord): string {
  const texts = securities.map((security) =>
    isTradableIndex(security) ? `${security.symbol} (an INDEX MADE TRADABLE)` : security.symbol,
  );
  let line = '';
  for (const [index, text] of texts.entries()) {
    const longer = line === '' ? text : `${line}, ${text}`;
    const left = texts.length - index;
    if (longer.length > TEXT_COLUMNS - ' and 10,000 more'.length && line !== '')
      return `${line} and ${countText(left)} more`;
    line = longer;
  }
  return line;
}

function securityNotes({ securities }: RunRecord): readonly string[] {
  const noteTexts = securities.slice(0, SECURITIES_SHOWN).map((security) => securityNote(security));
  const more = securities.length - noteTexts.length;
  return [...noteTexts, ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** Where to find what the summary leaves out. */
function explainLine({ journal, assumptions, mode }: RunRecord): string {
  const where =
    mode === 'backtest' || journal === undefined
      ? 'add --explain'
      : `sluice report ${printable(dirname(journal), PATH_CHARS)}`;
  const what = `${plural(countText(assumptions.length), 'assumption')} of the model, definitions, all figures:`;
  const line = `${what} ${where}`;
  return line.length <= TEXT_COLUMNS ? line : `${what}\n  ${where}`;
}

function stoppedPart(record: RunRecord, ink: Ink): string {
  const stopped = stoppedOf(record);
  const stops = stopsOf(record);
  const none = nonePassedText(record.flow, {
    rejected: rejectedIn(rejectionsOf(record)),
    leftOut: record.leftOut?.length ?? 0,
    assumptions: record.assumptions,
  });
  const texts = [
    ...(none === undefined ? [] : [none]),
    ...unreturnedTexts(record.unreturned ?? []),
    ...(stops.length === 0 ? [] : [stopsText(stops, record.config)]),
    ...(stopped === undefined ? [] : [stoppedText(stopped, record.config)]),
  ];
  return texts.map((text) => ink.bad(wrapped(printable(text, PATH_CHARS * 4)))).join('\n\n');
}

const [LABEL_CELLS, VALUE_CELLS, SIDE_CELLS] = [13, 15, 14];

/** The main figures: of the run, of buy and hold, and of its trades on the right. */
function summaryTable(
  record: RunRecord,
  figures: Performance,
  hold: HoldFigures | undefined,
  ink: Ink,
): string {
  const left = [
    ['', ink.bold('Result'.padStart(VALUE_CELLS)), hold && ink.bold('Buy and hold'.padStart(VALUE_CELLS))],
    compared('Return', figures.totalReturn, hold?.totalReturn, signedText, ink),
    compared('CAGR', figures.cagr, hold?.cagr, signedText, ink),
    compared('Max drawdown', estimate(figures.maxDrawdown.share), hold?.maxDrawdown, percentText, ink),
    compared('Sharpe', figures.sharpe, hold?.sharpe, ratioText, ink),
    compared('Sortino', figures.sortino, hold?.sortino, ratioText, ink),
    compared('Volatility', figures.volatility, hold?.volatility, percentText, ink),
    compared('Final equity', estimate(figures.finalEquity), hold?.finalEquity, equityFigure, ink),
  ] as const;
  const right = sideRows(record, figures, ink);
  const width = LABEL_CELLS + (hold === undefined ? 1 : 2) * VALUE_CELLS;
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
    const [label, own, held] = left[row] ?? ['', '', ''];
    const start = row < left.length ? `${label.padEnd(LABEL_CELLS)}${own}${held ?? ''}` : ' '.repeat(width);
    const side = right[row];
    return side === undefined ? start : `${start}  ${side}`;
  })
    .map((line) => line.trimEnd())
    .join('\n');
}

function compared(
  label: string,
  own: Estimate,
  held: Estimate | undefined,
  format: (value: number) => string,
  ink: Ink,
): readonly [string, string, string | undefined] {
  const cell = (value: Estimate): string => {
    const text = (value.kind === 'value' ? format(value.value) : '-').padStart(VALUE_CELLS);
    if (format !== signedText || value.kind === 'undefined') return text;
    return value.value < 0 ? ink.bad(text) : ink.good(text);
  };
  return [label, cell(own), held && cell(held)];
}

/** Figures of trading: label and value, the value at the right edge. */
function sideRows(record: RunRecord, figures: Performance, ink: Ink): readonly string[] {
  const { orders, denied } = record.flow;
  const short = (value: Estimate, format: (value: number) => string): string =>
    value.kind === 'value' ? format(value.value) : '-';
  const rows: readonly (readonly [label: string, value: string])[] = [
    ['Trades', tradesText(figures)],
    ['Win rate', short(figures.winShare, percentText)],
    ['Average trade', short(figures.averageReturn, signedText)],
    ['Orders', `${countText(orders)}, ${countText(denied)} denied`],
    ['Exposure', short(figures.exposure, percentText)],
    ...figures.money.flatMap((money): readonly (readonly [string, string])[] => [
      ['Fees', moneyText(money.fees, money.currency)],
      [
        figures.money.length === 1 ? 'Profit factor' : `Factor ${money.currency}`,
        short(money.profitFactor, ratioText),
      ],
    ]),
  ];
  const cells = TEXT_COLUMNS - LABEL_CELLS - 2 * VALUE_CELLS - 2 - SIDE_CELLS;
  return [
    '',
    ...rows.map(([label, value]) => {
      const text = value.padStart(cells);
      return `${label.padEnd(SIDE_CELLS)}${label === 'Orders' && denied > 0 ? ink.bad(text) : text}`;
    }),
  ];
}

/** Explains which figures of the summary are dashes. */
function uncomputedText(figures: Performance): string {
  const byReason = new Map<string, string[]>();
  const named = [
    ['return', figures.totalReturn],
    ['CAGR', figures.cagr],
    ['Sharpe', figures.sharpe],
    ['Sortino', figures.sortino],
    ['volatility', figures.volatility],
  ] as const;
  for (const [name, value] of named) {
    if (value.kind === 'value') continue;
    byReason.set(value.reason, [...(byReason.get(value.reason) ?? []), name]);
  }
  if (byReason.size === 0) return '';
  const texts = [...byReason].map(([reason, names]) => `${names.join(', ')}: ${reason}`);
  return wrapped(`Not computed: ${texts.join('; ')}`);
}

function signedText(share: number): string {
  return percentText(share, { signed: true });
}

function figuresTable(record: RunRecord, figures: Performance, ink: Ink): string {
  const table = new Table({
    style: { head: [], border: [], compact: true },
    colWidths: [15, 20, 13, 27],
    wordWrap: true,
  });
  const signed = (share: number): string => {
    const text = percentText(share, { signed: true });
    return share < 0 ? ink.bad(text) : ink.good(text);
  };
  const { currency } = record;
  table.push(
    ['Return', estimateText(figures.totalReturn, signed), 'Equity', moneyText(figures.finalEquity, currency)],
    [
      'CAGR',
      estimateText(figures.cagr, signed),
      'Initial equity',
      moneyText(figures.initialEquity, currency),
    ],
    ['Max drawdown', percentText(figures.maxDrawdown.share), 'Drawdown', drawdownText(figures.maxDrawdown)],
    [
      'Sharpe',
      estimateText(figures.sharpe, ratioText),
      'Volatility',
      estimateText(figures.volatility, percentText),
    ],
    ['Sortino', estimateText(figures.sortino, ratioText), 'Calmar', estimateText(figures.calmar, ratioText)],
    ['Exposure', estimateText(figures.exposure, percentText), 'Closes', countText(curveOf(record).closes)],
    ['Trades', tradesText(figures), 'Win rate', estimateText(figures.winShare, percentText)],
    ['Orders', countText(record.flow.orders), 'Denied', countText(record.flow.denied)],
    ['Fills', countText(record.flow.fills), 'Avg. trade', estimateText(figures.averageReturn, signed)],
  );
  for (const money of figures.money) {
    const average = money.averageProfit === undefined ? '-' : moneyText(money.averageProfit, money.currency);
    table.push(
      ['Fees', moneyText(money.fees, money.currency), 'Turnover', moneyText(money.turnover, money.currency)],
      ['Trade profit', moneyText(money.profit, money.currency), 'Average', average],
      ['Profit factor', estimateText(money.profitFactor, ratioText), '', ''],
    );
  }
  return table.toString();
}

function profitPart(record: RunRecord, figures: Performance, ink: Ink): string {
  const profit = profitOf(record, figures);
  if (profit === undefined || record.flow.fills === 0) return '';
  return [ink.bold('Profit breakdown'), ...profitLines(profit, figures)].join('\n');
}

function drawdownText(drawdown: Drawdown): string {
  if (drawdown.share === 0) return 'none';
  const end =
    drawdown.recoveredAt === undefined ? 'not recovered' : `recovered ${utcDay(drawdown.recoveredAt)}`;
  return `${utcDay(drawdown.peakAt)} to ${utcDay(drawdown.troughAt)}, ${end} (${spanText(drawdown.durationMs)})`;
}

function tradesText({ trades, closedTrades }: Performance): string {
  const open = trades.open.length;
  const { uncounted } = trades;
  return [
    `${countText(closedTrades)} closed`,
    ...(open === 0 ? [] : [`${countText(open)} open`]),
    ...(uncounted === 0 ? [] : [`${countText(uncounted)} at a cost not known`]),
  ].join(', ');
}

/** The equity line in the available rows; empty if they are too few. */
function equityPart(record: RunRecord, room: number): string {
  const origin = originOf(record.securities);
  if (isMixedOrigin(origin)) return 'No equity line: prices of several origins are mixed in this run';
  const values = new Float64Array(record.equity.value.length + 1);
  values[0] = record.initialEquity;
  values.set(record.equity.value, 1);
  const [from, to] = daysOf(record);
  const data = { values, from, to, title: 'equity' };
  // The axis takes one row.
  const rows = Math.min(CHART_ROWS_MAX, room - 1);
  const lines = equityChart(data, { columns: TEXT_COLUMNS, rows: Math.max(CHART_ROWS_MIN, rows) });
  if (lines.length === 0) return 'No equity line: nothing closed in this run';
  return rows < CHART_ROWS_MIN ? '' : lines.join('\n');
}

function definitions(
  { strategies, bounds, flow }: RunRecord,
  figures: Performance,
  hold: HoldFigures | undefined,
): readonly string[] {
  const some =
    figures.sharpe.kind === 'value'
      ? [SHARPE_DEFINITION, SORTINO_DEFINITION, VOLATILITY_DEFINITION, DAILY_DEFINITION]
      : [];
  const own = strategies === undefined ? [] : [STRATEGY_DEFINITION];
  const profit = bounds === undefined || flow.fills === 0 ? [] : [PROFIT_DEFINITION];
  const bySymbol = flow.fills === 0 ? [] : [SYMBOL_DEFINITION];
  const growth = figures.cagr.kind === 'value' ? [CAGR_DEFINITION, CALMAR_DEFINITION] : [];
  const held = hold === undefined ? [] : [holdDefinition(hold.hasDividends)];
  return [
    ...growth,
    DRAWDOWN_DEFINITION,
    ...some,
    EXPOSURE_DEFINITION,
    WON_DEFINITION,
    TRADE_DEFINITION,
    ...held,
    ...bySymbol,
    ...profit,
    ...own,
  ];
}

/** The first reasons; "--explain" lists all. */
function reasonsPart(title: string, reasons: readonly string[], isExplained: boolean, ink: Ink): string {
  const visibleReasons = isExplained ? reasons : reasons.slice(0, REASONS_SHOWN);
  const more = reasons.length - visibleReasons.length;
  const part = listPart(title, visibleReasons, ink);
  return more === 0 ? part : `${part}\n  and ${more} more`;
}

function listPart(title: string, sentences: readonly string[], ink: Ink): string {
  if (sentences.length === 0) return '';
  const lines = sentences.map((sentence) => wrapped(`- ${printable(sentence, PATH_CHARS)}`, TEXT_COLUMNS, 2));
  return [ink.bold(title), ...lines].join('\n');
}
