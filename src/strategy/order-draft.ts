import { omitUndefined } from '../model/omit-undefined.ts';
import type { IntentId, OrderTerms, Side } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { ExitTerms, LevelTerms } from './exits.ts';
import type { Notional } from './notional.ts';
import type { Numeric } from './numeric.ts';

/** Terms an author may set on an order by hand; what is absent comes from the config's `execution`. */
export type DraftTerms = Partial<
  Omit<OrderTerms, 'symbol' | 'side' | 'quantity' | DraftFigure> & Record<DraftFigure, Numeric>
>;

/** The terms that are figures. */
export type DraftFigure =
  | 'price'
  | 'triggerPrice'
  | 'limitOffset'
  | 'trailingAmount'
  | 'trailingPercent'
  | 'monitorPrice';

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
        readonly quantity: Numeric;
        readonly reason?: string;
      }
    | TargetNotional
    | TargetRisk
    | OrderByHand
  );

/** A position worth so much; a negative amount is short. */
export interface TargetNotional {
  readonly kind: 'target-notional';
  readonly symbol: SecuritySymbol;
  readonly notional: Notional;
  readonly reason?: string;
}

/** A position that loses a share of the equity when the price moves against it by a multiple of the ATR. */
export interface TargetRisk extends RiskTerms {
  readonly kind: 'target-risk';
  readonly symbol: SecuritySymbol;
  readonly reason?: string;
}

/** What a trade may lose, and how far away its stop is. */
export interface RiskTerms {
  /** Share of the equity at risk: 0.01 is 1 %; -1 to 1, negative is short. */
  readonly share: number;
  /** Average true range in the security's currency; NaN (before warm-up) asks for nothing. */
  readonly atr: number;
  /** ATRs from the entry to the stop, above zero. */
  readonly multiple: number;
}

/** An order of a given size. */
export interface OrderByHand extends WithExits {
  readonly kind: 'order';
  readonly symbol: SecuritySymbol;
  readonly side: Side;
  readonly quantity: Numeric;
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

/** An order in parts. */
export interface SlicesDraft {
  readonly kind: 'slices';
  readonly reason?: string;
  readonly style: 'twap' | 'vwap' | 'iceberg';
  readonly symbol: SecuritySymbol;
  readonly order: SizedDraft;
  /** How much of the order each part is, in any unit; one part for each number. */
  readonly weights?: readonly number[];
  /** Minutes of market time from the first part to the end of the last. */
  readonly minutes?: number;
  /** Shares of each part of an iceberg. */
  readonly shown?: Numeric;
}

/** A limit that follows the market away from it. */
export interface ChaseDraft extends ChaseTerms {
  readonly kind: 'chase';
  readonly reason?: string;
  readonly symbol: SecuritySymbol;
  readonly order: SizedDraft;
}

/** How far and how long a limit follows the market. */
export interface ChaseTerms {
  /** Worst price: itself, or a distance from the latest price when the chase begins. */
  readonly bound: LevelTerms;
  readonly minutes: number;
  /** What becomes of the rest then: cancelled, or sent as a limit at the bound. */
  readonly atEnd: 'cancel' | 'cross';
  /** How often it looks, seconds of market time; 5 if absent. */
  readonly everySeconds?: number;
}

/** New figures for an open order; the quantity is the new total, what is left out stays. */
export interface ReplaceDraft extends NewFigures {
  readonly kind: 'replace';
  readonly reason?: string;
  readonly symbol: SecuritySymbol;
  readonly intentId: IntentId;
}

/** Figures of an order that can be changed while it is open. */
export interface NewFigures {
  readonly quantity?: Numeric;
  readonly price?: Numeric;
  readonly triggerPrice?: Numeric;
}

/** Takes an open order back. */
export interface CancelDraft {
  readonly kind: 'cancel';
  readonly reason?: string;
  readonly symbol: SecuritySymbol;
  readonly intentId: IntentId;
}

/**
 * What to hold, whatever is held now: a share of the whole equity by symbol, 0 to 1. What is held and not named is given
 * up. Sales come first; once these are done, purchases are sized and judged one after the other.
 */
export interface RebalanceDraft {
  readonly kind: 'rebalance';
  readonly weights: Readonly<Record<string, number>>;
  readonly reason?: string;
}

/** A draft about one symbol. */
export type OneSymbolDraft = SizedDraft | OcoDraft | SlicesDraft | ChaseDraft | ReplaceDraft | CancelDraft;

/** Names an order: an `OrderEvent` and a `Fill` do. */
export type OrderName = Pick<CancelDraft, 'symbol' | 'intentId'>;

/** What a strategy asks for; sizing turns it into an order intent with a quantity, or into nothing to do. */
export type OrderDraft = OneSymbolDraft | RebalanceDraft;

/** What a hook may return: one draft, several, or nothing. */
export type Decision = OrderDraft | readonly OrderDraft[] | undefined;

/** The ways to ask for an order; each only describes it, nothing is sent here. */
export interface OrderDrafts {
  /** Buys or sells so that the symbol makes up `weight` of the whole equity (-1 to 1; negative is short). */
  targetWeight(symbol: SecuritySymbol, weight: number, reason?: string): SizedDraft;
  /** Buys or sells up to a signed number of shares. */
  targetQuantity(symbol: SecuritySymbol, quantity: Numeric, reason?: string): SizedDraft;
  /** Buys or sells so that the position is worth an amount such as `20000 USD`, at the account's rates (negative is short). */
  targetNotional(symbol: SecuritySymbol, notional: Notional, reason?: string): SizedDraft;
  /**
   * Buys or sells so that a move of `atr x multiple` against the position costs `share` of the equity: shares are
   * equity x share / (atr x multiple). It sets no stop by itself; `bracket` does.
   */
  targetRisk(symbol: SecuritySymbol, risk: RiskTerms, reason?: string): SizedDraft;
  /**
   * Holds these shares of the equity and nothing else: `{ 'SPY.US': 0.6, 'IEF.US': 0.35 }`, 0 to 1 each. Orders of the strategy
   * that are open are taken back, then all sales are sent, and when each of these was filled or has ended, the purchases in the
   * order of the names, each sized when it is sent. `{}` sells everything. The next rebalance replaces one that still waits.
   */
  rebalance(weights: Readonly<Record<string, number>>, reason?: string): RebalanceDraft;
  /** Sells what is held, or buys back what is short. */
  close(symbol: SecuritySymbol, reason?: string): SizedDraft;
  buy(symbol: SecuritySymbol, quantity: Numeric, terms?: DraftTerms): OrderByHand;
  sell(symbol: SecuritySymbol, quantity: Numeric, terms?: DraftTerms): OrderByHand;
  /** An entry whose exits wait at the venue as soon as it is filled, and leave together with what it opened. */
  bracket(entry: SizedDraft, exits: ExitTerms): SizedDraft;
  /** One cancels the others: all wait at the venue, and the first that trades takes the others back. */
  oco(legs: readonly [OrderByHand, OrderByHand, ...OrderByHand[]], reason?: string): OcoDraft;
  /** The order in equal parts, one after the other over some minutes. */
  twap(order: SizedDraft, over: { readonly minutes: number; readonly parts: number }): SlicesDraft;
  /** The same in parts as large as the market's usual volume in each: `weights`, one for each part. */
  vwap(
    order: SizedDraft,
    over: { readonly minutes: number; readonly weights: readonly number[] },
  ): SlicesDraft;
  /** The order in parts of so many shares, each sent when the one before was filled. */
  iceberg(order: SizedDraft, parts: { readonly shown: Numeric }): SlicesDraft;
  /** A limit at the market that follows it up to a bound. */
  chase(order: SizedDraft, terms: ChaseTerms): ChaseDraft;
  /** Changes an open order; while an earlier change is under way, the newest wish waits. */
  replace(order: OrderName, figures: NewFigures): ReplaceDraft;
  cancel(order: OrderName): CancelDraft;
}

let made = 0;

/** How many drafts `orderDrafts` has made so far: a hook that made some and returned none has lost them. */
export function draftsMade(): number {
  return made;
}

function counted<T>(draft: T): T {
  made += 1;
  return draft;
}

/** The one implementation of `OrderDrafts`: plain data in, plain data out. */
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
  rebalance: (weights, reason) => counted({ kind: 'rebalance', weights, ...because(reason) }),
  close: (symbol, reason) => targetQuantity(symbol, 0, reason),
  buy: (symbol, quantity, terms) => byHand(symbol, 'buy', quantity, terms),
  sell: (symbol, quantity, terms) => byHand(symbol, 'sell', quantity, terms),
  bracket: (entry, exits) => counted({ ...entry, exits }),
  oco: (legs, reason) =>
    counted({ kind: 'oco', symbol: legs[0]?.symbol ?? ('' as SecuritySymbol), legs, ...because(reason) }),
  twap: (order, { minutes, parts }) => {
    // A number of parts that is none has no weights, and the draft is left out with the reason.
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

/** Most parts of one order. */
export const PARTS_MAX = 500;

function because(reason: string | undefined): { reason?: string } {
  return omitUndefined({ reason });
}

// The drafts of a backtest's inner loop are written out: spreading what may be absent takes longer than the rest of them.

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
