import { type Decimal, decimal } from '../model/decimal.ts';
import { type CalendarDay, calendarDay } from '../model/time.ts';

/** One band of a tick ladder: from this price (included) up to the next band the step is `tick`. */
export interface TickBand {
  readonly from: Decimal;
  readonly tick: Decimal;
}

export type TickLadder = readonly TickBand[];

/** A ladder with the day it came into force. An unconfirmed row is prepared but never used. */
export interface DatedLadder {
  readonly name: string;
  readonly from: CalendarDay;
  readonly confirmed: boolean;
  readonly source: string;
  readonly ladder: TickLadder;
}

function ladder(...bands: readonly (readonly [from: string, tick: string])[]): TickLadder {
  return bands.map(([from, tick]) => ({ from: decimal(from), tick: decimal(tick) }));
}

const OLD_HK = ladder(
  ['0', '0.001'],
  ['0.25', '0.005'],
  ['0.5', '0.01'],
  ['10', '0.02'],
  ['20', '0.05'],
  ['100', '0.1'],
  ['200', '0.2'],
  ['500', '0.5'],
  ['1000', '1'],
  ['2000', '2'],
  ['5000', '5'],
);

const PHASE_1_HK = ladder(
  ['0', '0.001'],
  ['0.25', '0.005'],
  ['0.5', '0.01'],
  ['20', '0.02'],
  ['50', '0.05'],
  ['100', '0.1'],
  ['200', '0.2'],
  ['500', '0.5'],
  ['1000', '1'],
  ['2000', '2'],
  ['5000', '5'],
);

const PHASE_2_HK = ladder(
  ['0', '0.001'],
  ['0.25', '0.005'],
  ['10', '0.01'],
  ['20', '0.02'],
  ['50', '0.05'],
  ['100', '0.1'],
  ['200', '0.2'],
  ['500', '0.5'],
  ['1000', '1'],
  ['2000', '2'],
  ['5000', '5'],
);

const SOURCE = 'hkex.com.hk, "Reduction of minimum spreads"; docs/venue.md, "The market"';

/**
 * Shares and REITs of Hong Kong, newest first. The start of phase 2 was announced for about the middle of 2026 and is
 * not confirmed: until it is, phase 1 stays in force, whose prices are legal in phase 2 as well.
 */
export const HK_SHARES: readonly DatedLadder[] = [
  { name: 'phase 2', from: calendarDay('2026-07-01'), confirmed: false, source: SOURCE, ladder: PHASE_2_HK },
  { name: 'phase 1', from: calendarDay('2025-08-04'), confirmed: true, source: SOURCE, ladder: PHASE_1_HK },
  { name: 'before', from: calendarDay('1970-01-01'), confirmed: true, source: SOURCE, ladder: OLD_HK },
];

/** Warrants, CBBCs and other structured products of Hong Kong: untouched by the phases. */
export const HK_STRUCTURED: TickLadder = OLD_HK;

/** Exchange traded products of Hong Kong. @see docs/venue.md, "The market" (medium confidence) */
export const HK_FUNDS: TickLadder = ladder(
  ['0', '0.001'],
  ['1', '0.002'],
  ['5', '0.005'],
  ['10', '0.01'],
  ['20', '0.02'],
  ['100', '0.05'],
  ['200', '0.1'],
  ['500', '0.2'],
  ['1000', '0.5'],
  ['2000', '1'],
);

/** US shares and funds. @see 17 CFR 242.612 (Rule 612 of Regulation NMS) */
export const US_SHARES: TickLadder = ladder(['0', '0.0001'], ['1', '0.01']);

/** Whole cents at any price: options, and an index made tradable, which trades at its level. */
export const CENTS: TickLadder = ladder(['0', '0.01']);

/**
 * A market without a table. No authority sets a step, so ours is fine enough not to move a price that was printed:
 * the fifth decimal below 100 (as currency pairs are quoted), whole cents from there.
 */
export const UNKNOWN_MARKET: TickLadder = ladder(['0', '0.00001'], ['100', '0.01']);
