import Table from 'cli-table3';
import { plural } from '../model/plural.ts';
import { printable } from '../model/printable.ts';
import { percentText, ratioText } from '../reports/format.ts';
import { inkFor } from '../reports/ink.ts';
import { html } from '../reports/page/markup.ts';
import { pairsTable, staticPage } from '../reports/page/static-page.ts';
import { LINE_CHART_STYLE, lineChart } from './line-chart.ts';
import type { TrialParams } from './param-table.ts';
import { annualReturn, type FiguresOfReturns, growthCurve } from './return-figures.ts';
import type { SweepDescription } from './sweep-report.ts';
import { figureText } from './sweep-text.ts';
import type { TrialFigures } from './trial.ts';
import type { WalkWindow } from './walk-forward.ts';

/** Name and version of the format of a result file; later versions only add fields. */
export const WALK_FORWARD_SCHEMA = 'sluice.walk-forward/1';

/**
 * One window and its chosen parameters. `chosen` is null if no trial has a value of the objective; the joined returns
 * have no days of that window.
 */
export interface WalkStep extends WalkWindow {
  readonly trials: number;
  readonly failed: number;
  readonly chosen: {
    readonly params: TrialParams;
    /** Value of the objective in training. */
    readonly objective: number;
    readonly inSample: TrialFigures;
    readonly outOfSample: FiguresOfReturns;
  } | null;
}

/** A finished walk-forward. */
export interface WalkForwardReport extends Omit<SweepDescription, 'data'> {
  readonly train: string;
  readonly test: string;
  readonly anchored: boolean;
  readonly steps: readonly WalkStep[];
  /** Windows without a bar in training or in the test. */
  readonly leftOut: readonly WalkWindow[];
  /** Figures of the daily returns of all tests, joined. */
  readonly figures: FiguresOfReturns;
  /** Probability that the true Sharpe ratio of the tests is above 0; parameters were chosen without them. */
  readonly probabilistic: number | null;
  readonly efficiency: number | null;
  /** Daily returns of all tests. */
  readonly returns: Float64Array;
}

/**
 * Walk-forward efficiency: the annual return of all tests, `tested`, divided by that of all trainings of the chosen
 * parameters. Each is compounded over the windows, so that a short last window counts by its days; null if training
 * did not earn.
 * @see Robert Pardo, "The Evaluation and Optimization of Trading Strategies", 2008
 */
export function efficiencyOf(
  steps: readonly Pick<WalkStep, 'chosen'>[],
  tested: number | null,
): number | null {
  let [growth, days] = [1, 0];
  for (const { chosen } of steps) {
    if (chosen === null) continue;
    growth *= 1 + (chosen.inSample.totalReturn ?? 0);
    days += chosen.inSample.dailyReturns ?? 0;
  }
  const trained = annualReturn(growth, days);
  return tested !== null && trained > 0 ? tested / trained : null;
}

/** The report as JSON, without the daily returns. */
export function walkForwardSummary({ returns, where, ...report }: WalkForwardReport) {
  return { schema: WALK_FORWARD_SCHEMA, ...report, where: where ?? null, days: returns.length };
}

/** The result file: equal walk-forwards give equal bytes. */
export function walkForwardJson(report: WalkForwardReport): string {
  return `${JSON.stringify({ ...walkForwardSummary(report), returns: [...report.returns] })}\n`;
}

/** Formats a walk-forward as terminal tables; ends in a newline. */
export function walkForwardText(report: WalkForwardReport, options: { readonly colour: boolean }): string {
  const ink = inkFor(options.colour);
  const heads = headsOf(report);
  const table = new Table({
    head: [...heads],
    style: { head: [], border: [], compact: true },
    colAligns: heads.map((_, at) => (at < 2 ? ('left' as const) : ('right' as const))),
  });
  for (const step of report.steps) table.push(rowOf(report, step).map((cell) => printable(cell)));
  return `${[
    `${ink.bold(printable(report.config, 300))}  ${ink.accent(printable(report.strategy))}  ${report.from} to ${report.to}`,
    headText(report),
    '',
    table.toString(),
    ...notesOf(report),
    '',
    ink.bold('All tests, one after the other'),
    ...linesOf(report).map(([name, value]) => `  ${name}: ${value}`),
  ].join('\n')}\n`;
}

/** The same as one HTML file without network and scripts. */
export function walkForwardPage(report: WalkForwardReport): string {
  const title = `Walk forward of ${report.strategy}: ${report.from} to ${report.to}`;
  const heads = headsOf(report).map((head) => html`<th>${head}</th>`);
  const rows = report.steps.map(
    (step) => html`<tr>${rowOf(report, step).map((cell) => html`<td>${cell}</td>`)}</tr>`,
  );
  const [first, last] = [report.steps[0], report.steps.at(-1)];
  const equity = lineChart('Equity of all tests, one after the other', {
    lines: [{ values: growthCurve(report.returns), stroke: 'rgb(33,145,140)' }],
    ends: [first?.test.from ?? '', last?.test.to ?? ''],
    format: (value) => value.toFixed(3),
  });
  const overTime = report.axes.flatMap(({ name }) => {
    const values = report.steps.flatMap(({ chosen }) => {
      const value = chosen?.params[name];
      return typeof value === 'number' ? [value] : [];
    });
    if (values.length < 2) return [];
    return [
      html`<h3>${name}</h3>${lineChart(`${name} over time`, {
        lines: [{ values, stroke: 'rgb(59,82,139)', width: 2 }],
        ends: [first?.train.to ?? '', last?.train.to ?? ''],
        format: (value) => String(Number(value.toPrecision(4))),
      })}`,
    ];
  });
  const body = html`<header><h1>${title}</h1><p class="soft">${report.config}, ${report.symbols.join(', ')}, ${headText(report)}</p></header>
<section><h2>All tests, one after the other</h2>${equity}${pairsTable(linesOf(report))}</section>
<section><h2>Windows</h2><div class="scroll"><table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div><p class="soft">${notesOf(report).join(' ')}</p></section>
<section><h2>Parameters over time</h2>${overTime}</section>
<footer>Strategy code ${report.code.slice(0, 12)}, seed ${report.seed}.</footer>`;
  return staticPage(title, body, LINE_CHART_STYLE);
}

const RETURNS_NOTE = 'Trained, tested: annual return of the chosen parameters; Sharpe: in the test.';
const NONE_NOTE =
  'None: no trial of the training has a value of the objective, so that window is not tested.';

function notesOf({ steps }: WalkForwardReport): readonly string[] {
  return steps.some(({ chosen }) => chosen === null) ? [RETURNS_NOTE, NONE_NOTE] : [RETURNS_NOTE];
}

function headText({ steps, train, test, anchored, method, objective, where }: WalkForwardReport): string {
  const kind = anchored ? 'anchored' : 'rolling';
  const condition = where === undefined ? '' : `, where ${printable(where, 100)}`;
  return `${plural(String(steps.length), 'window')}, ${kind}: train ${train}, test ${test}; ${method}${condition}; objective ${printable(objective, 100)}`;
}

function headsOf({ axes }: WalkForwardReport): readonly string[] {
  return ['Test from', 'to', ...axes.map(({ name }) => name), 'Objective', 'Trained', 'Tested', 'Sharpe'];
}

function rowOf({ axes }: WalkForwardReport, { test, chosen }: WalkStep): readonly string[] {
  if (chosen === null) return [test.from, test.to, ...axes.map(() => '-'), 'none', '-', '-', '-'];
  return [
    ...[test.from, test.to],
    ...axes.map(({ name }) => String(chosen.params[name])),
    ...[
      figureText(chosen.objective),
      shareText(trainedReturn(chosen.inSample)),
      shareText(chosen.outOfSample.cagr),
    ],
    chosen.outOfSample.sharpe === null ? '-' : ratioText(chosen.outOfSample.sharpe),
  ];
}

/**
 * Annual return of a training, computed as for the tests; the report's figure uses 365.25 days, and is missing for a
 * short run.
 */
function trainedReturn({ totalReturn, dailyReturns }: TrialFigures): number | null {
  return totalReturn === null || !dailyReturns ? null : annualReturn(1 + totalReturn, dailyReturns);
}

function linesOf(report: WalkForwardReport): readonly (readonly [string, string])[] {
  const { figures, efficiency, probabilistic, returns, leftOut } = report;
  return [
    ['Days', String(returns.length)],
    ...leftOut.map(
      ({ test }) => ['Left out, as training or test has no bar', `test ${test.from} to ${test.to}`] as const,
    ),
    ['Total return', shareText(figures.totalReturn)],
    ['Annual return', shareText(figures.cagr)],
    ['Sharpe', figures.sharpe === null ? '-' : ratioText(figures.sharpe)],
    ['Max drawdown', figures.maxDrawdown === null ? '-' : percentText(figures.maxDrawdown)],
    ['Probabilistic Sharpe (above 0)', probabilistic === null ? '-' : percentText(probabilistic)],
    ['Efficiency (annual return tested over trained)', efficiency === null ? '-' : ratioText(efficiency)],
  ];
}

function shareText(share: number | null): string {
  return share === null ? '-' : percentText(share, { signed: true });
}
