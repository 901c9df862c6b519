import { Decimal, parseDecimal, type Quantity, ZERO } from '../../model/decimal.ts';
import { parseSymbol, type SecuritySymbol } from '../../model/symbol.ts';
import { type CalendarDay, type Millis, millis, parseDay, SECOND_MS } from '../../model/time.ts';
import { WireError } from '../wire-error.ts';

/**
 * Texts of the wire as values of the model, and back. A text that does not mean what its field must mean throws
 * WireError (`bad-value`): a missing price is never zero, a broken one never a guess.
 */

/** A decimal that must be there. */
export function readDecimal(text: string, field: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw badValue(field, 'a decimal number', text);
  return value;
}

/** A decimal above zero that must be there: prices and quantities of orders and fills. */
export function readPositive(text: string, field: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined || value.lte(0)) throw badValue(field, 'a decimal number above 0', text);
  return value;
}

/** A decimal; undefined when the text is empty. */
export function readUnset(text: string, field: string): Decimal | undefined {
  return text === '' ? undefined : readDecimal(text, field);
}

/** A decimal that means "none" when it is zero or its text is empty. */
export function readNonZero(text: string, field: string): Decimal | undefined {
  const value = readUnset(text, field);
  return value === undefined || value.isZero() ? undefined : value;
}

/** A quantity of what has happened so far: an empty text means that nothing has. Negative is refused. */
export function readSoFar(text: string, field: string): Decimal {
  const value = readUnset(text, field) ?? ZERO;
  if (value.isNegative() && !value.isZero()) throw badValue(field, 'a decimal number, 0 or above', text);
  return value;
}

const SECONDS = /^\d{1,11}$/;

/** Unix seconds that must be there. */
export function readSeconds(text: string, field: string): Millis {
  const at = readUnsetSeconds(text, field);
  if (at === undefined) throw badValue(field, 'Unix seconds', text);
  return at;
}

/** Unix seconds; undefined for '' and '0'. */
export function readUnsetSeconds(text: string, field: string): Millis | undefined {
  if (text === '' || text === '0') return undefined;
  if (!SECONDS.test(text)) throw badValue(field, 'Unix seconds', text);
  return millis(Number(text) * SECOND_MS);
}

const LAST_SECOND = 99_999_999_999n;

/** Unix seconds of a socket message, above 0. */
export function readEpoch(seconds: bigint): Millis {
  if (seconds <= 0n || seconds > LAST_SECOND) throw badValue('timestamp', 'Unix seconds', String(seconds));
  return millis(Number(seconds) * SECOND_MS);
}

/** Whole shares of a socket message, 0 or above. */
export function readVolume(shares: bigint): Quantity {
  if (shares < 0n) throw badValue('volume', 'a whole number, 0 or above', String(shares));
  return new Decimal(String(shares));
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

/** A known value; throws WireError (`unknown-value`) for an unknown one. */
export function readWord<T>(text: string, field: string, read: (text: string) => T | undefined): T {
  const value = read(text);
  if (value !== undefined) return value;
  throw new WireError('unknown-value', `Cannot read ${field}: "${text}" is a word we do not know`);
}

/** Whole Unix seconds as text; a fraction of a second is cut off, as the wire has none. */
export function writeSeconds(at: Millis): string {
  return String(Math.floor(at / SECOND_MS));
}

/** A decimal in full, '' when there is none. */
export function writeUnset(value: Decimal | undefined): string {
  return value === undefined ? '' : value.toFixed();
}

function badValue(field: string, want: string, found: string): WireError {
  return new WireError('bad-value', `Cannot read ${field}: want ${want}, saw "${found.slice(0, 60)}"`);
}

/** An amount with two digits behind the point, or with all it has. */
export function writeMoney(amount: Decimal): string {
  return amount.toFixed(Math.max(2, amount.decimalPlaces()));
}
