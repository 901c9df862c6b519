import Table from 'cli-table3';
import { plural } from '../model/plural.ts';
import { printable } from '../model/printable.ts';
import { countText, percentText } from '../reports/format.ts';
import { inkFor } from '../reports/ink.ts';
import type { SweepReport } from './sweep-report.ts';

const FAILED_SHOWN = 5;
const SHORT_HEAD = { head: [], border: [], compact: true };

/**
 * Formats a sweep as terminal tables: the best trials with their neighbours, the importance of each axis, and
 * failures. Ends in a newline.
 */
export function sweepText(report: SweepReport, options: { readonly colour: boolean }): string {
  const ink = inkFor(options.colour);
  const { findings, axes } = report;
  const count = findings.trials.length + findings.failed.length;
  const where = report.where === undefined ? '' : `, where ${printable(report.where, 100)}`;
  const parts = [
    `${ink.bold(printable(report.config, 300))}  ${ink.accent(printable(report.strategy))}  ${report.from} to ${report.to}`,
    `${plural(countText(count), 'trial')} by ${report.method}${where}; objective ${printable(report.objective, 100)}`,
  ];
  if (findings.best.length === 0) parts.push(ink.warning(nothingText(report)));
  else parts.push('', ink.bold('Best trials'), bestTable(report), NEIGHBOURS);
  if (findings.best.length > 0 && axes.length > 0)
    parts.push('', ink.bold('Importance of each axis'), importanceTable(report), IMPORTANCE);
  parts.push(...failures(report, ink.bad));
  return `${parts.join('\n')}\n`;
}

const NEIGHBOURS =
  'Near, worst: median and worst objective of the trials one step away on one axis\n(~ of the nearest, where there is none). A best trial far above them is more often\nchance than an edge.';
const IMPORTANCE =
  'Share of the variance of the objective that the axis explains by itself (epsilon\nsquared); the rest is interaction and noise.';

function nothingText({ findings: { trials } }: SweepReport): string {
  const text = 'No trial has a value of the objective';
  if (trials.length === 0) return text;
  for (const { figures } of trials) if (figures.closedTrades !== 0) return text;
  return `${text}: none closed a trade; "sluice backtest" with these parameters shows why`;
}

function bestTable({ findings, axes }: SweepReport): string {
  const table = new Table({
    head: [
      '#',
      'Trial',
      ...axes.map(({ name }) => name),
      'Objective',
      'Near',
      'Worst',
      'Return',
      'Drawdown',
      'Trades',
    ],
    style: SHORT_HEAD,
    colAligns: Array.from({ length: axes.length + 8 }, () => 'right' as const),
  });
  for (const [at, { trial, params, objective, neighbours, figures }] of findings.best.entries()) {
    const sign = neighbours.kind === 'nearest' ? '~' : '';
    table.push([
      String(at + 1),
      String(trial),
      ...axes.map(({ name }) => printable(String(params[name]))),
      figureText(objective),
      `${sign}${figureText(neighbours.median)}`,
      `${sign}${figureText(neighbours.worst)}`,
      figures.totalReturn === null ? '-' : percentText(figures.totalReturn, { signed: true }),
      figures.maxDrawdown === null ? '-' : percentText(figures.maxDrawdown),
      figures.closedTrades === null ? '-' : countText(figures.closedTrades),
    ]);
  }
  return table.toString();
}

function importanceTable({ findings }: SweepReport): string {
  const table = new Table({
    head: ['Axis', 'Share', 'Best mean objective', 'at', 'Worst', 'at'],
    style: SHORT_HEAD,
    colAligns: ['left', 'right', 'right', 'left', 'right', 'left'],
  });
  for (const { axis, share, means } of findings.importance) {
    const known = means
      .filter((each) => each.mean !== null)
      .toSorted((one, other) => (other.mean ?? 0) - (one.mean ?? 0));
    const [best, worst] = [known[0], known.at(-1)];
    table.push([
      printable(axis),
      percentText(share),
      figureText(best?.mean ?? null),
      printable(best?.value ?? '-'),
      figureText(worst?.mean ?? null),
      printable(worst?.value ?? '-'),
    ]);
  }
  return table.toString();
}

function failures({ findings }: SweepReport, bad: (text: string) => string): readonly string[] {
  const { failed } = findings;
  if (failed.length === 0) return [];
  const failureTexts = failed.first(FAILED_SHOWN).map(({ trial, params, message }) => {
    const values = Object.entries(params).map(([name, value]) => `${name}=${String(value)}`);
    return `  ${trial} (${printable(values.join(' '), 200)}): ${printable(message, 300)}`;
  });
  const more = failed.length - failureTexts.length;
  return [
    '',
    bad(`${plural(countText(failed.length), 'trial')} failed:`),
    ...failureTexts,
    ...(more > 0 ? [`  and ${countText(more)} more in the result file`] : []),
  ];
}

/** Formats a value of an objective of any scale; a dash if it cannot be computed. */
export function figureText(value: number | null): string {
  if (value === null) return '-';
  const size = Math.abs(value);
  return size !== 0 && (size < 0.001 || size >= 1e7)
    ? value.toExponential(3)
    : value.toFixed(size < 100 ? 4 : 2);
}
