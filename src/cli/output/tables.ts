import Table from 'cli-table3';
import type { Decimal } from '../../model/decimal.ts';
import { printable } from '../../model/printable.ts';
import type { Millis } from '../../model/time.ts';
import { countText, minuteText, TEXT_COLUMNS } from '../../reports/format.ts';

/** A column: its heading, and whether its cells are figures. */
export interface Column {
  readonly head: string;
  readonly align?: 'left' | 'right';
  /** True if it may be shortened when the table is too wide; names and remarks, never figures. */
  readonly flexible?: boolean;
}

const GAP = '  ';
const FLEXIBLE_MIN = 8;
const CELL_CHARS = 200;
const BARE = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  right: '',
  'right-mid': '',
  mid: '-',
  'mid-mid': '--',
  middle: GAP,
};

/**
 * Formats rows under their headings, at most 80 columns wide, ending in a newline. A table that is too wide has its
 * flexible column shortened; if that is not enough, each row becomes a block of `heading  value` lines, so that no
 * figure is ever cut. Unprintable characters are escaped.
 */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const printableRows = rows.map((row) => row.map((cell) => printable(cell, CELL_CHARS)));
  const widths = columns.map((column, index) =>
    Math.max(columnsOf(column.head), ...printableRows.map((row) => columnsOf(row[index] ?? ''))),
  );
  const tooWide =
    widths.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1)) - TEXT_COLUMNS;
  const flexible = columns.findIndex((column) => column.flexible === true);
  const flexibleWidth = (widths[flexible] ?? 0) - Math.max(0, tooWide);
  if (tooWide > 0 && flexibleWidth < FLEXIBLE_MIN) return blocks(columns, printableRows);
  const page = new Table({
    head: columns.map(({ head }) => head),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    colWidths: widths.map((width, index) => (index === flexible ? flexibleWidth : width)),
    chars: BARE,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  page.push(...printableRows.map((row) => [...row]));
  return `${trimmed(page.toString())}\n`;
}

/** Formats lines of `name  value`, the values aligned, ending in a newline. */
export function facts(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  const lines = pairs.map(([name, value]) => `${name.padEnd(width)}${GAP}${printable(value, CELL_CHARS)}`);
  return `${trimmed(lines.join('\n'))}\n`;
}

function blocks(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  return rows.map((row) => facts(columns.map(({ head }, index) => [head, row[index] ?? '']))).join('\n');
}

function trimmed(text: string): string {
  return text.replaceAll(/ +$/gm, '');
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Width of text in a terminal: two columns for each Chinese character. */
export function columnsOf(text: string): number {
  return [...text].reduce((sum, char) => sum + (WIDE.test(char) ? 2 : 1), 0);
}

/** A figure in full; a dash if there is none. */
export function figure(value: Decimal | undefined): string {
  return value === undefined ? '-' : value.toFixed();
}

/** A whole number of shares in groups of three, or a figure with its fraction. */
export function sharesText(value: Decimal | undefined): string {
  return value?.isInteger() === true ? countText(value.toNumber()) : figure(value);
}

/** A time to the minute in UTC; a dash if there is none. */
export function timeText(at: Millis | undefined): string {
  return at === undefined ? '-' : minuteText(at);
}
