import Table from 'cli-table3';
import { printable } from '../model/printable.ts';
import type { ComparedFigure, Comparison, RunName } from './compare.ts';
import { countText, moneyText, percentText, ratioText, TEXT_COLUMNS, wrapped } from './format.ts';
import { inkFor } from './ink.ts';

/** Formats a comparison as text, 80 columns wide, ending in a newline; `difference` is B less A. */
export function compareText(comparison: Comparison, { colour }: { readonly colour: boolean }): string {
  const ink = inkFor(colour);
  const table = new Table({
    head: ['', 'A', 'B', 'B - A'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right', 'right', 'right'],
  });
  table.push(
    ...comparison.figures.map((figure) => [
      figure.name,
      figureText(figure, figure.a),
      figureText(figure, figure.b),
      differenceOf(figure, comparison),
    ]),
  );
  const parts = [
    `A  ${runText(comparison.a)}\nB  ${runText(comparison.b)}`,
    table.toString(),
    ...(comparison.caveats.length === 0
      ? []
      : [[ink.warning('Not the same ground'), ...comparison.caveats.map(bullet)].join('\n')]),
    differenceText(comparison),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** B less A; empty if one is missing, or for amounts in two currencies. */
function differenceOf(figure: ComparedFigure, { a, b }: Comparison): string {
  if (figure.a === null || figure.b === null) return '-';
  if (figure.kind === 'money' && a.currency !== b.currency) return '-';
  return figureText(figure, figure.b - figure.a, true);
}

function runText({ mode, strategy, config }: RunName): string {
  return `${mode.toUpperCase()} ${printable(strategy)}  ${printable(config, 300)}`;
}

function figureText({ kind }: ComparedFigure, value: number | null, signed = false): string {
  if (value === null) return '-';
  const plus = signed && value > 0 ? '+' : '';
  switch (kind) {
    case 'share':
      return percentText(value, { signed });
    case 'ratio':
      return `${plus}${ratioText(value)}`;
    case 'money':
      return `${plus}${moneyText(value, '').trim()}`;
    case 'count':
      return `${plus}${countText(value)}`;
  }
}

function differenceText({ onlyInA, onlyInB, sameStrategyCode }: Comparison): string {
  const code = sameStrategyCode ? 'Code is the same' : 'Code differs';
  if (onlyInA.length === 0 && onlyInB.length === 0) return `Configs are the same. ${code}.`;
  const lines = [
    ...onlyInA.map((line) => `- ${printable(line, TEXT_COLUMNS - 2)}`),
    ...onlyInB.map((line) => `+ ${printable(line, TEXT_COLUMNS - 2)}`),
  ];
  return [`Configs differ (- only in A, + only in B). ${code}.`, ...lines].join('\n');
}

function bullet(sentence: string): string {
  return wrapped(`- ${printable(sentence, 400)}`, TEXT_COLUMNS, 2);
}
