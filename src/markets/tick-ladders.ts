import { decimal } from '../model/decimal.ts';
import { calendarDay } from '../model/time.ts';
import type { DatedLadder, TickLadder } from './market-record.ts';

export function tickLadderOf(...bands: readonly (readonly [from: string, tick: string])[]): TickLadder {
  return bands.map(([from, tick]) => ({ from: decimal(from), tick: decimal(tick) }));
}

/** A ladder that has been in force since our first day. */
export function sinceEver(name: string, source: string, ladder: TickLadder): DatedLadder {
  return { name, from: calendarDay('1970-01-01'), confirmed: true, source, ladder };
}

/** Whole cents at any price: options, and an index made tradable, which trades at its level. */
export const CENTS: readonly DatedLadder[] = [
  sinceEver('cents', 'docs/venue.md, "The market" (our default)', tickLadderOf(['0', '0.01'])),
];

/**
 * A market without a record. No authority sets a step, so ours is fine enough not to move a price that was printed:
 * the fifth decimal below 100 (as currency pairs are quoted), whole cents from there.
 */
export const UNKNOWN_MARKET: TickLadder = tickLadderOf(['0', '0.00001'], ['100', '0.01']);
