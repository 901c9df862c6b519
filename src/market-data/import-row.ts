import { barSpan } from '../markets/bar-span.ts';
import { dayOf, midnightOf } from '../markets/sessions.ts';
import { intradayMs } from '../model/period.ts';
import { type Market, marketOf } from '../model/symbol.ts';
import { type CalendarDay, DAY_MS, type Millis, millis, utcDay } from '../model/time.ts';
import {
  BAR_HEADER,
  type BarSource,
  checkRange,
  type RowField,
  type RowPlace,
  readFigure,
  rowError,
} from './csv-row.ts';
import type { DataError } from './data-error.ts';
import { type DecimalMark, fullCount, hasOtherDecimalMark, plainNumber } from './decimal-text.ts';
import type { Layout } from './layout.ts';
import type { SourceField } from './source-row.ts';
import { type DateOrder, readSourceStamp, type SourceStamp } from './source-stamp.ts';
import { type WallClock, wallClock } from './wall-time.ts';

export interface RowRules {
  readonly source: BarSource;
  readonly dates: DateOrder;
  /** Converts stamps without a zone; undefined if no zone is known. */
  readonly clock: WallClock | undefined;
  /** The end of an intraday bar that its stamp means. */
  readonly stampedAt: 'open' | 'close';
  /** True to ignore a currency sign before prices. */
  readonly currencySign: boolean;
  /** Decimal separator; `open` while unknown, and `1,187` is then rejected. */
  readonly decimal: DecimalMark | 'open';
  /** Divisor of prices: vendors may quote them in subunits. */
  readonly priceDivisor: number;
  /** Shares per unit of volume; taken from the header if absent. */
  readonly volumeUnit: number | undefined;
  /** Wall-clock midnight of the file's day, if its stamps are milliseconds since midnight. */
  readonly fileDay: number | undefined;
}

/** One bar: stamp in epoch milliseconds, and open, high, low, close, volume. */
export interface ImportedBar {
  readonly time: number;
  readonly figures: readonly number[];
}

/** Position of a row, and the stamp that it must follow in the direction of the file. */
export interface RowOrder {
  readonly line: number;
  /** 1 if the oldest bar is first, -1 if the newest is, 0 while unknown. */
  readonly direction: -1 | 0 | 1;
  /** Stamp of the previous row; undefined on the first. */
  readonly before: number | undefined;
}

/** Converts one row of a vendor's file to a bar. Throws DataError with the field, its text and what was expected. */
export function readImportedRow(
  fields: readonly SourceField[],
  layout: Layout,
  order: RowOrder,
  rules: RowRules,
): ImportedBar {
  const place: RowPlace = { source: rules.source, line: order.line, after: Number.NEGATIVE_INFINITY };
  if (fields.length !== layout.fieldCount && !onlyEmptyAfter(fields, layout.fieldCount)) {
    throw fieldCount(fields, layout, place);
  }
  const named = (index: number, name: string): RowField => {
    const field = plainField({ name, ...(fields[index] ?? { text: '', column: 1 }) }, place, rules);
    return name === 'volume' ? { ...field, text: fullCount(field.text, rules.decimal) } : field;
  };
  const stamp = { name: 'timestamp', text: '', column: fields[layout.time[0] ?? 0]?.column ?? 1 };
  const text = layout.time.map((index) => fields[index]?.text ?? '').join(' ');
  const time = readTime({ ...stamp, text }, order, place, rules);
  const inOrder: RowField[] = [
    { ...stamp, text },
    named(layout.open, 'open'),
    named(layout.high, 'high'),
    named(layout.low, 'low'),
    named(layout.close, 'close'),
    layout.volume === undefined ? { name: 'volume', text: '0', column: 1 } : named(layout.volume, 'volume'),
  ];
  if (inOrder.slice(1, 5).every(({ text }) => NO_NUMBER.test(text))) throw noNumbers(inOrder, place);
  const unclear = rules.decimal === 'open' ? inOrder.slice(1).find(isAmbiguous) : undefined;
  if (unclear !== undefined) throw ambiguousComma(unclear, place);
  const unit = rules.volumeUnit ?? layout.volumeUnit;
  if (unit === 'lots') throw volumeInLots(inOrder[5], place);
  if (layout.volume !== undefined && NO_NUMBER.test(inOrder[5]?.text ?? ''))
    throw noVolume(inOrder[5], place);
  const figures = inOrder.slice(1).map((field, at) => {
    const figure = readFigure(field, place, BAD_NUMBER);
    if (at < 4) return figure / rules.priceDivisor;
    return unit === 1 ? figure : Math.round(figure * unit);
  });
  const [open, high, low, close, volume] = figures as [number, number, number, number, number];
  checkRange({ open, high, low, close }, inOrder, place);
  if (layout.adjusted === undefined) return { time, figures };
  const field = { ...named(layout.adjusted, 'open'), name: 'adjusted close' };
  const adjusted = readFigure(field, place, BAD_NUMBER) / rules.priceDivisor;
  const scaled = [open, high, low, close].map((price) => sixDecimals(price * (adjusted / close)));
  return { time, figures: [...scaled, volume] };
}

/**
 * Returns a field without its currency sign and with a decimal point. Throws DataError if it has the other decimal
 * mark.
 */
function plainField(
  field: RowField,
  place: RowPlace,
  { currencySign, decimal }: Pick<RowRules, 'currencySign' | 'decimal'>,
): RowField {
  const bare = currencySign ? field.text.replace(/^(HK|US)?\$/, '') : field.text;
  if (hasOtherDecimalMark(bare, decimal)) throw wrongDecimalMark(field, place, decimal);
  return { ...field, text: plainNumber(bare, decimal) };
}

const AMOUNT = /^\+?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const RATIO = /^(\S+?) ?(?:[:/]|-?for-?| for ) ?(\S+)$/i;

/** Parses a dividend per share, in the unit of the imported prices; 0 for an empty field. Throws DataError. */
export function readDividend(field: RowField, line: number, rules: RowRules): number {
  return readAmount(field, { source: rules.source, line, after: 0 }, rules) / rules.priceDivisor;
}

/** Parses new shares per old share: `4`, `4:1` or `4 for 1`; 0 for an empty field. Throws DataError. */
export function readSplit(field: RowField, line: number, rules: RowRules): number {
  const place: RowPlace = { source: rules.source, line, after: 0 };
  const [, to, from] = RATIO.exec(field.text) ?? [];
  if (to === undefined || from === undefined) return readAmount(field, place, rules);
  const ratio =
    readAmount({ ...field, text: to }, place, rules) / readAmount({ ...field, text: from }, place, rules);
  if (!Number.isFinite(ratio)) throw badAmount(field, place);
  return ratio;
}

function readAmount(field: RowField, place: RowPlace, { decimal }: RowRules): number {
  if (NO_NUMBER.test(field.text)) return 0;
  const plain = plainField(field, place, { currencySign: true, decimal });
  if (decimal === 'open' && isAmbiguous(plain)) throw ambiguousComma(plain, place);
  if (!AMOUNT.test(plain.text)) throw badAmount(field, place);
  return Number(plain.text);
}

function badAmount(field: RowField, place: RowPlace): DataError {
  const advice = 'correct the row, skip such rows with --on-bad-row skip, or omit --events';
  return rowError('bad-number', field, place, 'an amount such as 0.24, or for a split 4 or 4:1', advice);
}

/** Rounds an adjusted price: prices are quotients, and six decimals keep equal prices equal. */
const sixDecimals = (price: number): number => Number(price.toFixed(6));

function readTime(field: RowField, order: RowOrder, place: RowPlace, rules: RowRules): number {
  const stamp = stampIn(field.text, rules);
  if (stamp === undefined) throw badStamp(field, place, rules.dates);
  const { source } = rules;
  const length = intradayMs(source.period);
  const candidates =
    length === undefined
      ? [dayStamp(stamp, marketOf(source.symbol))]
      : instantsOf(stamp, field, place, rules).map((at) =>
          rules.stampedAt === 'close' ? openOfClose(at, length, source) : at,
        );
  const { before, direction } = order;
  // The repeated hour when clocks go back is resolved by the order of the file; its second row may be the first to
  // show that order.
  const isBackwards = direction === 0 ? candidates.every((at) => at < (before ?? 0)) : direction < 0;
  const inOrder = isBackwards ? candidates.toReversed() : candidates;
  if (before === undefined) return inOrder[0] as number;
  const time = inOrder.find((at) => (direction === 0 ? at !== before : (at - before) * direction > 0));
  return time ?? raise(unsortedError(field, place, order, candidates[0] as number));
}

/** Returns the open of a bar from its close; the last bar before a break may be shorter than its period. */
function openOfClose(at: number, length: number, { symbol, period }: RowRules['source']): number {
  const span = barSpan(marketOf(symbol), period, millis(at - 1));
  return span?.close === at ? span.open : at - length;
}

const MS_OF_DAY = /^\d{1,8}$/;

function stampIn(text: string, { dates, fileDay }: RowRules): SourceStamp | undefined {
  const time = MS_OF_DAY.test(text) ? Number(text) : DAY_MS;
  if (fileDay === undefined || time >= DAY_MS) return readSourceStamp(text, dates);
  return { kind: 'wall', at: fileDay + time, hasClock: true };
}

/**
 * Returns midnight of the exchange's day of a daily or longer bar. An instant at midnight UTC means that date, as
 * vendors without zones write it; any other instant means the exchange's day that contains it.
 */
function dayStamp(stamp: SourceStamp, market: Market): Millis {
  return midnightOf(market, calendarDayOf(stamp, market));
}

function calendarDayOf(stamp: SourceStamp, market: Market): CalendarDay {
  const at = millis(stamp.at);
  return stamp.kind === 'wall' || stamp.at % DAY_MS === 0 ? utcDay(at) : dayOf(market, at);
}

function instantsOf(
  stamp: SourceStamp,
  field: RowField,
  place: RowPlace,
  rules: RowRules,
): readonly number[] {
  if (stamp.kind === 'instant') return [stamp.at];
  if (!stamp.hasClock) {
    const want = `a time of day, as ${rules.source.period} bars need one`;
    throw rowError(
      'bad-timestamp',
      field,
      place,
      want,
      'map both columns with time=Date+Time, or use a longer period',
    );
  }
  const clock = stamp.zone === undefined ? rules.clock : clockOf(stamp.zone, rules.source.file);
  if (clock === undefined) throw noZone(field, place);
  const instants = clock(stamp.at);
  if (instants.length > 0) return instants;
  const want = 'a time that exists: daylight saving time skips it';
  throw rowError('bad-timestamp', field, place, want, 'check the time zone');
}

const CLOCKS = new Map<string, WallClock>();
const CLOCKS_MAX = 100;

function clockOf(zone: string, file: string): WallClock {
  const known = CLOCKS.get(zone);
  if (known !== undefined) return known;
  const clock = wallClock(zone, file);
  if (CLOCKS.size < CLOCKS_MAX) CLOCKS.set(zone, clock);
  return clock;
}

function badStamp(field: RowField, place: RowPlace, dates: DateOrder): DataError {
  if (!/\d/.test(field.text)) {
    const skip = 'remove the line, or skip such lines with --on-bad-row skip';
    return rowError('bad-timestamp', field, place, 'a date: this line is a header or a footer', skip);
  }
  const isAmbiguous =
    dates === 'unsaid' && /^(\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})|\d{6})\b/.test(field.text);
  const advice = isAmbiguous
    ? 'state the order with --dates mdy (month first), --dates dmy (day first) or --dates ymd (year first)'
    : /^[2-7]\d{4}(\.\d+)?$/.test(field.text)
      ? 'if this is a serial date of Excel, use --dates excel (--dates excel-1904 for old workbooks of the Mac)'
      : 'use ISO-8601, YYYYMMDD, YYYYMMDD HHMMSS or epoch seconds or milliseconds';
  return rowError('bad-timestamp', field, place, 'a date that exists, year first', advice);
}

function noZone(field: RowField, place: RowPlace): DataError {
  return rowError(
    'unknown-zone',
    field,
    place,
    'a stamp with a time zone',
    'give the time zone of the file with --zone Asia/Hong_Kong, --zone America/New_York or --zone UTC',
  );
}

function unsortedError(
  field: RowField,
  place: RowPlace,
  { before, direction }: RowOrder,
  time: number,
): DataError {
  const last = new Date(before ?? 0).toISOString();
  if (time === before)
    return rowError(
      'duplicate-timestamp',
      field,
      place,
      `a stamp other than the previous bar's, ${last}`,
      'keep one bar per stamp',
    );
  const want =
    direction > 0
      ? `a bar after ${last}, oldest first`
      : `a bar before ${last}, newest first like the rows before`;
  return rowError('unsorted', field, place, want, 'sort the bars by time, or state the order with --order');
}

/** Some programs end each row, but not the header, with a separator. */
function onlyEmptyAfter(fields: readonly SourceField[], count: number): boolean {
  return fields.length > count && fields.slice(count).every(({ text }) => text === '');
}

function isAmbiguous({ text }: RowField): boolean {
  return /^[+-]?\d{1,3},\d{3}$/.test(text);
}

function ambiguousComma(field: RowField, place: RowPlace): DataError {
  const want = 'a number without an ambiguous comma';
  const advice =
    'use --decimal comma if the comma is the decimal separator, --decimal point if it separates thousands';
  return rowError('bad-number', field, place, want, advice);
}

function wrongDecimalMark(field: RowField, place: RowPlace, mark: DecimalMark | 'open'): DataError {
  const [want, have] = mark === 'comma' ? ['comma', 'point'] : ['point', 'comma'];
  const advice = `other numbers of the file have a decimal ${want}: correct the row, skip such rows with --on-bad-row skip, or use --decimal ${have} if it applies to all rows`;
  return rowError('bad-number', field, place, `a decimal ${want}, not a decimal ${have}`, advice);
}

const BAD_NUMBER = 'correct the number, or skip such rows with --on-bad-row skip';

const NO_NUMBER = /^(|-+|null|nan|n\/a|none|#n\/a( n\/a)?|#value!|#name\?|---)$/i;

/** Vendors list days without a trade as rows without prices; the user decides whether to skip them. */
function noNumbers([, open]: readonly RowField[], place: RowPlace): DataError {
  const field = open ?? { name: 'open', text: '', column: 1 };
  const advice = 'the row has no prices: skip such rows with --on-bad-row skip';
  return rowError('bad-number', field, place, 'a finite decimal number', advice);
}

function noVolume(field: RowField | undefined, place: RowPlace): DataError {
  const advice = 'use --no-volume if the file has no volume, or skip such rows with --on-bad-row skip';
  return rowError('bad-number', field ?? NO_FIELD, place, 'a finite decimal number', advice);
}

/** A lot is the exchange's trading unit or a hundred shares; the file does not specify which. */
function volumeInLots(field: RowField | undefined, place: RowPlace): DataError {
  const advice = 'give the number of shares per lot: --volume-unit 100';
  return rowError('unknown-layout', field ?? NO_FIELD, place, 'shares, but the header states lots', advice);
}

const NO_FIELD: RowField = { name: 'volume', text: '', column: 1 };

function fieldCount(fields: readonly SourceField[], layout: Layout, place: RowPlace): DataError {
  const texts = fields.map(({ text }) => text);
  const field = { name: 'the line', text: texts.join(','), column: 1 };
  if (texts.length < layout.fieldCount && texts.some((text) => /\b(dividend|split)/i.test(text))) {
    const skip =
      'skip such lines with --on-bad-row skip, and put these events into events.csv next to the bars';
    return rowError('column-count', field, place, 'a bar, but this line is a dividend or a split', skip);
  }
  const advice =
    fields.length > layout.fieldCount
      ? 'write numbers with a decimal point and without thousands separators'
      : `give all of ${BAR_HEADER.join(', ')}, remove the line, or skip such lines with --on-bad-row skip`;
  return rowError('column-count', field, place, `${layout.fieldCount} fields, not ${fields.length}`, advice);
}

function raise(error: DataError): never {
  throw error;
}
