import Table from 'cli-table3';
import { curveOf } from '../events/curve/curve-figures.ts';
import type { Drawdown } from '../events/curve/drawdown-tracker.ts';
import type { RunRecord } from '../events/run-record.ts';
import { unreturnedTexts } from '../events/unreturned-drafts.ts';
import { printable } from '../model/printable.ts';
import { type Millis, utcDay } from '../model/time.ts';
import {
  DAILY_DEFINITION,
  SHARPE_DEFINITION,
  SORTINO_DEFINITION,
  VOLATILITY_DEFINITION,
} from './daily-returns.ts';
import { denialsOf, denialTexts, nonePassedText } from './denials.ts';
import { equityChart } from './equity-chart.ts';
import {
  countText,
  estimateText,
  moneyText,
  percentText,
  rangeText,
  ratioText,
  spanText,
  TEXT_COLUMNS,
  wrapped,
} from './format.ts';
import { type Ink, inkFor } from './ink.ts';
import { isMixedOrigin, originLabel, originOf, securityNote } from './origin.ts';
import {
  CAGR_DEFINITION,
  CALMAR_DEFINITION,
  type Performance,
  performanceOf,
  TRADE_DEFINITION,
} from './performance.ts';
import { PROFIT_DEFINITION, profitLines, profitOf } from './profit.ts';
import { rejectedIn, rejectionsOf, rejectionTexts } from './rejections.ts';
import { stoppedOf, stoppedText, stopsOf, stopsText } from './stopped.ts';
import { STRATEGY_DEFINITION, strategyTable } from './strategy-figures.ts';

const SECURITIES_SHOWN = 10;
const PATH_CHARS = 300;
const CHART_ROWS = 10;

/** How a report is printed. */
export interface TerminalOptions {
  readonly colour: boolean;
}

/** A finished run as a page of text, 80 columns wide, ending in a newline. */
export function terminalReport(record: RunRecord, options: TerminalOptions): string {
  const ink = inkFor(options.colour);
  const figures = performanceOf(record);
  const parts = [
    heading(record, ink),
    stoppedPart(record, ink),
    figuresTable(record, figures, ink),
    profitPart(record, figures, ink),
    strategyTable(record),
    listPart('Why orders were denied', denialTexts(denialsOf(record)), ink),
    listPart('Why the venue took no order', rejectionTexts(rejectionsOf(record)), ink),
    equityPart(record, ink),
    listPart('How figures are made', definitions(record, figures), ink),
    listPart('What the model assumes', record.assumptions, ink),
    journalLine(record.journal),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/**
 * First and last close of a run, or its bounds when nothing closed. Closes lie within trading hours, where the UTC day is
 * the exchange's own; a bound at an exchange's midnight may not.
 */
export function closesOf(record: RunRecord): readonly [Millis, Millis] {
  const { closes, first, last } = curveOf(record);
  return closes === 0 ? [record.from, record.to] : [first, last];
}

/** The line with the path of a run's journal; `run` numbers the runs of one list. */
export function journalLine(journal: string | undefined, run?: string): string {
  return `Journal${run === undefined ? '' : ` (${run})`}: ${journal === undefined ? 'none (kept in memory)' : printable(journal, PATH_CHARS)}`;
}

function heading(record: RunRecord, ink: Ink): string {
  const { securities } = record;
  const shown = securities.slice(0, SECURITIES_SHOWN).map((security) => securityNote(security));
  const more = securities.length - shown.length;
  return [
    `${ink.bold(record.mode.toUpperCase())}  ${ink.accent(printable(record.strategy))}  ${printable(record.config, PATH_CHARS)}`,
    `${rangeText(...closesOf(record))}, equity in ${record.currency}, ${originLabel(originOf(securities), ink)}`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}

function stoppedPart(record: RunRecord, ink: Ink): string {
  const stopped = stoppedOf(record);
  const stops = stopsOf(record);
  const none = nonePassedText(record.flow, rejectedIn(rejectionsOf(record)));
  const texts = [
    ...(none === undefined ? [] : [none]),
    ...unreturnedTexts(record.unreturned ?? []),
    ...(stops.length === 0 ? [] : [stopsText(stops, record.config)]),
    ...(stopped === undefined ? [] : [stoppedText(stopped, record.config)]),
  ];
  return texts.map((text) => ink.bad(wrapped(printable(text, PATH_CHARS * 4)))).join('\n\n');
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
    ['CAGR', estimateText(figures.cagr, signed), 'Began with', moneyText(figures.initialEquity, currency)],
    ['Max drawdown', percentText(figures.maxDrawdown.share), 'Drawdown', drawdownText(figures.maxDrawdown)],
    [
      'Sharpe',
      estimateText(figures.sharpe, ratioText),
      'Volatility',
      estimateText(figures.volatility, percentText),
    ],
    ['Sortino', estimateText(figures.sortino, ratioText), 'Calmar', estimateText(figures.calmar, ratioText)],
    ['Exposure', estimateText(figures.exposure, percentText), 'Closes', countText(curveOf(record).closes)],
    ['Trades', tradesText(figures), 'Won', estimateText(figures.winShare, percentText)],
    ['Orders', countText(record.flow.orders), 'Denied', countText(record.flow.denied)],
    ['Fills', countText(record.flow.fills), 'Per trade', estimateText(figures.averageReturn, signed)],
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
  return [ink.bold('Profit explained'), ...profitLines(profit, figures)].join('\n');
}

function drawdownText(drawdown: Drawdown): string {
  if (drawdown.share === 0) return 'none';
  const end = drawdown.recoveredAt === undefined ? 'not recovered' : `back ${utcDay(drawdown.recoveredAt)}`;
  return `${utcDay(drawdown.peakAt)} to ${utcDay(drawdown.troughAt)}, ${end} (${spanText(drawdown.durationMs)})`;
}

function tradesText({ trades, closedTrades }: Performance): string {
  const open = trades.open.length;
  return `${countText(closedTrades)} closed${open === 0 ? '' : `, ${countText(open)} open`}`;
}

function equityPart(record: RunRecord, ink: Ink): string {
  const origin = originOf(record.securities);
  if (isMixedOrigin(origin)) return 'No equity line: prices of several origins are mixed in this run';
  const values = new Float64Array(record.equity.value.length + 1);
  values[0] = record.initialEquity;
  values.set(record.equity.value, 1);
  const [from, to] = closesOf(record);
  const data = { values, from: utcDay(from), to: utcDay(to) };
  const lines = equityChart(data, { columns: TEXT_COLUMNS, rows: CHART_ROWS });
  if (lines.length === 0) return 'No equity line: nothing closed in this run';
  return [`${ink.bold('Equity')} in ${record.currency}, ${originLabel(origin, ink)}`, ...lines].join('\n');
}

function definitions({ strategies, bounds, flow }: RunRecord, figures: Performance): readonly string[] {
  const some =
    figures.sharpe.kind === 'value'
      ? [SHARPE_DEFINITION, SORTINO_DEFINITION, VOLATILITY_DEFINITION, DAILY_DEFINITION]
      : [];
  const own = strategies === undefined ? [] : [STRATEGY_DEFINITION];
  const profit = bounds === undefined || flow.fills === 0 ? [] : [PROFIT_DEFINITION];
  const growth = figures.cagr.kind === 'value' ? [CAGR_DEFINITION, CALMAR_DEFINITION] : [];
  return [...growth, ...some, TRADE_DEFINITION, ...profit, ...own];
}

function listPart(title: string, sentences: readonly string[], ink: Ink): string {
  if (sentences.length === 0) return '';
  const lines = sentences.map((sentence) => wrapped(`- ${printable(sentence, PATH_CHARS)}`, TEXT_COLUMNS, 2));
  return [ink.bold(title), ...lines].join('\n');
}
