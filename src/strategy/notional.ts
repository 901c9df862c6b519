import { type Decimal, parseDecimal } from '../model/decimal.ts';
import type { Money } from '../model/money.ts';

/** Currencies that the broker keeps cash in; another one does not compile where an author writes an amount. */
const TRADED_CURRENCIES = ['USD', 'HKD', 'CNH', 'CNY', 'SGD'] as const;
export type TradedCurrency = (typeof TRADED_CURRENCIES)[number];

/** An amount with its currency, `20000 USD`: a figure without one means nothing. */
export type Notional = `${number} ${TradedCurrency}`;

/** The exact amount of `20000 USD`; undefined for any other text (spaces, thousands separators, unknown currencies). */
export function readNotional(text: string): Money | undefined {
  const [figure = '', code, ...rest] = text.split(' ');
  const currency = TRADED_CURRENCIES.find((known) => known === code);
  const amount: Decimal | undefined = parseDecimal(figure);
  if (amount === undefined || currency === undefined || rest.length > 0) return undefined;
  return { amount, currency };
}
