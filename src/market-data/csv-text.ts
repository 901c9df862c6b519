import type { BarColumns } from '../model/bar.ts';
import { BAR_HEADER } from './csv-row.ts';
import { writeStamp } from './stamp.ts';

/**
 * Formats columns as the text of a bar file with a final newline; parsing it returns the same columns, bit for bit.
 */
export function writeBars(columns: BarColumns): string {
  const lines: string[] = [BAR_HEADER.join(',')];
  const { time, open, high, low, close, volume } = columns;
  for (let row = 0; row < columns.length; row++) {
    const figures = [open[row], high[row], low[row], close[row], volume[row]];
    lines.push(`${writeStamp(time[row] as number)},${figures.join(',')}`);
  }
  return `${lines.join('\n')}\n`;
}
