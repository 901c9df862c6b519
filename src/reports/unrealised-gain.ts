import { Decimal } from '../model/decimal.ts';
import { contractSize } from '../model/option-symbol.ts';
import { parseSymbol } from '../model/symbol.ts';

/** A position as a status has it: its cost is the average per share, 0 where the venue states none. */
export interface ValuedPosition {
  readonly symbol: string;
  readonly quantity: string;
  readonly cost: string;
}

/** Whether the average cost of a position is known. A venue that states none leaves 0, which would make its whole value a profit. */
export function isCostKnown({ cost }: Pick<ValuedPosition, 'cost'>): boolean {
  return Number(cost) > 0;
}

/**
 * Unrealised profit of a position at a price, in the currency of its symbol, before charges: price less average cost, times the
 * shares, of which a contract of a US option has 100. Undefined where the cost is not known.
 */
export function unrealisedGain(position: ValuedPosition, price: number): number | undefined {
  const { symbol, quantity, cost } = position;
  if (!isCostKnown(position)) return undefined;
  const parsed = parseSymbol(symbol);
  const size = parsed === undefined ? 1 : contractSize(parsed);
  return new Decimal(price).minus(cost).times(quantity).times(size).toNumber();
}
