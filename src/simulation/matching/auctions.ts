import { sessionsOf } from '../../markets/sessions.ts';
import { lowerBound } from '../../model/bar.ts';
import type { Millis } from '../../model/time.ts';
import { PRINTS_PER_BAR } from '../market/prints.ts';
import { barOf, NO_PRINT, type PrintIndex, stepOf, type Tape } from '../market/tape.ts';
import type { VenueOrder } from '../orders/venue-order.ts';

/** True for an order of its day's opening auction: submitted before regular trading began. */
function isForOpening(order: VenueOrder, tape: Tape): boolean {
  const open = sessionsOf(tape.market, order.day).find(({ kind }) => kind === 'regular')?.open;
  return open !== undefined && order.submittedAt < open;
}

/**
 * Returns the print at which an at-auction order executes; NO_PRINT if its auction is over or has no print. Orders sent
 * before regular trading take part in the opening auction, later ones in the closing auction if the day has one. The
 * price of an auction is:
 * - that of its last bar with a trade;
 * - if the data has no auction bars, the very first or very last print of regular trading;
 * - in a market that never closes, the first print of the next bar;
 * - with live prices, the first print of the day.
 * @see https://open.longbridge.com/docs, "Trade definition"; docs/venue.md, "The market"; HKEX, "Trading hours:
 * pre-opening and closing auction session"
 */
export function auctionPrint(order: VenueOrder, tape: Tape, from: PrintIndex): PrintIndex {
  if (tape.alwaysOpen) return from === NO_PRINT || stepOf(from) === 0 ? from : nextBar(from, tape);
  const sessions = sessionsOf(tape.market, order.day);
  const open = sessions.find(({ kind }) => kind === 'regular')?.open;
  const close = sessions.findLast(({ kind }) => kind === 'regular')?.close;
  if (open === undefined || close === undefined) return NO_PRINT;
  if (tape.isLive) {
    const first = tape.firstFrom(open);
    return first >= from ? first : NO_PRINT;
  }
  const wanted = isForOpening(order, tape) ? 'opening-auction' : 'closing-auction';
  const auction = sessions.find(({ kind }) => kind === wanted);
  if (auction === undefined) return NO_PRINT;
  const own = auctionTrade(tape, auction);
  const index = own ?? (wanted === 'opening-auction' ? openingPrint(tape, open) : closingPrint(tape, close));
  return index >= from ? index : NO_PRINT;
}

/** True if an order waits for an opening auction that had no trade or is over. */
export function missedOpening(order: VenueOrder, tape: Tape): boolean {
  if (tape.alwaysOpen || tape.isLive || order.touch !== NO_PRINT) return false;
  return order.behaviour.startsWith('auction') && isForOpening(order, tape);
}

/** Returns the print of an auction with bars, or NO_PRINT if they had no trade; undefined if it has no bars. */
function auctionTrade(
  tape: Tape,
  { open, close }: { readonly open: Millis; readonly close: Millis },
): PrintIndex | undefined {
  const first = lowerBound(tape.columns, open);
  const end = lowerBound(tape.columns, close);
  for (let bar = end - 1; bar >= first; bar -= 1) if (tape.trades(bar, AUCTIONS)) return lastOf(bar);
  return first < end ? NO_PRINT : undefined;
}

const AUCTIONS = ['opening-auction', 'closing-auction'] as const;

/** Returns the first print of regular trading if it is a trade exactly at the open. */
function openingPrint(tape: Tape, open: Millis): PrintIndex {
  const first = tape.firstFrom(open);
  return first !== NO_PRINT && tape.time(first) === open && tape.trades(barOf(first)) ? first : NO_PRINT;
}

/** Returns the last print of regular trading if the data reaches the close and it is a trade. */
function closingPrint(tape: Tape, close: Millis): PrintIndex {
  const last = tape.before(tape.firstFrom(close));
  if (last === undefined || tape.barClose(last) !== close || !tape.trades(barOf(last))) return NO_PRINT;
  return last;
}

function lastOf(bar: number): PrintIndex {
  return bar * PRINTS_PER_BAR + PRINTS_PER_BAR - 1;
}

function nextBar(from: PrintIndex, tape: Tape): PrintIndex {
  const first = (barOf(from) + 1) * PRINTS_PER_BAR;
  return barOf(first) < tape.columns.length ? first : NO_PRINT;
}
