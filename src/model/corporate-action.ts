import type { Decimal, Price, Quantity } from './decimal.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { CalendarDay } from './time.ts';

/**
 * What a company does to its shares on a day: the first print on or after the ex-day is already without it. A dividend
 * pays `perShare` on what was held before that print (a short position pays all of it), on the spot, less the share `withheld` at its source. A split makes
 * `ratio` shares of one (7 is seven for one, 0.05 one for twenty); fractions are paid out at that first print's price. A
 * dividend is equity from its ex-day on and settled cash from `payDay` on (at once where none is given). A delisting ends a
 * security at midnight of its first day without trading: holders are paid `price` a share, the last price where none is given.
 */
export type CorporateAction =
  | {
      readonly kind: 'dividend';
      readonly symbol: SecuritySymbol;
      readonly exDay: CalendarDay;
      readonly perShare: Decimal;
      /** Fraction withheld from the recipient (0.3 is 30 %); nothing when absent. */
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

/** What a dividend pays on so many shares: below zero on a short position, which pays it in full. */
export function dividendOn(
  { perShare, withheld }: { readonly perShare: Decimal; readonly withheld?: Decimal | undefined },
  quantity: Quantity,
): Decimal {
  const gross = perShare.times(quantity);
  return withheld === undefined || quantity.isNegative() ? gross : gross.minus(gross.times(withheld));
}
