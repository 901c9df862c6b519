import { InvalidArgumentError } from 'commander';
import type { Separator } from '../../market-data/source-row.ts';
import { parseSymbol, type SecuritySymbol, withoutZeros } from '../../model/symbol.ts';

/** Parses one symbol. */
export function symbol(text: string): SecuritySymbol {
  const known = parseSymbol(text);
  if (known === undefined)
    throw new InvalidArgumentError('Want <code>.<market> in capitals, such as 700.HK.');
  const bare = withoutZeros(known);
  if (bare !== undefined)
    throw new InvalidArgumentError(`Want ${bare}: codes of Hong Kong have no zeros in front here.`);
  return known;
}

const WHOLE = /^\d{1,6}$/;

/** Parses a whole number from 0 to 999999. */
export function wholeNumber(text: string): number {
  if (!WHOLE.test(text)) throw new InvalidArgumentError('Want a whole number from 0 to 999999.');
  return Number(text);
}

/** Parses a number of whole shares, at least one: a lot size, or the unit of a volume. */
export function shares(text: string): number {
  if (!WHOLE.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('Want a whole number of shares, from 1 to 999999.');
  return Number(text);
}

const LOT = /^\d{1,7}(?:\.\d{1,8})?$/;

/** Parses a lot size in shares; fractions from 0.00000001. */
export function lotSize(text: string): number {
  const size = LOT.test(text) ? Number(text) : 0;
  const isWhole = Number.isInteger(size) && size <= 1_000_000;
  if (size <= 0 || (size >= 1 && !isWhole))
    throw new InvalidArgumentError(
      'Want a whole number of shares such as 100, up to 1000000, or a fraction of one such as 0.01.',
    );
  return size;
}

const PRICE_UNIT = /^(?:1|0\.0{0,8}1)$/;

/** Parses the unit of a column of prices, 1 or a power of ten below it, as a divisor. */
export function priceDivisor(text: string): number {
  if (!PRICE_UNIT.test(text)) throw new InvalidArgumentError('Want 1, 0.1, 0.01 and so on to 0.000000001.');
  return 10 ** (text.length < 3 ? 0 : text.length - 2);
}

const SEPARATORS: ReadonlyMap<string, Separator> = new Map([
  ['comma', ','],
  [',', ','],
  ['semicolon', ';'],
  [';', ';'],
  ['tab', '\t'],
  ['bar', '|'],
  ['|', '|'],
  ['\t', '\t'],
]);

/** Parses the name or the character of a separator. */
export function separator(text: string): Separator {
  const found = SEPARATORS.get(text);
  if (found === undefined) throw new InvalidArgumentError('Want comma, semicolon, tab or bar.');
  return found;
}
