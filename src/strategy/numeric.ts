import { Decimal, parseDecimal } from '../model/decimal.ts';

/** A figure that an author may write as a number, a decimal text, or a Decimal; it becomes an exact Decimal. */
export type Numeric = number | string | Decimal;

/** The exact decimal of a figure (a float by its shortest text); undefined for NaN, infinities and other texts. */
export function toDecimal(figure: number): Decimal;
export function toDecimal(figure: Numeric): Decimal | undefined;
export function toDecimal(figure: Numeric): Decimal | undefined {
  if (typeof figure === 'string') return parseDecimal(figure);
  if (typeof figure === 'number') return Number.isFinite(figure) ? new Decimal(figure) : undefined;
  return figure.isFinite() ? new Decimal(figure) : undefined;
}
