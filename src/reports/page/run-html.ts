import { DAY_MS } from '../../model/time.ts';
import type { Benchmark } from '../benchmark.ts';
import { gainText, moneyText, percentText, priceText, spanText } from '../format.ts';
import { ORIGIN_LABELS, type OriginKind, originOf, securityText } from '../origin.ts';
import type { RunPage, Unfinished } from '../run-page.ts';
import { chartPage } from './chart-page.ts';
import type { TradeRow } from './drawing.ts';
import { html, type Markup } from './markup.ts';
import { pricesSection } from './prices-section.ts';
import {
  costsSection,
  figuresSection,
  linesSection,
  monthsSection,
  profitSection,
  sourceSection,
  statisticsSection,
  symbolsSection,
  tradesSection,
  wordsSection,
} from './sections.ts';

/** Formats the report of a run as one HTML file, with a benchmark if given. */
export function runHtml(page: RunPage, benchmark?: Benchmark): string {
  const { report, curve, charts } = page;
  const { excursions = [], rolling = null } = page;
  // Trades of a day or longer are shown in days.
  const stamp = report.trades.every(({ durationMs = 0 }: Partial<ReportedTrade>) => durationMs >= DAY_MS)
    ? dayText
    : minuteText;
  const trades = report.trades.map((trade, index) => tradeRow(trade, excursions[index] ?? null, stamp));
  // A run starts at its exchange's midnight, which may be the day before in UTC; its first close is not.
  const [began] = curve.time;
  const from = began === undefined ? report.from : new Date(began).toISOString();
  const title = `${report.strategy}: ${report.mode} ${from.slice(0, 10)} to ${report.to.slice(0, 10)}`;
  const body = html`<header><h1>${title}</h1><p class="soft">${report.config}</p>${unfinishedPart(page)}${originPart(report)}</header>
${figuresSection(page, benchmark)}${linesSection(page, benchmark)}${monthsSection(page)}${statisticsSection(page)}${pricesSection(page)}${tradesSection(page)}${symbolsSection(page)}${profitSection(page)}${costsSection(page)}${wordsSection(page, benchmark)}${sourceSection(page)}`;
  return chartPage(title, body, { curve, charts, rolling, trades, benchmark: benchmark?.line ?? null });
}

const ORIGIN_NOTES: Readonly<Record<Exclude<OriginKind, 'real'>, string>> = {
  generated: ': no market ever had them, and the figures say nothing about any',
  unknown: ': the venue does not state whether any market had them',
  mixed: ' are mixed in this run',
  'partly-unknown': ': the venue does not state of all of them whether any market had them',
};

const STATES: Readonly<Record<Unfinished['state'], string>> = {
  running: 'THE BOT IS RUNNING: these figures are not final',
  killed: 'THE BOT WAS KILLED, or its machine stopped: no end is in its journal',
  ended: 'THE BOT ENDED and saved no report',
};

/** One sentence that states how far the data of an unfinished run reaches, also for a terminal. */
export function unfinishedText({ state, until, record }: Unfinished): string {
  return `${STATES[state]}. Data of its journal until ${until.slice(0, 19).replace('T', ' ')} UTC, record ${record}`;
}

function unfinishedPart({ unfinished }: RunPage): Markup | undefined {
  if (unfinished === undefined) return undefined;
  return html`<p class="banner">${unfinishedText(unfinished)}</p><ul>${unfinished.missing.map((text) => html`<li>${text}</li>`)}</ul>`;
}

/** The origin of prices is stated above every figure. */
function originPart({ securities }: RunPage['report']): Markup {
  const kind = originOf(securities);
  const warning = kind === 'real' ? undefined : `${ORIGIN_LABELS[kind]}${ORIGIN_NOTES[kind]}`;
  const notes = securities.slice(0, 12).map((security) => html`<li>${securityText(security)}</li>`);
  const more = securities.length - notes.length;
  return html`${warning === undefined ? undefined : html`<p class="banner">${warning}</p>`}<ul>${notes}${more > 0 ? html`<li>and ${more} more</li>` : undefined}</ul>`;
}

type ReportedTrade = RunPage['report']['trades'][number];

const dayText = (iso: string): string => iso.slice(0, 10);
const minuteText = (iso: string): string => iso.slice(0, 16).replace('T', ' ');

/** Runs saved by earlier versions have no exits, durations and excursions. */
function tradeRow(
  trade: ReportedTrade & Partial<Pick<ReportedTrade, 'exit' | 'durationMs'>>,
  excursion: readonly [adverse: number, favourable: number] | null,
  stamp: (iso: string) => string,
): TradeRow {
  const money = (text: string): string => moneyText(Number(text), trade.currency);
  const cells = [
    trade.symbol,
    trade.direction,
    stamp(trade.openedAt),
    stamp(trade.closedAt),
    trade.quantity,
    priceText(trade.entryPrice),
    priceText(trade.exitPrice),
    gainText(Number(trade.profit), trade.currency),
    percentText(trade.return, { signed: true }),
    trade.durationMs === undefined ? '-' : spanText(trade.durationMs),
    trade.exit === undefined ? '-' : trade.exit.replace('-', ' '),
    excursion === null ? '-' : percentText(excursion[0]),
    excursion === null ? '-' : percentText(excursion[1]),
    money(trade.fees),
  ];
  return [cells, Number(trade.profit) < 0, trade.durationMs ?? 0];
}
