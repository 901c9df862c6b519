import type { OrderTerms, Side } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { ExitTerms } from './exits.ts';
import type { Figure } from './figure.ts';

/** Terms an author may set on an order by hand; what is absent comes from the config's `execution`. */
export type DraftTerms = Partial<
  Omit<OrderTerms, 'symbol' | 'side' | 'quantity' | 'price' | 'triggerPrice'>
> & {
  readonly price?: Figure;
  readonly triggerPrice?: Figure;
};

/** Exits of what a draft opens; a draft that only takes a position back has no use for them. */
interface WithExits {
  readonly exits?: ExitTerms;
}

/** An order, sized by what it should lead to. */
export type SizedDraft = WithExits &
  (
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
    | OrderByHand
  );

/** An order of a given size. */
export interface OrderByHand extends WithExits {
  readonly kind: 'order';
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly quantity: Figure;
  readonly terms?: DraftTerms;
  readonly reason?: string;
}

/** Orders of which one that trades cancels the others. */
export interface OcoDraft {
  readonly kind: 'oco';
  readonly symbol: SecuritySymbol;
  readonly legs: readonly OrderByHand[];
  readonly reason?: string;
}

/** What a strategy asks for; sizing turns it into an order intent with a quantity, or into nothing to do. */
export type OrderDraft = SizedDraft | OcoDraft;

/** What a hook may return: one draft, several, or nothing. */
export type Decision = OrderDraft | readonly OrderDraft[] | undefined;

/** The ways to ask for an order; each only describes it, nothing is sent here. */
export interface OrderDrafts {
  /** Buys or sells so that the symbol makes up `weight` of the whole equity (-1 to 1; negative is short). */
  targetWeight(symbol: SecuritySymbol, weight: number, reason?: string): SizedDraft;
  /** Buys or sells up to a signed number of shares. */
  targetQuantity(symbol: SecuritySymbol, quantity: Figure, reason?: string): SizedDraft;
  /** Sells what is held, or buys back what is short. */
  close(symbol: SecuritySymbol, reason?: string): SizedDraft;
  buy(symbol: SecuritySymbol, quantity: Figure, terms?: DraftTerms): OrderByHand;
  sell(symbol: SecuritySymbol, quantity: Figure, terms?: DraftTerms): OrderByHand;
  /** An entry whose exits wait at the venue as soon as it is filled, and leave together with what it opened. */
  bracket(entry: SizedDraft, exits: ExitTerms): SizedDraft;
  /** One cancels the others: all wait at the venue, and the first that trades takes the others back. */
  oco(legs: readonly [OrderByHand, OrderByHand, ...OrderByHand[]], reason?: string): OcoDraft;
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
  bracket: (entry, exits) => ({ ...entry, exits }),
  oco: (legs, reason) => ({ kind: 'oco', symbol: legs[0].symbol, legs, ...because(reason) }),
};

function because(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

function withTerms(terms: DraftTerms | undefined): { terms?: DraftTerms } {
  return terms === undefined ? {} : { terms };
}
