import { ONE } from '../../model/amount.ts';
import { Decimal, decimalOfUnits, parseDecimal, type Quantity, ZERO } from '../../model/decimal.ts';
import { parseSymbol, type SecuritySymbol } from '../../model/symbol.ts';
import { type CalendarDay, type Millis, millis, parseDay, SECOND_MS } from '../../model/time.ts';
import { WireError } from '../wire-error.ts';

/**
 * Conversions between wire texts and model values. An invalid text throws WireError (`bad-value`): a missing price is
 * never 0, a broken one never guessed.
 */

/** Parses a required decimal. */
export function readDecimal(text: string, field: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw badValue(field, 'a decimal number', text);
  return value;
}

/** Parses a required decimal above 0: prices and quantities of orders and fills. */
export function readPositive(text: string, field: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined || value.lte(0)) throw badValue(field, 'a decimal number above 0', text);
  return value;
}

/** Parses a decimal; undefined if the text is empty. */
export function readOptionalDecimal(text: string, field: string): Decimal | undefined {
  return text === '' ? undefined : readDecimal(text, field);
}

/** Parses a decimal; undefined if it is 0 or empty. */
export function readNonZero(text: string, field: string): Decimal | undefined {
  const value = readOptionalDecimal(text, field);
  return value === undefined || value.isZero() ? undefined : value;
}

/** Parses a cumulative quantity, 0 or above; 0 if the text is empty. */
export function readCumulative(text: string, field: string): Decimal {
  const value = readOptionalDecimal(text, field) ?? ZERO;
  if (value.isNegative() && !value.isZero()) throw badValue(field, 'a decimal number, 0 or above', text);
  return value;
}

const SECONDS = /^\d{1,11}$/;

/** Parses required Unix seconds. */
export function readSeconds(text: string, field: string): Millis {
  const at = readOptionalSeconds(text, field);
  if (at === undefined) throw badValue(field, 'Unix seconds', text);
  return at;
}

/** Parses Unix seconds; undefined for '' and '0'. */
export function readOptionalSeconds(text: string, field: string): Millis | undefined {
  if (text === '' || text === '0') return undefined;
  if (!SECONDS.test(text)) throw badValue(field, 'Unix seconds', text);
  return millis(Number(text) * SECOND_MS);
}

const LAST_SECOND = 99_999_999_999n;

/** Converts Unix seconds of a socket message, above 0. */
export function readEpoch(seconds: bigint): Millis {
  if (seconds <= 0n || seconds > LAST_SECOND) throw badValue('timestamp', 'Unix seconds', String(seconds));
  return millis(Number(seconds) * SECOND_MS);
}

/** Converts whole shares of a socket message, 0 or above. */
export function readVolume(shares: bigint): Quantity {
  if (shares < 0n) throw badValue('volume', 'a whole number, 0 or above', String(shares));
  const units = Number(shares) * ONE;
  return Number.isSafeInteger(units) ? decimalOfUnits(units) : new Decimal(String(shares));
}

export function readSymbol(text: string, field: string): SecuritySymbol {
  const symbol = parseSymbol(text);
  if (symbol === undefined) throw badValue(field, '<code>.<market>', text);
  return symbol;
}

export function readDay(text: string, field: string): CalendarDay {
  const day = parseDay(text);
  if (day === undefined) throw badValue(field, 'a day as YYYY-MM-DD', text);
  return day;
}

/** Parses a known word. Throws WireError (`unknown-value`) for an unknown one. */
export function readEnum<T>(text: string, field: string, read: (text: string) => T | undefined): T {
  const value = read(text);
  if (value !== undefined) return value;
  throw new WireError('unknown-value', `Cannot read ${field}: "${text}" is not a known value`);
}

/** Formats Unix seconds; a fraction of a second is cut off. */
export function writeSeconds(at: Millis): string {
  return String(Math.floor(at / SECOND_MS));
}

/** Formats a decimal in full; '' if undefined. */
export function writeOptional(value: Decimal | undefined): string {
  return value === undefined ? '' : value.toFixed();
}

function badValue(field: string, want: string, found: string): WireError {
  return new WireError('bad-value', `Cannot read ${field}: want ${want}, saw "${found.slice(0, 60)}"`);
}

/** Formats an amount with at least two decimals. */
export function writeMoney(amount: Decimal): string {
  return amount.toFixed(Math.max(2, amount.decimalPlaces()));
}
