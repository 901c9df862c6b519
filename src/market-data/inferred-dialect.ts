import { basename } from 'node:path';
import { omitUndefined } from '../model/omit-undefined.ts';
import { plural } from '../model/plural.ts';
import { isUniversal, plainName } from './column-names.ts';
import { DataError, quoted } from './data-error.ts';
import { type DecimalMark, decimalMarkOf } from './decimal-text.ts';
import { type Layout, type LayoutOptions, layoutOf } from './layout.ts';
import type { SourceField, SourceRow } from './source-row.ts';
import type { DateOrder } from './source-stamp.ts';
import type { VendorFormatName } from './vendor-formats.ts';

/** Properties of a file inferred from its first rows, apart from its columns; absent if unclear. */
export interface InferredDialect {
  readonly format?: VendorFormatName;
  readonly dates?: DateOrder;
  readonly decimal?: DecimalMark;
  readonly zone?: string;
  readonly currencySign?: boolean;
  readonly priceDivisor?: number;
  readonly notes: readonly string[];
}

export const HEAD_ROWS = 2_000;

/** The first rows of a file, and an iterable of all rows including them. */
export interface PeekedRows {
  readonly head: readonly SourceRow[];
  readonly rows: AsyncIterable<Iterable<SourceRow>>;
}

/** Reads the first rows without consuming them; only lines before the header are consumed. */
export async function peekRows(
  rows: AsyncIterable<Iterable<SourceRow>>,
  options: LayoutOptions,
  onNote: (note: string) => void,
): Promise<PeekedRows> {
  const head: SourceRow[] = [];
  const batches = rows[Symbol.asyncIterator]();
  let open: Iterator<SourceRow> | undefined;
  while (head.length < HEAD_ROWS) {
    const row = open?.next();
    if (row !== undefined && row.done !== true) head.push(row.value);
    else {
      const batch = await batches.next();
      if (batch.done === true) break;
      open = batch.value[Symbol.iterator]();
    }
  }
  const headerDialect = fromHeader(head, options, onNote);
  async function* allRows(): AsyncGenerator<Iterable<SourceRow>> {
    try {
      yield headerDialect;
      if (open !== undefined) yield restOf(open);
      for (;;) {
        const batch = await batches.next();
        if (batch.done === true) return;
        yield batch.value;
      }
    } finally {
      await batches.return?.();
    }
  }
  return { head: headerDialect, rows: allRows() };
}

function* restOf(rows: Iterator<SourceRow>): Generator<SourceRow> {
  for (let next = rows.next(); next.done !== true; next = rows.next()) yield next.value;
}

/** Maximum number of lines before the header that contain separators, such as a series name and its unit. */
const TITLE_ROWS_MAX = 10;

/** Returns the rows from the header on: the first of the leading lines that names the columns of a bar. */
function fromHeader(
  head: readonly SourceRow[],
  options: LayoutOptions,
  onNote: (note: string) => void,
): readonly SourceRow[] {
  const [first] = head;
  if (first?.kind !== 'row' || layoutIfClear(first.fields, options) !== undefined) return head;
  const at = head
    .slice(0, TITLE_ROWS_MAX + 1)
    .findIndex((row) => row.kind === 'row' && layoutIfClear(row.fields, options)?.hasHeader === true);
  if (at < 1) return head;
  const title = first.fields.map(({ text }) => text).join(',');
  onNote(`${plural(at, 'line')} before the header skipped: ${quoted(title)}`);
  return head.slice(at);
}

/**
 * Infers the dialect from the first rows; the user's options take precedence. Never throws: errors appear when the
 * rows are read.
 */
export function inferDialect(head: readonly SourceRow[], options: LayoutOptions): InferredDialect {
  const rows = head.flatMap((row) => (row.kind === 'row' ? [row] : []));
  const [first] = rows;
  if (first === undefined) return { notes: [] };
  if (isNasdaq(first.fields))
    return { format: 'nasdaq', notes: ['layout of nasdaq.com, month first, inferred from the header'] };
  const layout = layoutIfClear(first.fields, options);
  if (layout === undefined) return { notes: [] };
  const body = layout.hasHeader ? rows.slice(1) : rows;
  const stamp = layout.hasHeader ? first.fields[layout.time[0] ?? 0]?.text : undefined;
  const zone = stamp !== undefined && isUniversal(stamp) ? 'UTC' : undefined;
  const order = orderOf(body, layout);
  const prices = body.flatMap(({ fields }) =>
    [layout.open, layout.high, layout.low, layout.close].map((index) => fields[index]?.text ?? ''),
  );
  const decimal = decimalMarkOf(prices);
  const vendor = layout.hasHeader
    ? knownVendorDialect(first.fields, prices)
    : leanDialect(body, layout, options.file);
  if (vendor !== undefined) return { ...(order === undefined ? {} : { dates: order.dates }), ...vendor };
  const currencySign = prices.length > 0 && prices.every((text) => /^(HK|US)?\$/.test(text));
  return {
    ...(currencySign ? { currencySign } : {}),
    ...omitUndefined({ zone }),
    ...(order === undefined ? {} : { dates: order.dates }),
    ...omitUndefined({ decimal }),
    notes: [
      ...(zone === undefined ? [] : [`times in UTC, inferred from the column "${stamp}"`]),
      ...(order === undefined ? [] : [order.note]),
      ...(decimal === 'comma' ? ['a decimal comma'] : []),
    ],
  };
}

function layoutIfClear(first: readonly SourceField[], options: LayoutOptions): Layout | undefined {
  try {
    return layoutOf(first, options);
  } catch (error) {
    if (error instanceof DataError) return undefined;
    throw error;
  }
}

const WHOLE_PRICE = /^\d{4,}$/;
const NANO_PRICE = /^\d{8,}$/;

function knownVendorDialect(
  header: readonly SourceField[],
  prices: readonly string[],
): InferredDialect | undefined {
  const names = header.map(({ text }) => plainName(text));
  if (names.includes('timekey'))
    return {
      format: 'futu',
      notes: ['exchange time, bars stamped at their close, as Futu writes them, inferred from "time_key"'],
    };
  const isFixed = prices.length > 0 && prices.every((text) => NANO_PRICE.test(text));
  if (!isFixed || !names.includes('tsevent') || !names.includes('rtype')) return undefined;
  return {
    priceDivisor: 1e9,
    notes: ['prices in billionths, as Databento writes them, inferred from "ts_event"'],
  };
}

/** Recognises LEAN files: no header, integer prices in ten-thousandths. */
function leanDialect(
  rows: readonly Extract<SourceRow, { kind: 'row' }>[],
  layout: Layout,
  file: string,
): InferredDialect | undefined {
  if (rows.length === 0 || layout.fieldCount !== LEAN_FIELDS) return undefined;
  const day = dayInName(file);
  const isLean = rows.every(({ fields }) => {
    const [stamp = '', ...prices] = fields.map(({ text }) => text);
    const isStamp = /^\d{8} \d\d:\d\d$/.test(stamp) || (day !== undefined && /^\d{1,8}$/.test(stamp));
    return isStamp && prices.slice(0, 4).every((text) => WHOLE_PRICE.test(text));
  });
  if (!isLean) return undefined;
  const note = 'prices in ten-thousandths and exchange time, as LEAN writes them';
  return { format: 'lean', notes: [`${note}; --format generic imports them unchanged`] };
}

const LEAN_FIELDS = 6;
const DAY_IN_NAME = /(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)/;

/**
 * Returns the day in a file name such as `20240102_trade.csv`, as wall-clock midnight; undefined if there is none.
 */
export function dayInName(file: string): number | undefined {
  const [, year, month, day] = DAY_IN_NAME.exec(basename(file)) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : at;
}

const NASDAQ = ['date', 'closelast', 'volume', 'open', 'high', 'low'];

function isNasdaq(header: readonly SourceField[]): boolean {
  return NASDAQ.every((name, index) => plainName(header[index]?.text ?? '') === name);
}

const NUMBERS = /^(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4}|\d{2})(?!\d)/;
const MONTHS_OF_YEAR = 12;
const DAYS_OF_MONTH = 31;

/**
 * Infers the order of day, month and year from numbers above 12, which cannot be months, or from points, which mean
 * day first.
 */
function orderOf(
  rows: readonly Extract<SourceRow, { kind: 'row' }>[],
  { time }: Layout,
): { readonly dates: DateOrder; readonly note: string } | undefined {
  const serial = areSerials(rows.map(({ fields }) => fields[time[0] ?? 0]?.text ?? ''));
  if (serial && time.length === 1 && rows[0] !== undefined) {
    const text = rows[0].fields[time[0] ?? 0]?.text ?? '';
    return {
      dates: 'excel',
      note: `serial dates of Excel, inferred from "${text}" in line ${rows[0].line}`,
    };
  }
  const found = new Map<DateOrder, string>();
  const ends = yearPositionOf(rows.map(({ fields }) => NUMBERS.exec(fields[time[0] ?? 0]?.text ?? '')));
  for (const { fields, line } of rows) {
    const text = fields[time[0] ?? 0]?.text ?? '';
    const [, first, mark, second, last] = NUMBERS.exec(text) ?? [];
    if (first === undefined) continue;
    const year = last?.length === 2 && Number(last) <= DAYS_OF_MONTH ? ends : 'last';
    const order = certainDateOrder([Number(first), Number(second)], mark ?? '', year);
    if (order !== undefined && !found.has(order)) {
      const named = ORDER_TEXTS[order];
      found.set(order, `dates ${named}, inferred from "${text}" in line ${line}`);
    }
  }
  const [only, other] = [...found];
  return only === undefined || other !== undefined ? undefined : { dates: only[0], note: only[1] };
}

const SERIAL = /^[2-6]\d{4}(\.\d+)?$/;
/** The first day of 2000 in that count. Read as a year and day of the year, larger values would be after 2036. */
const SERIAL_2000 = 36_526;
const DAYS_OF_YEAR = 366;

/**
 * True if stamps can only be day counts of Excel since 1900. The only other stamps of five digits are year and day of
 * the year; counts since 1904 would fall on weekends.
 */
function areSerials(texts: readonly string[]): boolean {
  if (texts.length === 0 || !texts.every((text) => SERIAL.test(text))) return false;
  const days = texts.map((text) => Math.floor(Number(text)));
  if (days.some((day) => day % 7 < 2)) return false;
  return days.some((day) => day >= SERIAL_2000 || day % 1000 === 0 || day % 1000 > DAYS_OF_YEAR);
}

const ORDER_TEXTS = { mdy: 'month first', dmy: 'day first', ymd: 'year first' } as const;
type YearPosition = 'first' | 'last' | 'open';

/** Returns the position of a two-digit year: years change less often than days. */
function yearPositionOf(matches: readonly (RegExpExecArray | null)[]): YearPosition {
  const firsts = new Set(matches.map((match) => match?.[1]));
  const lasts = new Set(matches.map((match) => match?.[4]));
  if (firsts.size === lasts.size) return 'open';
  return firsts.size < lasts.size ? 'first' : 'last';
}

function certainDateOrder(
  [first, second]: readonly [number, number],
  mark: string,
  year: YearPosition,
): keyof typeof ORDER_TEXTS | undefined {
  if (first > DAYS_OF_MONTH) return 'ymd';
  if (first > MONTHS_OF_YEAR && year !== 'last') return year === 'first' ? 'ymd' : undefined;
  if (first > MONTHS_OF_YEAR) return 'dmy';
  if (second > MONTHS_OF_YEAR) return 'mdy';
  return mark === '.' ? 'dmy' : undefined;
}
