import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { barSpan } from '../markets/bar-span.ts';
import { hasTable } from '../markets/market-records.ts';
import { regularPieceAt } from '../markets/sessions.ts';
import { marketOf } from '../model/symbol.ts';
import { millis } from '../model/time.ts';
import { AtomicFile } from './atomic-file.ts';
import { openBarSink } from './bar-sink.ts';
import { DataError } from './data-error.ts';
import { SECURITY_FILE, safeSymbol } from './data-folder.ts';
import { detectFileType } from './detect-file-type.ts';
import { type ImportRequest, makeFolder, writeWhole } from './import-bars.ts';
import { BAD_ROWS_MAX } from './import-rows.ts';
import { QUOTE_HEADER } from './quote-file.ts';
import { plannedFacts } from './security-draft.ts';
import { textRows } from './source-csv.ts';
import type { SourceRow } from './source-row.ts';
import { writeStamp } from './stamp.ts';
import { type TickKind, type TickLayout, tickLayout } from './tick-layout.ts';
import { type Tick, type TickRules, tickReader } from './tick-row.ts';
import { wallClock } from './wall-time.ts';

/** A file of trades, to be aggregated into bars, or of quotes, to be stored as they are. */
export interface TickRequest
  extends Pick<
    ImportRequest,
    | 'file'
    | 'symbol'
    | 'period'
    | 'dir'
    | 'variant'
    | 'zone'
    | 'dates'
    | 'separator'
    | 'encoding'
    | 'skipLines'
    | 'onBadRow'
    | 'onSkipped'
    | 'onProgress'
    | 'gzip'
    | 'replace'
    | 'security'
  > {
  readonly kind: TickKind;
  readonly map?: string | undefined;
}

export interface TickOutcome {
  readonly path: string;
  /** Imported trades or quotes, and bars built from trades. */
  readonly taken: number;
  readonly bars: number;
  readonly skipped: number;
  /** Trades outside regular sessions, which belong to no bar. */
  readonly outside: number;
  readonly columns: string;
}

interface TickSink {
  add(tick: Tick): void;
  finish(): void;
  abort(): void;
  readonly counts: { bars: number; outside: number };
}

/**
 * Imports a CSV (gzipped or not) or Parquet file of trades or quotes, oldest first; memory does not grow with the
 * file. Trades become bars of the period, quotes become `quotes.csv`. Throws DataError like `importBars`, and then
 * changes nothing; only if the disk fails at the end, facts may be written already.
 */
export async function importTicks(request: TickRequest): Promise<TickOutcome> {
  const { file, symbol, dir, kind, gzip = false } = request;
  detectFileType(file);
  const folder = join(dir, safeSymbol(symbol, dir));
  const series = kind === 'quotes' ? 'quotes' : request.period;
  const name = request.variant === undefined ? series : `${series}.${request.variant}`;
  const plain = join(folder, `${name}.csv`);
  const [path, alternatePath] = gzip ? [`${plain}.gz`, plain] : [plain, `${plain}.gz`];
  for (const each of [path, alternatePath]) assertNoFile(each, request.replace === true);
  const draft = request.security ?? {};
  const facts = await plannedFacts(
    { symbol, dir, draft, replace: false, file: request.file },
    async () => undefined,
  );
  const made = makeFolder(folder);
  const sink = kind === 'quotes' ? quoteSink(path, gzip) : barsOfTrades(path, request);
  try {
    const tickImport = new TickImport(request);
    for await (const batch of await openRows(request)) for (const row of batch) tickImport.add(row, sink);
    if (tickImport.taken === 0) throw noTicks(file, kind);
    if (facts !== undefined) writeWhole(join(folder, SECURITY_FILE), facts.text);
    sink.finish();
    rmSync(alternatePath, { force: true });
    const { taken, skipped, columns } = tickImport;
    return { path, taken, skipped, columns, ...sink.counts };
  } catch (error) {
    sink.abort();
    if (made) rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

class TickImport {
  taken = 0;
  skipped = 0;
  columns = '';
  readonly #request: TickRequest;
  #read: ReturnType<typeof tickReader> | undefined;

  constructor(request: TickRequest) {
    this.#request = request;
  }

  add(row: SourceRow, sink: TickSink): void {
    const { file, onBadRow, onSkipped, map, kind } = this.#request;
    if (this.#read === undefined) {
      if (row.kind === 'fault') throw row.fault;
      const layout = tickLayout(kind, row.fields, { map, file, line: row.line });
      this.columns = layout.note;
      this.#read = tickReader(this.#rules(layout));
      if (layout.hasHeader) return;
    }
    try {
      if (row.kind === 'fault') throw row.fault;
      sink.add(this.#read(row.fields, row.line));
      this.taken += 1;
    } catch (error) {
      if (!(error instanceof DataError) || onBadRow === 'stop' || error.code === 'unknown-zone') throw error;
      this.skipped += 1;
      onSkipped?.(error);
      if (this.skipped === BAD_ROWS_MAX) throw error;
    }
  }

  #rules(layout: TickLayout): TickRules {
    const { file, symbol, kind, dates = 'unsaid', zone } = this.#request;
    const clock = zone === undefined ? undefined : wallClock(zone, file);
    return { kind, layout, file, symbol, dates, clock };
  }
}

async function openRows(request: TickRequest): Promise<AsyncIterable<Iterable<SourceRow>>> {
  const { file, separator, encoding, skipLines = 0, onProgress } = request;
  const fileType = detectFileType(file);
  const options = { separator, encoding, skipLines, fieldsMin: 3, onProgress };
  if (fileType !== 'parquet') return textRows(file, fileType, options);
  const { parquetRows } = await import('./source-parquet.ts');
  return parquetRows(file, onProgress);
}

function quoteSink(path: string, gzip: boolean): TickSink {
  const out = new AtomicFile(path, { gzip });
  out.write(`${QUOTE_HEADER.join(',')}\n`);
  const text = (figure: number | undefined): string => (figure === undefined ? '' : String(figure));
  return {
    counts: { bars: 0, outside: 0 },
    add: ({ time, figures: [bid, bidSize, ask, askSize] }) =>
      out.write(`${writeStamp(time)},${text(bid)},${text(bidSize)},${text(ask)},${text(askSize)}\n`),
    finish: () => out.finish(),
    abort: () => out.abort(),
  };
}

function barsOfTrades(path: string, { symbol, period, gzip = false }: TickRequest): TickSink {
  const sink = openBarSink({ path, gzip, order: 'oldest-first' });
  const market = marketOf(symbol);
  const counts = { bars: 0, outside: 0 };
  let span: ReturnType<typeof barSpan>;
  let bar: [open: number, high: number, low: number, close: number, volume: number] | undefined;
  const flush = (): void => {
    if (bar === undefined || span === undefined) return;
    sink.add(span.open, bar);
    counts.bars += 1;
    bar = undefined;
  };
  return {
    counts,
    add({ time, figures: [price = 0, , size = 0] }) {
      // Checked per trade, because the span of a daily or weekly bar includes breaks, nights and weekends.
      if (hasTable(market) && regularPieceAt(market, millis(time)) === undefined) {
        counts.outside += 1;
        return;
      }
      if (span === undefined || time >= span.close || time < span.open) {
        flush();
        span = barSpan(market, period, millis(time));
      }
      bar =
        bar === undefined
          ? [price, price, price, price, size]
          : [bar[0], Math.max(bar[1], price), Math.min(bar[2], price), price, bar[4] + size];
    },
    finish() {
      flush();
      sink.finish();
    },
    abort: () => sink.abort(),
  };
}

function assertNoFile(path: string, replace: boolean): void {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined || (replace && entry.isFile())) return;
  throw new DataError({
    code: 'exists',
    problem: 'Cannot import: the series exists already',
    advice: 'use --replace to replace it',
    file: path,
  });
}

function noTicks(file: string, kind: TickKind): DataError {
  return new DataError({
    code: 'empty-file',
    problem: `Cannot import the file: it has no ${kind}`,
    advice: 'check that it is the right file and complete',
    file,
  });
}
