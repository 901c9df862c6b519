import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Yields the lines of a text file from last to first, without line ends, with one piece of the file in memory. Skips
 * text after the last newline: its write was not completed.
 */
export function* readLinesReversed(path: string): Generator<string> {
  const descriptor = openSync(path, 'r');
  try {
    let end = fstatSync(descriptor).size;
    let behind: Buffer | undefined;
    while (end > 0) {
      const start = Math.max(0, end - PIECE_BYTES);
      const piece = Buffer.alloc(end - start);
      readSync(descriptor, piece, 0, piece.length, start);
      end = start;
      const whole =
        behind === undefined
          ? piece.subarray(0, piece.lastIndexOf(NEWLINE) + 1)
          : Buffer.concat([piece, behind]);
      if (whole.length === 0) continue;
      const first = start === 0 ? 0 : whole.indexOf(NEWLINE) + 1;
      behind = whole.subarray(0, first);
      if (first < whole.length)
        yield* whole
          .toString('utf8', first, whole.length - 1)
          .split('\n')
          .toReversed();
    }
  } finally {
    closeSync(descriptor);
  }
}
