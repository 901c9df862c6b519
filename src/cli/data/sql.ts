import { resolve } from 'node:path';
import { querySql } from '../../market-data/sql.ts';
import { printable } from '../../model/printable.ts';
import type { CommandContext } from '../command-context.ts';
import { plainTable } from './plain-table.ts';

/** Maximum number of printed rows; JSON has all of them. */
const ROWS_SHOWN = 1_000;

/** Runs an SQL query over the store. */
export async function queryData(
  question: string,
  { dir, json }: { readonly dir: string; readonly json?: boolean },
  { terminal, project }: CommandContext,
): Promise<void> {
  const { columns, rows } = await querySql(question, { dir: resolve(project, dir), project });
  if (json === true) {
    terminal.out(`${JSON.stringify({ columns, rows })}\n`);
    return;
  }
  const visibleRows = rows.slice(0, ROWS_SHOWN).map((row) => row.map(cellText));
  terminal.out(plainTable([columns, ...visibleRows]));
  if (rows.length > visibleRows.length)
    terminal.err(`${rows.length - visibleRows.length} more rows, ask with --json or limit\n`);
}

function cellText(value: unknown): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value ?? null));
}
