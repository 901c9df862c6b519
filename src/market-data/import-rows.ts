import { hasTable } from '../markets/market-records.ts';
import { isOpen } from '../markets/sessions.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import { intradayMs } from '../model/period.ts';
import { marketOf } from '../model/symbol.ts';
import { millis } from '../model/time.ts';
import { type BarSink, openBarSink } from './bar-sink.ts';
import { DataError } from './data-error.ts';
import { type ImportedBar, type RowRules, readImportedRow } from './import-row.ts';
import { type Layout, type LayoutOptions, layoutOf } from './layout.ts';
import type { SourceRow } from './source-row.ts';
import { type EpochUnit, epochUnit } from './source-stamp.ts';

export interface ImportRules extends RowRules {
  readonly layout: LayoutOptions;
  readonly order: 'auto' | 'oldest-first' | 'newest-first';
  readonly onBadRow: 'stop' | 'skip';
  readonly onSkipped: (problem: DataError) => void;
  readonly path: string;
  readonly gzip: boolean;
  readonly rowsMax: number;
  /** Called with each bar and its row before the bar is added. A DataError marks the row as bad. */
  readonly onBar?: (bar: ImportedBar, row: SourceRow) => void;
  readonly beforeFinish: () => void;
}

export interface ImportProgress {
  readonly rows: number;
  readonly skipped: number;
  /** Stamps of the oldest and the newest bar. */
  readonly first: number;
  readonly last: number;
  readonly columns: string;
  readonly order: 'oldest-first' | 'newest-first';
  /** Share of the first intraday bars in regular hours; undefined for daily bars and markets without known hours. */
  readonly regularShare: number | undefined;
  /** The first stamp in another unit of time than the stamps before it; absent if all have the same unit. */
  readonly mixedStamps?: { readonly line: number; readonly units: readonly [EpochUnit, EpochUnit] };
  /** Number of bars with a fractional volume, and the first of them; absent if there are none. */
  readonly fractional?: { readonly rows: number; readonly line: number; readonly volume: number };
}

/** Number of leading bars that are compared with the hours of their market. */
export const HOURS_SAMPLE = 2_000;

/** Number of bad rows at which the import stops: the layout must be wrong. */
export const BAD_ROWS_MAX = 10_000;

/** Errors that every further row would repeat. */
const WHOLE_FILE: readonly DataError['code'][] = ['unknown-zone', 'unknown-layout'];

/** Reads all rows into a bar file. Throws DataError and then leaves no file. */
export async function importRows(
  batches: AsyncIterable<Iterable<SourceRow>>,
  rules: ImportRules,
): Promise<ImportProgress> {
  const barImport = new BarImport(rules);
  try {
    for await (const batch of batches) for (const row of batch) barImport.add(row);
    return barImport.finish();
  } finally {
    barImport.abort();
  }
}

/**
 * Reads the rows of many symbols into one bar file each; calls `rulesFor` at the first row of each. Rows without a
 * symbol belong to the previous symbol. Throws DataError and then leaves no file, unless the disk fails while files
 * are renamed.
 */
export async function importRowsBySymbol(
  batches: AsyncIterable<Iterable<SourceRow>>,
  symbolOf: (row: SourceRow) => string | undefined,
  rulesFor: (name: string, line: number) => ImportRules,
): Promise<ReadonlyMap<string, ImportProgress>> {
  const barImports = new Map<string, BarImport>();
  let header: SourceRow | undefined;
  let latest: BarImport | undefined;
  const importOf = (name: string, row: SourceRow): BarImport => {
    const known = barImports.get(name);
    if (known !== undefined) return known;
    const barImport = new BarImport(rulesFor(name, row.line));
    if (header !== undefined) barImport.add(header);
    barImports.set(name, barImport);
    return barImport;
  };
  const take = (row: SourceRow): void => {
    const name = symbolOf(row);
    if (header === undefined) header = row;
    else if (name !== undefined) {
      latest = importOf(name, row);
      latest.add(row);
    } else latest?.add(row);
  };
  try {
    for await (const batch of batches) for (const row of batch) take(row);
    return new Map([...barImports].map(([name, barImport]) => [name, barImport.finish()]));
  } finally {
    for (const barImport of barImports.values()) barImport.abort();
  }
}

class BarImport {
  readonly #rules: ImportRules;
  #layout: Layout | undefined;
  #sink: BarSink | undefined;
  /** The first bar, buffered until the second shows the order of the file. */
  #firstBar: ImportedBar | undefined;
  #direction: -1 | 0 | 1;
  #before: number | undefined;
  #first = 0;
  #rows = 0;
  #skipped = 0;
  #regular = 0;
  #fractional: ImportProgress['fractional'];
  #unit: EpochUnit | undefined;
  #mixedStamps: ImportProgress['mixedStamps'];

  constructor(rules: ImportRules) {
    this.#rules = rules;
    this.#direction = rules.order === 'auto' ? 0 : rules.order === 'oldest-first' ? 1 : -1;
  }

  add(row: SourceRow): void {
    if (this.#layout === undefined) {
      if (row.kind === 'fault') throw row.fault;
      this.#layout = layoutOf(row.fields, { ...this.#rules.layout, line: row.line });
      if (this.#layout.hasHeader) return;
    }
    const layout = this.#layout;
    try {
      if (row.kind === 'fault') throw row.fault;
      const order = { line: row.line, direction: this.#direction, before: this.#before };
      const bar = readImportedRow(row.fields, layout, order, this.#rules);
      if (layout.time.length === 1) this.#checkUnit(row.fields[layout.time[0] ?? 0]?.text ?? '', row.line);
      this.#rules.onBar?.(bar, row);
      this.#keep(bar, row.line);
    } catch (error) {
      if (!(error instanceof DataError) || WHOLE_FILE.includes(error.code)) throw error;
      if (this.#rules.onBadRow === 'stop' || error.code === 'too-many-rows') throw error;
      if (error.code === 'not-written') throw error;
      this.#skipped++;
      this.#rules.onSkipped(error);
      if (this.#skipped === BAD_ROWS_MAX) throw tooManyBadRows(this.#rules.source.file, row.line);
    }
  }

  finish(): ImportProgress {
    const { source, beforeFinish } = this.#rules;
    if (this.#layout === undefined || this.#before === undefined) throw noBars(source.file, this.#skipped);
    const direction = this.#direction === 0 ? 1 : this.#direction;
    const sink = this.#sink ?? this.#open(direction);
    beforeFinish();
    sink.finish();
    const ends = [this.#first, this.#before] as const;
    const [first, last] = direction === 1 ? ends : [ends[1], ends[0]];
    return {
      rows: this.#rows,
      skipped: this.#skipped,
      first,
      last,
      columns: this.#layout.note,
      order: orderOf(direction),
      regularShare: this.#regularShare(),
      ...omitUndefined({ mixedStamps: this.#mixedStamps, fractional: this.#fractional }),
    };
  }

  #checkUnit(stamp: string, line: number): void {
    if (this.#mixedStamps !== undefined) return;
    const unit = epochUnit(stamp);
    if (unit === undefined) return;
    this.#unit ??= unit;
    if (unit !== this.#unit) this.#mixedStamps = { line, units: [this.#unit, unit] };
  }

  #regularShare(): number | undefined {
    const { period, symbol } = this.#rules.source;
    if (intradayMs(period) === undefined || !hasTable(marketOf(symbol))) return undefined;
    return this.#regular / Math.min(this.#rows, HOURS_SAMPLE);
  }

  abort(): void {
    this.#sink?.abort();
  }

  #keep(bar: ImportedBar, line: number): void {
    const { rowsMax, source } = this.#rules;
    if (this.#rows === rowsMax) throw tooManyRows(source.file, line, rowsMax);
    this.#rows++;
    if (this.#rows <= HOURS_SAMPLE && isOpen(marketOf(source.symbol), millis(bar.time))) this.#regular++;
    const volume = bar.figures[4] ?? 0;
    if (!Number.isInteger(volume)) {
      const { rows, ...first } = this.#fractional ?? { rows: 0, line, volume };
      this.#fractional = { ...first, rows: rows + 1 };
    }
    if (this.#before === undefined) {
      this.#firstBar = bar;
      this.#first = bar.time;
    } else {
      if (this.#direction === 0) this.#direction = bar.time > this.#before ? 1 : -1;
      this.#sink ??= this.#open(this.#direction);
      this.#sink.add(bar.time, bar.figures);
    }
    this.#before = bar.time;
  }

  #open(direction: -1 | 1): BarSink {
    const { path, gzip } = this.#rules;
    const sink = openBarSink({ path, gzip, order: orderOf(direction) });
    this.#sink = sink;
    if (this.#firstBar !== undefined) sink.add(this.#firstBar.time, this.#firstBar.figures);
    return sink;
  }
}

function orderOf(direction: -1 | 1): 'oldest-first' | 'newest-first' {
  return direction === 1 ? 'oldest-first' : 'newest-first';
}

/** The error for a file without a bar, of which `skipped` rows were bad. */
export function noBars(file: string, skipped: number): DataError {
  const bad =
    skipped === 0 ? '' : `, ${skipped === 1 ? 'its only row is' : `all of its ${skipped} rows are`} bad`;
  return new DataError({
    code: 'empty-file',
    problem: `Cannot import the file: it has no bar${bad}`,
    advice: 'check that it is the right file and complete',
    file,
  });
}

function tooManyBadRows(file: string, line: number): DataError {
  return new DataError({
    code: 'too-many-bad-rows',
    problem: `Cannot import the file: it has at least ${BAD_ROWS_MAX} invalid rows`,
    advice: 'check the columns, the time zone and the order of the file; nothing was imported',
    file,
    line,
  });
}

function tooManyRows(file: string, line: number, rowsMax: number): DataError {
  return new DataError({
    code: 'too-many-rows',
    problem: `Cannot import the file: it has more than ${rowsMax} bars`,
    advice: 'split it by years or import a longer period',
    file,
    line,
  });
}
