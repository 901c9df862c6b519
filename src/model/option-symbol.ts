import { type Amount, multiply, ONE } from './amount.ts';
import { Decimal, type Price } from './decimal.ts';
import type { Security } from './security.ts';
import { codeOf, marketOf, type SecuritySymbol } from './symbol.ts';
import { type CalendarDay, parseDay } from './time.ts';

export interface OptionTerms {
  /** Ticker of the underlying, `AAPL`. */
  readonly root: string;
  readonly expiry: CalendarDay;
  readonly right: 'call' | 'put';
  readonly strike: Price;
}

/** Shares per contract of a US option. */
export const OPTION_MULTIPLIER = 100;

const OPTION = /^([A-Z][A-Z0-9.]{0,11}?)(\d{2})(\d{2})(\d{2})([CP])(\d{1,9})$/;
const STRIKE_SCALE = 1_000;

/**
 * Parses the symbol of a US option: root, expiry as YYMMDD, C or P, strike x 1000, as in `AAPL261218C250000.US`;
 * undefined for any other symbol.
 * @see https://open.longbridge.com/docs
 */
export function parseOptionSymbol(symbol: SecuritySymbol): OptionTerms | undefined {
  if (marketOf(symbol) !== 'US') return undefined;
  const [, root, year, month, date, right, strike] = OPTION.exec(codeOf(symbol)) ?? [];
  if (root === undefined || strike === undefined) return undefined;
  const expiry = parseDay(`20${year}-${month}-${date}`);
  const price = new Decimal(strike).div(STRIKE_SCALE);
  if (expiry === undefined || price.isZero()) return undefined;
  return { root, expiry, right: right === 'C' ? 'call' : 'put', strike: price };
}

export function optionSymbolText({ root, expiry, right, strike }: OptionTerms): string {
  const day = expiry.slice(2).replaceAll('-', '');
  return `${root}${day}${right === 'call' ? 'C' : 'P'}${strike.times(STRIKE_SCALE).toFixed(0)}.US`;
}

/** Returns the shares per unit of quantity: 100 for a US option, 1 for anything else. */
export function contractSize(symbol: SecuritySymbol): number {
  return symbol.length >= OPTION_CHARS_MIN && parseOptionSymbol(symbol) !== undefined ? OPTION_MULTIPLIER : 1;
}

/** A root of one letter, a date, a right, a strike of one digit, and `.US`. */
const OPTION_CHARS_MIN = 12;

/** Returns the value of one unit of quantity: the price times the shares per contract. */
export function unitValue({ multiplier }: Pick<Security, 'multiplier'>, price: Price): Price {
  return multiplier === undefined ? price : price.times(multiplier);
}

/** Like `unitValue`, for amounts. */
export function unitAmount({ multiplier }: Pick<Security, 'multiplier'>, price: Amount): Amount {
  return multiplier === undefined ? price : multiply(price, multiplier * ONE, 'exact');
}
