import { decimal } from '../model/decimal.ts';
import { calendarDay } from '../model/time.ts';
import type { DatedLadder, TickLadder } from './market-record.ts';

export function tickLadderOf(...bands: readonly (readonly [from: string, tick: string])[]): TickLadder {
  return bands.map(([from, tick]) => ({ from: decimal(from), tick: decimal(tick) }));
}

export function undatedLadder(name: string, source: string, ladder: TickLadder): DatedLadder {
  return { name, from: calendarDay('1970-01-01'), confirmed: true, source, ladder };
}

/** Ticks of one cent at any price: options and tradable indices. */
export const CENTS: readonly DatedLadder[] = [
  undatedLadder('cents', 'docs/venue.md, "The market" (our default)', tickLadderOf(['0', '0.01'])),
];

/**
 * Ladder of a market without a record, fine enough not to move printed prices: 0.00001 below 100 (as currency pairs are
 * quoted), one cent from there.
 */
export const UNKNOWN_MARKET: TickLadder = tickLadderOf(['0', '0.00001'], ['100', '0.01']);
