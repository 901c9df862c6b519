import type { Price, Quantity } from '../model/decimal.ts';
import type { IntentId, OrderId } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';

/** Commands of an operator, or of a schedule, to a running bot. */
export type OperatorCommand =
  /**
   * Refuses every opening order at once; cancels all our orders, and other orders of the account with `foreign`;
   * closes positions with `flatten`. Holds across restarts until an operator resumes.
   */
  | { readonly kind: 'kill'; readonly flatten: boolean; readonly foreign: boolean }
  /** Sends no orders of strategies any more; open orders remain. */
  | { readonly kind: 'halt' }
  /** Sends only orders that reduce exposure. */
  | { readonly kind: 'reduce-only' }
  /** Resumes trading from any of the above. */
  | { readonly kind: 'resume' }
  /** Cancels our orders, in some symbols or in all. */
  | { readonly kind: 'cancel-all'; readonly symbols?: readonly SecuritySymbol[] }
  /** Cancels our orders and closes the positions, in some symbols or in all. */
  | { readonly kind: 'flatten'; readonly symbols?: readonly SecuritySymbol[] }
  /** Settles an order whose outcome could not be read (T-55). */
  | { readonly kind: 'settle'; readonly intentId: IntentId; readonly outcome: SettledOutcome }
  /** Adopts the venue's cash and positions, after a difference that no order explains. */
  | { readonly kind: 'adopt-books' }
  /**
   * Outside its hours a bot opens nothing, in the markets of some symbols or in all; neither command changes the
   * gate's own state.
   */
  | { readonly kind: 'stop-opening'; readonly symbols?: readonly SecuritySymbol[] }
  | { readonly kind: 'start-opening'; readonly symbols?: readonly SecuritySymbol[] };

/** What an operator knows about an order that the venue does not report. */
export type SettledOutcome =
  | { readonly kind: 'dead' }
  /** It is at the venue under this id, and is read from then on. */
  | { readonly kind: 'order'; readonly orderId: OrderId }
  /** Executed beyond what is booked. */
  | { readonly kind: 'filled'; readonly quantity: Quantity; readonly price: Price };

/** An order that a command cancelled, or had to cancel, and that may still be executed. */
export interface OpenOrder {
  /** The venue's id; that of our intent if the venue's is not known. */
  readonly id: string;
  /** `UNREAD_SYMBOL` if the venue's text is not a symbol. */
  readonly symbol: string;
  /** The venue's status or the progress of the submit, and pending changes, such as `NewStatus, cancel-acked`. */
  readonly state: string;
}

/** Placeholder for a symbol that could not be read. */
export const UNREAD_SYMBOL = 'a symbol that cannot be read';

/** Result of a command. */
export type CommandOutcome =
  | {
      readonly kind: 'done';
      /** Also names the orders of `open`. */
      readonly message: string;
      /** Orders whose end is not confirmed ten seconds after a command that cancels; absent if all have ended. */
      readonly open?: readonly OpenOrder[];
      /** Why it is not known which foreign orders are open; absent if it is known, or if none had to be cancelled. */
      readonly unread?: string;
    }
  | { readonly kind: 'refused'; readonly message: string };

/** A command with its origin, its reason and the receiver of its result. */
export interface OperatorRequest {
  readonly command: OperatorCommand;
  /** Origin: `cli`, `signal`, `kill file`, `schedule`. */
  readonly by: string;
  readonly reason: string;
  /**
   * The cause of a gate restriction, if it is not the operator: a state of the connection such as `clock-skew-halt`.
   */
  readonly cause?: string;
  /** Called at most once, when the command was executed or refused. */
  readonly answer?: (outcome: CommandOutcome) => void;
}

/** Lists that may show an order with a status that cannot be read after its cancel was accepted; more of them show no end of it, either. */
export const UNREADABLE_READS_MAX = 2;
