import type { Decimal, Price, Quantity } from './decimal.ts';
import type { IntentId, OrderTerms, Side } from './order.ts';
import type { SecuritySymbol } from './symbol.ts';
import { unreachable } from './unreachable.ts';

declare const algorithmIdBrand: unique symbol;

/** Our id of an order algorithm: 16 characters of `A-Z`, `2-7`, like an intent's. */
export type AlgorithmId = string & { readonly [algorithmIdBrand]: true };

export const algorithmId = (text: string): AlgorithmId => text as AlgorithmId;

export interface OrderLink {
  readonly algorithm: AlgorithmId;
  /** Role in the algorithm: `entry`, `stop`, `target`, `leg-1`, `slice-3`. */
  readonly slot: string;
  /** True for orders of which only one may execute; on one side they reserve once, as much as the largest. */
  readonly exclusive?: boolean;
  /** True for an order that only closes what its algorithm opened; it yields to the strategy's decisions. */
  readonly exit?: boolean;
  /**
   * Why an exit is sent again: the venue expired the previous one while the position was open. Absent for a first send.
   */
  readonly again?: 'expired';
}

/** Returns the algorithm of a slice, all of whose slices are one decision; undefined for other orders. */
export function sliceOf(link: OrderLink | undefined): AlgorithmId | undefined {
  return link?.slot.startsWith(SLICE_SLOT) === true ? link.algorithm : undefined;
}

export type ExitOf = Pick<OrderLink, 'algorithm' | 'slot'>;

/** Returns the algorithm and slot of an exit; undefined for other orders. */
export function exitOf(link: OrderLink | undefined): ExitOf | undefined {
  return link?.exit === true ? { algorithm: link.algorithm, slot: link.slot } : undefined;
}

export const SLICE_SLOT = 'slice-';

/** The level of an exit: a price, or a distance from the average entry price. */
export type ExitLevel =
  | { readonly kind: 'price'; readonly price: Price }
  /** In the security's currency. */
  | { readonly kind: 'amount'; readonly amount: Decimal }
  /** 1 is 1 %. */
  | { readonly kind: 'percent'; readonly percent: Decimal };

export type ExitDistance = Exclude<ExitLevel, { kind: 'price' }>;

/** When and where a position is closed, whichever comes first; each part is optional. */
export interface Exits {
  /** Loss at which the position is closed at the market. */
  readonly stop?: ExitLevel;
  /** Gain at which it is closed at a limit. */
  readonly target?: ExitLevel;
  /** Distance of a trailing stop that the venue watches. */
  readonly trail?: ExitDistance;
  /** Gain at which the stop moves to the entry price. */
  readonly breakEven?: ExitDistance;
  /** Time after its first fill at which the position is closed at the market, in milliseconds of market time. */
  readonly afterMs?: number;
  /** Time before the end of its session at which the position is closed at the market, in milliseconds. */
  readonly beforeCloseMs?: number;
}

/** An entry and the exits of the position that it opens. */
export interface BracketSpec {
  readonly kind: 'bracket';
  readonly entry: OrderTerms;
  /** True if the entry leads to a target position. */
  readonly isTarget?: true;
  readonly exits: Exits;
  /**
   * Time after acceptance at which the rest of the entry is cancelled, in milliseconds of market time; never if absent.
   */
  readonly cancelAfterMs?: number;
}

/** An algorithm that may only close a position. */
interface Closing {
  /**
   * True if it began with no more than was held: it follows a position that becomes smaller. It can reverse one only by an
   * execution at the venue before its orders are reduced.
   */
  readonly closes?: true;
}

/** An algorithm that may only close a position, and leaves older orders their shares. */
interface YieldingClose extends Closing {
  /**
   * True if the orders and algorithms that were open at its start left it its whole quantity: it closes no more than they
   * leave.
   */
  readonly yields?: true;
}

/** Orders of which one cancels the others. */
export interface OcoSpec extends Closing {
  readonly kind: 'oco';
  readonly legs: readonly OrderTerms[];
}

/** Part of an order, and when it is due after the start, in milliseconds. */
export interface Slice {
  readonly quantity: Quantity;
  readonly afterMs: number;
}

/** Handling of slices that were due while the bot was down: dropped, or spread over the remaining slices. */
export const MISSED_SLICES = ['drop', 'spread'] as const;
export type MissedSlices = (typeof MISSED_SLICES)[number];

/** An order in slices, each sent at its time or when the previous one has filled. */
export interface SlicesSpec extends YieldingClose {
  readonly kind: 'slices';
  readonly style: 'twap' | 'vwap' | 'iceberg';
  /** The whole order; a limit is the worst price of every slice. */
  readonly order: OrderTerms;
  readonly slices: readonly Slice[];
  readonly pace: 'time' | 'fill';
  /** Applies to `time`; defaults to `drop`. */
  readonly missed?: MissedSlices;
}

export interface ChaseSpec extends YieldingClose {
  readonly kind: 'chase';
  readonly order: OrderTerms;
  /** True if the order leads to a target position. */
  readonly isTarget?: true;
  /** Worst price at which the order may trade. */
  readonly bound: Price;
  readonly everyMs: number;
  /** How long the order follows the market, in milliseconds of market time. */
  readonly forMs: number;
  /** What happens to the rest afterwards: cancelled, or sent as a limit at the bound. */
  readonly atEnd: 'cancel' | 'cross';
}

/** A position to hold in a symbol. */
export interface TargetHolding {
  readonly symbol: SecuritySymbol;
  /** Share of the equity, -1 to 1; negative is short. */
  readonly weight: number;
  /** A position on the side of its weight is not traded while it is at most this share of the equity away from it. */
  readonly band?: number;
}

/** Target positions of a strategy; orders that reduce come first, and those that open follow when they are done. */
export interface RebalanceSpec {
  readonly kind: 'rebalance';
  /** Target positions in the order of the request, with weight 0 for those to close. */
  readonly holdings: readonly TargetHolding[];
  /** Orders of the strategy that were open at the request; they are cancelled first. */
  readonly before: readonly IntentId[];
  /**
   * Time after acceptance at which the rest of an order is cancelled, in milliseconds of market time; never if absent.
   */
  readonly cancelAfterMs?: number;
}

/** The task of an algorithm; with the events of its orders, its complete input. */
export type AlgorithmSpec = BracketSpec | OcoSpec | SlicesSpec | ChaseSpec | RebalanceSpec;

export type OneSymbolSpec = Exclude<AlgorithmSpec, RebalanceSpec>;

export function otherSide(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** Returns the symbol of an algorithm. Throws RangeError for an OCO without legs, which never starts. */
export function symbolOf(spec: OneSymbolSpec): SecuritySymbol {
  switch (spec.kind) {
    case 'bracket':
      return spec.entry.symbol;
    case 'slices':
    case 'chase':
      return spec.order.symbol;
    case 'oco': {
      const [first] = spec.legs;
      if (first === undefined) throw new RangeError('An OCO needs legs');
      return first.symbol;
    }
    default:
      return unreachable(spec);
  }
}

/** True if events of orders in the symbol may affect the algorithm; a rebalance depends on orders in any symbol. */
export function concerns(spec: AlgorithmSpec, symbol: SecuritySymbol): boolean {
  return spec.kind === 'rebalance' || symbolOf(spec) === symbol;
}
