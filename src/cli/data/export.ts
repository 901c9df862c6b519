import { resolve } from 'node:path';
import { openStore } from '../../app/storage/open-store.ts';
import { exportBars } from '../../market-data/export-bars.ts';
import type { ExportFormat } from '../../market-data/export-formats.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Period } from '../../model/period.ts';
import { plural } from '../../model/plural.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CommandContext } from '../command-context.ts';

/** The parsed flags of `sluice data export`. */
export interface ExportFlags {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly toFile: string;
  readonly format: ExportFormat;
  readonly variant?: string;
  readonly dir: string;
  readonly replace?: boolean;
}

/** Writes a series of the store to a file. */
export async function exportData(flags: ExportFlags, { terminal, project }: CommandContext): Promise<void> {
  const { symbol, period, toFile, format, variant, dir, replace = false } = flags;
  const bars = openStore(project, dir).bars(symbol, period, omitUndefined({ variant }));
  const path = resolve(project, toFile);
  await exportBars(bars, { path, format, replace });
  terminal.out(`Exported ${plural(bars.length, `${period} bar`)} of ${symbol} to ${path}\n`);
}
