import { AtomicFile } from './atomic-file.ts';
import { BAR_HEADER } from './csv-row.ts';
import { readLinesReversed } from './reversed-lines.ts';
import { stampWriter } from './stamp.ts';

/** Writes bars one by one to a file that appears under its name only when it is complete. */
export interface BarSink {
  add(time: number, figures: readonly number[]): void;
  finish(): void;
  /** Removes temporary files; no effect after `finish`. */
  abort(): void;
}

export interface SinkOptions {
  readonly path: string;
  readonly gzip: boolean;
  /** Order in which bars are added; the file is always oldest first. */
  readonly order: 'oldest-first' | 'newest-first';
}

const HEADER_LINE = `${BAR_HEADER.join(',')}\n`;

/**
 * Returns a function that formats one bar as a line with its newline; parsing the line returns the same figures, bit
 * for bit.
 */
export function barLines(): (time: number, figures: readonly number[]) => string {
  const stamp = stampWriter();
  return (time, [open, high, low, close, volume]) =>
    `${stamp(time)},${open},${high},${low},${close},${volume}\n`;
}

/** Opens a sink that buffers only a piece of the file in memory. Disk errors throw DataError (`not-written`). */
export function openBarSink({ path, gzip, order }: SinkOptions): BarSink {
  const file = new AtomicFile(path, { gzip });
  const lineOf = barLines();
  if (order === 'oldest-first') {
    file.write(HEADER_LINE);
    return {
      add: (time, figures) => file.write(lineOf(time, figures)),
      finish: () => file.finish(),
      abort: () => file.abort(),
    };
  }
  const newestFirst = new AtomicFile(`${path}.backwards`, { gzip: false });
  return {
    add: (time, figures) => newestFirst.write(lineOf(time, figures)),
    finish() {
      newestFirst.finish();
      writeReversed(newestFirst.path, file);
      newestFirst.discard();
    },
    abort() {
      newestFirst.discard();
      file.abort();
    },
  };
}

/** Copies the rows of a headerless file, newest first, into a bar file in ascending order. */
function writeReversed(from: string, file: AtomicFile): void {
  file.write(HEADER_LINE);
  for (const line of readLinesReversed(from)) file.write(`${line}\n`);
  file.finish();
}
