import type { Decimal } from './decimal.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { CalendarDay } from './time.ts';

/**
 * What a company does to its shares on a day: the first print on or after the ex-day is already without it. A dividend
 * pays `perShare` on what was held before that print (a short position pays it), on the spot, untaxed. A split makes
 * `ratio` shares of one (7 is seven for one, 0.05 one for twenty); fractions are paid out at that first print's price.
 */
export type CorporateAction =
  | {
      readonly kind: 'dividend';
      readonly symbol: SecuritySymbol;
      readonly exDay: CalendarDay;
      readonly perShare: Decimal;
    }
  | {
      readonly kind: 'split';
      readonly symbol: SecuritySymbol;
      readonly exDay: CalendarDay;
      readonly ratio: Decimal;
    };
