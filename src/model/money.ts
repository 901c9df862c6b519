import type { Decimal } from './decimal.ts';

/** ISO-like currency code as the broker writes it: `HKD`, `USD`, `CNH`, `CNY`, `SGD`, ... */
export type Currency = string;

/** An amount in one currency. Combining currencies requires a rate. */
export interface Money {
  readonly amount: Decimal;
  readonly currency: Currency;
}

const CURRENCY = /^[A-Z]{3}$/;

/** True for three capital letters. */
export function isCurrency(text: string): boolean {
  return CURRENCY.test(text);
}
