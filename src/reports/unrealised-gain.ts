import { Decimal } from '../model/decimal.ts';
import { contractSize } from '../model/option-symbol.ts';
import { parseSymbol } from '../model/symbol.ts';

/** A position of a status; its cost is the average per share, null if not known. */
export interface ValuedPosition {
  readonly symbol: string;
  readonly quantity: string;
  readonly cost: string | null;
}

/**
 * True if the average cost of a position is known. Earlier versions stored 0 for an unknown cost, which would make
 * the whole value of the position a profit.
 */
export function isCostKnown<T extends Pick<ValuedPosition, 'cost'>>(
  position: T,
): position is T & { readonly cost: string } {
  return Number(position.cost ?? 0) > 0;
}

/**
 * Unrealised profit of a position at a price, in the currency of its symbol, before charges: price less average cost,
 * times the quantity (100 shares per contract of a US option). Undefined if the cost is not known.
 */
export function unrealisedGain(position: ValuedPosition, price: number): number | undefined {
  if (!isCostKnown(position)) return undefined;
  const { symbol, quantity, cost } = position;
  const parsed = parseSymbol(symbol);
  const size = parsed === undefined ? 1 : contractSize(parsed);
  return new Decimal(price).minus(cost).times(quantity).times(size).toNumber();
}
