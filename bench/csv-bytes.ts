import { readFileSync } from 'node:fs';
import type { BarColumns } from '../src/model/bar.ts';

const COLUMNS = 6;
const NEWLINE = 0x0a;
const POINT = 0x2e;
const ZERO = 0x30;
const SECOND_MS = 1_000;
/** Shorter than any line of bars; bounds the number of rows before they are parsed. */
const LEAN_LINE_BYTES = 24;

/**
 * Reads a CSV of epoch seconds and five figures into columns, byte by byte, without any checks: the row "The parser
 * alone" of the yardsticks. A malformed line gives wrong figures.
 */
export function readBytes(path: string): readonly Float64Array[] {
  const bytes = readFileSync(path);
  let at = bytes.indexOf(NEWLINE) + 1;
  const rows = Math.ceil((bytes.length - at) / LEAN_LINE_BYTES) + 1;
  const columns = Array.from({ length: COLUMNS }, () => new Float64Array(rows));
  let row = 0;
  let column = 0;
  let figure = 0;
  let scale = 0;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte >= ZERO) {
      figure = figure * 10 + (byte - ZERO);
      scale *= 10;
    } else if (byte === POINT) scale = 1;
    else {
      (columns[column] as Float64Array)[row] = scale > 1 ? figure / scale : figure;
      figure = 0;
      scale = 0;
      column += 1;
      if (byte === NEWLINE) {
        row += 1;
        column = 0;
      }
    }
  }
  return columns.map((each) => each.subarray(0, row));
}

/** The text of a bar file with epoch seconds for stamps. */
export function epochBars({ time, open, high, low, close, volume }: BarColumns): string {
  const lines = Array.from(time, (at, row) =>
    [at / SECOND_MS, open[row], high[row], low[row], close[row], volume[row]].join(','),
  );
  return `time,open,high,low,close,volume\n${lines.join('\n')}\n`;
}
