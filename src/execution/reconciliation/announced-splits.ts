import type { BotState } from '../../events/bot-state.ts';
import type { CorporateActionBooked } from '../../events/event.ts';
import { dayBegan, dayOf, midnightOf } from '../../markets/sessions.ts';
import type { CorporateAction } from '../../model/corporate-action.ts';
import { Decimal, type Price, ZERO } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { addDays, type Millis } from '../../model/time.ts';
import type { QuoteFact } from '../../risk/facts.ts';
import type { Difference } from './account-differences.ts';

/** A split announced for a day; the venue may not report the reason for the position change. */
export type AnnouncedSplit = Extract<CorporateAction, { kind: 'split' }>;

/** Facts by which a split is recognised. */
interface SplitFacts {
  readonly state: BotState;
  readonly announced: readonly AnnouncedSplit[];
  readonly now: Millis;
}

/** A venue may change its positions up to this many days after the ex-day. */
const LATE_DAYS_MAX = 7;

/**
 * Returns the announced split that turns our position into the venue's, from the day before its ex-day; otherwise
 * undefined.
 */
export function explainingSplit(
  { what, ours, venue }: Difference,
  { state, announced, now }: SplitFacts,
): AnnouncedSplit | undefined {
  return announced.find((split) => {
    if (split.symbol !== what || isBooked(split, state)) return false;
    const today = dayOf(marketOf(split.symbol), now);
    const isNear = split.exDay <= addDays(today, 1) && addDays(split.exDay, LATE_DAYS_MAX) >= today;
    return isNear && explains(ours, split.ratio, venue);
  });
}

/**
 * True from the ex-day of a split of a position until it is booked, or until it is too late to recognise it: the venue
 * may show new shares that our books do not have.
 */
export function isDue({ state, announced, now }: SplitFacts, symbol: SecuritySymbol): boolean {
  if (!state.portfolio.holdings.has(symbol)) return false;
  return announced.some(
    (split) =>
      split.symbol === symbol &&
      hasBegun(split, now) &&
      addDays(split.exDay, LATE_DAYS_MAX) >= dayOf(marketOf(symbol), now) &&
      !isBooked(split, state),
  );
}

/** True from the ex-day of a split: prices are per new share. */
export function hasBegun({ symbol, exDay }: AnnouncedSplit, now: Millis): boolean {
  return exDay <= dayOf(marketOf(symbol), now);
}

/**
 * Returns today's splits that are not booked because the venue still shows old shares: prices are per new share, so
 * the apparent loss of equity is not real. A symbol that was traded today is excluded: its fills are in new shares.
 */
export function splitsAwaited({ state, announced, now }: SplitFacts): readonly AnnouncedSplit[] {
  return announced.filter((split) => {
    const { symbol, exDay } = split;
    if (exDay !== dayOf(marketOf(symbol), now) || isBooked(split, state)) return false;
    if (!state.portfolio.holdings.has(symbol)) return false;
    const began = dayBegan(marketOf(symbol), now);
    return !state.gate.fills.some(({ fill }) => fill.symbol === symbol && fill.time >= began);
  });
}

/** Returns why an order that was decided in old shares is not sent. */
export function oldSharesText({ symbol, ratio }: AnnouncedSplit): string {
  return `${symbol} is split ${ratio} for 1, and the order is for shares of before: it may be sent once the books have the new ones`;
}

/** Returns why nothing opens while a split is awaited. */
export function awaitedText({ symbol, ratio }: AnnouncedSplit): string {
  return `${symbol} is split ${ratio} for 1 today, and the venue shows the shares of before`;
}

/**
 * Returns the booking that adjusts our position to the venue's. Cash that arrived with the split, up to the price of
 * a share, is booked as payment for a fraction. Undefined if neither a price nor a cost of the shares is known.
 */
export function splitBooking(
  split: AnnouncedSplit,
  found: readonly Difference[],
  { state, now, quote }: Omit<SplitFacts, 'announced'> & { readonly quote: QuoteFact | undefined },
): CorporateActionBooked | undefined {
  const { symbol, ratio } = split;
  const held = state.portfolio.holdings.get(symbol);
  const shares = found.find(({ what }) => what === symbol);
  if (held === undefined || shares === undefined) return undefined;
  const { currency, averageCost } = held;
  const price = newPrice(split, quote) ?? averageCost?.div(ratio);
  if (price === undefined) return undefined;
  const cash = found.find(({ what }) => what === `cash ${currency}`);
  const receivedCash = cash === undefined ? ZERO : cash.venue.minus(cash.ours);
  const isForFraction =
    !shares.ours.times(ratio).isInteger() && receivedCash.gt(0) && receivedCash.lte(price);
  return {
    kind: 'corporate-action',
    at: now,
    action: 'split',
    symbol,
    currency,
    quantity: shares.venue.minus(shares.ours),
    ...omitUndefined({ averageCost: averageCost?.div(ratio) }),
    terms: { ratio, price },
    amount: isForFraction ? receivedCash : ZERO,
  };
}

/** Returns the number of new shares per old one if a split could explain the difference; otherwise undefined. */
export function likelyRatio({ ours, venue }: Difference): string | undefined {
  if (ours.isZero() || venue.isZero() || ours.isNegative() !== venue.isNegative()) return undefined;
  const ratio = RATIOS.find((each) => explains(ours, each, venue));
  return ratio?.toSignificantDigits(8).toString();
}

/** Whole multiples, three for two, and the inverses of both. */
const RATIOS = [1.5, ...Array.from({ length: 99 }, (_, index) => index + 2)].flatMap((count) => [
  new Decimal(count),
  new Decimal(1).div(count),
]);

/** True if the ratio explains the position to within one share: the venue may pay out a fraction or round it up. */
function explains(ours: Decimal, ratio: Decimal, venue: Decimal): boolean {
  return !ours.isZero() && ours.times(ratio).minus(venue).abs().lt(1);
}

function isBooked({ symbol, exDay }: AnnouncedSplit, { splits }: BotState): boolean {
  const booked = splits.get(symbol);
  return booked !== undefined && booked.at >= midnightOf(marketOf(symbol), exDay);
}

/** Returns the latest price per new share, converted if the quote is older than the ex-day. */
function newPrice({ symbol, exDay, ratio }: AnnouncedSplit, quote: QuoteFact | undefined): Price | undefined {
  if (quote === undefined) return undefined;
  return quote.at >= midnightOf(marketOf(symbol), exDay) ? quote.value : quote.value.div(ratio);
}

/** Returns instructions for symbols whose difference looks like an unannounced split; empty if none. */
export function splitHint(found: readonly Difference[], now: Millis): string {
  const like = found.flatMap((each) => {
    const ratio = likelyRatio(each);
    return ratio === undefined || each.what.startsWith('cash ') ? [] : [{ symbol: each.what, ratio }];
  });
  return like
    .map(({ symbol, ratio }) => {
      const day = dayOf(marketOf(symbol as SecuritySymbol), now);
      return `. ${symbol} looks like a split of ${ratio} for 1: if it is one, write the line "${day},split,${ratio}" into its events.csv, and resume once the books agree`;
    })
    .join('');
}
