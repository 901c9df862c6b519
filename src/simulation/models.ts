import { Decimal, ZERO } from '../model/decimal.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';
import type { OwnFills } from './own-fills.ts';

/**
 * The order in which a bar visits its extremes. `nearer-first` (default): the extreme nearer to the open. The others
 * reproduce more pessimistic or optimistic engines.
 */
export type BarPath = 'nearer-first' | 'low-first' | 'high-first';

/**
 * What orders match. `prints` (default): four prints per bar in sequence. `whole-bars`: the range of the whole bar, in
 * queue order, as in research programs. A bar settles at its last print; orders that arrive inside it wait for the
 * next.
 */
type Matching = { readonly kind: 'prints' } | WholeBars;

/** Rules of whole-bar matching in which research programs differ. */
export interface WholeBars {
  readonly kind: 'whole-bars';
  /** `submitted`: order of arrival. `closing-first`: orders that close a tranche go to the front, newest first. */
  readonly queue: 'submitted' | 'closing-first';
  /**
   * `net`: one position per symbol.
   * `tranches`: what each order opened is kept separately; opposite orders close the oldest first, and each tranche may
   * have its own exits.
   * `hedged`: like tranches, but an order closes only the tranche that it names. Long and short positions coexist and
   * both use equity.
   */
  readonly positions: 'net' | 'tranches' | 'hedged';
  /**
   * When a stop-loss and take-profit are first tested. `entry-bar`: in the bar of a market entry, and from the next bar
   * on for other entries. `next-bar`: always from the next bar on.
   */
  readonly exits: 'entry-bar' | 'next-bar';
  /**
   * What a stop-limit order does in the bar that triggers it.
   * `limit-beyond`: trades at the stop if the limit is beyond it, otherwise becomes a limit order from the next bar on.
   * `close-tells`: after a gap it becomes a limit order at once. Otherwise it trades at the stop if the limit allows,
   * or at its limit if the bar closes back within it.
   */
  readonly stopLimit: 'limit-beyond' | 'close-tells';
  /** Ratio of the price added when opening a position (buys higher, short sells lower); closing pays none. */
  readonly openingSpread: Decimal;
  /**
   * Scope of minimum charges when a fill reverses a position. `order`: everything that the order executes in a day;
   * `part`: the closing and the opening part separately.
   */
  readonly billing: 'order' | 'part';
  /**
   * Which orders without a limit trade at the close before their bar instead of its open: none (absent), market orders
   * (`market`), or also stops that this close is beyond (`market-and-stops`). Never exits of a tranche.
   */
  readonly atLastClose?: 'market' | 'market-and-stops';
}

/**
 * How orders match the market. Not modelled: the effect of orders on later prices, the exact queue position, and
 * anything between two prints of a bar.
 */
export interface FillModel {
  readonly path: BarPath;
  readonly matching: Matching;
  /**
   * When the market is open: by the exchange's calendar, or at every bar. With `bars`, orders live until they fill, are
   * cancelled or pass the last bar that they name; time in force is ignored.
   */
  readonly hours: 'calendar' | 'bars';
  /** The sessions that the venue trades, under the calendar; regular trading only if absent. */
  readonly sessions?: TradingSessions;
  /**
   * Meaning of a bar without volume after an earlier bar of its file had one. `wait`: no trade, so no order matches it.
   * `fill` (if absent): orders match it like any other, as in research programs.
   */
  readonly emptyBars?: 'wait' | 'fill';
  /** Largest share of a print's volume that orders may take, 0 to 1; undefined for no limit. */
  readonly participation: number | undefined;
  /**
   * When a working limit order fills, with print matching. `touch` (default): at a print at its limit, as if first in
   * the queue. `through`: at a print beyond it, as if last. `TouchChance`: always beyond it, and by chance at it.
   */
  readonly limitFills?: 'touch' | 'through' | TouchChance;
  /**
   * What orders sent inside a bar match first, with print matching. `close` (default): the close tick, never an
   * extreme, because ticks two and three are extremes by construction. `tick`: the current tick, which is optimistic.
   */
  readonly insideBars?: 'close' | 'tick';
  readonly slippage: SlippageModel;
  /** A custom model that replaces `slippage` and adds to `participation`. */
  readonly own?: OwnFills | undefined;
  /** What a split does to open orders: adjust their quantity and prices, or cancel them. */
  readonly splitOrders: 'adjust' | 'cancel';
  readonly checkTicks: boolean;
  /** Refuses quantities that are not whole lots (ODD orders: not below one lot). */
  readonly checkLots: boolean;
}

/**
 * Cost, relative to the print, of an order that takes liquidity (a market order, a limit that trades on arrival, a
 * triggered condition).
 * - `fixed`: `ratio` of the price.
 * - `ticks`: price steps of the security or its market.
 * - `spread`: half of `ratio`, which is the whole spread relative to the price.
 * - `square-root`: coefficient x sigma x sqrt(quantity / volume), with the bar's volume and its Parkinson sigma (from
 *   high and low). A bar without volume counts as traded by the order alone.
 * @see Parkinson, "The Extreme Value Method for Estimating the Variance of the Rate of Return", 1980
 * @see Toth et al., "Anomalous price impact and the critical nature of liquidity in financial markets", 2011
 */
export type SlippageModel =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly ratio: Decimal }
  | { readonly kind: 'ticks'; readonly ticks: number }
  | { readonly kind: 'spread'; readonly ratio: Decimal }
  | { readonly kind: 'square-root'; readonly coefficient: Decimal };

export const NO_SLIPPAGE: SlippageModel = { kind: 'none' };

/**
 * Probability, 0 to 1, that a touch of its limit fills a working order. Every touch is a new draw, reproducible by
 * seed.
 */
export interface TouchChance {
  readonly chance: number;
  readonly seed: number;
}

/** Time from submission to arrival at the exchange, in milliseconds of market time. */
export type LatencyModel =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly minMs: number; readonly maxMs: number };

/**
 * When an order must be covered.
 * - `reserved`: at submission; its cost is reserved from then on.
 * - `rehearsed`: orders of one instant are checked in sequence at their own prices (market orders at the last), each
 *   leaving its cash to the next, and refused while cash is negative. Nothing is reserved; what a fill opens must be
 *   paid from cash again.
 * - `at-fill`: only at the fill. What it opens must fit into equity less the value of all positions, so a short uses as
 *   much as a long; with credit, only initial margins count.
 *
 * The last two need `whole-bars`.
 */
export type CoverRule = 'reserved' | 'rehearsed' | 'at-fill';

/**
 * What an account may buy with. `cash`: its own cash in the security's currency, covering positions in full. `margin`:
 * margin factors of the securities, and a credit line of `financeMultiple` x opening equity.
 */
export interface MarginModel {
  readonly kind: 'cash' | 'margin';
  readonly cover: CoverRule;
  /**
   * What happens if the account cannot pay in full for what a fill opens (`at-fill` only). `reject`: nothing opens.
   * `cut`: as many whole lots open as it can pay for, charges and spread included; the rest of the order is cancelled.
   */
  readonly shortfall: 'reject' | 'cut';
  /**
   * When the venue closes an account out: cancels its orders and closes its positions at the last price, with the
   * slippage of market orders.
   * - `none`: never.
   * - `forced`: at a print (with whole bars: a close) at which equity is below the market values times
   *   forced-liquidation factors, and at later ones while maintenance margin exceeds equity.
   * - `as-needed`: likewise, but only as much as brings maintenance margin back within equity.
   * - `equity`: when equity is gone. No more orders are accepted, and the cash left without positions, usually debt, is
   *   written off.
   */
  readonly closeOut: 'none' | 'forced' | 'as-needed' | 'equity';
  /** True if proceeds of a sale cannot be spent before they settle. */
  readonly settledOnly: boolean;
  readonly financeMultiple: Decimal;
  /** An order without a price is reserved at last price x this, by market; other markets use `marketBufferElse`. */
  readonly marketBuffer: Readonly<Record<string, Decimal>>;
  readonly marketBufferElse: Decimal;
}

/**
 * Default: prints in regular hours, nearer extreme first, full quantity of every bar with trades, ticks and lots
 * checked.
 */
export const PRINT_FILLS: FillModel = {
  path: 'nearer-first',
  matching: { kind: 'prints' },
  hours: 'calendar',
  emptyBars: 'wait',
  participation: undefined,
  slippage: NO_SLIPPAGE,
  splitOrders: 'adjust',
  checkTicks: true,
  checkLots: true,
};

export const NO_LATENCY: LatencyModel = { kind: 'none' };

const BUFFERS = {
  marketBuffer: { HK: new Decimal('1.05'), US: new Decimal('1.01') },
  marketBufferElse: new Decimal('1.05'),
};

const ORDINARY = {
  cover: 'reserved',
  shortfall: 'reject',
  closeOut: 'none',
  settledOnly: false,
  ...BUFFERS,
} as const;

/**
 * No credit: every position is paid in full.
 * @see docs/wire-protocol.md, "Calls" (buffers)
 */
export const CASH_ACCOUNT: MarginModel = {
  kind: 'cash',
  financeMultiple: ZERO,
  ...ORDINARY,
};

/**
 * Credit line of once the opening equity.
 * @see docs/venue.md, "The market"; ADR 0019
 */
export const MARGIN_ACCOUNT: MarginModel = {
  kind: 'margin',
  financeMultiple: new Decimal(1),
  ...ORDINARY,
};
