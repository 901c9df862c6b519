import type { AlgorithmId, OrderLink } from '../model/algorithm.ts';
import type { Decimal, Quantity } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { IntentId, OrderId, OrderTerms } from '../model/order.ts';
import type { OrderFacets } from '../model/order-facets.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { KeptStates } from './event.ts';
import type { Portfolio } from './portfolio.ts';
import type { OpenAlgorithms, RelevantChildren } from './records/algorithm-record.ts';
import type { ChangeRecord } from './records/change-record.ts';
import type { ForeignRecord } from './records/foreign-record.ts';
import type { GateRecord } from './records/gate-record.ts';
import type { LiveOrders } from './records/live-orders.ts';
import type { PendingFees } from './records/pending-fees.ts';
import type { LastSplit, OrderSplit } from './records/split-record.ts';
import type { StartRecord } from './records/start-record.ts';
import type { StrategyBooks } from './records/strategy-books.ts';

/** An intent and its state at the venue. */
export interface TrackedOrder {
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
  readonly decidedAt: Millis;
  readonly cancelAfterMs: number | undefined;
  readonly facets: OrderFacets;
  /** Charges so far by charge code, as booked with its fills. */
  readonly charged: ReadonlyMap<string, Decimal>;
  /** The algorithm that the order belongs to; undefined if the strategy requested it directly. */
  readonly link: OrderLink | undefined;
  /** The strategy that the order belongs to; undefined in a bot with one. */
  readonly strategy?: string | undefined;
  /** True if it waits, or waited, for the cancellation of exits before the gate checks it. */
  readonly held: boolean;
  /**
   * Signed position that the strategy would have in the symbol from its own orders alone since this order began to
   * wait, without exits and the resizing of target orders. Absent if it never waited.
   */
  readonly holdingExpected?: Quantity;
  /** The order leads to a target position: while it waits, its quantity follows the position. */
  readonly isTarget?: true;
  /** The requested terms, while the outcome of a replace is unknown (T-41). */
  readonly replacing: OrderTerms | undefined;
  /** The newest replace and its result; undefined before the first. */
  readonly change: ChangeRecord | undefined;
  /** Splits of its shares since it was sent; absent if there were none. Only for orders of active algorithms. */
  readonly split?: OrderSplit;
}

export interface RegainedShares {
  readonly strategy: string;
  readonly symbol: SecuritySymbol;
  readonly quantity: Quantity;
}

/** The whole state of a bot. Only the fold changes it. */
export interface BotState {
  readonly portfolio: Portfolio;
  /** Orders that may still add exposure, oldest first. */
  readonly live: Omit<LiveOrders, 'set' | 'delete' | 'clear'>;
  /** Finished orders, so that a late report about one can be booked. */
  readonly done: ReadonlyMap<IntentId, TrackedOrder>;
  /** The state and history of the gate. */
  readonly gate: GateRecord;
  /** Orders and executions of others on the account. */
  readonly foreign: ForeignRecord;
  /** Orders with executions whose fees are not known yet. */
  readonly uncharged: PendingFees;
  /**
   * By currency, the largest difference between our cash and the venue's that fills at rounded average prices can
   * cause.
   */
  readonly rounding: ReadonlyMap<Currency, Decimal>;
  /** Which processes wrote the journal. */
  readonly starts: StartRecord;
  /** When the first run opened the books; undefined before it. */
  readonly openedAt: Millis | undefined;
  /** Active order algorithms. */
  readonly algorithms: OpenAlgorithms;
  /** Positions and results of each strategy; empty in a bot with one strategy. */
  readonly books: StrategyBooks;
  /** The newest split of each symbol that had one while a position was open. */
  readonly splits: ReadonlyMap<SecuritySymbol, LastSplit>;
  /** Symbols whose positions a flatten closes, with its newest order; null before the first. */
  readonly flattening: ReadonlyMap<SecuritySymbol, IntentId | null>;
  /** Saved state of strategies, by name. */
  readonly kept: KeptStates;
  /**
   * Shares that strategies hold again since the newest event, beyond those of their active brackets: a fill became known
   * late, before which a trade from outside had closed them.
   */
  readonly regained: readonly RegainedShares[];
  intentOf(orderId: OrderId): IntentId | undefined;
  order(intentId: IntentId): TrackedOrder | undefined;
  /** Orders of an active algorithm that its plan depends on: all except spent exits. */
  relevantChildren(algorithm: AlgorithmId): RelevantChildren | undefined;
}

export type KnownState = Omit<BotState, 'regained' | 'intentOf' | 'order' | 'relevantChildren'> & {
  readonly byOrderId: ReadonlyMap<OrderId, IntentId>;
};
