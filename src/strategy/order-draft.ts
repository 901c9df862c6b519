import type { Decimal } from '../model/decimal.ts';
import type { OrderTerms, Side } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';

/** A figure that an author may write as a number, a decimal text or a Decimal; it becomes an exact Decimal. */
export type Figure = number | string | Decimal;

/** Terms an author may set on an order by hand; what is absent comes from the config's `execution`. */
export type DraftTerms = Partial<
  Omit<OrderTerms, 'symbol' | 'side' | 'quantity' | 'price' | 'triggerPrice'>
> & {
  readonly price?: Figure;
  readonly triggerPrice?: Figure;
};

/** What a strategy asks for; sizing turns it into an order intent with a quantity, or into nothing to do. */
export type OrderDraft =
  | {
      readonly kind: 'target-weight';
      readonly symbol: SecuritySymbol;
      readonly weight: number;
      readonly reason?: string;
    }
  | {
      readonly kind: 'target-quantity';
      readonly symbol: SecuritySymbol;
      readonly quantity: Figure;
      readonly reason?: string;
    }
  | {
      readonly kind: 'order';
      readonly symbol: SecuritySymbol;
      readonly side: Side;
      readonly quantity: Figure;
      readonly terms?: DraftTerms;
      readonly reason?: string;
    };

/** What a hook may return: one draft, several, or nothing. */
export type Decision = OrderDraft | readonly OrderDraft[] | undefined;

/** The ways to ask for an order; each only describes it, nothing is sent here. */
export interface OrderDrafts {
  /** Buys or sells so that the symbol makes up `weight` of the whole equity (-1 to 1; negative is short). */
  targetWeight(symbol: SecuritySymbol, weight: number, reason?: string): OrderDraft;
  /** Buys or sells up to a signed number of shares. */
  targetQuantity(symbol: SecuritySymbol, quantity: Figure, reason?: string): OrderDraft;
  /** Sells what is held, or buys back what is short. */
  close(symbol: SecuritySymbol, reason?: string): OrderDraft;
  buy(symbol: SecuritySymbol, quantity: Figure, terms?: DraftTerms): OrderDraft;
  sell(symbol: SecuritySymbol, quantity: Figure, terms?: DraftTerms): OrderDraft;
}

/** The one implementation of `OrderDrafts`: plain data in, plain data out. */
export const orderDrafts: OrderDrafts = {
  targetWeight: (symbol, weight, reason) => ({ kind: 'target-weight', symbol, weight, ...because(reason) }),
  targetQuantity: (symbol, quantity, reason) => ({
    kind: 'target-quantity',
    symbol,
    quantity,
    ...because(reason),
  }),
  close: (symbol, reason) => ({ kind: 'target-quantity', symbol, quantity: 0, ...because(reason) }),
  buy: (symbol, quantity, terms) => ({ kind: 'order', symbol, side: 'buy', quantity, ...withTerms(terms) }),
  sell: (symbol, quantity, terms) => ({ kind: 'order', symbol, side: 'sell', quantity, ...withTerms(terms) }),
};

function because(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

function withTerms(terms: DraftTerms | undefined): { terms?: DraftTerms } {
  return terms === undefined ? {} : { terms };
}
