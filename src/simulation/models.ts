import { Decimal, ZERO } from '../model/decimal.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';
import type { OwnFills } from './own-fills.ts';

/**
 * In which order a bar visits its extremes. `nearer-first` is the default (the extreme nearer to the open comes first);
 * the other two exist to be as careful, or as kind, as another engine is.
 */
export type BarPath = 'nearer-first' | 'low-first' | 'high-first';

/**
 * What orders meet. `prints` is the default: four prints a bar, one after the other. `whole-bars` tests every order
 * against the range of the whole bar at once, in queue order, as research programs do: the queue decides, not which extreme
 * came first. A bar is settled by its last print; orders that arrive inside a bar wait for the next.
 */
export type Matching = { readonly kind: 'prints' } | WholeBars;

/** Where research programs differ in how an order meets a whole bar. */
export interface WholeBars {
  readonly kind: 'whole-bars';
  /** `submitted`: in the order of arrival. `closing-first`: orders that close a tranche go to the front, the newest first. */
  readonly queue: 'submitted' | 'closing-first';
  /**
   * `net`: one position per symbol. `tranches`: what each order opened is kept separately, opposite orders close the oldest
   * first, and each tranche may have its own exits. `hedged`: tranches too, but an order closes only what it names, so
   * that long and short positions coexist, each taking up equity.
   */
  readonly positions: 'net' | 'tranches' | 'hedged';
  /**
   * When a stop-loss and a take-profit are first tested. `entry-bar`: in the bar of a market entry already, of other
   * entries from the next bar on; `next-bar`: from the next bar on.
   */
  readonly exits: 'entry-bar' | 'next-bar';
  /**
   * What a stop-limit order does in the bar that reaches its stop. `limit-beyond`: it trades at the stop if the limit is
   * beyond it, otherwise it is a limit order from the next bar on. `close-tells`: after a gap it is a limit order at once; on
   * the way it trades at the stop if the limit allows that, or at its limit where the bar closes back within it.
   */
  readonly stopLimit: 'limit-beyond' | 'close-tells';
  /** Share of the price that opening a position costs on top (buying higher, selling short lower); closing pays none. */
  readonly openingSpread: Decimal;
  /**
   * What a minimum charge holds for when a fill turns a position round. `order`: for all that the order does in a day;
   * `part`: for what it closes and what it opens, each for itself.
   */
  readonly billing: 'order' | 'part';
  /**
   * Which orders without a limit deal at the close before the bar that they meet, in place of its open: none (absent), those
   * at the `market`, or the `market` and those whose stop it is beyond (`market-and-stops`). Exits of a tranche never do.
   */
  readonly atLastClose?: 'market' | 'market-and-stops';
}

/**
 * How orders meet the market. What the model leaves out: market impact, queue position, and everything that happened
 * between two prints of a bar.
 */
export interface FillModel {
  readonly path: BarPath;
  readonly matching: Matching;
  /**
   * When the market is open: by the exchange's calendar, or whenever there is a bar. With `bars` orders live until
   * they fill, are cancelled or have met the last bar that they name; their time in force is not applied.
   */
  readonly hours: 'calendar' | 'bars';
  /** The sessions that the venue holds, where it keeps the calendar: in others nothing is traded. Regular trading alone when absent. */
  readonly sessions?: TradingSessions;
  /**
   * What a bar of no volume means, once an earlier bar of its file had one. `wait`: there was no trade, so no order meets it. `fill` (the default):
   * orders meet it like any other, as in research programs.
   */
  readonly emptyBars?: 'wait' | 'fill';
  /** Largest share of one print's volume that orders may take, 0 to 1; undefined fills in full whatever the volume. */
  readonly participation: number | undefined;
  /**
   * When a working limit order trades, where orders meet prints: as soon as a print touches its limit (the default), as if it
   * were first in the queue; once a print is beyond it, as if it were last; or beyond it always and at a touch by chance.
   */
  readonly limitFills?: 'touch' | 'through' | TouchChance;
  /**
   * What orders meet that are sent while a bar runs, where they meet prints. `close` (absent, too): its close tick at the earliest, and never an
   * extreme, as ticks two and three are extremes by construction. `tick`: the current tick, which is optimistic.
   */
  readonly insideBars?: 'close' | 'tick';
  /** What orders that take pay beyond the print. */
  readonly slippage: SlippageModel;
  /** A custom model, in place of `slippage` and in addition to `participation`; absent: there is none. */
  readonly own?: OwnFills | undefined;
  /** What a split does to open orders: they are counted in new shares and prices, or they end. */
  readonly splitOrders: 'adjust' | 'cancel';
  /** Refuses prices off the market's tick ladder. */
  readonly checkTicks: boolean;
  /** Refuses quantities that are not whole lots (ODD: not below one lot). */
  readonly checkLots: boolean;
}

/**
 * What an order that takes (a market order, a limit that trades on arrival, a condition that is met) pays beyond the print
 * it takes. `fixed`: `ratio` of the price. `ticks`: so many price steps of the security, its own or its market's. `spread`: half of `ratio`, the whole spread as a share of the price.
 * `square-root`: coefficient x sigma x sqrt(quantity / volume), with the sigma (Parkinson's, from high and low) and the
 * volume of the bar it trades in; a bar without volume counts as one that the order makes up alone.
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

/** How likely a touch of its limit fills an order that rests, 0 to 1; every touch is a new draw, the same with the same seed. */
export interface TouchChance {
  readonly chance: number;
  readonly seed: number;
}

/** How long a request travels from acceptance to the exchange, in milliseconds of market time. */
export type LatencyModel =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly minMs: number; readonly maxMs: number };

/**
 * When an order must be covered. `reserved`: when it is submitted, and what it may cost is set aside from then on.
 * `rehearsed`: the orders of one instant are gone through in turn at their own prices (a market order at the last), each
 * leaving its cash to the next, and refused while cash is below zero; nothing is set aside, and whatever a fill opens
 * must be paid from cash again. `at-fill`: nothing is checked before the fill; what that opens must fit into equity less the
 * value of all positions, so a short takes as much as a long; an account with credit counts their initial margins only.
 * The last two need `whole-bars`.
 */
export type CoverRule = 'reserved' | 'rehearsed' | 'at-fill';

/**
 * What an account may buy with. `cash`: only its own money in the security's currency, every position covered in full.
 * `margin`: the securities' factors, and a credit line of `financeMultiple` x the equity that the account opened with.
 */
export interface MarginModel {
  readonly kind: 'cash' | 'margin';
  readonly cover: CoverRule;
  /**
   * What becomes of an order whose opening the account cannot pay for in full when it fills (`at-fill` only). `reject`:
   * nothing is opened. `cut`: as many whole lots are opened as it can pay for, charges and spread included, and the rest of
   * the order is dropped.
   */
  readonly shortfall: 'reject' | 'cut';
  /**
   * When the venue closes an account out: cancels its orders and closes all it holds at the last price, slipped as any order at the market
   * is. `none`: never. `forced`: at a print (with whole bars: a close) at which equity is below the sum of market values times
   * forced-liquidation factors, and at later ones while maintenance margin exceeds equity. `as-needed`: then, too, but only as much as
   * brings maintenance margin back within equity. `equity`: once equity is gone; no more orders are taken, and when nothing is held any more
   * what is owed is written off.
   */
  readonly closeOut: 'none' | 'forced' | 'as-needed' | 'equity';
  /** True when a sale's proceeds buy nothing before they have settled. */
  readonly settledOnly: boolean;
  readonly financeMultiple: Decimal;
  /** An order without a price is taken at last price x this, by market; other markets use `marketBufferElse`. */
  readonly marketBuffer: Readonly<Record<string, Decimal>>;
  readonly marketBufferElse: Decimal;
}

/** Prints in the exchange's regular hours, nearer extreme first, full quantity of every bar that traded, ticks and lots checked. */
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

/** Default of how an account meets its orders. */
const ORDINARY = {
  cover: 'reserved',
  shortfall: 'reject',
  closeOut: 'none',
  settledOnly: false,
  ...BUFFERS,
} as const;

/** No credit: what is bought is paid. @see docs/wire-protocol.md, "Calls" (buffers) */
export const CASH_ACCOUNT: MarginModel = {
  kind: 'cash',
  financeMultiple: ZERO,
  ...ORDINARY,
};

/** Credit of once the opening equity. @see docs/venue.md, "The market"; ADR 0019 */
export const MARGIN_ACCOUNT: MarginModel = {
  kind: 'margin',
  financeMultiple: new Decimal(1),
  ...ORDINARY,
};
