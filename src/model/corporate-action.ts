import type { Decimal, Price, Quantity } from './decimal.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { CalendarDay } from './time.ts';

/**
 * A corporate action; the first print on or after the ex-day excludes it.
 * - A dividend pays `perShare` on the position before that print, less the fraction `withheld` at source; a short
 *   position pays the full amount. It counts as equity from the ex-day and as settled cash from `payDay`, or at once
 *   without one.
 * - A split turns one share into `ratio` shares (7 is seven for one, 0.05 one for twenty); fractions are paid out at
 *   the price of that print.
 * - A delisting ends a security at midnight of its first day without trading; holders receive `price` per share, by
 *   default the last price.
 */
export type CorporateAction =
  | {
      readonly kind: 'dividend';
      readonly symbol: SecuritySymbol;
      readonly exDay: CalendarDay;
      readonly perShare: Decimal;
      /** Fraction withheld from the recipient (0.3 is 30 %); none if absent. */
      readonly withheld?: Decimal;
      readonly payDay?: CalendarDay;
    }
  | {
      readonly kind: 'split';
      readonly symbol: SecuritySymbol;
      readonly exDay: CalendarDay;
      readonly ratio: Decimal;
    }
  | {
      readonly kind: 'delisting';
      readonly symbol: SecuritySymbol;
      readonly exDay: CalendarDay;
      readonly price?: Price;
    };

/** Returns the dividend on a position; negative for a short position, which pays it in full. */
export function dividendOn(
  { perShare, withheld }: { readonly perShare: Decimal; readonly withheld?: Decimal | undefined },
  quantity: Quantity,
): Decimal {
  const gross = perShare.times(quantity);
  return withheld === undefined || quantity.isNegative() ? gross : gross.minus(gross.times(withheld));
}
