import { barClose } from '../markets/bar-span.ts';
import { dayKind, holidayName } from '../markets/calendar.ts';
import { findGaps } from '../markets/coverage.ts';
import { hasTable } from '../markets/market-records.ts';
import { dayBegan, dayOf, isOpen, midnightOf, sessionAt } from '../markets/sessions.ts';
import type { BarColumns } from '../model/bar.ts';
import { intradayMs, nominalMs, PERIODS } from '../model/period.ts';
import { plural } from '../model/plural.ts';
import { type Market, marketOf } from '../model/symbol.ts';
import { type CalendarDay, MINUTE_MS, type Millis, SECOND_MS } from '../model/time.ts';
import type { RowFinding } from './check.ts';
import { writeStamp } from './stamp.ts';

export function* findUnsorted({ time, length }: BarColumns): Generator<RowFinding> {
  for (let row = 1; row < length; row++) {
    const [before, now] = [time[row - 1] as number, time[row] as number];
    if (now === before) yield { kind: 'duplicate', row, message: `A second bar of ${writeStamp(now)}` };
    if (now < before) {
      yield { kind: 'unsorted', row, message: `${writeStamp(now)} comes after ${writeStamp(before)}` };
    }
  }
}

/** Minimum number of bars for judging the period: a few may be far apart by chance. */
const STEPS_MIN = 20;

/** Finds series whose bars are all further apart than the period, which suggests a longer period. */
export function* findLongerPeriod({ time, length, period }: BarColumns): Generator<RowFinding> {
  if (length <= STEPS_MIN) return;
  let closest = Number.POSITIVE_INFINITY;
  for (let row = 1; row < length; row++) {
    closest = Math.min(closest, Math.abs((time[row] as number) - (time[row - 1] as number)) || closest);
  }
  // A calendar month may be a tenth shorter than the nominal one, and clock changes may remove an hour.
  const likely = PERIODS.findLast((each) => nominalMs(each) * 0.9 <= closest);
  if (likely === undefined || nominalMs(likely) <= nominalMs(period)) return;
  const message = `No two of ${length} bars are closer than those of ${likely}: is "${period}" the right period?`;
  yield { kind: 'period', row: 1, message };
}

/** Finds intraday bars that open before the previous one closes: two periods in one file. */
export function* findOverlapping({ symbol, time, length, period }: BarColumns): Generator<RowFinding> {
  const span = intradayMs(period);
  if (span === undefined) return;
  const market = marketOf(symbol);
  for (let row = 1; row < length; row++) {
    const [before, now] = [time[row - 1] as Millis, time[row] as Millis];
    if (now <= before || now - before >= span || now >= barClose(market, period, before)) continue;
    const message = `The bar of ${writeStamp(now)} opens ${(now - before) / SECOND_MS} s after the previous bar, within its ${period}: are two periods mixed?`;
    yield { kind: 'period', row, message };
  }
}

/** Finds daily stamps off midnight, bars on closed days, and intraday bars outside the sessions. */
export function* findOutOfSession(columns: BarColumns, extendedHours: boolean): Generator<RowFinding> {
  const market = marketOf(columns.symbol);
  const isIntraday = intradayMs(columns.period) !== undefined;
  if (!hasTable(market) || (!isIntraday && columns.period !== '1d')) return;
  for (let row = 0; row < columns.length; row++) {
    const stamp = columns.time[row] as Millis;
    const last = isIntraday ? ((barClose(market, columns.period, stamp) - 1) as Millis) : stamp;
    const day = dayOf(market, stamp);
    if (!isIntraday && midnightOf(market, day) !== stamp) {
      const want = writeStamp(midnightOf(market, day));
      yield {
        kind: 'off-midnight',
        row,
        message: `A daily bar stamped ${writeStamp(stamp)}, want midnight, ${want}`,
      };
    }
    if (isIntraday ? isInSession(market, last, extendedHours) : dayKind(market, day) !== 'closed') continue;
    if (dayKind(market, day) === 'closed') {
      const why = holidayName(market, day) ?? 'a weekend';
      yield { kind: 'closed-day', row, message: `A bar on ${day}, when ${market} was closed: ${why}` };
    } else {
      yield { kind: 'out-of-session', row, message: `A bar of ${writeStamp(stamp)}, outside the session` };
    }
  }
}

function isInSession(market: Market, at: Millis, extendedHours: boolean): boolean {
  return extendedHours ? sessionAt(market, at) !== undefined : isOpen(market, at);
}

/** Finds trading days and parts of sessions without a bar, between the first bar and the last. */
export function* findMissingBars(
  { symbol, period, time, length }: BarColumns,
  gapMinutes: number,
): Generator<RowFinding> {
  const span = intradayMs(period);
  const [first, last] = [time[0], time[length - 1]];
  if (first === undefined || last === undefined || (span === undefined && period !== '1d')) return;
  const stretch = { from: dayBegan(marketOf(symbol), first as Millis), to: last };
  const leastMs = Math.max(span ?? 0, gapMinutes * MINUTE_MS);
  const stamps = time.subarray(0, length);
  for (const { row, days, parts } of findGaps({ symbol, period, stamps, ...stretch, leastMs })) {
    if (days.length > 0) yield { kind: 'gap', row, message: missingDaysText(days) };
    for (const { open, close, openMs } of parts) {
      const minutes = Math.round(openMs / MINUTE_MS);
      const where =
        close === time[row]
          ? `before ${writeStamp(close)}`
          : `from ${writeStamp(open)} to ${writeStamp(close)}`;
      yield { kind: 'gap', row, message: `No bar in ${minutes} open minutes ${where}` };
    }
  }
}

export function missingDaysText(days: readonly CalendarDay[]): string {
  const [first, last] = [days[0], days.at(-1)];
  return days.length === 1
    ? `No bar on the trading day ${first}`
    : `No bar on ${plural(days.length, 'trading day')}, ${first} to ${last}`;
}
