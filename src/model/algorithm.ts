import type { Decimal, Price, Quantity } from './decimal.ts';
import type { IntentId, OrderTerms, Side } from './order.ts';
import type { SecuritySymbol } from './symbol.ts';
import { unreachable } from './unreachable.ts';

declare const algorithmIdBrand: unique symbol;

/** Our id of an order algorithm: 16 characters of `A-Z`, `2-7`, like an intent's. */
export type AlgorithmId = string & { readonly [algorithmIdBrand]: true };

export const algorithmId = (text: string): AlgorithmId => text as AlgorithmId;

/** What an order is to the algorithm that wants it. */
export interface OrderLink {
  readonly algorithm: AlgorithmId;
  /** Its place in the algorithm: `entry`, `stop`, `target`, `leg-1`, `slice-3`. */
  readonly slot: string;
  /** True for orders of which only one may execute in the end: on one side they reserve once, as much as the largest. */
  readonly exclusive?: boolean;
  /** True for an order that only closes what its algorithm opened; it yields to the decisions of the strategy. */
  readonly exit?: boolean;
  /** Why an exit is sent again: the venue expired the one before while the position lived. Absent: it is not sent again. */
  readonly again?: 'expired';
}

/** The algorithm whose slice an order is: all slices of one are one decision. Undefined for every other order. */
export function sliceOf(link: OrderLink | undefined): AlgorithmId | undefined {
  return link?.slot.startsWith(SLICE_SLOT) === true ? link.algorithm : undefined;
}

/** The bracket that an order is an exit of, and which of its exits. */
export type ExitOf = Pick<OrderLink, 'algorithm' | 'slot'>;

/** Whose exit an order is; undefined for every other order. */
export function exitOf(link: OrderLink | undefined): ExitOf | undefined {
  return link?.exit === true ? { algorithm: link.algorithm, slot: link.slot } : undefined;
}

/** What the slots of slices begin with. */
export const SLICE_SLOT = 'slice-';

/** A price to leave at: itself, or a distance from the average price that was paid. */
export type ExitLevel =
  | { readonly kind: 'price'; readonly price: Price }
  /** In the security's currency. */
  | { readonly kind: 'amount'; readonly amount: Decimal }
  /** 1 is 1 %. */
  | { readonly kind: 'percent'; readonly percent: Decimal };

/** A distance from a price that moves. */
export type ExitDistance = Exclude<ExitLevel, { kind: 'price' }>;

/** When and where a position is left, whichever comes first; each part is optional. */
export interface Exits {
  /** Loss at which it is closed at the market. */
  readonly stop?: ExitLevel;
  /** Gain at which it is closed at a limit. */
  readonly target?: ExitLevel;
  /** A stop that follows the price at this distance, where the venue watches it. */
  readonly trail?: ExitDistance;
  /** Gain at which the stop moves to the entry price. */
  readonly breakEven?: ExitDistance;
  /** Closed at the market this long after its first fill, milliseconds of market time. */
  readonly afterMs?: number;
  /** Closed at the market this long before its session ends, milliseconds. */
  readonly beforeCloseMs?: number;
}

/** An entry, and the exits of what it opens. */
export interface BracketSpec {
  readonly kind: 'bracket';
  readonly entry: OrderTerms;
  /** True where the entry leads to a target position. */
  readonly isTarget?: true;
  readonly exits: Exits;
  /** Cancel what is still open of the entry this long after the venue took it, milliseconds of market time; absent: never. */
  readonly cancelAfterMs?: number;
}

/** Orders of which one cancels the others. */
export interface OcoSpec {
  readonly kind: 'oco';
  readonly legs: readonly OrderTerms[];
}

/** One part of an order, and when its time comes after the start, milliseconds. */
export interface Slice {
  readonly quantity: Quantity;
  readonly afterMs: number;
}

/** What becomes of slices whose time passed while the bot was down: they are left out, or the rest of the slices grow by them. */
export const MISSED_SLICES = ['drop', 'spread'] as const;
export type MissedSlices = (typeof MISSED_SLICES)[number];

/** An order in parts: at their times, or each when the one before was filled. */
export interface SlicesSpec {
  readonly kind: 'slices';
  /** How it was asked for. */
  readonly style: 'twap' | 'vwap' | 'iceberg';
  /** The whole order; a limit is the worst price of every part. */
  readonly order: OrderTerms;
  readonly slices: readonly Slice[];
  readonly pace: 'time' | 'fill';
  /** For `time`; absent: `drop`. */
  readonly missed?: MissedSlices;
}

/** A limit that follows the market. */
export interface ChaseSpec {
  readonly kind: 'chase';
  readonly order: OrderTerms;
  /** True where it leads to a target position. */
  readonly isTarget?: true;
  /** The worst price that it may trade at. */
  readonly bound: Price;
  readonly everyMs: number;
  /** How long it follows, milliseconds of market time. */
  readonly forMs: number;
  /** What becomes of the rest then: cancelled, or sent as a limit at the bound. */
  readonly atEnd: 'cancel' | 'cross';
}

/** A share of the whole equity to hold of a symbol: 0 to 1. */
export interface TargetHolding {
  readonly symbol: SecuritySymbol;
  readonly weight: number;
}

/** What a strategy is to hold, whatever it holds now: sales first, and purchases once these are done. */
export interface RebalanceSpec {
  readonly kind: 'rebalance';
  /** The target positions, with a weight of 0 for those to close; in the order of the request. */
  readonly holdings: readonly TargetHolding[];
  /** Orders of the strategy that were open when it was asked for; they are taken back first. */
  readonly before: readonly IntentId[];
  /** Cancel what is still open of an order this long after the venue took it, milliseconds of market time; absent: never. */
  readonly cancelAfterMs?: number;
}

/** What an algorithm was asked to do: all that it needs to know besides what became of its orders. */
export type AlgorithmSpec = BracketSpec | OcoSpec | SlicesSpec | ChaseSpec | RebalanceSpec;

/** One that trades in one symbol. */
export type OneSymbolSpec = Exclude<AlgorithmSpec, RebalanceSpec>;

/** The side that takes a position back. */
export function otherSide(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** What an algorithm trades in. Throws RangeError for an OCO without legs, which is never started. */
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

/** True when what becomes of an order in a symbol may concern an algorithm: a rebalance waits for orders in any. */
export function concerns(spec: AlgorithmSpec, symbol: SecuritySymbol): boolean {
  return spec.kind === 'rebalance' || symbolOf(spec) === symbol;
}
