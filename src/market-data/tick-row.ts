import type { SecuritySymbol } from '../model/symbol.ts';
import { DataError, type DataErrorCode, quoted } from './data-error.ts';
import { plainNumber } from './decimal-text.ts';
import type { SourceField } from './source-row.ts';
import { type DateOrder, readSourceStamp } from './source-stamp.ts';
import type { TickKind, TickLayout, TickRole } from './tick-layout.ts';
import type { WallClock } from './wall-time.ts';

/**
 * A tick with its stamp in epoch milliseconds. Figures of a trade: price, undefined, size; of a quote: bid, bid size,
 * ask, ask size.
 */
export interface Tick {
  readonly time: number;
  readonly figures: readonly (number | undefined)[];
}

export interface TickRules {
  readonly kind: TickKind;
  readonly layout: TickLayout;
  readonly file: string;
  readonly symbol: SecuritySymbol;
  readonly dates: DateOrder;
  /** Converts stamps without a zone; undefined if no zone is known. */
  readonly clock: WallClock | undefined;
}

const DECIMAL = /^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
/** Digits finer than a millisecond are dropped, as several ticks may share a stamp. */
const FINE_EPOCH = /^(\d{13})\d{3}(\d{3})?$/;
const FINE_FRACTION = /(:\d{2}[.,]\d{3})\d+/;

/** Returns a function that parses one row after the other. Stamps may repeat but not decrease. Throws DataError. */
export function tickReader(rules: TickRules): (fields: readonly SourceField[], line: number) => Tick {
  const { kind, layout, file, symbol } = rules;
  let before = Number.NEGATIVE_INFINITY;
  return (fields, line) => {
    const wrong = (code: DataErrorCode, found: string, advice: string): DataError => {
      const problem = `Cannot read one of the ${kind} of ${symbol}: ${found}`;
      return new DataError({ code, problem, advice, file, line });
    };
    if (fields.length !== layout.fieldCount)
      throw wrong(
        'column-count',
        `want ${layout.fieldCount} fields, not ${fields.length}`,
        'correct the line, or skip such lines with --on-bad-row skip',
      );
    const text = (role: TickRole): string =>
      (layout.columns.get(role) ?? []).map((column) => fields[column]?.text ?? '').join(' ');
    const time = timeOf(text('time'), rules, wrong);
    if (time < before)
      throw wrong(
        'unsorted',
        `${quoted(text('time'))} is earlier than the previous row`,
        'sort the file by time, oldest first',
      );
    const figure = (role: TickRole): number | undefined => {
      const plain = plainNumber(text(role), 'point');
      if (plain === '' && kind === 'quotes') return undefined;
      const value = DECIMAL.test(plain) ? Number(plain) : Number.NaN;
      if (Number.isFinite(value)) return value;
      throw wrong(
        'bad-number',
        `${role} is ${quoted(text(role))}, want a finite decimal number`,
        'write plain digits with a decimal point',
      );
    };
    const figures =
      kind === 'trades'
        ? [figure('price'), undefined, figure('size')]
        : [figure('bid'), figure('bidSize'), figure('ask'), figure('askSize')].map(quotedSide);
    if (kind === 'trades' && !((figures[0] ?? 0) > 0))
      throw wrong(
        'not-positive',
        `price is ${quoted(text('price'))}, want a price above zero`,
        'correct or remove the trade',
      );
    before = time;
    return { time, figures };
  };
}

/** Vendors write 0 for a side without a quote. */
function quotedSide(figure: number | undefined): number | undefined {
  return figure === 0 ? undefined : figure;
}

function timeOf(
  text: string,
  { dates, clock }: TickRules,
  wrong: (code: DataErrorCode, found: string, advice: string) => DataError,
): number {
  const stamp = readSourceStamp(text.replace(FINE_EPOCH, '$1').replace(FINE_FRACTION, '$1'), dates);
  if (stamp === undefined || (stamp.kind === 'wall' && !stamp.hasClock))
    throw wrong(
      'bad-timestamp',
      `time is ${quoted(text)}, want an instant`,
      'use ISO-8601 or an epoch; map a date and a time with --map time=Date+Time',
    );
  if (stamp.kind === 'instant') return stamp.at;
  if (clock === undefined)
    throw wrong(
      'unknown-zone',
      `time is ${quoted(text)}, which has no time zone`,
      'give the time zone of the file with --zone',
    );
  const [at] = clock(stamp.at);
  if (at === undefined)
    throw wrong(
      'bad-timestamp',
      `time is ${quoted(text)}, which daylight saving time skips`,
      'check the time zone',
    );
  return at;
}
