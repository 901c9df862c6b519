import {
  appendFileSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { z } from 'zod';
import type { Bar } from '../model/bar.ts';
import { once } from '../model/once.ts';
import type { AtomicFile } from './atomic-file.ts';
import { notWritten } from './atomic-file.ts';
import { barLines } from './bar-sink.ts';
import { BAR_HEADER, type BarSource, readRow } from './csv-row.ts';
import { DataError } from './data-error.ts';
import { readLinesReversed } from './reversed-lines.ts';
import { readStamp } from './stamp.ts';

const planSchema = once(() =>
  z.strictObject({
    symbol: z.string(),
    period: z.string(),
    from: z.number(),
    to: z.number(),
    venue: z.string(),
  }),
);

/** A download: bars stamped from `from` (inclusive) to `to` (exclusive), epoch ms, from one venue. */
export type DownloadPlan = Readonly<z.infer<ReturnType<typeof planSchema>>>;

/**
 * Progress of a download on disk: its plan, then bars newest first, as history is fetched backwards. Incomplete lines
 * are ignored, so the process may end at any time.
 */
export class PartialDownload {
  readonly path: string;
  readonly #source: BarSource;
  readonly #lineOf = barLines();
  #oldest: number | undefined;
  #rows = 0;

  constructor(path: string, source: BarSource) {
    this.path = path;
    this.#source = source;
  }

  get oldest(): number | undefined {
    return this.#oldest;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Returns the plan of an earlier attempt; undefined if there is none or it is unreadable. */
  plan(): DownloadPlan | undefined {
    let first: string | undefined;
    try {
      for (const line of readLinesReversed(this.path)) first = line;
      const read = planSchema().safeParse(JSON.parse(first ?? ''));
      return read.success ? read.data : undefined;
    } catch {
      return undefined;
    }
  }

  begin(plan: DownloadPlan): void {
    this.#attempt(() => writeFileSync(this.path, `${JSON.stringify(plan)}\n`));
  }

  /** Continues an interrupted attempt; removes an incomplete last line. */
  resume(): void {
    this.#attempt(() => cutLastLine(this.path));
    for (const line of readLinesReversed(this.path)) {
      const stamp = readStamp(line.split(',', 1)[0] ?? '', undefined);
      if (stamp === undefined) break;
      this.#oldest ??= stamp;
      this.#rows++;
    }
  }

  /**
   * Appends older bars, given ascending. Throws DataError if a bar is invalid or not older than the existing ones.
   */
  add(bars: readonly Bar[]): void {
    const lines = bars.map(({ time, open, high, low, close, volume }) =>
      this.#lineOf(time, [open, high, low, close, volume]),
    );
    let after = Number.NEGATIVE_INFINITY;
    for (const [index, line] of lines.entries()) {
      const row = readRow(new TextEncoder().encode(line.trimEnd()), {
        source: this.#source,
        line: index + 1,
        after,
      });
      after = row[0] as number;
    }
    if (this.#oldest !== undefined && after >= this.#oldest) throw notOlder(this.#source, after);
    this.#attempt(() => appendFileSync(this.path, lines.toReversed().join('')));
    this.#oldest = bars[0]?.time ?? this.#oldest;
    this.#rows += bars.length;
  }

  /**
   * Writes the bars oldest first as a bar file and returns their stamps. Throws DataError if another process wrote to
   * the partial file.
   */
  writeTo(file: AtomicFile): Float64Array {
    file.write(`${BAR_HEADER.join(',')}\n`);
    let after = Number.NEGATIVE_INFINITY;
    let rows = 0;
    const stamps = new Float64Array(this.#rows);
    for (const line of readLinesReversed(this.path)) {
      const stamp = readStamp(line.split(',', 1)[0] ?? '', undefined);
      if (stamp === undefined) break;
      if (stamp <= after) throw notOlder(this.#source, stamp);
      after = stamp;
      stamps[rows] = stamp;
      rows++;
      file.write(`${line}\n`);
    }
    if (rows !== this.#rows) throw notOlder(this.#source, after);
    return stamps;
  }

  discard(): void {
    rmSync(this.path, { force: true });
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (cause) {
      throw notWritten(this.path, cause);
    }
  }
}

const TAIL_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

function cutLastLine(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    const { size } = fstatSync(descriptor);
    const start = Math.max(0, size - TAIL_BYTES);
    const tail = new Uint8Array(size - start);
    readSync(descriptor, tail, 0, tail.length, start);
    ftruncateSync(descriptor, start + tail.lastIndexOf(NEWLINE) + 1);
  } finally {
    closeSync(descriptor);
  }
}

function notOlder({ symbol, file }: BarSource, stamp: number): DataError {
  return new DataError({
    code: 'unsorted',
    problem: `Cannot assemble the history of ${symbol}: a bar of ${new Date(stamp).toISOString()} is out of order`,
    advice: `remove ${file} and download again, with one download per series at a time`,
    file,
  });
}
