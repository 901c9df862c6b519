import Table from 'cli-table3';
import { plural } from '../model/plural.ts';
import { printable } from '../model/printable.ts';
import { countText, percentText, ratioText } from '../reports/format.ts';
import { inkFor } from '../reports/ink.ts';
import { html } from '../reports/page/markup.ts';
import { pairsTable, staticPage } from '../reports/page/static-page.ts';
import type { CrossValidation } from './cross-validation.ts';
import { LINE_CHART_STYLE, lineChart } from './line-chart.ts';
import type { Spread } from './monte-carlo.ts';
import type { TrialParams } from './param-table.ts';
import { growthCurve } from './return-figures.ts';
import type { SweepDescription } from './sweep-report.ts';

/** Name and version of the format of a result file; later versions only add fields. */
export const CROSS_VALIDATION_SCHEMA = 'sluice.cross-validation/1';

/** A finished cross-validation, with the trials that it chose from. */
export interface CrossValidationReport extends SweepDescription, CrossValidation {
  readonly trials: number;
  readonly failed: number;
  /** Trials that were chosen, with the number of splits that chose them; most first. */
  readonly chosen: readonly {
    readonly trial: number;
    readonly params: TrialParams;
    readonly splits: number;
  }[];
}

const CHOSEN_SHOWN = 5;
const HEADS = ['5%', '25%', 'Median', '75%', '95%'] as const;

/** The report as JSON, without the daily returns of paths. */
export function crossValidationSummary({ paths, where, ...report }: CrossValidationReport) {
  return {
    schema: CROSS_VALIDATION_SCHEMA,
    ...report,
    where: where ?? null,
    paths: paths.map(({ splits, figures }) => ({ splits, figures })),
  };
}

/** The result file: equal validations give equal bytes. */
export function crossValidationJson(report: CrossValidationReport): string {
  const paths = report.paths.map((path) => ({ ...path, returns: [...path.returns] }));
  return `${JSON.stringify({ ...crossValidationSummary(report), paths })}\n`;
}

/** Formats a cross-validation as terminal tables; ends in a newline. */
export function crossValidationText(
  report: CrossValidationReport,
  options: { readonly colour: boolean },
): string {
  const ink = inkFor(options.colour);
  const table = new Table({
    head: [`${report.paths.length} paths`, ...HEADS],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', ...HEADS.map(() => 'right' as const)],
  });
  for (const row of rowsOf(report)) table.push([...row]);
  return `${[
    `${ink.bold(printable(report.config, 300))}  ${ink.accent(printable(report.strategy))}  ${report.from} to ${report.to}`,
    headText(report),
    '',
    table.toString(),
    ...linesOf(report).map(([name, value]) => `  ${name}: ${value}`),
    '',
    ink.bold('Chosen most often'),
    ...chosenLines(report).map((line) => `  ${printable(line, 200)}`),
  ].join('\n')}\n`;
}

/** The same as one HTML file without network and scripts. */
export function crossValidationPage(report: CrossValidationReport): string {
  const title = `Cross-validation of ${report.strategy}: ${report.from} to ${report.to}`;
  const heads = ['', ...HEADS].map((head) => html`<th>${head}</th>`);
  const rows = rowsOf(report).map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`);
  const drawing = lineChart('Equity of all paths', {
    lines: report.paths
      .slice(0, PATHS_DRAWN)
      .map(({ returns }) => ({ values: growthCurve(returns), stroke: 'rgba(59,82,139,0.6)' })),
    ends: [report.from, report.to],
    format: (value) => value.toFixed(3),
  });
  const body = html`<header><h1>${title}</h1><p class="soft">${report.config}, ${report.symbols.join(', ')}, ${headText(report)}</p></header>
<section><h2>Equity of all paths</h2>${drawing}<p class="soft">In each path every day is tested by parameters that were chosen without it.</p></section>
<section><h2>Figures</h2><div class="scroll"><table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>${pairsTable(linesOf(report))}</section>
<section><h2>Chosen most often</h2>${chosenLines(report).map((line) => html`<p class="words">${line}</p>`)}</section>
<footer>Strategy code ${report.code.slice(0, 12)}, data ${report.data.slice(0, 12)}, seed ${report.seed}.</footer>`;
  return staticPage(title, body, LINE_CHART_STYLE);
}

const PATHS_DRAWN = 60;

function headText({ plan, splits, trials, method, objective, where }: CrossValidationReport): string {
  const condition = where === undefined ? '' : `, where ${printable(where, 100)}`;
  return `${plural(countText(splits.length), 'split')} of ${plan.groups} groups with ${plan.test} tested, purge ${plural(plan.purge, 'day')}, embargo ${plural(plan.embargo, 'day')}; ${plural(countText(trials), 'trial')} by ${method}${condition}; objective ${printable(objective, 100)}`;
}

function rowsOf({ sharpe, totalReturn, maxDrawdown }: CrossValidationReport): readonly (readonly string[])[] {
  const row = (name: string, spread: Spread | null, text: (value: number) => string) => [
    name,
    ...(spread === null
      ? HEADS.map(() => '-')
      : [spread.p5, spread.p25, spread.p50, spread.p75, spread.p95].map(text)),
  ];
  return [
    row('Sharpe', sharpe, ratioText),
    row('Total return', totalReturn, (value) => percentText(value, { signed: true })),
    row('Max drawdown', maxDrawdown, (value) => percentText(value)),
  ];
}

function linesOf({
  trainedSharpe,
  lossShare,
  failed,
}: CrossValidationReport): readonly (readonly [string, string])[] {
  return [
    ['Mean Sharpe of the chosen in training', trainedSharpe === null ? '-' : ratioText(trainedSharpe)],
    ['Paths that end with a loss', percentText(lossShare)],
    ...(failed > 0 ? [['Trials that failed, or have other days', countText(failed)] as const] : []),
  ];
}

function chosenLines({ chosen, splits }: CrossValidationReport): readonly string[] {
  if (chosen.length === 0) return ['none: no trial has a value of the objective'];
  return chosen.slice(0, CHOSEN_SHOWN).map(({ trial, params, splits: count }) => {
    const values = Object.entries(params).map(([name, value]) => `${name}=${String(value)}`);
    return `${count} of ${plural(splits.length, 'split')}: trial ${trial} (${values.join(' ')})`;
  });
}
