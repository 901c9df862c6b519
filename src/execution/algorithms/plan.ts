import type { TrackedOrder } from '../../events/bot-state.ts';
import type { AlgorithmEnded } from '../../events/event.ts';
import type { OrderLookup } from '../../events/records/bracket-shares.ts';
import type { MissedSlices } from '../../model/algorithm.ts';
import type { Price, Quantity } from '../../model/decimal.ts';
import type { IntentId, OrderTerms, Side } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';

/** Facts by which an algorithm decides its next actions. */
export interface AlgorithmFacts extends OrderLookup {
  readonly now: Millis;
  /** Quantity held in the direction of a side that no older algorithm manages; never negative. */
  held(side: Side): Quantity;
  /** The strategy's position in the direction of a side; negative in the other direction. */
  position(side: Side): Quantity;
  /** The part of `position` that an algorithm may close: of one that yields, what older open orders leave. */
  closable(side: Side): Quantity;
  /**
   * Quantity of `held` that no open order of the strategy may close; of an OCO the largest leg counts, exits of
   * brackets do not. Negative if such orders are for more.
   */
  unreserved(side: Side): Quantity;
  /** True while another order of the strategy works, or is about to be sent, on that side. */
  hasOtherOrder(side: Side): boolean;
  /** Latest price; undefined before the first. */
  readonly last: Price | undefined;
  /** True if the venue checks orders when they fill: orders reserve no shares, and a stop beyond the price waits. */
  readonly checksAtFill: boolean;
  toTick(price: Price, direction: 'down' | 'up'): Price;
  /** The quantity rounded down to whole lots. */
  wholeLots(quantity: Quantity): Quantity;
  /** End of the current or next regular session. */
  sessionEnd(): Millis | undefined;
  /** When an order expires by its time in force; undefined for one that is good till cancelled. */
  expiryOf(order: TrackedOrder): Millis | undefined;
  /** Close time of the current bar, or of the next one. */
  nextClose(): Millis | undefined;
  /** Newest close of the bot's bars; undefined before the first. */
  readonly close: Price | undefined;
  /** True if an opening order would have its calls now. */
  hasCalls(): boolean;
  readonly killed: boolean;
  readonly halted: boolean;
}

/** Remaining quantity of a position that was to be closed. */
export interface OddLot {
  readonly symbol: SecuritySymbol;
  readonly quantity: Quantity;
}

export type AlgorithmAction =
  | {
      readonly kind: 'submit';
      readonly slot: string;
      readonly terms: OrderTerms;
      readonly reason: string;
      readonly exclusive?: boolean;
      readonly exit?: boolean;
      readonly again?: 'expired';
      /** Slices that were missed directly before this one. */
      readonly missed?: { readonly slices: number; readonly of: number; readonly how: MissedSlices };
    }
  | { readonly kind: 'cancel'; readonly intentId: IntentId; readonly why: string }
  | { readonly kind: 'replace'; readonly intentId: IntentId; readonly terms: OrderTerms }
  /** Raised once per algorithm and code in each run. */
  | {
      readonly kind: 'alarm';
      readonly code: string;
      readonly message: string;
      readonly symbol: SecuritySymbol;
    }
  | { readonly kind: 'wake'; readonly at: Millis }
  | {
      readonly kind: 'end';
      readonly outcome: AlgorithmEnded['outcome'];
      readonly why: string;
      /** Odd-lot quantity that remains in the position; absent if none. */
      readonly oddLot?: OddLot;
      /** Code of the alarm to raise; absent if none is needed. */
      readonly alarm?: string;
    };
