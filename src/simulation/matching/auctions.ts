import { sessionsOf } from '../../markets/sessions.ts';
import { lowerBound } from '../../model/bar.ts';
import type { Millis } from '../../model/time.ts';
import { PRINTS_PER_BAR } from '../market/prints.ts';
import { barOf, NO_PRINT, type PrintIndex, stepOf, type Tape } from '../market/tape.ts';
import type { VenueOrder } from '../orders/venue-order.ts';

/** Whether an order is for its day's opening auction: it was sent before regular trading began. */
function isForOpening(order: VenueOrder, tape: Tape): boolean {
  const open = sessionsOf(tape.market, order.day).find(({ kind }) => kind === 'regular')?.open;
  return open !== undefined && order.submittedAt < open;
}

/**
 * The print at which an at-auction order meets its auction; NO_PRINT when that has none left. Sent before regular trading an order is for the
 * opening auction, later for the closing one, if its day holds one. An auction has one price: that of its last bar with a
 * trade; where the data has no bars of it, that of the very first print of regular trading, or of the very last one. A market that never
 * closes has none, there the first print of the next bar counts; of live prices, the first of the day does.
 * @see https://open.longbridge.com/docs, "Trade definition"; docs/venue.md, "The market";
 * HKEX, "Trading hours: pre-opening and closing auction session"
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
  const own = dealWithin(tape, auction);
  const index = own ?? (wanted === 'opening-auction' ? firstAt(tape, open) : lastUntil(tape, close));
  return index >= from ? index : NO_PRINT;
}

/** True when an order waits for an opening auction that does not come: it had no trade, or it is over. */
export function missedOpening(order: VenueOrder, tape: Tape): boolean {
  if (tape.alwaysOpen || tape.isLive || order.touch !== NO_PRINT) return false;
  return order.behaviour.startsWith('auction') && isForOpening(order, tape);
}

/** The print of an auction that has bars, NO_PRINT where they had no trade; undefined where it has no bars. */
function dealWithin(
  tape: Tape,
  { open, close }: { readonly open: Millis; readonly close: Millis },
): PrintIndex | undefined {
  const first = lowerBound(tape.columns, open);
  const end = lowerBound(tape.columns, close);
  for (let bar = end - 1; bar >= first; bar -= 1) if (tape.trades(bar, AUCTIONS)) return lastOf(bar);
  return first < end ? NO_PRINT : undefined;
}

const AUCTIONS = ['opening-auction', 'closing-auction'] as const;

/** The first print of regular trading, where there was a trade exactly at its opening. */
function firstAt(tape: Tape, open: Millis): PrintIndex {
  const first = tape.firstFrom(open);
  return first !== NO_PRINT && tape.time(first) === open && tape.trades(barOf(first)) ? first : NO_PRINT;
}

/** The last print of regular trading, where the data reaches its close and there was a trade. */
function lastUntil(tape: Tape, close: Millis): PrintIndex {
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
