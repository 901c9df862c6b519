import { decimalOfDouble } from '../model/amount.ts';
import { Decimal, isDecimalText, parseDecimal } from '../model/decimal.ts';

/** A figure in a strategy: a number, a decimal text or a Decimal. It is converted to an exact Decimal. */
export type Numeric = number | string | Decimal;

/**
 * Returns the exact decimal of a figure (of a float: its shortest text); undefined for NaN, infinities and other
 * text.
 */
export function toDecimal(figure: number): Decimal;
export function toDecimal(figure: Numeric): Decimal | undefined;
export function toDecimal(figure: Numeric): Decimal | undefined {
  if (typeof figure === 'string') return parseDecimal(figure);
  if (typeof figure === 'number') return Number.isFinite(figure) ? decimalOfDouble(figure) : undefined;
  return figure.isFinite() ? new Decimal(figure) : undefined;
}

/** Whether a figure is finite and above zero. */
export function isPositive(figure: Numeric): boolean {
  if (typeof figure === 'number') return Number.isFinite(figure) && figure > 0;
  // Decimal texts are short, so none is so small that it becomes zero as a double.
  if (typeof figure === 'string') return isDecimalText(figure) && Number(figure) > 0;
  return figure.isFinite() && figure.gt(0);
}
