import type { AlgorithmEnded } from '../../events/algorithm-events.ts';
import type { TrackedOrder } from '../../events/bot-state.ts';
import type { MissedSlices } from '../../model/algorithm.ts';
import type { Price, Quantity } from '../../model/decimal.ts';
import type { IntentId, OrderTerms, Side } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';

/** What an algorithm sees of the world when it decides what it wants next. */
export interface AlgorithmFacts {
  readonly now: Millis;
  order(intentId: IntentId): TrackedOrder | undefined;
  /** What is held in the direction of a side and is not the business of an older algorithm; never negative. */
  held(side: Side): Quantity;
  /** True while an order that is not this algorithm's trades, or is about to trade, on that side. */
  isTaken(side: Side): boolean;
  /** Latest price; undefined before the first. */
  readonly last: Price | undefined;
  /** True where orders are judged when they fill: none keeps shares from another, and a stop beyond the price waits, too. */
  readonly judgesAtFill: boolean;
  /** The tick next to a price, against the side that trades there or for it. */
  toTick(price: Price, direction: 'down' | 'up'): Price;
  /** What of a quantity can be ordered: its whole lots. */
  wholeLots(quantity: Quantity): Quantity;
  /** When the regular session ends that is held now or comes next. */
  sessionEnd(): Millis | undefined;
  /** Close of the bar that runs now, or of the first to come. */
  nextClose(): Millis | undefined;
  /** Newest close of the bot's own bars; undefined before the first. */
  readonly close: Price | undefined;
  /** True once an operator wants everything cancelled. */
  readonly killed: boolean;
  /** True while the gate lets no order pass. */
  readonly halted: boolean;
}

/** Shares that stay, of a position that was to be given up. */
export interface Kept {
  readonly symbol: SecuritySymbol;
  readonly quantity: Quantity;
}

/** One thing that an algorithm wants done. */
export type AlgorithmAction =
  | {
      readonly kind: 'submit';
      readonly slot: string;
      readonly terms: OrderTerms;
      readonly reason: string;
      readonly exclusive?: boolean;
      readonly exit?: boolean;
      readonly again?: 'expired';
      /** Slices that were missed right before this one. */
      readonly missed?: { readonly slices: number; readonly of: number; readonly how: MissedSlices };
    }
  | { readonly kind: 'cancel'; readonly intentId: IntentId; readonly why: string }
  | { readonly kind: 'replace'; readonly intentId: IntentId; readonly terms: OrderTerms }
  /** Asks to be asked again at an instant. */
  | { readonly kind: 'wake'; readonly at: Millis }
  | {
      readonly kind: 'end';
      readonly outcome: AlgorithmEnded['outcome'];
      readonly why: string;
      /** Shares below a lot that nothing takes back any more; absent: none. */
      readonly keeps?: Kept;
      /** Code of the alarm by which a person is told; absent: nobody needs to be. */
      readonly alarm?: string;
    };
