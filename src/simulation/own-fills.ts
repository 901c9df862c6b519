import type { OrderType, Side } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { BarFigures } from './market/prints.ts';

/** The input of a custom fill model: one order that meets a print. Plain numbers, in the security's currency. */
export interface FillQuestion {
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly type: OrderType;
  /** Shares that the order still wants. */
  readonly quantity: number;
  /** Price that the print would give it. */
  readonly price: number;
  /** Shares that the print traded; those of the bar with whole bars, and for `slippage`. */
  readonly volume: number;
  /** The whole bar that the print belongs to: open, high, low, close and volume. */
  readonly bar: Readonly<BarFigures>;
  readonly lotSize: number;
}

/** A custom fill model; both functions throw FillModelError when its code fails. */
export interface OwnFills {
  /** The model and its parameters, for reports and for telling one market from another. */
  readonly label: string;
  /** What it assumes, in its author's words. */
  readonly doc: string;
  /** Share of the price that an order which takes pays beyond the print; absent: nothing. */
  slippage?(question: FillQuestion): number;
  /** Most shares that orders may take of the print; absent: no cap. */
  room?(question: FillQuestion): number;
}

/** A fill model threw or returned an invalid value: the simulation cannot continue. */
export class FillModelError extends Error {
  readonly code = 'fill-model-failed';
  override readonly name = 'FillModelError';
}
