import { dayKind, nextTradingDay } from '../markets/calendar.ts';
import { midnightOf, sessionsOf } from '../markets/sessions.ts';
import type { BarColumns } from '../model/bar.ts';
import { type BarsOf, columnsOfBars } from '../model/bar-columns.ts';
import { intradayMs, type Period } from '../model/period.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { addDays, type CalendarDay, type Millis, millis } from '../model/time.ts';
import type { Shape } from './moves.ts';

/** Yields the timestamps of a market's bars, from one trading day on. */
export function* stampsFrom(symbol: SecuritySymbol, period: Period, from: CalendarDay): Generator<Millis> {
  const market = marketOf(symbol);
  const length = intradayMs(period);
  let day = dayKind(market, from) === 'closed' ? nextTradingDay(market, from) : from;
  for (; ; day = nextTradingDay(market, day)) {
    if (length === undefined) {
      yield midnightOf(market, day);
      continue;
    }
    for (const session of sessionsOf(market, day)) {
      if (session.kind !== 'regular') continue;
      for (let at = session.open; at < session.close; at = millis(at + length)) yield at;
    }
  }
}

/** Returns the day that many trading days earlier. */
export function daysBefore(symbol: SecuritySymbol, day: CalendarDay, count: number): CalendarDay {
  const market = marketOf(symbol);
  let at = day;
  for (let left = count; left > 0; ) {
    at = addDays(at, -1);
    if (dayKind(market, at) !== 'closed') left -= 1;
  }
  return at;
}

/** Returns bars at the timestamps of a market; an undefined shape skips its timestamp. */
export function columnsOf(of: BarsOf, stamps: Iterator<Millis>, shapes: readonly Shape[]): BarColumns {
  const bars: ({ readonly time: Millis } & NonNullable<Shape>)[] = [];
  for (const shape of shapes) {
    const next = stamps.next();
    if (next.done === true) break;
    if (shape !== undefined) bars.push({ time: next.value, ...shape });
  }
  return columnsOfBars(of, bars);
}
