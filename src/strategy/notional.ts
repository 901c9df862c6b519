import { type Decimal, parseDecimal } from '../model/decimal.ts';
import type { Money } from '../model/money.ts';

/** Currencies in which the broker keeps cash; amounts in other currencies do not compile in strategies. */
const TRADED_CURRENCIES = ['USD', 'HKD', 'CNH', 'CNY', 'SGD'] as const;
export type TradedCurrency = (typeof TRADED_CURRENCIES)[number];

/** An amount with its currency, `20000 USD`. */
export type Notional = `${number} ${TradedCurrency}`;

/** Reads `20000 USD` exactly; undefined for other text (spaces, thousands separators, unknown currencies). */
export function readNotional(text: string): Money | undefined {
  const [figure = '', code, ...rest] = text.split(' ');
  const currency = TRADED_CURRENCIES.find((known) => known === code);
  const amount: Decimal | undefined = parseDecimal(figure);
  if (amount === undefined || currency === undefined || rest.length > 0) return undefined;
  return { amount, currency };
}
