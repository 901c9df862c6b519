import Table from 'cli-table3';
import { plural } from '../model/plural.ts';
import { printable } from '../model/printable.ts';
import { countText, percentText } from '../reports/format.ts';
import { inkFor } from '../reports/ink.ts';
import { html, type Markup } from '../reports/page/markup.ts';
import { pairsTable, staticPage } from '../reports/page/static-page.ts';
import { LINE_CHART_STYLE, lineChart } from './line-chart.ts';
import { MONTE_CARLO_SCHEMA, type MonteCarlo, type NullModel, type Spread } from './monte-carlo.ts';

/** Simulations of one run, and its description. */
export interface MonteCarloReport extends MonteCarlo {
  readonly run: string;
  readonly strategy: string;
  readonly currency: string;
  readonly from: string;
  readonly to: string;
}

/** A sequence of closed trades differs from the run: it has no open positions, interest, or simultaneous trades. */
function headsOf({ plan }: MonteCarloReport): readonly string[] {
  const actual = plan.bootstrap === 'trades' ? 'Its trades' : 'The run';
  return ['5%', '25%', 'Median', '75%', '95%', actual];
}

/** The result file: equal simulations give equal bytes. */
export function monteCarloJson(report: MonteCarloReport): string {
  return `${JSON.stringify({ schema: MONTE_CARLO_SCHEMA, ...report })}\n`;
}

/** Formats simulations as terminal tables; ends in a newline. */
export function monteCarloText(report: MonteCarloReport, options: { readonly colour: boolean }): string {
  const ink = inkFor(options.colour);
  const heads = headsOf(report);
  const table = new Table({
    head: ['', ...heads],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', ...heads.map(() => 'right' as const)],
  });
  for (const row of rowsOf(report)) table.push([...row]);
  const lines = [
    `${ink.bold(printable(report.run, 300))}  ${ink.accent(printable(report.strategy))}  ${report.from} to ${report.to}`,
    headText(report),
    '',
    table.toString(),
    ...risksOf(report).map(([name, value]) => `  ${name}: ${value}`),
  ];
  if (report.nulls.length > 0) lines.push('', ink.bold('Null models'));
  for (const model of report.nulls) lines.push(`  ${nullText(model)}`);
  return `${lines.join('\n')}\n`;
}

/** The same as one HTML file without network and scripts. */
export function monteCarloPage(report: MonteCarloReport): string {
  const { bands } = report;
  const title = `Monte Carlo of ${report.strategy}: ${report.from} to ${report.to}`;
  const heads = ['', ...headsOf(report)].map((head) => html`<th>${head}</th>`);
  const rows = rowsOf(report).map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`);
  const line = (key: keyof Spread | 'actual'): readonly number[] => bands.map((band) => band[key]);
  const unit = report.plan.bootstrap === 'trades' ? 'trade' : 'day';
  const drawing = lineChart('Equity of the simulated runs', {
    lines: [
      { values: line('p50'), stroke: 'rgb(33,145,140)' },
      { values: line('actual'), stroke: 'rgb(232,120,23)', width: 2 },
    ],
    areas: [
      { low: line('p5'), high: line('p95') },
      { low: line('p25'), high: line('p75') },
    ],
    ends: [`${unit} ${bands[0]?.row ?? 0}`, `${unit} ${bands.at(-1)?.row ?? 0}`],
    format: (value) => countText(Math.round(value)),
  });
  const nulls: Markup | undefined =
    report.nulls.length === 0
      ? undefined
      : html`<section><h2>Null models</h2>${report.nulls.map((model) => html`<p>${nullText(model)}</p>`)}</section>`;
  const body = html`<header><h1>${title}</h1><p class="soft">${report.run}, ${headText(report)}</p></header>
<section><h2>Equity, ${report.currency}</h2>${drawing}<p class="soft">Bands of 50 % and 90 % of the simulated runs, their median, and the run itself (orange).</p></section>
<section><h2>Figures</h2><div class="scroll"><table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>${pairsTable(risksOf(report))}</section>
${nulls}`;
  return staticPage(title, body, LINE_CHART_STYLE);
}

function headText({ plan, rows }: MonteCarloReport): string {
  const what = plan.bootstrap === 'trades' ? 'trade' : 'day';
  const block = plan.bootstrap === 'trades' ? '' : `, blocks of ${plural(plan.block, 'day')}`;
  return `${plural(countText(plan.runs), 'run')} resampled from ${plural(countText(rows), what)} (${plan.bootstrap}${block}), seed ${plan.seed}`;
}

function rowsOf({
  totalReturn,
  maxDrawdown,
  actual,
  bands,
}: MonteCarloReport): readonly (readonly string[])[] {
  const row = (name: string, spread: Spread, own: number, text: (value: number) => string) => [
    name,
    ...[spread.p5, spread.p25, spread.p50, spread.p75, spread.p95, own].map(text),
  ];
  const last = bands.at(-1);
  const signed = (value: number): string => percentText(value, { signed: true });
  return [
    row('Total return', totalReturn, actual.totalReturn, signed),
    row('Max drawdown', maxDrawdown, actual.maxDrawdown, (value) => percentText(value)),
    ...(last === undefined
      ? []
      : [row('Final equity', last, last.actual, (value) => countText(Math.round(value)))]),
  ];
}

function risksOf({ lossShare, ruinShare, plan }: MonteCarloReport): readonly (readonly [string, string])[] {
  return [
    ['Runs that end with a loss', percentText(lossShare)],
    [`Ruin (equity falls by ${percentText(plan.ruin)})`, percentText(ruinShare)],
  ];
}

function nullText({ name, rows, actual, spread, p }: NullModel): string {
  const figure = (value: number): string => percentText(value, { signed: name === 'random-entry' });
  const range = `${figure(spread.p5)} to ${figure(spread.p95)}`;
  return name === 'random-entry'
    ? `Random entry: the market moved ${figure(actual)} per trade, over ${plural(countText(rows), 'trade')} held overnight; the same trades at random times have ${range} (p ${p.toFixed(3)})`
    : `Shuffled returns: the run fell by ${figure(actual)} at most; the same days in random order by ${range} (p ${p.toFixed(3)})`;
}
