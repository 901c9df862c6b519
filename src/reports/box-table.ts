import { columnsOf, linesWithin, padded } from './text-columns.ts';

/** A table with lines around its columns. */
export interface BoxTable {
  /** Headings, above a line; none when absent. */
  readonly head?: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns of text in each column, whose cells are broken into lines; as wide as its widest line when absent. */
  readonly widths?: readonly number[];
  /** Where cells of each column stand; left when absent. */
  readonly aligns?: readonly ('left' | 'right')[];
}

/** Draws it, without a newline at the end. */
export function boxTable({ head, rows, widths, aligns = [] }: BoxTable): string {
  const linesOf = (row: readonly string[]): Cells =>
    row.map((cell, at) => linesWithin(cell, widths?.[at] ?? Number.POSITIVE_INFINITY));
  const heading = head === undefined ? [] : [linesOf(head)];
  const body = rows.map(linesOf);
  const all = [...heading, ...body];
  const wide =
    widths ??
    (all[0] ?? []).map((_, at) => Math.max(...all.flatMap((row) => (row[at] ?? []).map(columnsOf))));
  const rule = (left: string, between: string, right: string): string =>
    `${left}${wide.map((columns) => '─'.repeat(columns + 2)).join(between)}${right}`;
  const drawn = (row: Cells): readonly string[] =>
    Array.from({ length: Math.max(...row.map((lines) => lines.length)) }, (_, line) => {
      const cells = wide.map((columns, at) => padded(row[at]?.[line] ?? '', columns, aligns[at]));
      return `│ ${cells.join(' │ ')} │`;
    });
  return [
    rule('┌', '┬', '┐'),
    ...heading.flatMap(drawn),
    ...(heading.length > 0 && body.length > 0 ? [rule('├', '┼', '┤')] : []),
    ...body.flatMap(drawn),
    rule('└', '┴', '┘'),
  ].join('\n');
}

/** Lines of each cell of a row. */
type Cells = readonly (readonly string[])[];
