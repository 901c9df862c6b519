import { omitUndefined } from '../model/omit-undefined.ts';
import type { IntentId, OrderTerms, Side } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { ExitTerms, LevelTerms } from './exits.ts';
import type { Notional } from './notional.ts';
import type { Numeric } from './numeric.ts';

/** Terms that an author may set on a single order; the config's `execution` has the defaults. */
export type DraftTerms = Partial<
  Omit<OrderTerms, 'symbol' | 'side' | 'quantity' | DraftFigure> & Record<DraftFigure, Numeric>
>;

/** The numeric terms. */
export type DraftFigure =
  | 'price'
  | 'triggerPrice'
  | 'limitOffset'
  | 'trailingAmount'
  | 'trailingPercent'
  | 'monitorPrice';

/** Exits of the position that a draft opens; ignored by a draft that only reduces a position. */
interface WithExits {
  readonly exits?: ExitTerms;
}

/** An order whose quantity is computed from a target. */
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
        readonly quantity: Numeric;
        readonly reason?: string;
      }
    | TargetNotional
    | TargetRisk
    | OrderByHand
  );

/** A target position by market value; a negative amount is short. */
export interface TargetNotional {
  readonly kind: 'target-notional';
  readonly symbol: SecuritySymbol;
  readonly notional: Notional;
  readonly reason?: string;
}

/**
 * A target position by risk: it loses a share of the equity when the price moves against it by a multiple of the ATR.
 */
export interface TargetRisk extends RiskTerms {
  readonly kind: 'target-risk';
  readonly symbol: SecuritySymbol;
  readonly reason?: string;
}

/** The amount at risk, and the distance of the stop. */
export interface RiskTerms {
  /** Share of the equity at risk: 0.01 is 1 %; -1 to 1, negative is short. */
  readonly share: number;
  /** Average true range in the security's currency; NaN (during warm-up) creates no order. */
  readonly atr: number;
  /** Distance from the entry to the stop in ATRs, above zero. */
  readonly multiple: number;
}

/** An order with a given quantity. */
export interface OrderByHand extends WithExits {
  readonly kind: 'order';
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly quantity: Numeric;
  readonly terms?: DraftTerms;
  readonly reason?: string;
}

/** One-cancels-the-other orders: the first that fills cancels the others. */
export interface OcoDraft {
  readonly kind: 'oco';
  readonly symbol: SecuritySymbol;
  readonly legs: readonly OrderByHand[];
  readonly reason?: string;
}

/** An order in parts. */
export interface SlicesDraft {
  readonly kind: 'slices';
  readonly reason?: string;
  readonly style: 'twap' | 'vwap' | 'iceberg';
  readonly symbol: SecuritySymbol;
  readonly order: SizedDraft;
  /** Relative size of each part, one number per part. */
  readonly weights?: readonly number[];
  /** Minutes of market time from the first part to the end of the last. */
  readonly minutes?: number;
  /** Shares of each part of an iceberg. */
  readonly shown?: Numeric;
}

/** A limit order that follows the market as the price moves away. */
export interface ChaseDraft extends ChaseTerms {
  readonly kind: 'chase';
  readonly reason?: string;
  readonly symbol: SecuritySymbol;
  readonly order: SizedDraft;
}

/** How far and how long a limit order follows the market. */
export interface ChaseTerms {
  /** Worst price: absolute, or a distance from the latest price when the chase begins. */
  readonly bound: LevelTerms;
  readonly minutes: number;
  /** What happens to the rest at the end: it is cancelled, or sent as a limit order at the bound. */
  readonly atEnd: 'cancel' | 'cross';
  /** Interval between two amends, in seconds of market time; default 5. */
  readonly everySeconds?: number;
}

/** New terms of an open order. The quantity is the new total; absent figures stay unchanged. */
export interface ReplaceDraft extends NewFigures {
  readonly kind: 'replace';
  readonly reason?: string;
  readonly symbol: SecuritySymbol;
  readonly intentId: IntentId;
}

/** Figures that can be amended while an order is open. */
export interface NewFigures {
  readonly quantity?: Numeric;
  readonly price?: Numeric;
  readonly triggerPrice?: Numeric;
}

/** Cancels an open order. */
export interface CancelDraft {
  readonly kind: 'cancel';
  readonly reason?: string;
  readonly symbol: SecuritySymbol;
  readonly intentId: IntentId;
}

/**
 * Target weights of the whole portfolio by symbol, -1 to 1 (negative is short). Symbols that are held and not named
 * are closed. Orders that reduce positions come first; when they are done, those that open are sized and judged one
 * by one.
 */
export interface RebalanceDraft extends RebalanceTerms {
  readonly kind: 'rebalance';
  readonly weights: Readonly<Record<string, number>>;
  readonly reason?: string;
}

/** When a rebalance leaves a position as it is. */
export interface RebalanceTerms {
  /**
   * Share of the equity, 0 to 1: a position whose weight is no farther than this from its target is not traded.
   * Positions with target 0, on the other side, or not held yet are traded whatever the distance.
   */
  readonly band?: number;
}

/** A draft for one symbol. */
export type OneSymbolDraft = SizedDraft | OcoDraft | SlicesDraft | ChaseDraft | ReplaceDraft | CancelDraft;

/** Identifies an order; every `OrderEvent` and `Fill` does. */
export type OrderName = Pick<CancelDraft, 'symbol' | 'intentId'>;

/** An order request of a strategy; sizing turns it into an order intent with a quantity, or into nothing. */
export type OrderDraft = OneSymbolDraft | RebalanceDraft;

/** What a hook may return: one draft, several, or none. */
export type Decision = OrderDraft | readonly OrderDraft[] | undefined;

/** Functions that create order drafts. They only describe an order; nothing is sent until the hook returns it. */
export interface OrderDrafts {
  /** Buys or sells until the position is `weight` of the whole equity (-1 to 1; negative is short). */
  targetWeight(symbol: SecuritySymbol, weight: number, reason?: string): SizedDraft;
  /** Buys or sells until the position is a signed number of shares. */
  targetQuantity(symbol: SecuritySymbol, quantity: Numeric, reason?: string): SizedDraft;
  /**
   * Buys or sells until the position is worth an amount such as `20000 USD`, at the account's exchange rates
   * (negative is short).
   */
  targetNotional(symbol: SecuritySymbol, notional: Notional, reason?: string): SizedDraft;
  /**
   * Buys or sells until a move of `atr x multiple` against the position costs `share` of the equity: shares are
   * equity x share / (atr x multiple). It places no stop; use `bracket` for that.
   */
  targetRisk(symbol: SecuritySymbol, risk: RiskTerms, reason?: string): SizedDraft;
  /**
   * Holds these shares of the equity and nothing else: `{ 'SPY.US': 0.6, 'IEF.US': -0.2 }`, -1 to 1 each, negative is
   * short. Cancels open orders of the strategy, then sends all orders that reduce positions. When each of these is
   * filled or ended, it sends those that open in the order of the names, each sized when it is sent. `{}` closes
   * everything. The next rebalance replaces one that is still waiting. `{ band: 0.02 }` leaves positions as they are
   * that are within 2 % of the equity from their target.
   */
  rebalance(
    weights: Readonly<Record<string, number>>,
    reason?: string,
    terms?: RebalanceTerms,
  ): RebalanceDraft;
  /** Sells a long position, or buys back a short one. */
  close(symbol: SecuritySymbol, reason?: string): SizedDraft;
  buy(symbol: SecuritySymbol, quantity: Numeric, terms?: DraftTerms): OrderByHand;
  sell(symbol: SecuritySymbol, quantity: Numeric, terms?: DraftTerms): OrderByHand;
  /** An entry with exits. The exits are sent as the entry fills, and end with its position. */
  bracket(entry: SizedDraft, exits: ExitTerms): SizedDraft;
  /** One cancels the others: all orders wait at the venue, and the first that fills cancels the rest. */
  oco(legs: readonly [OrderByHand, OrderByHand, ...OrderByHand[]], reason?: string): OcoDraft;
  /** Sends the order in equal parts over a number of minutes. */
  twap(order: SizedDraft, over: { readonly minutes: number; readonly parts: number }): SlicesDraft;
  /** Sends the order in parts that follow the market's usual volume: `weights`, one for each part. */
  vwap(
    order: SizedDraft,
    over: { readonly minutes: number; readonly weights: readonly number[] },
  ): SlicesDraft;
  /** Sends the order in parts of a fixed number of shares, each after the previous one has filled. */
  iceberg(order: SizedDraft, parts: { readonly shown: Numeric }): SlicesDraft;
  /** Sends a limit order at the market price that follows the price up to a bound. */
  chase(order: SizedDraft, terms: ChaseTerms): ChaseDraft;
  /** Amends an open order. While an earlier amend is pending, the newest one waits. */
  replace(order: OrderName, figures: NewFigures): ReplaceDraft;
  cancel(order: OrderName): CancelDraft;
}

let made = 0;

/**
 * Number of drafts that `orderDrafts` has created so far: a hook that created some and returned none has lost them.
 */
export function draftsMade(): number {
  return made;
}

function counted<T>(draft: T): T {
  made += 1;
  return draft;
}

/** Creates drafts as plain data. */
export const orderDrafts: OrderDrafts = {
  targetWeight: (symbol, weight, reason) => {
    made += 1;
    return reason === undefined
      ? { kind: 'target-weight', symbol, weight }
      : { kind: 'target-weight', symbol, weight, reason };
  },
  targetQuantity,
  targetNotional: (symbol, notional, reason) =>
    counted({ kind: 'target-notional', symbol, notional, ...because(reason) }),
  targetRisk: (symbol, { share, atr, multiple }, reason) =>
    counted({ kind: 'target-risk', symbol, share, atr, multiple, ...because(reason) }),
  rebalance: (weights, reason, terms) =>
    counted({ kind: 'rebalance', weights, ...because(reason), ...terms }),
  close: (symbol, reason) => targetQuantity(symbol, 0, reason),
  buy: (symbol, quantity, terms) => byHand(symbol, 'buy', quantity, terms),
  sell: (symbol, quantity, terms) => byHand(symbol, 'sell', quantity, terms),
  bracket: (entry, exits) => counted({ ...entry, exits }),
  oco: (legs, reason) =>
    counted({ kind: 'oco', symbol: legs[0]?.symbol ?? ('' as SecuritySymbol), legs, ...because(reason) }),
  twap: (order, { minutes, parts }) => {
    // Without a valid number of parts there are no weights, and the draft is left out with the reason.
    const count = Number.isFinite(parts) ? Math.max(0, Math.min(PARTS_MAX, Math.trunc(parts))) : 0;
    return counted({
      kind: 'slices',
      style: 'twap',
      symbol: order.symbol,
      order,
      minutes,
      weights: new Array<number>(count).fill(1),
    });
  },
  vwap: (order, { minutes, weights }) =>
    counted({ kind: 'slices', style: 'vwap', symbol: order.symbol, order, minutes, weights }),
  iceberg: (order, { shown }) =>
    counted({ kind: 'slices', style: 'iceberg', symbol: order.symbol, order, shown }),
  chase: (order, terms) => counted({ kind: 'chase', symbol: order.symbol, order, ...terms }),
  replace: ({ symbol, intentId }, figures) => counted({ kind: 'replace', symbol, intentId, ...figures }),
  cancel: ({ symbol, intentId }) => counted({ kind: 'cancel', symbol, intentId }),
};

/** Maximum number of parts of one order. */
export const PARTS_MAX = 500;

function because(reason: string | undefined): { reason?: string } {
  return omitUndefined({ reason });
}

// These drafts are written out: in the inner loop of a backtest, spreading optional fields would dominate their cost.

function targetQuantity(symbol: SecuritySymbol, quantity: Numeric, reason?: string): SizedDraft {
  made += 1;
  return reason === undefined
    ? { kind: 'target-quantity', symbol, quantity }
    : { kind: 'target-quantity', symbol, quantity, reason };
}

function byHand(symbol: SecuritySymbol, side: Side, quantity: Numeric, terms?: DraftTerms): OrderByHand {
  made += 1;
  return terms === undefined
    ? { kind: 'order', symbol, side, quantity }
    : { kind: 'order', symbol, side, quantity, terms };
}
