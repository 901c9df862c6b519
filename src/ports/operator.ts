import type { Price, Quantity } from '../model/decimal.ts';
import type { IntentId, OrderId } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';

/** What a person, or a schedule that a person wrote, wants of a running bot. */
export type OperatorCommand =
  /**
   * Refuses every order that opens, at once; cancels all of ours, and what is `foreign` too where asked; sells what is held
   * where `flatten` is true. Holds across restarts until an operator resumes.
   */
  | { readonly kind: 'kill'; readonly flatten: boolean; readonly foreign: boolean }
  /** Nothing that a strategy asks for goes out any more; what rests stays. */
  | { readonly kind: 'halt' }
  /** Only what reduces exposure goes out. */
  | { readonly kind: 'reduce-only' }
  /** Back to trading, from any of the above. */
  | { readonly kind: 'resume' }
  /** Cancels our orders, of some symbols or of all. */
  | { readonly kind: 'cancel-all'; readonly symbols?: readonly SecuritySymbol[] }
  /** Cancels our orders and closes the positions, of some symbols or of all. */
  | { readonly kind: 'flatten'; readonly symbols?: readonly SecuritySymbol[] }
  /** Settles an order whose outcome could not be read (T-55). */
  | { readonly kind: 'settle'; readonly intentId: IntentId; readonly outcome: SettledOutcome }
  /** Takes the venue's cash and positions for ours, after a difference that no order explains. */
  | { readonly kind: 'adopt-books' }
  /** Outside its hours a bot opens nothing, in the markets of some symbols or in all; both leave the gate's own state alone. */
  | { readonly kind: 'stop-opening'; readonly symbols?: readonly SecuritySymbol[] }
  | { readonly kind: 'start-opening'; readonly symbols?: readonly SecuritySymbol[] };

/** What an operator knows of an order that the venue does not tell of. */
export type SettledOutcome =
  | { readonly kind: 'dead' }
  /** It is at the venue under this id, and is read from then on. */
  | { readonly kind: 'order'; readonly orderId: OrderId }
  /** Executed beyond what is booked. */
  | { readonly kind: 'filled'; readonly quantity: Quantity; readonly price: Price };

/** An order that a command cancelled, or had to cancel, and that may still be executed. */
export interface OpenOrder {
  /** The venue's id; that of our intent where the venue's is not known. */
  readonly id: string;
  /** `UNREAD_SYMBOL` where the venue's text is none. */
  readonly symbol: string;
  /** The venue's status or how far the submit got, and what is pending, as `NewStatus, cancel-acked`. */
  readonly state: string;
}

/** In place of a symbol that could not be read. */
export const UNREAD_SYMBOL = 'a symbol that cannot be read';

/** What came of a command. */
export type CommandOutcome =
  | {
      readonly kind: 'done';
      /** Names the orders of `open`, too. */
      readonly message: string;
      /** Orders whose end is not confirmed ten seconds after a command that cancels; absent where all are over. */
      readonly open?: readonly OpenOrder[];
      /** Why it is not known which orders of others are open; absent where it is known, or nothing of theirs was to be cancelled. */
      readonly unread?: string;
    }
  | { readonly kind: 'refused'; readonly message: string };

/** A command, whose it is and why, and where its outcome goes. */
export interface OperatorRequest {
  readonly command: OperatorCommand;
  /** Origin: `cli`, `signal`, `kill file`, `schedule`. */
  readonly by: string;
  readonly reason: string;
  /** What restricts the gate, where it is not the operator: a state of the connection such as `clock-skew-halt`. */
  readonly cause?: string;
  /** Called at most once, when the command was carried out or refused. */
  readonly answer?: (outcome: CommandOutcome) => void;
}
