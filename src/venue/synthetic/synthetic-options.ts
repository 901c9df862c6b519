import { FULL_MARGIN } from '../../markets/margin.ts';
import type { BarColumns } from '../../model/bar.ts';
import { Decimal } from '../../model/decimal.ts';
import { OPTION_MULTIPLIER, type OptionTerms, optionSymbolText } from '../../model/option-symbol.ts';
import type { Security } from '../../model/security.ts';
import { securitySymbol } from '../../model/symbol.ts';
import { addDays, type CalendarDay, dayToUtc } from '../../model/time.ts';

export interface SyntheticOption {
  readonly security: Security;
  readonly minutes: BarColumns;
  /** Half hours before the first minute. */
  readonly past: BarColumns;
}

export interface OptionRecipe {
  readonly root: string;
  readonly names: Security['names'];
  readonly origin: Security['origin'];
  readonly strikes: readonly { readonly right: OptionTerms['right']; readonly strike: number }[];
  /** Options expire on the third Friday of the first month that begins more than 31 days after this day. */
  readonly from: CalendarDay;
  readonly minutes: BarColumns;
  readonly past: BarColumns;
}

/** Twice the time value at the money, as a share of the strike. */
const WIDTH_SHARE = 0.06;
const CENTS = 100;
/** Contracts traded per share of the underlying. */
const VOLUME_SHARE = 1 / 2_000;

/**
 * Generates options whose prices depend on the underlying's price only: intrinsic value plus a time value that is
 * largest at the money and does not decay. For testing orders, not strategies. Uses only sums, products and roots,
 * which every machine rounds identically.
 */
export function syntheticOptions(recipe: OptionRecipe): readonly SyntheticOption[] {
  const expiry = thirdFridayAfter(recipe.from);
  return recipe.strikes.map(({ right, strike }) => {
    const terms: OptionTerms = { root: recipe.root, expiry, right, strike: new Decimal(strike) };
    const symbol = securitySymbol(optionSymbolText(terms));
    const suffix = `${expiry.slice(2).replaceAll('-', '')} ${strike} ${right === 'call' ? 'C' : 'P'}`;
    const { en, zhCn, zhHk } = recipe.names;
    const security: Security = {
      symbol,
      kind: 'option',
      board: 'USOption',
      currency: 'USD',
      lotSize: 1,
      tradable: true,
      names: { en: `${en} ${suffix}`, zhCn: `${zhCn} ${suffix}`, zhHk: `${zhHk} ${suffix}` },
      margin: FULL_MARGIN,
      multiplier: OPTION_MULTIPLIER,
      origin: recipe.origin,
    };
    const priced = (columns: BarColumns): BarColumns => optionBars(security, columns, terms);
    return { security, minutes: priced(recipe.minutes), past: priced(recipe.past) };
  });
}

function optionBars({ symbol }: Security, columns: BarColumns, { right, strike }: OptionTerms): BarColumns {
  const price = pricing(right, strike.toNumber());
  const [highest, lowest] = right === 'call' ? [columns.high, columns.low] : [columns.low, columns.high];
  return {
    symbol,
    period: columns.period,
    length: columns.length,
    time: columns.time,
    open: columns.open.map(price),
    close: columns.close.map(price),
    high: highest.map(price),
    low: lowest.map(price),
    volume: columns.volume.map((volume) => 1 + Math.floor(volume * VOLUME_SHARE)),
  };
}

/** Returns a smooth price curve above the intrinsic value, in whole cents, at least one. */
function pricing(right: OptionTerms['right'], strike: number): (spot: number) => number {
  const width = strike * WIDTH_SHARE;
  return (spot) => {
    const inside = right === 'call' ? spot - strike : strike - spot;
    const value = (inside + Math.sqrt(inside * inside + width * width)) / 2;
    return Math.max(1, Math.round(value * CENTS)) / CENTS;
  };
}

const FRIDAY = 5;

function thirdFridayAfter(day: CalendarDay): CalendarDay {
  const later = new Date(dayToUtc(addDays(day, 31)));
  const first = addDays(
    day,
    Math.round((Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 1) - dayToUtc(day)) / 86_400_000),
  );
  const weekday = new Date(dayToUtc(first)).getUTCDay();
  return addDays(first, ((FRIDAY - weekday + 7) % 7) + 14);
}
