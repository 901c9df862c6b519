import type { OrderType, Side } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { BarFigures } from './market/prints.ts';

/**
 * Input of a custom fill model: an order and the print that it matches, as plain numbers in the security's currency.
 */
export interface FillQuestion {
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly type: OrderType;
  readonly quantity: number;
  /** Price of the order at the print, before slippage. */
  readonly price: number;
  /** Shares traded at the print; those of the whole bar for `slippage`, in auctions and with whole-bar matching. */
  readonly volume: number;
  readonly bar: Readonly<BarFigures>;
  readonly lotSize: number;
}

/** A custom fill model; both functions throw FillModelError if its code fails. */
export interface OwnFills {
  /** The model and its parameters, for reports and to distinguish markets. */
  readonly label: string;
  readonly doc: string;
  /** Returns the ratio of the price that an order taking liquidity pays beyond the print; no slippage if absent. */
  slippage?(question: FillQuestion): number;
  /** Returns the maximum shares that orders may take of the print; no limit if absent. */
  room?(question: FillQuestion): number;
}

/** Thrown if a custom fill model throws or returns an invalid value; the simulation cannot continue. */
export class FillModelError extends Error {
  readonly code = 'fill-model-failed';
  override readonly name = 'FillModelError';
}
