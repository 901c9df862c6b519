import type { BarColumns } from '../../model/bar.ts';
import { barColumns } from '../../model/bar-columns.ts';
import { rowsOf } from '../../model/bar-rows.ts';

let shared: Map<string, BarColumns> | undefined;

/**
 * From now on, the bars of a run are in memory that threads of a process share; `known` are those that another thread
 * read. Returns all that this thread has, by name.
 */
export function shareBars(
  known: ReadonlyMap<string, BarColumns> = new Map(),
): ReadonlyMap<string, BarColumns> {
  shared ??= new Map(known);
  return shared;
}

/**
 * Returns the bars of a name: those that another thread read, or in shared memory. Without `shareBars` as they are
 * read.
 */
export function sharedBars(name: string, read: () => BarColumns): BarColumns {
  if (shared === undefined) return read();
  const known = shared.get(name) ?? inSharedMemory(read());
  shared.set(name, known);
  return known;
}

/** Copies piece by piece, so that bars in a file are not in memory twice. */
function inSharedMemory(bars: BarColumns): BarColumns {
  const rows = rowsOf(bars);
  return barColumns(bars, (figure) => {
    const column = new Float64Array(new SharedArrayBuffer(rows.length * Float64Array.BYTES_PER_ELEMENT));
    const view = rows.open();
    for (let row = 0; row < rows.length; row = rows.pieceEnd(row))
      column.set(view(row, rows.pieceEnd(row))[figure], row);
    return column;
  });
}
