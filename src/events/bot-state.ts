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

/** An intent and all that became of it. */
export interface TrackedOrder {
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
  readonly decidedAt: Millis;
  readonly cancelAfterMs: number | undefined;
  readonly facets: OrderFacets;
  /** Charged so far by charge code, as booked with its fills. */
  readonly charged: ReadonlyMap<string, Decimal>;
  /** The algorithm that it belongs to; undefined if the strategy requested the order itself. */
  readonly link: OrderLink | undefined;
  /** The strategy that it belongs to; undefined in a bot with one. */
  readonly strategy?: string | undefined;
  /** Whether it waits, or waited, for exits to be gone before risk sees it. */
  readonly held: boolean;
  /**
   * Shares that its strategy would hold in the symbol if nothing but the strategy's own orders had changed the position since it began to
   * wait; negative is short. Absent: it never waited. What an order for a target was made smaller or larger by is left out.
   */
  readonly holdingExpected?: Quantity;
  /** Leads to a target position: while it waits, its quantity follows what is held. Absent: it does not. */
  readonly isTarget?: true;
  /** The requested terms, while it is not known whether a replace happened (T-41). */
  readonly replacing: OrderTerms | undefined;
  /** The newest replace that was asked for, and what came of it; undefined before the first. */
  readonly change: ChangeRecord | undefined;
  /** The effect of splits on its shares since it was sent; absent: none. Kept for orders of active algorithms. */
  readonly split?: OrderSplit;
}

/** The whole state of a bot; only the fold changes it. */
export interface BotState {
  readonly portfolio: Portfolio;
  /** Orders that may still add exposure, oldest first. */
  readonly live: Omit<LiveOrders, 'set' | 'delete' | 'clear'>;
  /** Finished orders, kept so that a late word about one is understood. */
  readonly done: ReadonlyMap<IntentId, TrackedOrder>;
  /** The state of the gate, and its memory. */
  readonly gate: GateRecord;
  /** What others do on the account. */
  readonly foreign: ForeignRecord;
  /** Orders with executions whose fees are not known yet. */
  readonly uncharged: PendingFees;
  /** By currency, the most by which cash can differ from the venue's because fills were read as averages. */
  readonly rounding: ReadonlyMap<Currency, Decimal>;
  /** Which processes wrote the journal. */
  readonly starts: StartRecord;
  /** When the first run opened the books; undefined before. */
  readonly openedAt: Millis | undefined;
  /** Active order algorithms. */
  readonly algorithms: OpenAlgorithms;
  /** What each of several strategies holds and has earned; empty in a bot with one. */
  readonly books: StrategyBooks;
  /** The newest split of each symbol that had one while it was held. */
  readonly splits: ReadonlyMap<SecuritySymbol, LastSplit>;
  /** Symbols whose positions a flatten closes, with the newest order that does; null before the first. */
  readonly flattening: ReadonlyMap<SecuritySymbol, IntentId | null>;
  /** What strategies remember, by name. */
  readonly kept: KeptStates;
  intentOf(orderId: OrderId): IntentId | undefined;
  order(intentId: IntentId): TrackedOrder | undefined;
  /** Orders of an active algorithm that its plan depends on: all but spent exits. */
  relevantChildren(algorithm: AlgorithmId): RelevantChildren | undefined;
}

/** All that a fold holds, as plain data. */
export type KnownState = Omit<BotState, 'intentOf' | 'order' | 'relevantChildren'> & {
  readonly byOrderId: ReadonlyMap<OrderId, IntentId>;
};
