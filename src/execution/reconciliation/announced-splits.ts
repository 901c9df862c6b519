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

/** A split announced for a day; the venue may not report why positions change on it. */
export type AnnouncedSplit = Extract<CorporateAction, { kind: 'split' }>;

/** What a split is recognised by. */
export interface SplitFacts {
  readonly state: BotState;
  readonly announced: readonly AnnouncedSplit[];
  readonly now: Millis;
}

/** A venue may change its positions so many days after the ex-day. */
const LATE_DAYS_MAX = 7;

/** The announced split that makes our position the venue's, from the day before its ex-day on; undefined where none does. */
export function splitBehind(
  { what, ours, venue }: Difference,
  { state, announced, now }: SplitFacts,
): AnnouncedSplit | undefined {
  return announced.find((split) => {
    if (split.symbol !== what || isBooked(split, state)) return false;
    const today = dayOf(marketOf(split.symbol), now);
    const isNear = split.exDay <= addDays(today, 1) && addDays(split.exDay, LATE_DAYS_MAX) >= today;
    return isNear && becomes(ours, split.ratio, venue);
  });
}

/** True from a split's ex-day on: prices are those of new shares. */
export function hasBegun({ symbol, exDay }: AnnouncedSplit, now: Millis): boolean {
  return exDay <= dayOf(marketOf(symbol), now);
}

/**
 * Splits of today that our position has not met yet, as the venue shows old shares still: its price is one of new shares, and
 * what that makes of equity is no loss. A symbol that was traded today was bought in new shares.
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

/** Why nothing opens while a split is awaited. */
export function awaitedText({ symbol, ratio }: AnnouncedSplit): string {
  return `${symbol} is split ${ratio} for 1 today, and the venue shows the shares of before`;
}

/**
 * What a split does to our books, so that they are the venue's; money that came with it, below the worth of a share, is paid for a
 * fraction. Undefined where neither a price nor a cost of the shares is known.
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
  const came = cash === undefined ? ZERO : cash.venue.minus(cash.ours);
  const isForFraction = !shares.ours.times(ratio).isInteger() && came.gt(0) && came.lte(price);
  return {
    kind: 'corporate-action',
    at: now,
    action: 'split',
    symbol,
    currency,
    quantity: shares.venue.minus(shares.ours),
    ...omitUndefined({ averageCost: averageCost?.div(ratio) }),
    terms: { ratio, price },
    amount: isForFraction ? came : ZERO,
  };
}

/** New shares for one that would make one position of another; undefined for what looks like no split. */
export function likelyRatio({ ours, venue }: Difference): string | undefined {
  if (ours.isZero() || venue.isZero() || ours.isNegative() !== venue.isNegative()) return undefined;
  const ratio = RATIOS.find((each) => becomes(ours, each, venue));
  return ratio?.toSignificantDigits(8).toString();
}

/** Whole multiples, three for two, and the inverses of both. */
const RATIOS = [1.5, ...Array.from({ length: 99 }, (_, index) => index + 2)].flatMap((count) => [
  new Decimal(count),
  new Decimal(1).div(count),
]);

/** A fraction of a share is paid out, or rounded up, as the venue likes. */
function becomes(ours: Decimal, ratio: Decimal, venue: Decimal): boolean {
  return !ours.isZero() && ours.times(ratio).minus(venue).abs().lt(1);
}

function isBooked({ symbol, exDay }: AnnouncedSplit, { splits }: BotState): boolean {
  const booked = splits.get(symbol);
  return booked !== undefined && booked.at >= midnightOf(marketOf(symbol), exDay);
}

/** The latest price, in new shares whichever day it is of. */
function newPrice({ symbol, exDay, ratio }: AnnouncedSplit, quote: QuoteFact | undefined): Price | undefined {
  if (quote === undefined) return undefined;
  return quote.at >= midnightOf(marketOf(symbol), exDay) ? quote.value : quote.value.div(ratio);
}

/** What a symbol is called in a difference of positions. */
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
