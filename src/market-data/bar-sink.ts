import { AtomicFile } from './atomic-file.ts';
import { BAR_HEADER } from './csv-row.ts';
import { linesBackwards } from './lines-backwards.ts';
import { stampWriter } from './stamp.ts';

/** Takes bars one by one and makes a bar file of them, which is there when it is whole and not before. */
export interface BarSink {
  add(time: number, figures: readonly number[]): void;
  /** Puts the file in its place. */
  finish(): void;
  /** Leaves nothing behind; harmless after `finish`. */
  abandon(): void;
}

/** The destination of a bar file. */
export interface SinkOptions {
  readonly path: string;
  readonly gzip: boolean;
  /** In which order the bars will come; on disk the oldest is first. */
  readonly order: 'oldest-first' | 'newest-first';
}

const HEADER_LINE = `${BAR_HEADER.join(',')}\n`;

/** Writes one line of a bar file with its newline; reading it gives the same figures, bit for bit. */
export function barLines(): (time: number, figures: readonly number[]) => string {
  const stamp = stampWriter();
  return (time, [open, high, low, close, volume]) =>
    `${stamp(time)},${open},${high},${low},${close},${volume}\n`;
}

/** Opens a sink; holds no more than a piece of the file. Every error of the disk is a DataError (`not-written`). */
export function openBarSink({ path, gzip, order }: SinkOptions): BarSink {
  const file = new AtomicFile(path, { gzip });
  const lineOf = barLines();
  if (order === 'oldest-first') {
    file.write(HEADER_LINE);
    return {
      add: (time, figures) => file.write(lineOf(time, figures)),
      finish: () => file.finish(),
      abandon: () => file.abandon(),
    };
  }
  const backwards = new AtomicFile(`${path}.backwards`, { gzip: false });
  return {
    add: (time, figures) => backwards.write(lineOf(time, figures)),
    finish() {
      backwards.finish();
      writeReversed(backwards.path, file);
      backwards.discard();
    },
    abandon() {
      backwards.discard();
      file.abandon();
    },
  };
}

/** Writes the rows of a file without a header, newest first, as a bar file in ascending order. */
function writeReversed(from: string, file: AtomicFile): void {
  file.write(HEADER_LINE);
  for (const line of linesBackwards(from)) file.write(`${line}\n`);
  file.finish();
}
