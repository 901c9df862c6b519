import { Decimal } from '../../model/decimal.ts';

const DECIMAL_TEXT = /^-?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|Infinity)$|^NaN$/;

/** A Decimal as a text that names it exactly: every digit, and the sign of zero. */
export function decimalText(value: Decimal): string {
  return value.valueOf();
}

/** The Decimal that a text names exactly; undefined for a text (or anything else) that `decimalText` never gives. */
export function decimalOf(text: unknown): Decimal | undefined {
  return typeof text === 'string' && DECIMAL_TEXT.test(text) ? new Decimal(text) : undefined;
}
