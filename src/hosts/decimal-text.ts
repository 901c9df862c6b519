import { Decimal } from '../model/decimal.ts';

const DECIMAL_TEXT = /^-?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|Infinity)$|^NaN$/;

/** A Decimal as a text that names it exactly: every digit. */
export function decimalText(value: Decimal): string {
  return value.toString();
}

/** The Decimal that a text names exactly; undefined for a text (or anything else) that `decimalText` never gives. */
export function decimalOf(text: unknown): Decimal | undefined {
  return typeof text === 'string' && DECIMAL_TEXT.test(text) ? new Decimal(text) : undefined;
}
