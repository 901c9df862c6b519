import { InvalidArgumentError } from 'commander';
import { type Decimal, parseDecimal } from '../../model/decimal.ts';
import { isCurrency } from '../../model/money.ts';
import { type OrderId, orderId } from '../../model/order.ts';

/** Parses a price or a quantity: a plain decimal number above zero. */
export function positiveDecimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined || value.lte(0))
    throw new InvalidArgumentError('Want a decimal number above 0, such as 412.40.');
  return value;
}

/** Parses an offset: a plain decimal number. */
export function plainDecimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new InvalidArgumentError('Want a decimal number, such as -0.20.');
  return value;
}

/** Parses a currency. */
export function currency(text: string): string {
  if (!isCurrency(text)) throw new InvalidArgumentError('Want a currency such as HKD.');
  return text;
}

const ORDER_ID = /^[0-9A-Za-z-]{1,64}$/;

/** Parses the venue's order id, as text: it has more digits than a number can hold. */
export function orderIdText(text: string): OrderId {
  if (!ORDER_ID.test(text)) throw new InvalidArgumentError('Want an order id, as "sluice orders" lists it.');
  return orderId(text);
}

/** Returns a parser of whole numbers within a range, both ends included. */
export function wholeBetween(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new InvalidArgumentError(`Want a whole number from ${from} to ${to}.`);
  };
}

/** Parses a 64-bit id without losing a digit. */
export function wholeId(text: string): bigint {
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text))
    throw new InvalidArgumentError('Want a whole number of at most 64 bits.');
  return BigInt(text);
}
