import { Decimal } from '../model/decimal.ts';
import { contractSize } from '../model/option-symbol.ts';
import { parseSymbol } from '../model/symbol.ts';

/** A position as a status has it: its cost is the average per share, null where it is not known. */
export interface ValuedPosition {
  readonly symbol: string;
  readonly quantity: string;
  readonly cost: string | null;
}

/**
 * Whether the average cost of a position is known. Journals and bots of earlier versions have 0 for one that is not, which would make
 * the whole value of the position a profit.
 */
export function isCostKnown<T extends Pick<ValuedPosition, 'cost'>>(
  position: T,
): position is T & { readonly cost: string } {
  return Number(position.cost ?? 0) > 0;
}

/**
 * Unrealised profit of a position at a price, in the currency of its symbol, before charges: price less average cost, times the
 * shares, of which a contract of a US option has 100. Undefined where the cost is not known.
 */
export function unrealisedGain(position: ValuedPosition, price: number): number | undefined {
  if (!isCostKnown(position)) return undefined;
  const { symbol, quantity, cost } = position;
  const parsed = parseSymbol(symbol);
  const size = parsed === undefined ? 1 : contractSize(parsed);
  return new Decimal(price).minus(cost).times(quantity).times(size).toNumber();
}
