import type { Market } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import { holidaysKnown } from './calendar.ts';
import { marketRecord } from './market-records.ts';

/** Days before the end of a calendar at which a bot that trades by it starts to warn. */
export const CALENDAR_ENDS_SOON_DAYS = 60;

/**
 * Returns one warning per market whose holidays are not all known between two days, inclusive. Empty if all are known,
 * and for markets without a table.
 */
export function unknownHolidayTexts(
  markets: Iterable<Market>,
  { from, to }: { readonly from: CalendarDay; readonly to: CalendarDay },
): readonly string[] {
  return [...new Set(markets)].flatMap((market) => {
    const known = holidaysKnown(market);
    if (known === undefined || (from >= known.from && to <= known.to)) return [];
    const outside = [
      ...(from < known.from ? [`before ${known.from}`] : []),
      ...(to > known.to ? [`after ${known.to}`] : []),
    ].join(' and ');
    const lack = marketRecord(market)?.calendar.unknownBy ?? 'decree';
    return [
      `Holidays of "${market}" are known from ${known.from} to ${known.to}: days ${outside} go by the rules alone, and closures by ${lack} are missing`,
    ];
  });
}
