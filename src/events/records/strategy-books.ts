import { dividendOn } from '../../model/corporate-action.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { BookedFill } from '../../model/fill.ts';
import type { Currency } from '../../model/money.ts';
import type { CorporateActionBooked } from '../event.ts';
import { bookCharge, bookFill, EMPTY_PORTFOLIO, type Holding, type Portfolio } from '../portfolio.ts';

/**
 * The result of each strategy of a bot, starting from zero: the positions of its fills, and as cash their costs and proceeds. So
 * a strategy's cash and positions at mark are what it has earned.
 */
export type StrategyBooks = ReadonlyMap<string, Portfolio>;

/** The fold's part for the books of several strategies; a bot with one keeps none. */
export function createStrategyBooks() {
  const books = new Map<string, Portfolio>();

  function change(strategy: string | undefined, by: (portfolio: Portfolio) => Portfolio): void {
    if (strategy !== undefined) books.set(strategy, by(books.get(strategy) ?? EMPTY_PORTFOLIO));
  }

  return {
    books: books as StrategyBooks,
    filled: (strategy: string | undefined, fill: Omit<BookedFill, 'intentId'>): void =>
      change(strategy, (portfolio) => bookFill(portfolio, fill)),
    charged: (strategy: string | undefined, currency: Currency, fee: Decimal): void =>
      change(strategy, (portfolio) => bookCharge(portfolio, currency, fee)),
    acted(event: CorporateActionBooked): void {
      for (const [strategy, portfolio] of books) books.set(strategy, afterAction(portfolio, event));
    },
  };
}

/** A dividend per share, or shares by a ratio of which a fraction is paid out, on what one strategy holds. */
function afterAction(portfolio: Portfolio, { symbol, currency, terms }: CorporateActionBooked): Portfolio {
  const held = portfolio.holdings.get(symbol);
  if (held === undefined || terms === undefined) return portfolio;
  const { holding, paid } = after(held, terms);
  const cash = new Map(portfolio.cash).set(currency, (portfolio.cash.get(currency) ?? ZERO).plus(paid));
  const holdings = new Map(portfolio.holdings);
  if (holding.quantity.isZero()) holdings.delete(symbol);
  else holdings.set(symbol, holding);
  return { cash, holdings };
}

interface After {
  readonly holding: Holding;
  readonly paid: Decimal;
}

function after(held: Holding, terms: NonNullable<CorporateActionBooked['terms']>): After {
  if (terms.perShare !== undefined) return { holding: held, paid: dividendOn(terms, held.quantity) };
  if (terms.ratio !== undefined) return split(held, terms);
  return { holding: { ...held, quantity: ZERO }, paid: terms.paidOut.times(held.quantity) };
}

function split(
  held: Holding,
  { ratio, price }: Extract<NonNullable<CorporateActionBooked['terms']>, { readonly ratio: Decimal }>,
): After {
  const exact = held.quantity.times(ratio);
  const quantity = exact.trunc();
  const holding = { ...held, quantity, averageCost: held.averageCost?.div(ratio) };
  return { holding, paid: exact.minus(quantity).times(price) };
}
