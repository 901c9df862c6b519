import { type Row, reaches } from './benchmark.ts';

const WIDTHS = [16, 12, 12, 10, 11, 11, 7] as const;

export function head(): string {
  return line(['id', 'ours', 'yardstick', 'unit', 'ratio', 'goal', '']);
}

export function lineOf(row: Row): string {
  const { id, ours, yardstick, unit, ratio, goal } = row;
  const wanted = goal === undefined ? '' : `${goal.is === 'at least' ? '>=' : '<='} ${goal.ratio}`;
  return line([id, figure(ours), figure(yardstick), unit, figure(ratio), wanted, verdict(row)]);
}

/** Descriptions, gates and notes of the rows. */
export function remarksOf(rows: readonly Row[]): string {
  const remarks = rows.map(({ id, work, gates, notes }) =>
    [
      `${id}: ${work}`,
      ...gates.map(({ what, holds, saw }) => `  ${holds ? 'holds' : 'DOES NOT HOLD'}: ${what} (${saw})`),
      ...notes.map((note) => `  ${note}`),
    ].join('\n'),
  );
  return `\n${remarks.join('\n')}\n\n`;
}

function verdict(row: Row): string {
  if (row.gates.some(({ holds }) => !holds)) return 'void';
  const reached = reaches(row);
  if (reached === undefined) return '';
  return reached ? 'met' : 'missed';
}

function figure(value: number | undefined): string {
  return value === undefined ? '-' : value.toPrecision(3);
}

function line(cells: readonly string[]): string {
  return `${cells
    .map((cell, at) => cell.padEnd(WIDTHS[at] ?? 0))
    .join(' ')
    .trimEnd()}\n`;
}
