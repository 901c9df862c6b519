import type { Market } from '../model/symbol.ts';
import type { CalendarDay, Millis } from '../model/time.ts';
import { dayKindOf, shortDay } from './calendar.ts';
import { type DayNumber, dayOfNumber } from './day-number.ts';
import { hoursOn } from './hours.ts';
import type { MarketHours, Minutes } from './market-record.ts';
import type { ShortDay } from './market-year.ts';
import { instantOf, localDay } from './zones.ts';

export type SessionKind = 'regular' | 'pre' | 'post' | 'overnight' | 'opening-auction' | 'closing-auction';

/** A period of time from `open` to `close` exclusive, in epoch milliseconds. */
export interface Span {
  readonly open: Millis;
  readonly close: Millis;
}

export interface TradingSession extends Span {
  readonly kind: SessionKind;
}

export interface DayHours {
  readonly day: DayNumber;
  readonly date: CalendarDay;
  readonly midnight: Millis;
  readonly nextMidnight: Millis;
  /** All sessions, ascending; empty on a closed day. */
  readonly sessions: readonly TradingSession[];
  /** Regular session pieces; empty on a closed day. */
  readonly regular: readonly Span[];
  /** Regular pieces of a full day even if closed, for bars on days that the calendar has as closed. */
  readonly nominal: readonly Span[];
}

interface MarketDays {
  readonly days: Map<DayNumber, DayHours>;
  last: DayHours;
}

/** Cached days per market: a century and a half. Beyond, the cache is cleared. */
const DAYS_KEPT = 55_000;

/** Cached markets: those with tables and the other suffixes that a run trades. Beyond, the cache is cleared. */
const MARKETS_KEPT = 256;

const MARKETS = new Map<Market, MarketDays>();

export function dayHours(market: Market, day: DayNumber): DayHours {
  return cached(daysOf(market), market, day);
}

/** Returns the hours of the exchange's day that contains an instant; fast for repeated days. */
export function hoursAt(market: Market, at: number): DayHours {
  const known = daysOf(market);
  const { last } = known;
  if (at >= last.midnight && at < last.nextMidnight) return last;
  const hours = cached(known, market, localDay(market, at));
  known.last = hours;
  return hours;
}

/** The market of the latest lookup: most runs use one, several times a day. */
let recent: { readonly market: Market; readonly known: MarketDays } | undefined;

function daysOf(market: Market): MarketDays {
  if (recent?.market === market) return recent.known;
  const known = MARKETS.get(market) ?? made(market);
  recent = { market, known };
  return known;
}

function made(market: Market): MarketDays {
  const days: MarketDays = { days: new Map(), last: build(market, 0) };
  if (MARKETS.size >= MARKETS_KEPT) MARKETS.clear();
  MARKETS.set(market, days);
  return days;
}

function cached(known: MarketDays, market: Market, day: DayNumber): DayHours {
  const found = known.days.get(day);
  if (found !== undefined) return found;
  if (known.days.size >= DAYS_KEPT) known.days.clear();
  const hours = build(market, day);
  known.days.set(day, hours);
  return hours;
}

function build(market: Market, day: DayNumber): DayHours {
  const isClosed = dayKindOf(market, day) === 'closed';
  const regular = piecesOn(market, day).filter(([kind]) => kind === 'regular');
  const nominal = regular.map(([, minutes]) => span(market, day, minutes));
  return new Day({
    market,
    day,
    date: dayOfNumber(day),
    midnight: instantOf(market, day, 0),
    nextMidnight: instantOf(market, day + 1, 0),
    regular: isClosed ? [] : nominal,
    nominal,
  });
}

/** Computes sessions on access: a long run caches thousands of days and mostly needs regular pieces alone. */
class Day implements DayHours {
  readonly day: DayNumber;
  readonly date: CalendarDay;
  readonly midnight: Millis;
  readonly nextMidnight: Millis;
  readonly regular: readonly Span[];
  readonly nominal: readonly Span[];
  readonly #market: Market;
  #sessions: readonly TradingSession[] | undefined;

  constructor(parts: Omit<DayHours, 'sessions'> & { readonly market: Market }) {
    this.#market = parts.market;
    this.day = parts.day;
    this.date = parts.date;
    this.midnight = parts.midnight;
    this.nextMidnight = parts.nextMidnight;
    this.regular = parts.regular;
    this.nominal = parts.nominal;
  }

  get sessions(): readonly TradingSession[] {
    this.#sessions ??= sessionsOn(this.#market, this.day);
    return this.#sessions;
  }
}

function sessionsOn(market: Market, day: DayNumber): readonly TradingSession[] {
  if (dayKindOf(market, day) === 'closed') return [];
  return piecesOn(market, day)
    .map(([kind, minutes]): TradingSession => ({ kind, ...span(market, day, minutes) }))
    .sort((a, b) => a.open - b.open);
}

function piecesOn(market: Market, day: DayNumber): readonly Piece[] {
  const hours = hoursOn(market, day);
  return dayKindOf(market, day) === 'half' ? shortPieces(hours, shortDay(market, day)) : plainPieces(hours);
}

const span = (market: Market, day: DayNumber, [from, to]: Minutes): Span => ({
  open: wall(market, day, from),
  close: wall(market, day, to),
});

/** A negative minute belongs to the local time of the previous day, where summer time may differ. */
function wall(market: Market, day: DayNumber, minute: number): Millis {
  return minute < 0 ? instantOf(market, day - 1, minute + 24 * 60) : instantOf(market, day, minute);
}

type Piece = readonly [SessionKind, Minutes];

function definedPieces(...pieces: readonly (readonly [SessionKind, Minutes | undefined])[]): Piece[] {
  return pieces.flatMap(([kind, minutes]): Piece[] => (minutes === undefined ? [] : [[kind, minutes]]));
}

function plainPieces(hours: MarketHours): readonly Piece[] {
  return [
    ...definedPieces(
      ['overnight', hours.overnight],
      ['pre', hours.pre],
      ['opening-auction', hours.openingAuction],
    ),
    ...hours.regular.map((minutes): Piece => ['regular', minutes]),
    ...definedPieces(['closing-auction', hours.closingAuction], ['post', hours.post]),
  ];
}

function shortPieces(hours: MarketHours, short: ShortDay | undefined): readonly Piece[] {
  if (short?.held === 'afternoon') {
    const last = hours.regular.at(-1) ?? [0, 0];
    return [
      ['regular', [short.opensAt ?? last[0], last[1]]],
      ...definedPieces(['closing-auction', hours.closingAuction]),
    ];
  }
  if (short?.held === 'until') {
    const { closesAt } = short;
    return [
      ...definedPieces(['opening-auction', hours.openingAuction]),
      ...hours.regular
        .filter(([from]) => from < closesAt)
        .map(([from, to]): Piece => ['regular', [from, Math.min(to, closesAt)]]),
    ];
  }
  return [
    ...definedPieces(
      ['overnight', hours.overnight],
      ['pre', hours.pre],
      ['opening-auction', hours.openingAuction],
    ),
    ...hours.morning.map((minutes): Piece => ['regular', minutes]),
    ...definedPieces(['closing-auction', hours.morningClosingAuction], ['post', hours.morningPost]),
  ];
}
