import { lstatSync, renameSync, rmSync } from 'node:fs';
import type { BarColumns } from '../model/bar.ts';
import { AtomicFile, notWritten } from './atomic-file.ts';
import { writeBars } from './csv-text.ts';
import { DataError } from './data-error.ts';
import type { ExportFormat } from './export-formats.ts';

export interface ExportTarget {
  readonly path: string;
  readonly format: ExportFormat;
  readonly replace: boolean;
}

const ROWS_PER_GROUP = 100_000;

/**
 * Writes bars as Parquet (`timestamp` in UTC milliseconds, prices and volume as doubles) or in our CSV format,
 * gzipped if the name ends in `.gz`. The file appears only when complete. Throws DataError: `exists`, `not-written`.
 */
export async function exportBars(
  columns: BarColumns,
  { path, format, replace }: ExportTarget,
): Promise<void> {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry !== undefined && !(replace && entry.isFile())) throw alreadyExists(path, entry.isFile());
  if (format === 'csv') {
    const file = new AtomicFile(path, { gzip: path.endsWith('.gz') });
    file.write(writeBars(columns));
    file.finish();
    return;
  }
  const { parquetWriteFile } = await import('hyparquet-writer');
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    parquetWriteFile({
      filename: temporary,
      columnData: [
        { name: 'timestamp', data: Array.from(columns.time, (time) => new Date(time)), type: 'TIMESTAMP' },
        ...(['open', 'high', 'low', 'close', 'volume'] as const).map((name) => ({
          name,
          data: columns[name],
          type: 'DOUBLE' as const,
        })),
      ],
      rowGroupSize: ROWS_PER_GROUP,
    });
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw notWritten(path, cause);
  }
}

function alreadyExists(path: string, isFile: boolean): DataError {
  return new DataError({
    code: 'exists',
    problem: 'Cannot export: the file exists already',
    advice: isFile ? 'use --replace, or give another file' : 'give another file',
    file: path,
  });
}
